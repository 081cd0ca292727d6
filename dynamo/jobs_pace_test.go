package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// pace records what jobs cost, and calls wait before each step if it is set.
type pace struct {
	mu    sync.Mutex
	spent map[tracker.TenantID]account.Capacity
	steps []account.Capacity // what acme had spent before each step
	wait  func(ctx context.Context, t tracker.TenantID) error
}

func (p *pace) settings(s *dynamo.Settings) {
	soon(s)
	p.spent = map[tracker.TenantID]account.Capacity{}
	s.Spent = func(t tracker.TenantID, c account.Cost) {
		p.mu.Lock()
		defer p.mu.Unlock()
		sum, all := p.spent[t], c.All()
		p.spent[t] = account.Capacity{RCU: sum.RCU + all.RCU, WCU: sum.WCU + all.WCU}
	}
	s.Pace = func(ctx context.Context, t tracker.TenantID) error {
		p.mu.Lock()
		if t == acme {
			p.steps = append(p.steps, p.spent[t])
		}
		p.mu.Unlock()
		if p.wait == nil {
			return nil
		}
		return p.wait(ctx, t)
	}
}

// of returns what the jobs of a tenant have spent.
func (p *pace) of(t tracker.TenantID) account.Capacity {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent[t]
}

// anotherServer returns a handle of acme on another server, with the settings of soon.
func (f *fixture) anotherServer() *dynamo.Tenant {
	f.Helper()
	store, _ := f.server(soon)
	return store
}

// TestJobCost checks that jobs report their full cost, and before each step what they have spent
// so far. A step covers a few issues, also in the trash. The change that began a job is not charged for it.
func TestJobCost(t *testing.T) {
	p := &pace{}
	f := setup(t, p.settings)
	f.some(120, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(n)) })
	for range 101 {
		i := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("7")})
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	}
	store, meter := f.metered(acme)
	_, err := store.ChangeFieldType(t.Context(), project, "ftext", tracker.Form{Type: tracker.TypeInteger},
		false, nil)
	f.must(err)
	before := meter.Cost()
	took := &billed{}
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		a := send(r)
		took.note(r.Operation, a)
		return a
	})
	f.must(store.RunJobs(t.Context(), project))
	f.wire.Intercept(nil)
	if after := meter.Cost(); after.All() != before.All() {
		t.Errorf("the cost of the change was %+v before the job and %+v after it", before, after)
	}
	if all := p.of(acme); all.RCU != took.rcu || all.WCU != took.wcu || took.wcu == 0 {
		t.Errorf("reported %+v, but DynamoDB consumed %g RCU and %g WCU", all, took.rcu, took.wcu)
	}
	if other := p.of(rival); other != (account.Capacity{}) {
		t.Errorf("another tenant was charged %+v", other)
	}
	most := 0.0
	for n := range p.steps[1:] {
		most = max(most, p.steps[n+1].WCU-p.steps[n].WCU)
	}
	// A step has at most 50 of the 120 issues, or of the 101 in the trash, each of which costs less.
	if len(p.steps) < 11 || most > took.wcu*50/120 || most == 0 {
		t.Errorf("%d steps; the largest consumed %g of %g WCU", len(p.steps), most, took.wcu)
	}
	f.verifyAll()
}

// TestJobsWaitAlone checks that jobs of a tenant that must wait, however many, do not delay the jobs of
// another tenant, and that other servers can take them over.
func TestJobsWaitAlone(t *testing.T) {
	p := &pace{}
	f := setup(t, p.settings)
	rivals, err := f.db.Tenant(rival)
	f.must(err)
	other := f.project(rivals, tracker.Project{ID: "p2", Key: "TWO", Name: "Two"})
	ended, waiting := make(chan struct{}), make(chan struct{}, 10)
	p.wait = func(ctx context.Context, tenant tracker.TenantID) error {
		if tenant != acme {
			return nil
		}
		if _, bounded := ctx.Deadline(); bounded {
			return context.DeadlineExceeded // the wait is longer than the deadline
		}
		waiting <- struct{}{}
		select {
		case <-ctx.Done():
		case <-ended:
		}
		return ctx.Err()
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := f.db.RunJobs(ctx, func(err error) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	const several = 4 // more than a server does at a time
	for n := range several {
		id := tracker.ProjectID(fmt.Sprint("w", n))
		f.project(f.store, tracker.Project{ID: id, Key: fmt.Sprint("W", n), Name: "x"})
		f.must(f.store.DeleteProject(t.Context(), id, nil))
	}
	for range several { // no job waits for another one
		<-waiting
	}
	f.must(rivals.DeleteProject(t.Context(), other.Project.ID, nil))
	f.until(func() bool { return len(f.raw.items("rival/project-p2")) == 0 }) // the job of another tenant
	for n := range several {
		if len(f.raw.items(fmt.Sprint("acme/project-w", n))) == 0 {
			t.Errorf("w%d did not wait", n)
		}
		f.must(f.anotherServer().RunJobs(t.Context(), tracker.ProjectID(fmt.Sprint("w", n))))
		if left := f.raw.items(fmt.Sprint("acme/project-w", n)); len(left) > 0 {
			t.Errorf("another server did not take over w%d: %v", n, left)
		}
	}
	close(ended)
	stop()
	stopped()
}

// TestLeaseTakeover checks that another server can take over a job while the server that began it waits for
// a long time.
func TestLeaseTakeover(t *testing.T) {
	p := &pace{}
	f := setup(t, p.settings)
	f.some(120, "fsel", func(n int) tracker.Value { return tracker.Text([]string{"o0", "o1", "o2"}[n%3]) })
	f.merge("fsel", "o0", "o2")
	var began atomic.Bool // a step over issues has begun
	taken := false
	f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		if body := string(r.Body); r.Operation == "Query" && strings.Contains(body, "acme/project-p1") &&
			strings.Contains(body, "IndexName") {
			began.Store(true)
		}
	}))
	p.wait = func(ctx context.Context, _ tracker.TenantID) error {
		_, bounded := ctx.Deadline()
		switch {
		case !began.Load() || taken:
			return nil
		case bounded:
			return context.DeadlineExceeded
		}
		taken = true
		return f.anotherServer().RunJobs(t.Context(), project)
	}
	f.must(f.store.RunJobs(t.Context(), project))
	f.wire.Intercept(nil)
	if open := slices.ContainsFunc(f.jobs(), func(j tracker.Job) bool { return j.Open() }); open || !taken {
		t.Errorf("open %t, taken over %t", open, taken)
	}
	for _, i := range f.verifyAll() {
		if i.Version > 2 {
			t.Errorf("issue %d was changed %d times", i.Num, i.Version-1)
		}
	}
}

// TestChecksInTheTrash begins a job while another one checks the values in the trash. Each reports every
// problem once.
func TestChecksInTheTrash(t *testing.T) {
	p := &pace{}
	f := setup(t, p.settings)
	for range 101 {
		i := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("x"),
			"fuser": tracker.Text("y")})
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	}
	f.change("ftext", tracker.TypeInteger, false)
	var pages atomic.Int64
	f.once(func(r *dynamotest.Request) bool {
		if r.Operation == "BatchGetItem" && strings.Contains(string(r.Body), "xtrash") {
			pages.Add(1)
		}
		return pages.Load() == 2
	}, func() { f.change("fuser", tracker.TypeNumber, false) })
	f.runJobs()
	for _, j := range f.jobs() {
		if j.Status != tracker.JobFailed || j.ProblemCount != 101 {
			t.Errorf("%s of %s with %d problems, want 101", j.Status, j.Name, j.ProblemCount)
		}
	}
}
