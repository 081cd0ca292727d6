package httpd

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/internal/account"
	"issuegrid/internal/auth"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// TestCharges checks that a tenant is charged for everything that its operations cost, including capacity
// that the engine did not report and calls after the end of the operation. Operators are not charged.
func TestCharges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewControl(Bounds{Rates: traffic.Rates{RCU: 10, WCU: 10}, Operations: 1})
		header := http.Header{}
		ctx := context.WithValue(t.Context(), headerKey{}, header)
		editor := tracker.Principal{Role: tracker.Editor, Tenant: "acme"}
		for _, p := range []tracker.Principal{{Role: tracker.Operator}, editor} {
			done, err := c.Admit(ctx, p, graph.Estimate{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			done(dynamo.Cost{RCU: 20, WCU: 30, Unreported: dynamo.Capacity{RCU: 5, WCU: 10}})
			c.ChargeLate(p, dynamo.Cost{RCU: 1, Unreported: dynamo.Capacity{WCU: 70}})
		}
		if reads, writes := c.Capacity(editor); reads.Remaining != 74 || writes.Remaining != 0 ||
			writes.Reset != 11*time.Second {
			t.Errorf("reads %+v, writes %+v", reads, writes)
		}
		if left := header.Get("RateLimit-Remaining"); left != "60" {
			t.Errorf("RateLimit-Remaining is %s, want the 60 left at the end of the operation", left)
		}
		if _, err := c.Admit(ctx, editor, graph.Estimate{Write: true}); tracker.CodeOf(err) !=
			tracker.RateLimited {
			t.Error(err)
		}
	})
}

// TestResponsesAreHeld checks that a request whose response is ready returns its slot, and then holds only
// the memory of the response until it is sent.
func TestResponsesAreHeld(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	c := NewControl(Bounds{Operations: 2, OperationMemory: 32 * mib, Memory: 64 * mib})
	want := func(when string, running int, bytes int64) {
		t.Helper()
		if got, _ := c.queue.Load(); got != running || c.memory.State().Used != bytes {
			t.Errorf("%s: %d slots and %d bytes are in use, want %d and %d", when, got, c.memory.State().Used,
				running, bytes)
		}
	}
	var sent []chan struct{}
	ready, over := make(chan struct{}), make(chan struct{})
	api := c.withAccount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		taken := sent[len(sent)-1]
		slot, err := c.Enter(r.Context())
		if err != nil {
			t.Error(err)
		}
		defer slot.Leave()
		want("at work", 1, int64(len(sent)-1)*6*mib+baseMemory)
		done, err := c.Admit(r.Context(), tracker.Principal{Role: tracker.Operator}, graph.Estimate{RCU: 128})
		if err == nil {
			err = account.From(r.Context()).Hold(r.Context(), 10*mib)
		}
		if err != nil {
			t.Error(err)
		}
		want("with what it has read", 1, int64(len(sent)-1)*6*mib+10*mib)
		done(dynamo.Cost{})
		slot.ResponseReady(5 * mib)
		ready <- struct{}{}
		<-taken
	}))
	for range 2 { // two slow clients, one after the other
		sent = append(sent, make(chan struct{}))
		go func() {
			api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/graphql", nil))
			over <- struct{}{}
		}()
		<-ready
		want("while it is sent", 0, int64(len(sent))*6*mib)
	}
	close(sent[1])
	<-over
	want("with one response left", 0, 6*mib)
	close(sent[0])
	<-over
	want("in the end", 0, 0)
}

