package dynamo_test

import (
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

func user(name string) tracker.Actor { return tracker.Actor{Kind: tracker.ActorUser, Name: name} }

// TestAuthors checks the users in the columns createdBy and updatedBy after each kind of change.
// TestRandomWrites checks the items of random changes.
func TestAuthors(t *testing.T) {
	f := setup(t)
	ann, bob := f.store.As(user("Ann")), f.store.As(user("Bob"))
	i := f.create(ann, f.d, tracker.Issue{Name: "New", State: "open"})
	want := func(what, created, updated string) {
		t.Helper()
		got := f.read(i.ID)
		if got.CreatedBy != created || got.UpdatedBy != updated {
			t.Errorf("%s: created by %q, updated by %q, want %q and %q", what, got.CreatedBy, got.UpdatedBy,
				created, updated)
		}
		verify(t, f.raw, f.d, documentOf(acme, got, "", got.Values))
		for column, user := range map[tracker.Column]string{tracker.ColumnCreatedBy: created,
			tracker.ColumnUpdatedBy: updated} {
			page := f.keys(columns.KeyQuery{Project: project,
				Shards: f.d.Project.Shards, Column: column})
			without := f.keys(columns.KeyQuery{Project: project,
				Shards: f.d.Project.Shards, Column: tracker.ColumnNum, Without: []tracker.Column{column}})
			if has := len(page.Keys) == 1; has != (user != "") || has == (len(without.Keys) == 1) {
				t.Errorf("%s: %d entries and %d issues without a value of %s, which is %q", what,
					len(page.Keys), len(without.Keys), column, user)
			}
		}
	}
	change := func(store *dynamo.Tenant, n int64) {
		t.Helper()
		_, err := store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(n)))
		f.must(err)
	}
	want("after the creation", "Ann", "Ann")
	change(bob, 1)
	want("after a change by another user", "Ann", "Bob")
	change(ann, 1)
	want("after a change that changes nothing", "Ann", "Bob")
	change(f.store, 2)
	want("after a change without a user", "Ann", "")
	change(bob, 3)
	err := ann.DeleteIssue(t.Context(), i.ID, nil)
	f.must(err)
	_, err = ann.RestoreIssue(t.Context(), f.d, i.ID)
	f.must(err)
	want("after it was restored", "Ann", "Ann")
	f.sound()
}

// TestCostOfAuthors checks what the columns cost: two index entries for a new issue, and one for a change by
// another user than the last one.
func TestCostOfAuthors(t *testing.T) {
	f := setup(t)
	store, meter := f.metered(acme)
	type cost struct {
		items int
		wcu   float64
	}
	of := func(do func()) cost {
		before := meter.Cost()
		do()
		after := meter.Cost()
		return cost{after.Items - before.Items, after.WCU - before.WCU}
	}
	var i *tracker.Issue
	create := func(store *dynamo.Tenant) func() {
		return func() { i = f.create(store, f.d, tracker.Issue{Name: "New", State: "open"}) }
	}
	n := int64(0)
	update := func(store *dynamo.Tenant) func() {
		return func() {
			n++
			_, err := store.UpdateIssue(t.Context(), f.d, i.ID, one("fint", tracker.Int(n)))
			f.must(err)
		}
	}
	without := of(create(store))
	with := of(create(store.As(user("Ann"))))
	update(store.As(user("Ann")))() // adds the entry of the field
	same := of(update(store.As(user("Ann"))))
	other := of(update(store.As(user("Bob"))))
	if with.items-without.items != 2 || other.items-same.items != 1 {
		t.Errorf("creating an issue writes %+v, with a user %+v, want 2 more items; changing one %+v, by "+
			"another user %+v, want 1 more", without, with, same, other)
	}
	if dynamotest.ReportsUnits() && (with.wcu-without.wcu != 6 || other.wcu-same.wcu != 4) {
		t.Errorf("creating an issue costs %+v, with a user %+v, want 6 WCU more; changing one %+v, by "+
			"another user %+v, want 4 WCU more", without, with, same, other)
	}
}
