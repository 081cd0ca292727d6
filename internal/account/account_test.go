package account_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/internal/account"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const mib = 1 << 20

// hold holds bytes in two parts, because an operation that holds nothing cannot get the last quarter.
func hold(t *testing.T, a *account.Account, bytes int64) {
	t.Helper()
	if err := errors.Join(a.Hold(t.Context(), bytes/2), a.Hold(t.Context(), bytes-bytes/2)); err != nil {
		t.Fatal(err)
	}
}

// TestCPU checks that Check fails for good after the limit is exceeded, and that reading is over before.
func TestCPU(t *testing.T) {
	a := account.New("t", account.Limits{CPU: time.Second}, nil, nil)
	a.Spend(700 * time.Millisecond)
	if err := a.Check(t.Context()); err != nil || a.ReadingOver() {
		t.Errorf("%v, %t", err, a.ReadingOver())
	}
	a.Spend(100 * time.Millisecond)
	if err := a.Check(t.Context()); err != nil || !a.ReadingOver() {
		t.Errorf("%v, %t", err, a.ReadingOver())
	}
	a.Spend(201 * time.Millisecond)
	for range 2 {
		if err := a.Check(t.Context()); tracker.CodeOf(err) != tracker.BadInput ||
			!errors.Is(err, account.ErrCPU) {
			t.Errorf("%v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := account.New("t", account.Limits{}, nil, nil).Check(ctx); err != context.Canceled {
		t.Errorf("with a cancelled context: %v", err)
	}
}

// TestBill checks that all CPU time is billed once, except what is free each time.
func TestBill(t *testing.T) {
	a := account.New("t", account.Limits{}, nil, nil)
	for n, c := range []struct{ spent, free, want time.Duration }{
		{5, 10, 0}, {5, 0, 5}, {0, 0, 0}, {30, 10, 20}, {0, 10, 0}, {1, 0, 1},
	} {
		a.Spend(c.spent)
		if got := a.Bill(c.free); got != c.want {
			t.Errorf("bill %d is %d, want %d", n, got, c.want)
		}
	}
}

// TestTime checks that reading is over when three quarters of the time are, and that an operation without a
// deadline has no such time.
func TestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		a := account.New("t", account.Limits{}, nil, nil)
		unlimited := account.New("t", account.Limits{}, nil, nil)
		a.Begin(ctx)
		unlimited.Begin(t.Context())
		for _, over := range []bool{false, true} {
			if a.ReadingOver() != over || unlimited.ReadingOver() {
				t.Errorf("got %t and %t, want %t and false", a.ReadingOver(), unlimited.ReadingOver(), over)
			}
			time.Sleep(30 * time.Second)
		}
	})
}

// TestNone checks that work outside of operations is limited only by its context.
func TestNone(t *testing.T) {
	a := account.From(t.Context())
	a.Spend(time.Hour)
	a.Begin(t.Context())
	a.Keep(0)
	a.Release(1)
	a.Close()
	if err := errors.Join(a.Check(t.Context()), a.Hold(t.Context(), 1<<40),
		a.Reserve(t.Context(), 1<<40)); err != nil || a.ReadingOver() || a.CPU() != 0 || a.Detached() != nil {
		t.Errorf("%v", err)
	}
}

