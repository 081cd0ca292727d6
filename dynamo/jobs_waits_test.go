package dynamo_test

import (
	"context"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestWaitsOfJobs checks how long the jobs of a project with 50 issues wait, with the default times. The rest
// of the time that a job takes is for reads and writes.
func TestWaitsOfJobs(t *testing.T) {
	integer := &tracker.Form{Type: tracker.TypeInteger}
	options := &tracker.Form{Type: tracker.TypeSelect, FromValues: true}
	for _, test := range []struct {
		name   string
		gap    bool // an issue was deleted
		quiet  time.Duration
		retype *tracker.Form // nil: options are merged
		want   time.Duration // of all waits together
	}{
		{"new issues", false, 0, nil, 2 * time.Second},
		{"new issues, a change of type", false, 0, integer, 4 * time.Second},
		{"new issues, options from their values", false, 0, options, 4 * time.Second},
		{"old issues", true, time.Hour, nil, 2 * time.Second},
		{"old issues, a change of type", true, time.Hour, integer, 4 * time.Second},
		{"old issues, options from their values", true, time.Hour, options, 4 * time.Second},
		{"new issues with a gap", true, 0, nil, 7 * time.Second},
		{"new issues with a gap, a change of type", true, 0, integer, 14 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := timed(t)
			d := f.known()
			for n := range 50 {
				i := f.create(f.store, tracker.NewDefinition(d.Project, d.Fields), tracker.Issue{Name: "x",
					State: "open", Values: map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("7"),
						"fsel": tracker.Text([]string{"o0", "o1"}[n%2])}})
				if test.gap && n == 10 {
					f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
				}
			}
			c.add(test.quiet)
			var waited time.Duration
			store := dynamo.Waiting(f.store, func(_ context.Context, d time.Duration) error {
				waited += d
				c.add(d)
				return nil
			})
			var err error
			if test.retype != nil {
				_, err = store.ChangeFieldType(t.Context(), project, "ftext", *test.retype, false, nil)
			} else {
				_, err = mergeOptions(t.Context(), store, project, "fsel", []tracker.OptionID{"o0"}, "o2")
			}
			f.must(err)
			if j := f.jobs()[0]; j.Status != tracker.JobWaiting || j.Reason == "" {
				t.Errorf("the job is %s, %q, want WAITING and a reason", j.Status, j.Reason)
			}
			f.must(store.RunJobs(t.Context(), project))
			if waited = waited.Round(time.Millisecond); waited != test.want {
				t.Errorf("waited %s, want %s", waited, test.want)
			}
			if j := f.jobs()[0]; j.Status != tracker.JobDone || j.Reason != "" {
				t.Errorf("the job is %s, %q", j.Status, j.Reason)
			}
			f.verifyAll()
		})
	}
}
