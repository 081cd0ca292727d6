package dynamo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// Tests of several servers on one table.

// timed returns a fixture with a clock that the test advances, and the default times.
func timed(t *testing.T, options ...func(*dynamo.Settings)) (*fixture, *clock) {
	t.Helper()
	c := &clock{now: time.Now()}
	return setup(t, append(options, func(s *dynamo.Settings) { s.Now = c.time })...), c
}

// changeElsewhere changes the definition on another server.
func (f *fixture) changeElsewhere() {
	f.Helper()
	_, err := f.another().UpdateProject(f.Context(), project, func(p *tracker.Project) error {
		p.Name += "+"
		return nil
	})
	f.must(err)
}

// server opens the fixture's table as another server does, with a connection of its own.
func (f *fixture) server(options ...func(*dynamo.Settings)) (*dynamo.Tenant, *dynamotest.Wire) {
	f.Helper()
	wire := &dynamotest.Wire{}
	settings := dynamo.Settings{Table: f.db.Table(), Endpoint: dynamotest.Endpoint(), Embedded: true,
		Transport: wire.Around}
	for _, alter := range options {
		alter(&settings)
	}
	db, err := dynamo.Open(f.Context(), settings)
	f.must(err)
	store, err := db.Tenant(acme)
	f.must(err)
	return store, wire
}

// later returns another server whose requests pass through f.wire, and whose clock stands at a time at which
// the leases of the servers before it have expired.
func (f *fixture) later(now time.Time) *dynamo.Tenant {
	f.Helper()
	store, _ := f.server(func(s *dynamo.Settings) {
		s.DefinitionTTL, s.WriteTime, s.Transport = time.Millisecond, time.Millisecond, f.wire.Around
		s.Now = func() time.Time { return now }
	})
	return store
}

// holdWrites returns a gate for the changes of issues that are sent.
func holdWrites(wire *dynamotest.Wire) *gate {
	g := &gate{came: make(chan struct{}, 1000), open: make(chan struct{})}
	wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		if r.Operation == "TransactWriteItems" || r.Operation == "BatchWriteItem" {
			g.came <- struct{}{}
			<-g.open
		}
	}))
	return g
}

// reads returns the number of requests that read, and sets the counts to zero.
func (f *fixture) reads() (whole, versions int) {
	calls := f.wire.Calls()
	f.wire.Reset()
	return calls["Query"], calls["BatchGetItem"]
}

// TestDefinitionsAreChecked checks when a definition in the cache is used, checked, and read again.
func TestDefinitionsAreChecked(t *testing.T) {
	f, c := timed(t)
	read := func() *tracker.Definition {
		t.Helper()
		d := f.known()
		return d
	}
	read()
	c.add(time.Hour)
	first := read()
	f.reads()
	for _, step := range []struct {
		name            string
		after           time.Duration
		change          bool
		whole, versions int
	}{
		{"at once", 0, false, 0, 0},
		{"within half of the TTL", 400 * time.Millisecond, false, 0, 0},
		{"after the TTL", time.Second, false, 0, 1},
		{"a change elsewhere, within half of the TTL", 400 * time.Millisecond, true, 0, 0},
		{"after the TTL of the change", time.Second, false, 1, 1},
		{"checked many times", time.Second, false, 0, 1},
		{"old", 20 * time.Second, false, 1, 0},
	} {
		if step.change {
			f.changeElsewhere()
			f.reads()
		}
		c.add(step.after)
		read()
		if whole, versions := f.reads(); whole != step.whole || versions != step.versions {
			t.Errorf("%s: %d definitions and %d versions read, want %d and %d", step.name, whole, versions,
				step.whole, step.versions)
		}
	}
	if now := read(); now.Project.Version != first.Project.Version+1 {
		t.Errorf("the version is %d, want %d", now.Project.Version, first.Project.Version+1)
	}
}

// TestDefinitionsAreCheckedInTheBackground checks that a request does not wait for the check of a definition
// that is older than half of the TTL, and that the check finds a change.
func TestDefinitionsAreCheckedInTheBackground(t *testing.T) {
	f, c := timed(t)
	_ = f.known()
	f.changeElsewhere()
	c.add(600 * time.Millisecond)
	g := hold(f.wire, "BatchGetItem", false)
	before := f.known()
	<-g.came
	close(g.open)
	for {
		d := f.known()
		if d.Project.Version > before.Project.Version {
			return
		}
	}
}

// TestJobsAreReadWithDefinitions checks that the progress of a job on another server is seen, although it
// does not change the version of the project.
func TestJobsAreReadWithDefinitions(t *testing.T) {
	f, c := timed(t)
	_, err := mergeOptions(t.Context(), f.another(), project, "fsel", []tracker.OptionID{"o0"}, "o1")
	f.must(err)
	c.add(time.Second)
	_ = f.known()
	f.reads()
	c.add(time.Second)
	_ = f.known()
	if whole, versions := f.reads(); whole != 1 || versions != 0 {
		t.Errorf("%d definitions and %d versions read while a job is open, want 1 and 0", whole, versions)
	}
}