// TestHold checks that holds are bounded by the operation's limit and taken from the shared memory, that
// Release returns bytes to the operation, and that Keep and Close return them to all.
func TestHold(t *testing.T) {
	m := traffic.NewMemory(100 * mib)
	a := account.New("t", account.Limits{Memory: 10 * mib}, m, nil)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	used := func(what string, want int64) {
		t.Helper()
		if got := m.State().Used; got != want {
			t.Errorf("%s: %d bytes are acquired, want %d", what, got, want)
		}
	}
	must(a.Reserve(t.Context(), 4*mib))
	used("reserved", 4*mib)
	must(a.Hold(t.Context(), 4*mib))
	used("held as reserved", 4*mib)
	must(a.Hold(t.Context(), 1))
	used("one more", 4*mib+256<<10)
	must(a.Hold(t.Context(), 6*mib-1))
	used("all", 10*mib)
	err := a.Hold(t.Context(), 1)
	if tracker.CodeOf(err) != tracker.BadInput || !errors.Is(err, account.ErrMemory) {
		t.Errorf("more than the limit: %v", err)
	}
	a.Release(mib)
	must(a.Hold(t.Context(), mib))
	used("again", 10*mib)
	a.Keep(3 * mib)
	used("with the response", 3*mib)
	must(a.Hold(t.Context(), mib))
	if now, peak := a.Held(); now != 4*mib || peak != 10*mib {
		t.Errorf("%d, %d", now, peak)
	}
	a.Close()
	a.Close()
	used("closed", 0)
	if err := a.Hold(t.Context(), 1); tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("after the end: %v", err)
	}
	if err := a.Reserve(t.Context(), 1); tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("after the end: %v", err)
	}
	used("after the end", 0)
}

// TestHoldWaits checks that a hold waits while the process has no room, that a failed hold holds nothing, and
// that bytes granted after the end of an operation are released.
func TestHoldWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := traffic.NewMemory(2 * mib)
		other, a := account.New("o", account.Limits{}, m, nil), account.New("t", account.Limits{}, m, nil)
		for _, op := range []*account.Account{other, a} {
			hold(t, op, mib)
		}
		if err := a.Hold(t.Context(), 1); tracker.CodeOf(err) != tracker.Unavailable ||
			errors.Is(err, account.ErrMemory) {
			t.Errorf("no room: %v", err)
		}
		if now, _ := a.Held(); now != mib {
			t.Errorf("after a failed hold %d bytes are held", now)
		}
		late := account.New("o", account.Limits{}, m, nil)
		done := make(chan error)
		go func() { done <- late.Hold(t.Context(), mib/2) }()
		synctest.Wait()
		late.Close()
		other.Close()
		if err := <-done; err == nil {
			t.Error("a hold was granted after its operation had ended")
		}
		a.Close()
		if s := m.State(); s.Used != 0 || s.Waiting != 0 {
			t.Errorf("in the end %+v", s)
		}
	})
}

// TestBackToZero checks A2: after any mix of holds, releases, cancelled waits, panics and closes, no bytes
// are acquired.
func TestBackToZero(t *testing.T) {
	m := traffic.NewMemory(8 * mib)
	var all sync.WaitGroup
	for n := range 24 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(11, uint64(n)))
			for range 60 {
				func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					a := account.New(tracker.TenantID("abc"[n%3:n%3+1]), account.Limits{Memory: 3 * mib}, m,
						nil)
					defer func() { recover() }()
					defer a.Close()
					if rng.IntN(3) == 0 {
						go cancel()
					}
					a.Reserve(ctx, int64(rng.IntN(2*mib)))
					var parts sync.WaitGroup
					for range rng.IntN(4) {
						bytes := int64(1 + rng.IntN(mib))
						parts.Go(func() {
							if a.Hold(ctx, bytes) == nil && bytes%2 == 0 {
								a.Release(bytes)
							}
						})
					}
					switch rng.IntN(3) {
					case 0:
						a.Keep(int64(rng.IntN(mib)))
					case 1:
						a.Close() // while holds are in progress
					}
					parts.Wait()
					if rng.IntN(5) == 0 {
						panic("as a resolver may")
					}
				}()
			}
		})
	}
	all.Wait()
	if s := m.State(); s.Used != 0 || s.Waiting != 0 || s.Peak > s.Size {
		t.Errorf("in the end %+v", s)
	}
}

// pacer is a Processor that counts calls and CPU time.
type pacer struct {
	spent time.Duration
	waits int
}

func (p *pacer) Spent(_ tracker.TenantID, d time.Duration) { p.spent += d }

