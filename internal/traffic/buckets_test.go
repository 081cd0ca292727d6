package traffic_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// admit runs an operation with an estimated and actual cost of zero.
func admit(b *traffic.Buckets, t tracker.TenantID, write bool) error {
	settle, err := b.Admit(t, traffic.Rates{}, write)
	if err == nil {
		settle(0, 0)
	}
	return err
}

// clock is a clock that stands still until a test moves it.
type clock struct{ now time.Time }

// newBuckets returns buckets with such a clock.
func newBuckets(rates traffic.Rates) (*traffic.Buckets, *clock) {
	c := &clock{time.Unix(1000, 0)}
	return traffic.NewBuckets(rates, func() time.Time { return c.now }), c
}

func wantRefused(t *testing.T, err error, after time.Duration) {
	t.Helper()
	e, ok := err.(*tracker.Error)
	if !ok || e.Code != tracker.RateLimited || e.RetryAfter != after {
		t.Errorf("%+v, want RATE_LIMITED for %s", err, after)
	}
}

func wantState(t *testing.T, what string, got, want traffic.State) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}

// TestBuckets takes a bucket of 10 RCU and 5 WCU a second from full to below empty and back.
func TestBuckets(t *testing.T) {
	b, c := newBuckets(traffic.Rates{RCU: 10, WCU: 5})
	reads, writes := b.Read("acme")
	wantState(t, "full", reads, traffic.State{Limit: 100, Remaining: 100})
	wantState(t, "full", writes, traffic.State{Limit: 50, Remaining: 50})
	if err := admit(b, "acme", true); err != nil {
		t.Fatal(err)
	}
	b.Charge("acme", 30, 0)
	reads, _ = b.Read("acme")
	wantState(t, "after 30 RCU", reads, traffic.State{Limit: 100, Remaining: 70, Reset: 3 * time.Second})
	b.Charge("acme", 450, 0) // more than the bucket holds, of one operation
	reads, _ = b.Read("acme")
	wantState(t, "below zero", reads, traffic.State{Limit: 100, Reset: 48 * time.Second})
	wantRefused(t, admit(b, "acme", false), 39*time.Second) // 380 RCU below zero, and 0.5 to continue
	if err := admit(b, "rival", true); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	c.now = c.now.Add(39 * time.Second)
	if err := admit(b, "acme", true); err != nil {
		t.Errorf("after RetryAfter: %v", err)
	}
	b.Charge("acme", 0, 51)
	wantRefused(t, admit(b, "acme", true), time.Second)
	if err := admit(b, "acme", false); err != nil {
		t.Errorf("a read without write capacity: %v", err)
	}
	c.now = c.now.Add(time.Hour)
	b.Charge("acme", 100, 75)
	for range 20 { // with two empty buckets, the longer of both times
		wantRefused(t, admit(b, "acme", true), 6*time.Second)
		wantRefused(t, admit(b, "acme", false), time.Second)
	}
	b.Charge("acme", 400, 0)
	for range 20 {
		wantRefused(t, admit(b, "acme", true), 41*time.Second)
	}
	c.now = c.now.Add(time.Hour)
	reads, writes = b.Read("acme")
	wantState(t, "an hour later", reads, traffic.State{Limit: 100, Remaining: 100})
	wantState(t, "an hour later", writes, traffic.State{Limit: 50, Remaining: 50})
}

// TestNoRate checks that a rate of 0 rejects no operation.
func TestNoRate(t *testing.T) {
	b := traffic.NewBuckets(traffic.Rates{WCU: 1}, nil)
	b.Charge("acme", 1e12, 0)
	if err := admit(b, "acme", true); err != nil {
		t.Error(err)
	}
	reads, writes := b.Read("acme")
	wantState(t, "without a limit", reads, traffic.State{})
	wantState(t, "with one", writes, traffic.State{Limit: 10, Remaining: 10})
}

// TestWait checks that Wait waits for both buckets, including charges made meanwhile, but not for those of
// other tenants.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := traffic.NewBuckets(traffic.Rates{RCU: 10, WCU: 5}, nil)
		begun := time.Now()
		waited := func(tenant tracker.TenantID, want time.Duration) {
			t.Helper()
			if err := b.Wait(t.Context(), tenant); err != nil || time.Since(begun) != want {
				t.Errorf("%s: %v after %s, want %s", tenant, err, time.Since(begun), want)
			}
		}
		waited("acme", 0)
		b.Charge("acme", 110, 75)
		waited("rival", 0)
		time.AfterFunc(5*time.Second, func() { b.Charge("acme", 0, 10) })
		waited("acme", 8*time.Second)
		b.Charge("acme", 0, 1e6)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := b.Wait(ctx, "acme"); err != context.DeadlineExceeded ||
			time.Since(begun) != 68*time.Second {
			t.Errorf("%v after %s", err, time.Since(begun))
		}
		if err := b.Wait(ctx, "rival"); err != context.DeadlineExceeded {
			t.Errorf("at the end: %v", err)
		}
		none := traffic.NewBuckets(traffic.Rates{}, nil)
		none.Charge("acme", 1e9, 1e9)
		if err := none.Wait(t.Context(), "acme"); err != nil {
			t.Errorf("without a limit: %v", err)
		}
	})
}

