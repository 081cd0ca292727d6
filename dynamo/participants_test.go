package dynamo_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

func assign(all ...tracker.Participant) tracker.Change {
	return tracker.Change{Assignees: tracker.ParticipantChange{Add: all}}
}

// takenPart returns the names of the issues in the partitions of a participant, by the parts of their names,
// and checks that each order has the same issues.
func (f *fixture) takenPart(p tracker.Participant) map[string][]string {
	f.Helper()
	out := map[string][]string{}
	for _, role := range tracker.ParticipantRoles {
		for open, closed := range map[string]bool{"open": false, "closed": true} {
			var all [][]string
			for _, by := range columns.WayOrders {
				page := f.keys(columns.KeyQuery{
					Way: columns.Way{Participant: p, Role: role, Closed: closed, By: by}})
				var names []string
				for _, k := range page.Keys {
					names = append(names, f.read(k.Issue).Name)
				}
				slices.Sort(names)
				all = append(all, names)
			}
			if !slices.Equal(all[0], all[1]) || !slices.Equal(all[0], all[2]) {
				f.Errorf("%s %s of %s are %v in different orders", open, role, p, all)
			}
			if len(all[0]) > 0 {
				out[open+" "+string(role)] = all[0]
			}
		}
	}
	return out
}

func (f *fixture) wantPart(p tracker.Participant, want map[string][]string) {
	f.Helper()
	if got := f.takenPart(p); fmt.Sprint(got) != fmt.Sprint(want) {
		f.Errorf("%s takes part in %v, want %v", p, got, want)
	}
}

// TestParticipants follows issues through all that changes what participants find: participants that are
// added and removed, states, the trash, and changes of the project's states.
//
//test:engine
func TestParticipants(t *testing.T) {
	f := setup(t, soon)
	d := f.definition()
	update := func(i *tracker.Issue, c tracker.Change) {
		t.Helper()
		f.update(f.definition(), i.ID, c)
	}
	one := f.create(f.store, d, tracker.Issue{Name: "one", State: "open", Author: "ada"})
	two := f.create(f.store, d, tracker.Issue{Name: "two", State: "doing", Author: "bo",
		Assignees: []tracker.Participant{"tcore", "uada"}})
	update(one, assign("uada", "uada", "tcore"))
	f.wantPart("uada", map[string][]string{"open assignee": {"one", "two"}, "open author": {"one"}})
	f.wantPart("tcore", map[string][]string{"open assignee": {"one", "two"}})

	update(two, tracker.Change{
		Assignees: tracker.ParticipantChange{Remove: []tracker.Participant{"uada", "ubo"}},
		Watchers:  tracker.ParticipantChange{Add: []tracker.Participant{"uada"}}})
	f.wantPart("uada", map[string][]string{"open assignee": {"one"}, "open author": {"one"},
		"open watcher": {"two"}})
	if got := f.read(two.ID); got.Version != 2 || len(got.Assignees) != 1 || got.Assignees[0] != "tcore" {
		t.Errorf("the issue is %+v", got)
	}
	done := tracker.OptionID("done")
	update(two, tracker.Change{State: &done})
	f.wantPart("uada", map[string][]string{"open assignee": {"one"}, "open author": {"one"},
		"closed watcher": {"two"}})

	f.must(f.store.DeleteIssue(t.Context(), two.ID, nil))
	f.wantPart("uada", map[string][]string{"open assignee": {"one"}, "open author": {"one"}})
	f.wantPart("ubo", nil)
	f.restore(f.definition(), two.ID)
	f.wantPart("ubo", map[string][]string{"closed author": {"two"}})
	f.wantPart("tcore", map[string][]string{"open assignee": {"one"}, "closed assignee": {"two"}})

	_, err := f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		return p.ChangeState(tracker.State{ID: "done", Name: "Done", Open: true})
	})
	f.must(err)
	f.soundNow()
	f.runJobs()
	f.wantPart("tcore", map[string][]string{"open assignee": {"one", "two"}})
	_, err = f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		if err := p.ChangeState(tracker.State{ID: "done", Name: "Done"}); err != nil {
			return err
		}
		return p.MergeStates([]tracker.OptionID{"open"}, "done")
	})
	f.must(err)
	f.runJobs()
	f.wantPart("tcore", map[string][]string{"closed assignee": {"one", "two"}})
	f.verifyAll()
	f.sound()
}

