package dynamo_test

import (
	"testing"
	"time"

	"issuegrid/dynamo/check"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestCheckOfDeletedProject stops the job that removes a project at many points, and checks that a check
// finds nothing to repair meanwhile, so that the key of the project stays free.
func TestCheckOfDeletedProject(t *testing.T) {
	f, c := checked(t)
	f.some(30, "fsel", func(int) tracker.Value { return tracker.Text("o1") })
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	stops := 0
	for n, more := 0, true; more; n += tier.Cases(6, 3) {
		undo := f.cut(n)
		err := f.store.RunJobs(t.Context(), project)
		if more = undo(); more {
			stops++
		} else {
			f.must(err)
		}
		c.add(2 * time.Hour)
		if r := f.check(check.Options{}); len(r.Kinds) > 0 {
			t.Errorf("after %d requests of the job: %v", n, r)
		}
	}
	if stops < 2 {
		t.Errorf("the job was stopped %d times", stops)
	}
}

// TestCheckFreesKeyOfDeletedProject checks that a guard of a project that is being deleted is removed.
func TestCheckFreesKeyOfDeletedProject(t *testing.T) {
	f, c := checked(t)
	guard := f.raw.get(key{"acme/unique-projectkey.PRJ", "*"})
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	f.raw.put(guard)
	c.add(2 * time.Hour)
	r := f.check(check.Options{Repair: true})
	if got := kindsOf(r); len(got) != 1 || got[check.KindGuardStray] != "1 found, 1 repaired" {
		t.Errorf("report %v", got)
	}
	_, err := f.store.CreateProject(t.Context(),
		tracker.Project{ID: "p3", Key: "PRJ", Name: "Next", States: twoStates})
	f.must(err)
}
