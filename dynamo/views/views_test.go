package views_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/dynamo/views"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// fixture is a table with the tenant acme and its projects p1 and p2.
type fixture struct {
	*dynamotest.Fixture
	ids int
}

var (
	ada   = tracker.Principal{Tenant: "acme", User: "ada", Role: tracker.Reader}
	grace = tracker.Principal{Tenant: "acme", User: "grace", Role: tracker.Editor}
	// root is an operator of another tenant with the name of a user of this one.
	root = tracker.Principal{Tenant: "other", User: "ada", Role: tracker.Operator}
)

func setup(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	f := &fixture{Fixture: dynamotest.NewFixture(t, func(s *dynamo.Settings) {
		s.DefinitionTTL, s.WriteTime, s.IndexLag = time.Millisecond, time.Millisecond, time.Millisecond
	})}
	f.Project("p1", "P1", 0)
	f.Project("p2", "P2", 0)
	t.Cleanup(f.Sound)
	return f
}

func (f *fixture) as(p tracker.Principal) *views.Store { return views.Of(f.Tenant, p) }

// view returns a new view.
func (f *fixture) view(name string, shared bool) tracker.View {
	f.ids++
	return tracker.View{ID: tracker.ViewID(fmt.Sprint("v", f.ids)), Project: "p1", Name: name, Shared: shared}
}

func (f *fixture) create(by tracker.Principal, v tracker.View) *tracker.View {
	f.Helper()
	created, err := f.as(by).CreateView(f.Context(), v)
	f.Must(err)
	return created
}

// update changes a view.
func (f *fixture) update(by tracker.Principal, ref tracker.ViewRef,
	change func(*tracker.View)) (*tracker.View, error) {
	return f.as(by).UpdateView(f.Context(), ref, nil, func(v *tracker.View) error {
		change(v)
		return nil
	})
}

