package dynamo_test

import (
	"context"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestWaitsOfJobs checks how long jobs wait before they begin, with the default times.
func TestWaitsOfJobs(t *testing.T) {
	for _, test := range []struct {
		name   string
		gap    bool // an issue was deleted
		quiet  time.Duration
		retype bool
		want   time.Duration
	}{
		{"new issues", false, 0, false, 2 * time.Second},
		{"new issues, a change of type", false, 0, true, 4 * time.Second},
		{"old issues", true, time.Hour, false, 2 * time.Second},
		{"old issues, a change of type", true, time.Hour, true, 4 * time.Second},
		{"new issues with a gap", true, 0, false, 7 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, c := timed(t)
			d, err := f.store.Definition(t.Context(), project)
			f.must(err)
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
			if test.retype {
				f.change("ftext", tracker.TypeInteger, false)
			} else {
				_, err = mergeOptions(t.Context(), store, project, "fsel", []tracker.OptionID{"o0"}, "o2")
				f.must(err)
			}
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
