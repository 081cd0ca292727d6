package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestJobsGoOn crashes servers after varying numbers of write requests. The next server continues the job.
func TestJobsGoOn(t *testing.T) {
	f := setup(t, soon)
	want := f.some(75, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(n)) })
	trashed := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("7")})
	f.must(f.store.DeleteIssue(t.Context(), trashed.ID, nil))
	f.change("ftext", tracker.TypeInteger, false)
	crashes := 0
	clock := time.Now()
	for n := 1; ; n += 11 {
		undo := f.cut(n)
		// Each server's clock is a minute ahead of the previous one, so that the lease has expired.
		clock = clock.Add(time.Minute)
		err := f.later(clock).RunJobs(t.Context(), project)
		undo()
		if err == nil && !slices.ContainsFunc(f.jobs(), func(j tracker.Job) bool { return j.Open() }) {
			break
		}
		crashes++
		// Readers see all values at every stage of the job.
		d := f.definition()
		for id, v := range want {
			if got := d.Current(f.read(id)).Values["ftext"]; got.Text() != v.Text() &&
				got.Literal() != v.Text() {
				t.Fatalf("after %d requests issue %v has %v, want %v", n, id, got, v)
			}
		}
	}
	if crashes < 3 {
		t.Errorf("only %d crashes", crashes)
	}
	for _, i := range f.verifyAll() {
		if v, ok := want[i.ID]; ok && i.Values["ftext"].Literal() != v.Text() {
			t.Errorf("issue %d has %v", i.Num, i.Values["ftext"])
		}
		if i.Version > 2 {
			t.Errorf("issue %d was converted %d times", i.Num, i.Version-1)
		}
	}
	restored := f.restore(f.definition(), trashed.ID)
	if got := restored.Values["ftext"]; got.Int() != 7 {
		t.Errorf("the restored issue has %v", got)
	}
	f.verifyAll()
}

// TestStaleWriters changes issues on another server, which checks them with the definition from before a
// change and sends them before the change, but they are made after it. A job, also one that deletes a
// project, waits until no such change can follow.
func TestStaleWriters(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*fixture) error
	}{
		{"merged", func(f *fixture) error {
			_, err := mergeOptions(f.Context(), f.store, project, "fsel", []tracker.OptionID{"o0"}, "o2")
			return err
		}},
		{"moved", func(f *fixture) error {
			_, err := f.store.UpdateField(f.Context(), project, "fsel", func(field *tracker.Field) error {
				slices.Reverse(field.Options)
				return nil
			})
			return err
		}},
		{"states merged", func(f *fixture) error {
			return f.mergeStates([]tracker.OptionID{"open"}, "doing")
		}},
		{"states moved", func(f *fixture) error {
			_, err := f.store.UpdateProject(f.Context(), project, func(p *tracker.Project) error {
				slices.Reverse(p.States)
				return nil
			})
			return err
		}},
		{"deleted", func(f *fixture) error { return f.store.DeleteProject(f.Context(), project, nil) }},
		{"field deleted", func(f *fixture) error {
			return f.store.DeleteField(f.Context(), project, "fsel", nil)
		}},
		{"type changed", func(f *fixture) error {
			_, err := f.store.ChangeFieldType(f.Context(), project, "fsel",
				tracker.Form{Type: tracker.TypeText}, false, nil)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var now atomic.Int64
			now.Store(time.Now().UnixNano())
			clock := func() time.Time { return time.Unix(0, now.Load()) }
			f := setup(t, soon, func(s *dynamo.Settings) { s.Now = clock })
			f.some(60, "fsel", func(n int) tracker.Value { return tracker.Text("o0") })
			other, wire := f.server(soon, func(s *dynamo.Settings) { s.Now = clock })
			stale, err := other.Definition(t.Context(), project)
			f.must(err)
			g, sent := holdWrites(wire), 0
			var writers errgroup.Group
			for n, m := range f.raw.issues(project) {
				_, issue, _ := strings.Cut(m["PK"].(string), "-p1.")
				if n%6 > 0 {
					continue
				}
				id := tracker.IssueID{Project: project, Issue: issue}
				writers.Go(func() error {
					_, err := other.UpdateIssue(t.Context(), stale, id, one("fsel", tracker.Text("o1")))
					return err
				})
				sent++
			}
			late := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "late"}, Num: 1000,
				Name: "Late", State: "open", Created: time.Unix(1, 0), Updated: time.Unix(2, 0),
				Values: map[tracker.FieldID]tracker.Value{"fsel": tracker.Text("o0")}}
			writers.Go(func() error {
				return other.PutIssues(t.Context(), stale, []tracker.Issue{late})
			})
			for range sent + 1 {
				<-g.came
			}
			f.must(test.change(f))

			waiting := make(chan struct{})
			var saved atomic.Int64
			f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
				// the first saves the lease, the second the start of the wait
				if r.Operation == "TransactWriteItems" && saved.Add(1) == 2 {
					close(waiting)
				}
			}))
			ended := make(chan error)
			go func() { ended <- f.store.RunJobs(t.Context(), project) }()
			<-waiting
			f.wire.Intercept(nil)
			close(g.open)
			f.must(writers.Wait())
			f.must(advanceUntil(ended, func() { now.Add(int64(2 * time.Second)) }))
			_, err = f.store.UpdateIssue(t.Context(), stale, late.ID, one("fint", tracker.Int(1)))
			if tracker.CodeOf(err) != tracker.Conflict {
				t.Errorf("after the job: error %v, want a conflict", err)
			}
			if test.name == "deleted" {
				if rest := f.raw.items("acme/issue-p1"); len(rest) > 0 {
					t.Errorf("%d items of issues are left", len(rest))
				}
				return
			}
			issues := f.verifyAll()
			if len(issues) != 61 {
				t.Errorf("%d issues", len(issues))
			}
			for _, i := range issues {
				v := i.Values["fsel"].Text()
				if wrong := map[string]bool{"merged": v != "o1" && v != "o2", "field deleted": v != "",
					"type changed": v != "Option 0" && v != "Option 1"}; wrong[test.name] {
					t.Errorf("issue %d has %q", i.Num, v)
				}
			}
		})
	}
}