// TestRenewed checks that a definition is read again for requests that may have failed because theirs is
// outdated, and how often.
func TestRenewed(t *testing.T) {
	f, c := timed(t, longTTL, func(s *dynamo.Settings) { s.RenewEvery = 100 * time.Millisecond })
	d := f.known()
	c.add(time.Minute)
	for range 3 { // reads that find a change do not count
		f.changeElsewhere()
		f.wire.Reset()
		now, err := f.store.Renewed(t.Context(), project, c.time())
		f.must(err)
		if now.Project.Version != d.Project.Version+1 {
			t.Fatalf("version %d, want %d", now.Project.Version, d.Project.Version+1)
		}
		d = now
		c.add(time.Millisecond)
	}
	f.reads()
	began := c.time()
	if now, err := f.store.Renewed(t.Context(), project, began); err != nil || now != d {
		t.Fatalf("%v, %v", now, err)
	}
	if whole, versions := f.reads(); whole != 0 || versions != 1 {
		t.Errorf("%d definitions and %d versions read, want 0 and 1", whole, versions)
	}
	_, err := f.store.Renewed(t.Context(), project, began)
	ok(t, err)
	if whole, versions := f.reads(); whole+versions > 0 {
		t.Error("read again for a request that began before the last read")
	}
	c.add(time.Millisecond)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.store.Renewed(ctx, project, c.time())
	wantCode(t, err, tracker.Unavailable) // it waits
	f.changeElsewhere()
	f.wire.Reset()
	now, err := f.store.Renewed(t.Context(), project, c.time())
	if f.must(err); now.Project.Version != d.Project.Version+1 {
		t.Error("after waiting, the change is not found")
	}
	c.add(time.Second)
	f.must(f.another().DeleteProject(t.Context(), project, nil))
	_, err = f.store.Renewed(t.Context(), project, c.time())
	wantCode(t, err, tracker.NotFound, "project")
	_, err = f.store.Definition(t.Context(), project)
	wantCode(t, err, tracker.NotFound, "project")
}

// write is a change of issues that sets a value of the field fint.
type write struct {
	name string
	make func(*dynamo.Tenant, *tracker.Definition, tracker.IssueID) error
}

func writes(t *testing.T) []write {
	values := one("fint", tracker.Int(7)).Values
	return []write{
		{"update", func(s *dynamo.Tenant, d *tracker.Definition, id tracker.IssueID) error {
			_, err := s.UpdateIssue(t.Context(), d, id, tracker.Change{Values: values})
			return err
		}},
		{"create", func(s *dynamo.Tenant, d *tracker.Definition, _ tracker.IssueID) error {
			_, err := s.CreateIssue(t.Context(), d, tracker.Issue{Name: "x", State: "open", Values: values})
			return err
		}},
		{"create with a number", func(s *dynamo.Tenant, d *tracker.Definition, _ tracker.IssueID) error {
			_, err := s.CreateIssue(t.Context(), d,
				tracker.Issue{Num: 500, Name: "x", State: "open", Values: values})
			return err
		}},
		{"import", func(s *dynamo.Tenant, d *tracker.Definition, _ tracker.IssueID) error {
			return s.PutIssues(t.Context(), d, []tracker.Issue{{Num: 501, Name: "x", State: "open",
				ID: tracker.IssueID{Project: project, Issue: "imported"}, Values: values}})
		}},
	}
}

// wantNoValue checks that no issue has a value of the field fint.
func (f *fixture) wantNoValue() {
	f.Helper()
	for _, m := range f.raw.issues(project) {
		_, issue, _ := strings.Cut(m["PK"].(string), "-p1.")
		i := f.read(tracker.IssueID{Project: project, Issue: issue})
		if v, ok := i.Values["fint"]; ok {
			f.Errorf("issue %d has %v in a field that was deleted before", i.Num, v)
		}
	}
}

// TestWritesUseTheCurrentDefinition changes issues on a server that has cached a definition with a field that
// another server deletes: in the meantime, while the change is being sent, and while it is retried.
func TestWritesUseTheCurrentDefinition(t *testing.T) {
	for _, w := range writes(t) {
		for _, when := range []string{"before", "during"} {
			t.Run(w.name+" "+when, func(t *testing.T) {
				f, c := timed(t)
				id := f.issue(nil).ID
				d := f.known()
				c.add(900 * time.Millisecond)
				other := f.another()
				if when == "before" {
					f.must(other.DeleteField(t.Context(), project, "fint", nil))
					if w.name == "import" {
						c.add(time.Second) // it checks only what jobs rely on
					}
				} else {
					throttled := false
					f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
						if throttled || !strings.Contains(string(r.Body), `"num"`) ||
							r.Operation != "TransactWriteItems" && r.Operation != "BatchWriteItem" {
							return send(r)
						}
						throttled = true
						f.must(other.DeleteField(t.Context(), project, "fint", nil))
						c.add(time.Second)
						return dynamotest.Refusal("ProvisionedThroughputExceededException", "internal-detail")
					})
				}
				err := w.make(f.store, d, id)
				f.wire.Intercept(nil)
				if !errors.Is(err, tracker.ErrDefinitionChanged) {
					t.Errorf("error %v, want ErrDefinitionChanged", err)
				}
				f.wantNoValue()
				now, err := f.store.Renewed(t.Context(), project, c.time())
				if f.must(err); now.Field("fint") != nil {
					t.Error("the current definition has the field")
				}
			})
		}
	}
}