func (p *pacer) Wait(ctx context.Context, _ tracker.TenantID) error {
	p.waits++
	return ctx.Err()
}

// TestPace checks that all CPU time is reported to the processor, and that Check calls Wait once per 2 ms of
// CPU time, however often it is called.
func TestPace(t *testing.T) {
	p := &pacer{}
	a := account.New("t", account.Limits{CPU: time.Second}, nil, p)
	for range 1000 {
		a.Spend(100 * time.Microsecond)
		if err := a.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	a.Spend(time.Millisecond)
	a.Close()
	if p.spent != 101*time.Millisecond || p.waits != 50 {
		t.Errorf("%s in %d waits", p.spent, p.waits)
	}
}

// TestExpect checks that expected bytes are acquired without being held, up to the operation's limit, that
// later holds use them, and that Close releases the rest. Without room Expect waits and then fails, with
// nothing acquired.
func TestExpect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := traffic.NewMemory(20 * mib)
		a := account.New("t", account.Limits{Memory: 8 * mib}, m, nil)
		want := func(what string, taken, held int64) {
			t.Helper()
			if now, _ := a.Held(); m.State().Used != taken || now != held {
				t.Errorf("%s: %d bytes are acquired and %d held, want %d and %d", what, m.State().Used, now,
					taken, held)
			}
		}
		expect := func(bytes int64) func() {
			t.Helper()
			done, err := a.Expect(t.Context(), bytes)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		first := expect(3 * mib)
		second := expect(2 * mib) // at the same time
		want("expected", 5*mib, 0)
		if err := a.Hold(t.Context(), 3*mib); err != nil {
			t.Fatal(err)
		}
		first()
		second()
		want("held", 5*mib, 3*mib)
		expect(100 * mib)()
		want("more than the limit", 8*mib, 3*mib)
		a.Close()
		want("in the end", 0, 0)

		other, third := account.New("o", account.Limits{}, m, nil), account.New("p", account.Limits{}, m, nil)
		for _, one := range []*account.Account{other, third} {
			hold(t, one, 10*mib)
		}
		late := account.New("t", account.Limits{}, m, nil)
		if _, err := late.Expect(t.Context(), mib); tracker.CodeOf(err) != tracker.Unavailable {
			t.Errorf("without room: %v", err)
		}
		late.Close()
		other.Close()
		third.Close()
		want("with nothing left", 0, 0)
	})
}

// TestFits compares Fits with Hold.
func TestFits(t *testing.T) {
	a := account.New("t", account.Limits{Memory: 10}, nil, nil)
	defer a.Close()
	for held := int64(0); held <= 10; held++ {
		for more := int64(1); more <= 11; more++ {
			err := a.Hold(t.Context(), more)
			if err == nil {
				a.Release(more)
			}
			if a.Fits(more) != (err == nil) {
				t.Errorf("with %d bytes held, %d more: fits %t, error %v", held, more, a.Fits(more), err)
			}
		}
		if held < 10 {
			if err := a.Hold(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !(*account.Account)(nil).Fits(1<<60) || !account.New("t", account.Limits{}, nil, nil).Fits(1<<60) {
		t.Error("accounts without a limit have one")
	}
}

// TestHoldOnce checks that a key is held once per operation, and can be held again after a failure.
func TestHoldOnce(t *testing.T) {
	a := account.New("t", account.Limits{Memory: 10}, nil, nil)
	for range 3 {
		if err := a.HoldOnce(t.Context(), "x", 6); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.HoldOnce(t.Context(), "y", 6); !errors.Is(err, account.ErrMemory) {
		t.Errorf("%v", err)
	}
	a.Release(6)
	if err := a.HoldOnce(t.Context(), "y", 6); err != nil {
		t.Error(err)
	}
	if now, _ := a.Held(); now != 6 {
		t.Errorf("%d bytes are held", now)
	}
}
