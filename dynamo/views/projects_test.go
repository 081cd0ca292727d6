package views_test

import (
	"context"
	"fmt"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/views"
	"issuegrid/tracker"
)

// TestOnce checks that a change is made once under a key, and that its repetition returns the view.
func TestOnce(t *testing.T) {
	f := setup(t)
	once := func(key string) *views.Store {
		return views.Of(f.Tenant.Once(tracker.Once{Key: key, Fingerprint: key}), ada)
	}
	v := f.view("A", false)
	first, err := once("create").CreateView(t.Context(), v)
	f.Must(err)
	v.ID = "other"
	second, err := once("create").CreateView(t.Context(), v)
	f.Must(err)
	f.Same("the repeated creation", first, second)
	for range 2 {
		changed, err := once("update").UpdateView(t.Context(), first.Ref(), nil, func(v *tracker.View) error {
			v.Name += "!"
			return nil
		})
		if err != nil || changed.Name != "A!" {
			t.Errorf("changed to %+v, %v", changed, err)
		}
	}
	for range 2 {
		f.Must(once("delete").DeleteView(t.Context(), first.Ref(), nil, allow))
	}
	if _, err := once("create").CreateView(t.Context(), v); code(err) != tracker.NotFound {
		t.Errorf("the repeated creation of a deleted view: %v", err)
	}
	f.Same("views", []string{}, f.names(ada, "p1"))
}

// TestProjects checks that the views of a project in the trash cannot be changed, that they are there after
// it was restored, and that nothing is left of them after it was purged.
func TestProjects(t *testing.T) {
	f := setup(t)
	mine, ours := f.create(ada, f.view("Mine", false)), f.create(ada, f.view("Ours", true))
	_, err := f.Tenant.TrashProject(t.Context(), "p1", nil)
	f.Must(err)
	for _, v := range []*tracker.View{mine, ours} {
		_, err := f.update(ada, v.Ref(), func(v *tracker.View) { v.Filter = "{}" })
		if code(err) != tracker.NotFound {
			t.Errorf("a change of %q: %v", v.Name, err)
		}
		err = f.as(ada).DeleteView(t.Context(), v.Ref(), nil, allow)
		if code(err) != tracker.NotFound {
			t.Errorf("the deletion of %q: %v", v.Name, err)
		}
	}
	if _, err := f.as(ada).CreateView(t.Context(), f.view("New", false)); code(err) != tracker.NotFound {
		t.Errorf("a new view: %v", err)
	}
	f.Sound()
	_, err = f.Tenant.RestoreProject(t.Context(), "p1")
	f.Must(err)
	f.Same("restored", []string{"Mine", "Ours s"}, f.names(ada, "p1"))
	f.Must(f.Tenant.DeleteProject(t.Context(), "p1", nil))
	f.Must(f.Tenant.RunJobs(t.Context(), "p1"))
	f.Same("purged", []string{}, f.names(ada, "p1"))
}

// TestOwnProjects checks the list of the projects in which a user has private views.
func TestOwnProjects(t *testing.T) {
	f := setup(t)
	projects := func(by tracker.Principal) (ids []tracker.ProjectID) {
		t.Helper()
		page, more, err := f.as(by).OwnProjects().Page(t.Context(), dynamo.ListQuery{Limit: 10})
		if err != nil || more {
			t.Fatal(more, err)
		}
		for _, p := range page {
			ids = append(ids, p.ID)
			f.Same("the position", string(p.ID), string(p.Position))
		}
		return ids
	}
	v := f.create(ada, f.view("Mine", false))
	f.create(ada, f.view("Mine too", false))
	other := f.view("Mine", false)
	other.Project = "p2"
	f.create(ada, other)
	f.create(grace, f.view("Ours", true))
	f.Same("projects of ada", []tracker.ProjectID{"p1", "p2"}, projects(ada))
	f.Same("projects of grace", []tracker.ProjectID(nil), projects(grace))
	n, err := f.as(ada).CountOwn(t.Context(), projects(ada))
	f.Must(err)
	f.Same("views of ada", 3, n)
	own, err := f.as(ada).Own(t.Context(), "p2")
	f.Must(err)
	f.Same("in p2", []string{"Mine"}, []string{own[0].Name})
	f.Must(f.as(ada).DeleteView(t.Context(), other.Ref(), nil, allow))
	f.Same("without the view in p2", []tracker.ProjectID{"p1"}, projects(ada))
	_, err = f.update(ada, v.Ref(), func(v *tracker.View) { v.Shared = true })
	f.Must(err)
	f.Same("with one less in p1", []tracker.ProjectID{"p1"}, projects(ada))
}

// TestCosts checks the calls and the capacity of each operation, with 10 views of other users and 3 of one's
// own.
func TestCosts(t *testing.T) {
	f := setup(t)
	for range 10 {
		f.create(grace, f.view(fmt.Sprint("view ", f.ids), false))
	}
	v := f.create(ada, f.view("A", false))
	shared := f.create(ada, f.view("B", true))
	f.create(ada, f.view("C", false))
	type cost struct {
		Calls    map[string]int
		RCU, WCU float64
	}
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, s *views.Store) error
		want cost
	}{
		{"one by id", func(ctx context.Context, s *views.Store) error {
			_, err := s.Get(ctx, []tracker.ViewRef{v.Ref()})
			return err
		}, cost{map[string]int{"BatchGetItem": 1}, 3, 0}},
		{"two by id", func(ctx context.Context, s *views.Store) error {
			_, err := s.Get(ctx, []tracker.ViewRef{v.Ref(), shared.Ref()})
			return err
		}, cost{map[string]int{"BatchGetItem": 1}, 5, 0}},
		{"a list", func(ctx context.Context, s *views.Store) error {
			_, err := s.List(ctx, "p1")
			return err
		}, cost{map[string]int{"Query": 2}, 2, 0}},
		{"other columns", func(ctx context.Context, s *views.Store) error {
			_, err := s.UpdateView(ctx, v.Ref(), nil, func(v *tracker.View) error {
				v.Columns = []tracker.ViewColumn{{Column: "name", Width: 200}}
				return nil
			})
			return err
		}, cost{map[string]int{"BatchGetItem": 1, "TransactWriteItems": 1}, 3, 4}},
		{"a new name", func(ctx context.Context, s *views.Store) error {
			_, err := s.UpdateView(ctx, v.Ref(), nil, func(v *tracker.View) error {
				v.Name = "D"
				return nil
			})
			return err
		}, cost{map[string]int{"BatchGetItem": 1, "Query": 1, "TransactWriteItems": 1}, 4, 6}},
		{"a new view", func(ctx context.Context, s *views.Store) error {
			_, err := s.CreateView(ctx, f.view("E", false))
			return err
		}, cost{map[string]int{"Query": 1, "TransactWriteItems": 1}, 1, 6}},
	} {
		tenant, m := f.Metered()
		if err := test.do(t.Context(), views.Of(tenant, ada)); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		got := m.Cost()
		if !dynamotest.ReportsUnits() {
			got.RCU, got.WCU = test.want.RCU, test.want.WCU
		}
		f.Same(test.name, test.want, cost{got.Calls, got.RCU, got.WCU})
	}
}