// TestParticipantsOnce checks that changes of participants are atomic with the version, and idempotent.
func TestParticipantsOnce(t *testing.T) {
	f := setup(t)
	i := f.create(f.store, f.d, tracker.Issue{Name: "one", State: "open"})
	for range 2 {
		changed, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, assign("uada"))
		if f.must(err); changed.Version != 2 {
			t.Errorf("version %d", changed.Version)
		}
	}
	old := int64(1)
	c := assign("ubo")
	c.ExpectedVersion = &old
	if _, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, c); tracker.CodeOf(err) != tracker.Conflict {
		t.Errorf("an old version gives %v", err)
	}
	for _, bad := range []tracker.Participant{"", "u", "xada", "uA", "u.a"} {
		if _, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, assign(bad)); tracker.CodeOf(err) !=
			tracker.BadInput {
			t.Errorf("participant %q: %v", bad, err)
		}
	}
	f.wantPart("ubo", nil)
	changes, _, err := f.store.History(t.Context(), i.ID, dynamo.HistoryQuery{Limit: 10})
	f.must(err)
	if got := changes[0].Columns; len(got) != 1 || got[0].Column != tracker.ColumnAssignees ||
		fmt.Sprint(got[0].After.Participants()) != "[uada]" || got[0].Before.Participants() != nil {
		t.Errorf("the history has %+v", got)
	}
}

// TestManyParticipants changes an issue with the maximum numbers of participants, which takes more than one
// transaction, and stops the server before each request.
func TestManyParticipants(t *testing.T) {
	f := setup(t)
	var all []tracker.Participant
	for n := range tracker.MaxParticipants {
		all = append(all, tracker.Participant(fmt.Sprint("u", n)))
	}
	full := f.create(f.store, f.d, tracker.Issue{Name: "full", State: "open", Assignees: all, Watchers: all})
	if _, err := f.store.UpdateIssue(t.Context(), f.d, full.ID, assign("uada")); tracker.CodeOf(err) !=
		tracker.BadInput {
		t.Errorf("one more gives %v", err)
	}
	done := tracker.OptionID("done")
	for n, more := 0, true; more; n += every {
		i := f.create(f.store, f.d, tracker.Issue{Name: "many", State: "open", Assignees: all[:70]})
		undo := f.cut(n)
		_, err := f.store.UpdateIssue(t.Context(), f.d, i.ID, tracker.Change{State: &done})
		more = undo()
		got := f.read(i.ID)
		if made := got.State == done; made != (err == nil) {
			t.Errorf("after %d requests: %+v, %v", n, got.State, err)
		}
		f.update(f.d, i.ID, assign("uada"))
		verify(t, f.raw, f.d, documentOf(acme, f.read(i.ID), "", nil))
	}
}

// TestParticipantCosts counts the write units of a change: a participant adds one item to each change of an
// issue, and three to one that opens or closes it.
func TestParticipantCosts(t *testing.T) {
	f := setup(t)
	name, done := "other", tracker.OptionID("done")
	items := func(participants int, c tracker.Change) int {
		t.Helper()
		i := tracker.Issue{Name: "one", State: "open"}
		for n := range participants {
			i.Watchers = append(i.Watchers, tracker.Participant(fmt.Sprint("u", n)))
		}
		created := f.create(f.store, f.d, i)
		n := 0
		f.wire.Intercept(dynamotest.Before("TransactWriteItems", func(r *dynamotest.Request) {
			var in struct{ TransactItems []any }
			if err := json.Unmarshal(r.Body, &in); err != nil {
				t.Error(err)
			}
			n += len(in.TransactItems)
		}))
		defer f.wire.Intercept(nil)
		f.update(f.d, created.ID, c)
		return n
	}
	for _, c := range []struct {
		what   string
		change tracker.Change
		each   int
	}{{"name", tracker.Change{Name: &name}, 1}, {"state", tracker.Change{State: &done}, 6}} {
		none := items(0, c.change)
		for _, n := range []int{1, 10} {
			if got := items(n, c.change); got != none+n*c.each {
				t.Errorf("a change of the %s with %d participants writes %d items, %d without", c.what, n,
					got, none)
			}
		}
	}
}
