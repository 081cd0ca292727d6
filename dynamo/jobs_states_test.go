package dynamo_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

func (f *fixture) mergeStates(from []tracker.OptionID, into tracker.OptionID) error {
	f.Helper()
	_, err := f.store.UpdateProject(f.Context(), project, func(p *tracker.Project) error {
		return p.MergeStates(from, into)
	})
	return err
}

// inStates creates n issues in the states in turn, and returns them by their ids.
func (f *fixture) inStates(n int, states ...tracker.OptionID) map[tracker.IssueID]tracker.OptionID {
	f.Helper()
	want := map[tracker.IssueID]tracker.OptionID{}
	var issues []tracker.Issue
	first, err := f.store.ReserveNums(f.Context(), project, n)
	f.must(err)
	for i := range n {
		issue := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: fmt.Sprint("s", int(first)+i)},
			Num: first + int64(i), Name: fmt.Sprint("Issue ", i), State: states[i%len(states)]}
		want[issue.ID] = issue.State
		issues = append(issues, issue)
	}
	f.must(f.store.PutIssues(f.Context(), f.definition(), issues))
	return want
}

// wantStates checks the states of issues as readers see them.
func (f *fixture) wantStates(want map[tracker.IssueID]tracker.OptionID) {
	f.Helper()
	d := f.definition()
	for id, state := range want {
		if got := d.Current(f.read(id)).State; got != state {
			f.Errorf("issue %s is in the state %s, want %s", id.Issue, got, state)
		}
	}
}

// TestMoveStates moves states. No document changes, and the index has the new order.
func TestMoveStates(t *testing.T) {
	f := setup(t, soon)
	want := f.inStates(120, "open", "doing", "done")
	changed, err := f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		if err := p.AddState(tracker.State{ID: "new", Name: "New", Open: true, Color: "#123"}); err != nil {
			return err
		}
		return p.MoveState("done", "open")
	})
	f.must(err)
	if !changed.Rebuilding() || changed.Version != f.definition().Project.Version {
		t.Errorf("the project is %+v", changed)
	}
	if jobs := f.jobs(); len(jobs) != 1 || jobs[0].Kind != tracker.JobMoveStates || jobs[0].Field != "" ||
		jobs[0].Status != tracker.JobWaiting || jobs[0].Cancelable || jobs[0].Total != 120 {
		t.Errorf("jobs %+v", jobs)
	}
	f.runJobs()
	d := f.definition()
	if diff := cmp.Diff([]tracker.State{{ID: "done", Name: "Done"}, {ID: "open", Name: "Open", Open: true},
		{ID: "doing", Name: "Doing", Open: true}, {ID: "new", Name: "New", Open: true, Color: "#123"}},
		d.Project.States); diff != "" || d.Project.Rebuilding() {
		t.Errorf("the project is %+v (-want +got):\n%s", d.Project, diff)
	}
	for _, i := range f.verifyAll() {
		if i.Version != 1 {
			t.Errorf("issue %d has version %d: moving states changed a document", i.Num, i.Version)
		}
	}
	f.wantStates(want)
	f.sound()
	_, err = f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		p.Name = "Other"
		if err := p.ChangeState(tracker.State{ID: "open", Name: "Renamed", Open: true}); err != nil {
			return err
		}
		return p.AddState(tracker.State{ID: "last", Name: "Last"})
	})
	if f.must(err); len(f.jobs()) != 1 {
		t.Errorf("renaming and adding at the end made a job: %+v", f.jobs())
	}
}

