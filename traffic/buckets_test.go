package traffic_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/tracker"
	"issuegrid/traffic"
)

// clock is a clock that stands until it is moved.
type clock struct{ now time.Time }

func (c *clock) time() time.Time { return c.now }

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

// TestBuckets follows a bucket of 10 RCU and 5 WCU a second from full to below empty and back.
func TestBuckets(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	b := traffic.NewBuckets(traffic.Rates{RCU: 10, WCU: 5}, c.time)
	reads, writes := b.Read("acme")
	wantState(t, "full", reads, traffic.State{Limit: 100, Remaining: 100})
	wantState(t, "full", writes, traffic.State{Limit: 50, Remaining: 50})
	if err := b.Admit("acme", true); err != nil {
		t.Fatal(err)
	}
	b.Charge("acme", 30, 0)
	reads, _ = b.Read("acme")
	wantState(t, "after 30 RCU", reads, traffic.State{Limit: 100, Remaining: 70, Reset: 3 * time.Second})
	b.Charge("acme", 450, 0) // more than the bucket holds, of one operation
	reads, _ = b.Read("acme")
	wantState(t, "below nothing", reads, traffic.State{Limit: 100, Reset: 48 * time.Second})
	wantRefused(t, b.Admit("acme", false), 39*time.Second) // 380 RCU below, and 0.5 to begin with
	if err := b.Admit("rival", true); err != nil {
		t.Errorf("another tenant: %v", err)
	}
	c.now = c.now.Add(39 * time.Second)
	if err := b.Admit("acme", true); err != nil {
		t.Errorf("after the time that was told: %v", err)
	}
	b.Charge("acme", 0, 51)
	wantRefused(t, b.Admit("acme", true), time.Second)
	if err := b.Admit("acme", false); err != nil {
		t.Errorf("who may not write may read: %v", err)
	}
	c.now = c.now.Add(time.Hour)
	b.Charge("acme", 100, 75)
	for range 20 { // of two empty buckets, the one that takes longer, always
		wantRefused(t, b.Admit("acme", true), 6*time.Second)
		wantRefused(t, b.Admit("acme", false), time.Second)
	}
	b.Charge("acme", 400, 0)
	for range 20 {
		wantRefused(t, b.Admit("acme", true), 41*time.Second)
	}
	c.now = c.now.Add(time.Hour)
	reads, writes = b.Read("acme")
	wantState(t, "an hour later", reads, traffic.State{Limit: 100, Remaining: 100})
	wantState(t, "an hour later", writes, traffic.State{Limit: 50, Remaining: 50})
}

// TestNoRate refuses nobody.
func TestNoRate(t *testing.T) {
	b := traffic.NewBuckets(traffic.Rates{WCU: 1}, nil)
	b.Charge("acme", 1e12, 0)
	if err := b.Admit("acme", true); err != nil {
		t.Error(err)
	}
	reads, writes := b.Read("acme")
	wantState(t, "without a limit", reads, traffic.State{})
	wantState(t, "with one", writes, traffic.State{Limit: 10, Remaining: 10})
}

// TestWait waits for both buckets, charges that come meanwhile included, and for no other tenant's.
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
		if err := b.Wait(ctx, "acme"); err != context.DeadlineExceeded || time.Since(begun) != 68*time.Second {
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

// TestManyTenants forgets those that have used nothing lately, and none that has.
func TestManyTenants(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	b := traffic.NewBuckets(traffic.Rates{RCU: 1, WCU: 1}, c.time)
	b.Charge("spent", 1000, 0)
	for n := range 50_000 {
		b.Charge(tracker.TenantID(fmt.Sprint("t", n)), 1, 0)
		c.now = c.now.Add(time.Millisecond)
	}
	if err := b.Admit("spent", false); tracker.CodeOf(err) != tracker.RateLimited {
		t.Errorf("a tenant that owes is let in: %v", err)
	}
}
