package dynamo_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestJobsInTheTrash converts and removes values of deleted issues. Every value that cannot be converted is
// reported, and every removed value is in the history of its issue.
func TestJobsInTheTrash(t *testing.T) {
	f := setup(t, soon)
	long := strings.Repeat("long ", 100)
	var trashed []tracker.IssueID
	for range 3 {
		i := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("precious"),
			"flong": tracker.Text(long), "fint": tracker.Int(7)})
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
		trashed = append(trashed, i.ID)
	}
	f.change("ftext", tracker.TypeInteger, false)
	f.runJobs()
	if j := f.jobs()[0]; j.Status != tracker.JobFailed || j.ProblemCount != 3 ||
		j.Problems[0].Issue.Project != project {
		t.Errorf("job %+v, want three problems", j)
	}
	restored := f.restore(f.definition(), trashed[0])
	if restored.Values["ftext"].Text() != "precious" {
		t.Errorf("restored with %v", restored.Values)
	}

	f.change("ftext", tracker.TypeInteger, true)
	f.must(f.store.DeleteField(t.Context(), project, "fint", nil))
	_, err := f.store.RestoreIssue(t.Context(), f.definition(), trashed[1]) // while the jobs are under way
	f.must(err)
	f.runJobs()
	f.must(f.store.DeleteField(t.Context(), project, "flong", nil))
	f.runJobs()
	f.restore(f.definition(), trashed[2])
	f.verifyAll()
	for n, id := range trashed {
		if i := f.read(id); len(i.Values) != 0 {
			t.Errorf("issue %d has %v", n, i.Values)
		}
		got := f.columnsOf(id)
		for _, c := range []tracker.Column{"ftext", "fint", "flong"} {
			if !slices.Contains(got, c) {
				t.Errorf("issue %d: the value of %s is not in the history: %v", n, c, got)
			}
		}
	}
	for k, m := range f.raw.items("acme/issue-p1") {
		if strings.Contains(k.SK, "xtext") && m["expires"] == nil {
			t.Errorf("no document refers to %s, and it does not expire", k.SK)
		}
	}
}

// TestRestoreBesideJobs restores an issue. After the restore has read it, jobs convert it and end.
func TestRestoreBesideJobs(t *testing.T) {
	f := setup(t, soon)
	i := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("42"), "fsel": tracker.Text("o0")})
	f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	f.change("ftext", tracker.TypeInteger, false)
	f.merge("fsel", "o0", "o2")
	other, wire := f.server()
	d, err := other.Definition(t.Context(), project)
	f.must(err)
	var ran atomic.Bool
	wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		// after the item was read from the trash
		if r.Operation == "Query" && ran.CompareAndSwap(false, true) {
			f.runJobs()
		}
	}))
	restored, err := other.RestoreIssue(t.Context(), d, i.ID)
	f.must(err)
	if v := restored.Values["ftext"]; v.Int() != 42 || restored.Values["fsel"].Text() != "o2" {
		t.Errorf("restored with %v", restored.Values)
	}
	f.verifyAll()
}

// TestLongTrash checks that a job renews its lease while it processes many deleted issues.
func TestLongTrash(t *testing.T) {
	f := setup(t, soon)
	for range 101 {
		i := f.issue(nil)
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	}
	f.merge("fsel", "o0", "o2")
	var pages, saves atomic.Int64
	f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		switch body := string(r.Body); {
		case r.Operation == "BatchGetItem" && strings.Contains(body, "xtrash"):
			pages.Add(1)
		case r.Operation == "TransactWriteItems" && pages.Load() > 0 && strings.Contains(body, `"until"`):
			saves.Add(1)
		}
	}))
	f.runJobs()
	f.wire.Intercept(nil)
	if pages.Load() != 3 || saves.Load() != 3 { // twice between pages, and at the end
		t.Errorf("%d pages of the trash, and the lease was written %d times", pages.Load(), saves.Load())
	}
}