// TestMergeStates merges states, also those of deleted issues, and a state into which another one was merged.
func TestMergeStates(t *testing.T) {
	f := setup(t, soon)
	want := f.inStates(60, "open", "doing", "done")
	trashed := f.create(f.store, f.d, tracker.Issue{Name: "deleted", State: "doing"})
	f.must(f.store.DeleteIssue(t.Context(), trashed.ID, nil))
	restored := f.create(f.store, f.d, tracker.Issue{Name: "restored", State: "doing"})
	f.must(f.store.DeleteIssue(t.Context(), restored.ID, nil))
	_, err := f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		return p.AddState(tracker.State{ID: "review", Name: "Review", Open: true})
	})
	f.must(err)
	f.must(f.mergeStates([]tracker.OptionID{"doing"}, "review"))
	f.must(f.mergeStates([]tracker.OptionID{"review", "done"}, "open"))
	for id := range want {
		want[id] = "open"
	}
	f.wantStates(want)
	d := f.definition()
	// An update of an issue that the job has not reached yet converts the issue and applies the change.
	id := tracker.IssueID{Project: project, Issue: "s2"} // in the state doing
	changed, err := f.store.UpdateIssue(t.Context(), d, id, one("fuser", tracker.Text("Ada")))
	f.must(err)
	if changed.Version != 3 || changed.State != "open" {
		t.Errorf("the issue has the state %s and version %d, want open and 3: the merging, and the change",
			changed.State, changed.Version)
	}
	now := f.restore(d, restored.ID)
	want[now.ID] = "open"
	if now.State != "open" {
		t.Errorf("an issue was restored in the state %s", now.State)
	}
	if jobs := f.jobs(); len(jobs) != 2 || jobs[0].Kind != tracker.JobMergeStates {
		t.Errorf("jobs %+v", jobs)
	}
	f.soundNow()
	f.runJobs()
	d = f.definition()
	if p := d.Project; len(p.States) != 1 || p.Rebuilding() || p.Merged != nil {
		t.Errorf("the project is %+v", p)
	}
	now = f.restore(d, trashed.ID)
	want[now.ID] = "open"
	f.wantStates(want)
	f.verifyAll()
	f.sound()
	merging := func(id tracker.IssueID, kind tracker.ChangeKind) {
		t.Helper()
		history, _, err := f.store.History(t.Context(), id, dynamo.HistoryQuery{Limit: 9})
		f.must(err)
		want := tracker.ChangedColumn{Column: tracker.ColumnState, Before: tracker.Text("doing"),
			After: tracker.Text("open")}
		for _, h := range history {
			if h.Kind == kind && slices.ContainsFunc(h.Columns, func(c tracker.ChangedColumn) bool {
				return c.Column == want.Column && c.Before.Equal(want.Before) && c.After.Equal(want.After)
			}) {
				return
			}
		}
		t.Errorf("the merging of the state of issue %s is not in its history %+v", id.Issue, history)
	}
	merging(id, tracker.Updated)
	merging(trashed.ID, tracker.Updated)
	merging(restored.ID, tracker.Restored)
}

// TestStatesThatComeBack adds a state with the id of one that a job is replacing. An import does so: it
// derives the ids from the names.
func TestStatesThatComeBack(t *testing.T) {
	f := setup(t, soon)
	f.inStates(3, "doing")
	f.must(f.mergeStates([]tracker.OptionID{"doing"}, "done"))
	add := func(p *tracker.Project) error {
		return p.AddState(tracker.State{ID: "doing", Name: "Doing", Open: true})
	}
	_, err := f.store.UpdateProject(t.Context(), project, add)
	wantCode(t, err, tracker.Conflict, "replacing a state")
	_, err = f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		p.States = p.States[:1]
		return nil
	})
	wantCode(t, err, tracker.BadInput, "removed only by merging it")
	_, err = f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
		p.States = append(p.States, tracker.State{ID: "open", Name: "New"})
		return nil
	})
	wantCode(t, err, tracker.BadInput, `two states have the id "open"`)
	f.runJobs()
	_, err = f.store.UpdateProject(t.Context(), project, add)
	f.must(err)
	for _, i := range f.verifyAll() {
		if i.State != "done" {
			t.Errorf("issue %d is in the state %s", i.Num, i.State)
		}
	}
}

// TestCostOfEdits checks what it costs to change options and states, as docs/fields.md states it.
func TestCostOfEdits(t *testing.T) {
	f := setup(t, soon)
	store, meter := f.metered(acme)
	for _, test := range []struct {
		name string
		edit func() error
		rcu  float64
		wcu  float64
	}{
		{"an option", func() error {
			_, err := store.UpdateField(t.Context(), project, "fsel", func(f *tracker.Field) error {
				return f.AddOption(tracker.Option{ID: "new", Name: "New"})
			})
			return err
		}, 2, 6},
		{"an option of a large field", func() error {
			_, err := store.UpdateField(t.Context(), project, "fmulti", func(f *tracker.Field) error {
				return f.ChangeOption(tracker.Option{ID: "m0", Name: "New"})
			})
			return err
		}, 2, 14},
		{"a state", func() error {
			_, err := store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
				return p.AddState(tracker.State{ID: "new", Name: "New"})
			})
			return err
		}, 2, 4},
		{"moved states", func() error {
			_, err := store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
				return p.MoveState("new", "open")
			})
			return err
		}, 2, 7},
	} {
		before := meter.Cost()
		f.must(test.edit())
		after := meter.Cost()
		if rcu, wcu := after.RCU-before.RCU, after.WCU-before.WCU; rcu != test.rcu || wcu == 0 ||
			dynamotest.ReportsUnits() && wcu != test.wcu {
			t.Errorf("%s: %g RCU and %g WCU, want %g and %g", test.name, rcu, wcu, test.rcu, test.wcu)
		}
	}
}