// names returns the names of the views of a project, those that are shared with an s, the default with a d.
func (f *fixture) names(by tracker.Principal, p tracker.ProjectID) []string {
	f.Helper()
	all, err := f.as(by).List(f.Context(), p)
	f.Must(err)
	out := []string{}
	for _, v := range all {
		name := v.Name
		if v.Shared {
			name += " s"
		}
		if v.Default {
			name += " d"
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// get returns a view, or nil.
func (f *fixture) get(by tracker.Principal, id tracker.ViewID) *tracker.View {
	f.Helper()
	all, err := f.as(by).Get(f.Context(), []tracker.ViewRef{{Project: "p1", View: id}})
	f.Must(err)
	return all[0]
}

func allow(*tracker.View) error { return nil }

func code(err error) tracker.Code { return tracker.CodeOf(err) }

// TestWholeView checks that a view is read as it was written, by id and in a list.
func TestWholeView(t *testing.T) {
	f := setup(t)
	v := f.view("Mine", false)
	v.Columns = []tracker.ViewColumn{{Column: "name", Width: 300}, {Column: "f1"}}
	v.Order = []tracker.ViewOrder{{Column: "f1", Descending: true}, {Column: "num", NullsFirst: true}}
	v.Groupings = []tracker.ViewGrouping{{ViewOrder: v.Order[0], Width: 0.1},
		{ViewOrder: tracker.ViewOrder{Column: "created", NullsFirst: true}, Period: "MONTH"},
		{ViewOrder: tracker.ViewOrder{Column: "name"}, FirstLetter: true}}
	v.Summaries, v.Board = []tracker.ViewSummary{{Column: "f1", Part: "SUM"}}, true
	v.Filter, v.Names, v.Checked = `{"open":true}`, map[string]string{"x": "Team"}, 7
	created := f.create(ada, v)
	if created.Version != 1 || created.Owner != "ada" || created.Created.IsZero() ||
		!created.Updated.Equal(created.Created) {
		t.Errorf("created %+v", created)
	}
	f.Same("the view by id", created, f.get(ada, v.ID))
	all, err := f.as(ada).List(t.Context(), "p1")
	f.Must(err)
	f.Same("the list", []*tracker.View{created}, all)
}

// TestPrivateViews checks that private views of others do not exist (V1): the results and the calls are those
// of a view that nobody has.
func TestPrivateViews(t *testing.T) {
	f := setup(t)
	mine := f.create(ada, f.view("Mine", false))
	f.create(grace, f.view("Mine", false))
	f.create(root, f.view("Mine", false))
	shared := f.create(grace, f.view("Ours", true))
	f.Same("views of ada", []string{"Mine", "Ours s"}, f.names(ada, "p1"))
	f.Same("views of grace", []string{"Mine", "Ours s"}, f.names(grace, "p1"))
	f.Same("views of the operator", []string{"Mine", "Ours s"}, f.names(root, "p1"))
	f.Same("views of another project", []string{}, f.names(ada, "p2"))

	for _, by := range []tracker.Principal{grace, root, {Tenant: "acme"}, {Tenant: "acme", User: "Ada"}} {
		f.Same("the shared view", shared, f.get(by, shared.ID))
		cost := func(id tracker.ViewID, do func(*views.Store, tracker.ViewRef) error) (account.Cost, error) {
			tenant, m := f.Metered()
			err := do(views.Of(tenant, by), tracker.ViewRef{Project: "p1", View: id})
			return m.Cost(), err
		}
		for name, do := range map[string]func(*views.Store, tracker.ViewRef) error{
			"get": func(s *views.Store, ref tracker.ViewRef) error {
				all, err := s.Get(t.Context(), []tracker.ViewRef{ref})
				if err == nil && all[0] == nil {
					err = tracker.Missing("view")
				}
				return err
			},
			"update": func(s *views.Store, ref tracker.ViewRef) error {
				_, err := s.UpdateView(t.Context(), ref, nil, func(v *tracker.View) error {
					v.Name = "Yours"
					return nil
				})
				return err
			},
			"delete": func(s *views.Store, ref tracker.ViewRef) error {
				return s.DeleteView(t.Context(), ref, nil, allow)
			},
		} {
			other, err := cost(mine.ID, do)
			nobody, nobodyErr := cost("nobody", do)
			if code(err) != tracker.NotFound || !cmp.Equal(err.Error(), nobodyErr.Error()) {
				t.Errorf("%s %s a view of ada: %v, and one of nobody: %v", by.User, name, err, nobodyErr)
			}
			f.Same(fmt.Sprint("the cost of ", name), nobody, other)
		}
	}
	f.Same("the view of ada", mine, f.get(ada, mine.ID))
}

// TestUpdate renames a view, shares it, makes it the default, and takes all of that back. It keeps its id.
func TestUpdate(t *testing.T) {
	f := setup(t)
	v := f.create(ada, f.view("A", false))
	f.create(grace, f.view("Other", true))
	version := v.Version
	update := func(by tracker.Principal, change func(v *tracker.View)) error {
		t.Helper()
		changed, err := f.update(by, v.Ref(), func(v *tracker.View) { change(v) })
		if err == nil {
			version++
			f.Same("the changed view", changed, f.get(by, v.ID))
			if changed.Version != version || changed.ID != v.ID || !changed.Created.Equal(v.Created) {
				t.Errorf("changed to %+v", changed)
			}
		}
		return err
	}
	f.Must(update(ada, func(v *tracker.View) { v.Name = "B" }))
	f.Same("after the new name", []string{"B", "Other s"}, f.names(ada, "p1"))
	f.Must(update(ada, func(v *tracker.View) { v.Shared = true }))
	f.Same("for grace", []string{"B s", "Other s"}, f.names(grace, "p1"))
	f.Must(update(grace, func(v *tracker.View) { v.Default = true }))
	f.Same("with a default", []string{"B s d", "Other s"}, f.names(ada, "p1"))
	d, err := f.as(ada).Default(t.Context(), "p1")
	if err != nil || d.ID != v.ID || !d.Default {
		t.Errorf("the default is %+v, %v", d, err)
	}
	f.Must(update(ada, func(v *tracker.View) { v.Filter = "{}" }))
	f.Same("with a filter", []string{"B s d", "Other s"}, f.names(ada, "p1"))
	if err := update(grace, func(v *tracker.View) { v.Shared = false }); code(err) != tracker.BadInput {
		t.Errorf("a private default: %v", err)
	}
	f.Must(update(grace, func(v *tracker.View) { v.Shared, v.Default = false, false }))
	f.Same("for ada", []string{"Other s"}, f.names(ada, "p1"))
	f.Same("for grace", []string{"B", "Other s"}, f.names(grace, "p1"))
	if _, err := f.as(ada).Default(t.Context(), "p1"); code(err) != tracker.NotFound {
		t.Errorf("the default: %v", err)
	}
}

// TestDefault checks that a project has at most one default, and that a deleted view is not the default (V3).
func TestDefault(t *testing.T) {
	f := setup(t)
	first, second := f.view("First", true), f.view("Second", true)
	first.Default, second.Default = true, true
	f.create(grace, first)
	f.Same("one", []string{"First s d"}, f.names(ada, "p1"))
	f.create(grace, second)
	f.Same("two", []string{"First s", "Second s d"}, f.names(ada, "p1"))
	f.Must(f.as(grace).DeleteView(t.Context(), first.Ref(), nil, allow))
	f.Same("the other deleted", []string{"Second s d"}, f.names(ada, "p1"))
	f.Must(f.as(grace).DeleteView(t.Context(), second.Ref(), nil, allow))
	if _, err := f.as(ada).Default(t.Context(), "p1"); code(err) != tracker.NotFound {
		t.Errorf("the default: %v", err)
	}
	f.create(grace, f.view("Third", true))
	f.Same("a new one", []string{"Third s"}, f.names(ada, "p1"))
}

// TestVersions checks changes that expect a version, and changes that do not, which all succeed.
func TestVersions(t *testing.T) {
	f := setup(t)
	v := f.create(ada, f.view("A", true))
	old := int64(1)
	filter := func(text string) func(*tracker.View) error {
		return func(v *tracker.View) error { v.Filter += text; return nil }
	}
	_, err := f.as(ada).UpdateView(t.Context(), v.Ref(), &old, filter("x"))
	f.Must(err)
	_, err = f.as(ada).UpdateView(t.Context(), v.Ref(), &old, filter("x"))
	conflict, _ := errors.AsType[*tracker.Error](err)
	if conflict == nil || conflict.Code != tracker.Conflict || conflict.CurrentVersion != 2 {
		t.Errorf("an old version: %+v", err)
	}
	err = f.as(ada).DeleteView(t.Context(), v.Ref(), &old, allow)
	if code(err) != tracker.Conflict {
		t.Errorf("an old version: %v", err)
	}
	var group sync.WaitGroup
	errs := make([]error, 5)
	for i := range errs {
		group.Go(func() { _, errs[i] = f.as(grace).UpdateView(t.Context(), v.Ref(), nil, filter("y")) })
	}
	group.Wait()
	f.Must(errors.Join(errs...))
	if now := f.get(ada, v.ID); now.Filter != "xyyyyy" || now.Version != 7 {
		t.Errorf("after 5 changes at once: %+v", now)
	}
}

// TestNames checks that the names of a list are unique, also if views get the same name at the same time, and
// that the limit of a list holds (V2).
func TestNames(t *testing.T) {
	f := setup(t)
	create := func(by tracker.Principal, all ...tracker.View) (created int) {
		t.Helper()
		var group sync.WaitGroup
		errs := make([]error, len(all))
		for i, v := range all {
			group.Go(func() { _, errs[i] = f.as(by).CreateView(t.Context(), v) })
		}
		group.Wait()
		for _, err := range errs {
			if err == nil {
				created++
			} else if code(err) != tracker.Conflict && code(err) != tracker.BadInput {
				t.Error(err)
			}
		}
		return created
	}
	if n := create(ada, f.view("Bugs", true), f.view("bugs", true), f.view(" BUGS", true)); n != 1 {
		t.Errorf("%d shared views have the name", n)
	}
	if n := create(ada, f.view("Bugs", false)); n != 1 {
		t.Errorf("%d private views have the name", n)
	}
	private := f.create(grace, f.view("Bugs", false))
	_, err := f.update(grace, private.Ref(), func(v *tracker.View) { v.Shared = true })
	if code(err) != tracker.Conflict {
		t.Errorf("sharing a second view with the name: %v", err)
	}
	for range tracker.MaxViews - 3 {
		f.create(grace, f.view(fmt.Sprint("view ", f.ids), false))
	}
	last := []tracker.View{f.view("x", false), f.view("y", false), f.view("z", false)}
	if n := create(grace, last...); n != 2 {
		t.Errorf("%d of 3 views are created where 2 are possible", n)
	}
	f.Same("views", tracker.MaxViews+1, len(f.names(grace, "p1")))
}