// advanceUntil advances a clock until there is a result: the jobs may begin to wait at any time.
func advanceUntil(ended chan error, advance func()) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		advance()
		select {
		case err := <-ended:
			return err
		case <-tick.C:
		}
	}
}

// TestOldDefinitions checks that changes with an old definition are made if it is still the current one.
func TestOldDefinitions(t *testing.T) {
	f, c := timed(t)
	i := f.issue(nil)
	d := f.known()
	c.add(time.Hour)
	issue := tracker.Issue{ID: tracker.IssueID{Project: project, Issue: "bulk"}, Num: 99, Name: "x",
		State: "open"}
	all := func() []error {
		_, updated := f.store.UpdateIssue(t.Context(), d, i.ID, one("fint", tracker.Int(1)))
		_, created := f.store.CreateIssue(t.Context(), d, tracker.Issue{Name: "x", State: "open"})
		return []error{updated, created, f.store.PutIssues(t.Context(), d, []tracker.Issue{issue})}
	}
	for _, err := range all() {
		f.must(err)
	}
	f.changeElsewhere()
	c.add(time.Hour)
	for _, err := range all() {
		if !errors.Is(err, tracker.ErrDefinitionChanged) {
			t.Errorf("error %v, want ErrDefinitionChanged", err)
		}
	}
}

// TestRunner runs jobs in the background: one found when the server starts, and one that a change on the
// server begins.
func TestRunner(t *testing.T) {
	f := setup(t, soon)
	f.some(60, "fsel", func(n int) tracker.Value { return tracker.Text([]string{"o0", "o1"}[n%2]) })
	move := func() {
		f.edit("fsel", func(field *tracker.Field) { slices.Reverse(field.Options) })
	}
	ended := func() {
		t.Helper()
		f.until(func() bool {
			return !slices.ContainsFunc(f.jobs(), func(j tracker.Job) bool { return j.Open() })
		})
		f.verifyAll()
	}
	run := func(during func()) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		wait := f.db.RunJobs(ctx, func(err error) {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		during()
		stop()
		wait()
	}
	move() // the runner has not started
	run(ended)
	run(func() {
		move()
		ended()
	})
	if n := len(f.jobs()); n != 2 {
		t.Errorf("%d jobs", n)
	}
}