// TestSlowEngine deletes and converts fields and merges a state on another server, and runs the jobs to their
// end, while the engine has not yet acted on a change. The change leaves no value that does not fit.
func TestSlowEngine(t *testing.T) {
	all := writes(t)
	setState := write{"set state", func(s *dynamo.Tenant, d *tracker.Definition, id tracker.IssueID) error {
		_, err := s.UpdateIssue(t.Context(), d, id, tracker.Change{State: ptr(tracker.OptionID("doing"))})
		return err
	}}
	deleted := func(f *fixture) error { return f.store.DeleteField(t.Context(), project, "fint", nil) }
	converted := func(f *fixture) error {
		_, err := f.store.ChangeFieldType(t.Context(), project, "fint", tracker.Form{Type: tracker.TypeText},
			false, nil)
		return err
	}
	merged := func(f *fixture) error { return f.mergeStates([]tracker.OptionID{"doing"}, "done") }
	for _, test := range []struct {
		write  write
		name   string
		change func(*fixture) error
	}{{all[0], "deleted", deleted}, {all[0], "converted", converted}, {all[1], "deleted", deleted},
		{all[1], "converted", converted}, {setState, "merged", merged}} {
		t.Run(test.write.name+" "+test.name, func(t *testing.T) {
			f, c := timed(t)
			id := f.issue(nil).ID
			slow, wire := f.server(func(s *dynamo.Settings) { s.Now = c.time })
			d, err := slow.Definition(t.Context(), project)
			f.must(err)
			g, made := holdWrites(wire), make(chan error)
			go func() { made <- test.write.make(slow, d, id) }()
			<-g.came
			f.must(test.change(f))
			f.must(dynamo.Waiting(f.store, func(_ context.Context, d time.Duration) error {
				c.add(d)
				return nil
			}).RunJobs(t.Context(), project))
			close(g.open)
			f.must(<-made)
			f.wantNoValue()
			f.wantStates(map[tracker.IssueID]tracker.OptionID{id: "open"}) // merged: the first open one
			f.verifyAll()
		})
	}
}

// TestLostResponse checks a change whose response was lost before the definition changed: a retry could make
// it twice, and the client must know that it may have been made.
func TestLostResponse(t *testing.T) {
	f, c := timed(t)
	d := f.known()
	lost := false
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if lost || r.Operation != "TransactWriteItems" {
			return send(r)
		}
		lost = true
		f.must(f.another().DeleteField(t.Context(), project, "fint", nil))
		c.add(time.Second)
		return &dynamotest.Response{Err: errors.New("connection reset")}
	})
	_, err := f.store.CreateIssue(t.Context(), d, tracker.Issue{Name: "x", State: "open"})
	f.wire.Intercept(nil)
	wantCode(t, err, tracker.Unavailable, "may have been written")
	if tracker.Outdated(err) {
		t.Error("the change would be made again")
	}
}

// TestCostOfTheVersion checks what it costs to check that the definition is the current one.
func TestCostOfTheVersion(t *testing.T) {
	f, c := timed(t)
	id := f.issue(nil).ID
	for _, test := range []struct {
		name  string
		calls map[string]int
		rcu   float64
	}{
		{"update", map[string]int{"BatchGetItem": 1, "TransactWriteItems": 1}, 2},
		{"create", map[string]int{"BatchGetItem": 1, "TransactWriteItems": 1, "UpdateItem": 1}, 1},
		{"create with a number", map[string]int{"BatchGetItem": 1, "TransactWriteItems": 1}, 1},
		{"import", map[string]int{"BatchWriteItem": 2, "UpdateItem": 1}, 0},
	} {
		i := slices.IndexFunc(writes(t), func(w write) bool { return w.name == test.name })
		d := f.known()
		c.add(100 * time.Millisecond)
		store, meter := f.metered(acme)
		f.must(writes(t)[i].make(store, d, id))
		cost := meter.Cost()
		if diff := cmp.Diff(test.calls, cost.Calls); diff != "" || cost.RCU != test.rcu {
			t.Errorf("%s: %g RCU, want %g; calls (-want +got):\n%s", test.name, cost.RCU, test.rcu, diff)
		}
	}
	d := f.known()
	c.add(100 * time.Millisecond)
	store, meter := f.metered(acme)
	for n := range 20 { // the changes of one request share the check
		_, err := store.CreateIssue(t.Context(), d,
			tracker.Issue{Num: int64(600 + n), Name: "x", State: "open"})
		f.must(err)
	}
	if cost := meter.Cost(); cost.RCU != 1 || cost.Calls["BatchGetItem"] != 1 {
		t.Errorf("20 issues: %g RCU, calls %v", cost.RCU, cost.Calls)
	}
}