// TestManyTenants checks that a tenant in debt is kept when buckets of idle tenants are dropped.
func TestManyTenants(t *testing.T) {
	b, c := newBuckets(traffic.Rates{RCU: 1, WCU: 1})
	b.Charge("spent", 1000, 0)
	for n := range 50_000 {
		b.Charge(tracker.TenantID(fmt.Sprint("t", n)), 1, 0)
		c.now = c.now.Add(time.Millisecond)
	}
	if err := admit(b, "spent", false); tracker.CodeOf(err) != tracker.RateLimited {
		t.Errorf("a tenant in debt is admitted: %v", err)
	}
}

// TestReservations checks that only one of many parallel operations is admitted on the last unit, and that a
// reservation that was not consumed is available again at once.
func TestReservations(t *testing.T) {
	b, _ := newBuckets(traffic.Rates{RCU: 10, WCU: 5}) // of 100 RCU and 50 WCU
	b.Charge("acme", 99, 0)
	settle, err := b.Admit("acme", traffic.Rates{RCU: 20}, false)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		// One second, not the time that 20 RCU take: the reservation may be returned at any time.
		wantRefused(t, admit(b, "acme", false), time.Second)
	}
	if err := admit(b, "rival", false); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	settle(0.5, 0)
	reads, _ := b.Read("acme")
	wantState(t, "after it has ended", reads,
		traffic.State{Limit: 100, Remaining: 0.5, Reset: 9950 * time.Millisecond})
	if err := admit(b, "acme", false); err != nil {
		t.Errorf("after the reservation was returned: %v", err)
	}
}

// TestReservationsAreBounded checks that one operation reserves at most a quarter of the bucket, and that an
// operation that only reads does not wait for write capacity.
func TestReservationsAreBounded(t *testing.T) {
	b, _ := newBuckets(traffic.Rates{RCU: 10, WCU: 5})
	var settle []func(rcu, wcu float64)
	for range 4 {
		one, err := b.Admit("acme", traffic.Rates{RCU: 20_000, WCU: 20_000}, true)
		if err != nil {
			t.Fatalf("after %d: %v", len(settle), err)
		}
		settle = append(settle, one)
	}
	wantRefused(t, admit(b, "acme", true), time.Second)
	wantRefused(t, admit(b, "acme", false), time.Second)
	settle[0](0, 0)
	if err := admit(b, "acme", true); err != nil {
		t.Error(err)
	}
	settle[1](0, 1000) // far below zero
	if err := admit(b, "acme", false); err != nil {
		t.Errorf("a read without write capacity: %v", err)
	}
	wantRefused(t, admit(b, "acme", true), 191*time.Second)
}

// TestReservationsInParallel checks that parallel operations together consume the whole bucket and no more.
func TestReservationsInParallel(t *testing.T) {
	b, _ := newBuckets(traffic.Rates{RCU: 100, WCU: 100}) // of 1,000
	var all sync.WaitGroup
	var consumed atomic.Int64
	for range 50 {
		all.Go(func() {
			for range 20 {
				settle, err := b.Admit("acme", traffic.Rates{RCU: 100}, false)
				if err != nil {
					continue
				}
				runtime.Gosched()
				consumed.Add(100)
				settle(100, 0)
			}
		})
	}
	all.Wait()
	if n := consumed.Load(); n < 900 || n > 1000 {
		t.Errorf("%d RCU were consumed of a bucket of 1,000", n)
	}
	if reads, _ := b.Read("acme"); reads.Remaining != float64(1000-consumed.Load()) {
		t.Errorf("%g RCU are left after %d", reads.Remaining, consumed.Load())
	}
}

// TestReservationsLearn checks that reservations grow if operations read much more than estimated, because
// the tenant's documents are large, and shrink again later.
func TestReservationsLearn(t *testing.T) {
	b, c := newBuckets(traffic.Rates{RCU: 100}) // of 1,000
	parallel := func() (n int) {
		var settle []func(rcu, wcu float64)
		for n < 100 {
			one, err := b.Admit("acme", traffic.Rates{RCU: 5}, false)
			if err != nil {
				break
			}
			settle = append(settle, one)
			n++
		}
		for _, s := range settle {
			s(0, 0)
		}
		return n
	}
	first, err := b.Admit("acme", traffic.Rates{RCU: 5}, false)
	if err != nil {
		t.Fatal(err)
	}
	if n := parallel(); n != 100 {
		t.Errorf("%d in parallel before the first measurement", n)
	}
	first(500, 0)
	if n := parallel(); n != 2 { // each reserves 250, a quarter of the bucket; 500 are left
		t.Errorf("%d in parallel after an operation that read 100 times the estimate", n)
	}
	for range 40 {
		parallel()
	}
	c.now = c.now.Add(time.Minute)
	if n := parallel(); n != 100 {
		t.Errorf("%d in parallel after many small reads", n)
	}
}
