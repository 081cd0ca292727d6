package dynamo_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

//test:engine
func TestUpdateIssueConflicts(t *testing.T) {
	f := setup(t)
	t.Run("another version than expected", func(t *testing.T) {
		i := f.issue(fullValues())
		before := f.raw.items("acme/")
		w := watch(f.wire)
		defer f.wire.Intercept(nil)
		for _, version := range []int64{0, 2} {
			c := one("fint", tracker.Int(7))
			c.ExpectedVersion = &version
			_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, c)
			wantCode(t, err, tracker.Conflict, "has been changed", "version is 1 now")
		}
		if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" || w.take() != nil {
			t.Errorf("unexpected writes:\n%s", diff)
		}
	})
	// between makes another update just before the first transaction is sent.
	between := func(t *testing.T, id tracker.IssueID, other func(*dynamo.Tenant) error) {
		t.Helper()
		store, err := f.db.Tenant(acme)
		ok(t, err)
		var once sync.Once
		f.wire.Intercept(dynamotest.Before("TransactWriteItems", func(*dynamotest.Request) {
			once.Do(func() {
				f.wire.Intercept(nil)
				if err := other(store); err != nil {
					t.Error(err)
				}
			})
		}))
	}
	t.Run("a concurrent update, with an expected version", func(t *testing.T) {
		i := f.issue(fullValues())
		between(t, i.ID, func(other *dynamo.Tenant) error {
			_, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			return err
		})
		c := one("fint", tracker.Int(2))
		c.ExpectedVersion = ptr(int64(1))
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, c)
		wantCode(t, err, tracker.Conflict, "version is 2 now")
		if got := f.read(i.ID); got.Version != 2 || got.Values["fint"].Int() != 1 {
			t.Errorf("version %d with %v", got.Version, got.Values["fint"])
		}
	})
	t.Run("a concurrent update", func(t *testing.T) {
		i := f.issue(fullValues())
		between(t, i.ID, func(other *dynamo.Tenant) error {
			_, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			return err
		})
		changed, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fnum", tracker.Float(2)))
		f.must(err)
		want := fullValues()
		want["fint"], want["fnum"] = tracker.Int(1), tracker.Float(2)
		if changed.Version != 3 {
			t.Errorf("version %d, want 3", changed.Version)
		}
		verify(t, f.raw, f.d, documentOf(acme, changed, "", want))
	})
	t.Run("a concurrent deletion", func(t *testing.T) {
		i := f.issue(fullValues())
		between(t, i.ID, func(other *dynamo.Tenant) error { return other.PurgeIssue(t.Context(), i.ID, nil) })
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(2)))
		wantCode(t, err, tracker.NotFound, "issue")
		if left := f.raw.partition("acme/issue-p1." + i.ID.Issue); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("an update that adds an entry during a deletion", func(t *testing.T) {
		i := f.issue(nil)
		between(t, i.ID, func(other *dynamo.Tenant) error {
			_, err := other.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(1)))
			return err
		})
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
		if left := f.raw.partition("acme/issue-p1." + i.ID.Issue); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	t.Run("concurrent updates of different fields", func(t *testing.T) {
		i := f.issue(nil)
		var group errgroup.Group
		want := map[tracker.FieldID]tracker.Value{"fint": tracker.Int(5), "fuser": tracker.Text("Bo"),
			"ftags": tracker.Set([]string{"x"}), "fbool": tracker.Bool(true)}
		for id, v := range want {
			group.Go(func() error {
				for {
					_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one(id, v))
					if !notMade(err) {
						return err
					}
				}
			})
		}
		f.must(group.Wait())
		got := f.read(i.ID)
		if got.Version != 5 {
			t.Errorf("version %d after 4 updates", got.Version)
		}
		verify(t, f.raw, f.d, documentOf(acme, got, "", want))
	})
	t.Run("a concurrent update at every attempt", func(t *testing.T) {
		i := f.issue(nil)
		other := f.grouping(false)
		races := 0
		f.wire.Intercept(dynamotest.Before("TransactWriteItems", func(*dynamotest.Request) {
			races++
			if _, err := other.UpdateIssue(t.Context(), f.d, i.ID,
				one("fint", tracker.Int(int64(races)))); err != nil {
				t.Error(err)
			}
		}))
		defer f.wire.Intercept(nil)
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, one("fnum", tracker.Float(2)))
		wantCode(t, err, tracker.Conflict, "too many requests")
		if got := f.read(i.ID); got.Version != int64(races+1) || races < 3 ||
			got.Values["fnum"].Kind != tracker.KindNone {
			t.Errorf("version %d after %d races, values %v", got.Version, races, got.Values)
		}
		err = f.store.DeleteIssue(t.Context(), i.ID, nil)
		wantCode(t, err, tracker.Conflict, "too many requests")
		f.wire.Intercept(nil)
		got := f.read(i.ID)
		verify(t, f.raw, f.d, documentOf(acme, got, "",
			map[tracker.FieldID]tracker.Value{"fint": tracker.Int(int64(races))}))
	})
	t.Run("a missing issue", func(t *testing.T) {
		_, err := f.store.UpdateIssue(t.Context(), f.d, tracker.IssueID{Project: project, Issue: "nowhere"},
			one("fint", tracker.Int(1)))
		wantCode(t, err, tracker.NotFound, "issue")
	})
}