// TestMemoryOfRequests checks that a request without memory is rejected and returns its slot and its
// reservation of the tenant's capacity.
func TestMemoryOfRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewControl(Bounds{Rates: traffic.Rates{RCU: 10}, Operations: 4, OperationMemory: 8 << 20,
			Memory: 16 << 20})
		if err := errors.Join(c.memory.Acquire(t.Context(), "other", 8<<20, true),
			c.memory.Acquire(t.Context(), "another", 3<<20, true)); err != nil {
			t.Fatal(err)
		}
		p := tracker.Principal{Role: tracker.Reader, Tenant: "acme"}
		a := account.New("acme", c.limits, c.memory, c.processor)
		defer a.Close()
		ctx := account.With(t.Context(), a)
		slot, err := c.Enter(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Admit(ctx, p, graph.Estimate{RCU: 1000}); tracker.CodeOf(err) != tracker.Unavailable {
			t.Errorf("%v", err)
		}
		if reads, _ := c.Capacity(p); reads.Remaining != 100 {
			t.Errorf("%+v is left after a rejected operation", reads)
		}
		slot.Leave()
		if err := c.memory.Acquire(t.Context(), "third", 1<<20, true); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Enter(account.With(t.Context(),
			account.New("acme", c.limits, c.memory,
				c.processor))); tracker.CodeOf(err) != tracker.Unavailable {
			t.Errorf("%v", err)
		}
		if running, waiting := c.queue.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d operations run and %d wait", running, waiting)
		}
	})
}

// TestCPUCost checks that CPU time costs read capacity units only above the free amount.
func TestCPUCost(t *testing.T) {
	t.Parallel()
	c := NewControl(Bounds{Rates: traffic.Rates{RCU: 100, WCU: 1}, Operations: 1, Memory: 512 << 20})
	p := tracker.Principal{Role: tracker.Reader, Tenant: "acme"}
	left := func(cpu time.Duration) float64 {
		t.Helper()
		a := account.New("acme", c.limits, c.memory, nil)
		done, err := c.Admit(account.With(t.Context(), a), p, graph.Estimate{})
		if err != nil {
			t.Fatal(err)
		}
		a.Spend(cpu)
		before, _ := c.Capacity(p)
		done(dynamo.Cost{})
		after, _ := c.Capacity(p)
		return math.Round(before.Remaining - after.Remaining)
	}
	if free, more := left(freeCPU), left(freeCPU+300*time.Millisecond); free != 0 || more != 300 {
		t.Errorf("10 ms cost %g RCU, 310 ms %g", free, more)
	}
}

// TestRefusedRequestsAreCharged checks that a request that is not admitted costs its tenant all of its CPU
// time, and that a tenant without capacity is refused before its query is parsed, which costs it nothing.
func TestRefusedRequestsAreCharged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := NewControl(Bounds{Rates: traffic.Rates{RCU: 10, WCU: 10}, Operations: 1, Memory: 512 << 20})
		p := tracker.Principal{Role: tracker.Editor, Tenant: "acme"}
		header := http.Header{}
		enter := func(p tracker.Principal) error {
			a := account.New(p.Tenant, c.limits, c.memory, nil)
			defer a.Close()
			ctx := context.WithValue(auth.With(t.Context(), p), headerKey{}, header)
			slot, err := c.Enter(account.With(ctx, a))
			if err != nil {
				return err
			}
			defer slot.Leave()
			a.Spend(4*time.Millisecond - requestCPU) // and is refused for what it says
			return nil
		}
		for n := range 25 { // a hundred units in the bucket
			if reads, _ := c.Capacity(p); reads.Remaining != float64(100-4*n) {
				t.Fatalf("%g units are left after %d requests", reads.Remaining, n)
			}
			if err := enter(p); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			err := enter(p)
			if tracker.CodeOf(err) != tracker.RateLimited || tracker.RetryAfter(err) != time.Second {
				t.Errorf("without capacity: %v", err)
			}
		}
		if left := header.Get("RateLimit-Remaining"); left != "0" {
			t.Errorf("RateLimit-Remaining is %q", left)
		}
		for _, other := range []tracker.Principal{{Role: tracker.Reader, Tenant: "rival"},
			{Role: tracker.Operator}} {
			if err := enter(other); err != nil {
				t.Errorf("%+v: %v", other, err)
			}
		}
		time.Sleep(time.Second)
		if reads, _ := c.Capacity(p); reads.Remaining != 10 {
			t.Errorf("%g units are left a second later", reads.Remaining)
		}
		if running, waiting := c.queue.Load(); running != 0 || waiting != 0 {
			t.Errorf("%d operations run and %d wait", running, waiting)
		}
	})
}
