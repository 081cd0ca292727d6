package traffic_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// waiter is a pending call of Enter.
type waiter struct {
	entered chan func()
	failed  chan error
}

// enter calls Enter in a goroutine, and returns when the call waits or has returned.
func enter(ctx context.Context, q *traffic.Queue, t tracker.TenantID) *waiter {
	w := &waiter{make(chan func(), 1), make(chan error, 1)}
	_, before := q.Load()
	go func() {
		leave, err := q.Enter(ctx, t)
		if err != nil {
			w.failed <- err
			return
		}
		w.entered <- leave
	}()
	for {
		if _, now := q.Load(); now > before || len(w.entered)+len(w.failed) > 0 {
			return w
		}
		runtime.Gosched()
	}
}

func mustEnter(t *testing.T, q *traffic.Queue, tenant tracker.TenantID) (leave func()) {
	t.Helper()
	leave, err := q.Enter(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

// wantIdle checks that no operation runs or waits.
func wantIdle(t *testing.T, q *traffic.Queue) {
	t.Helper()
	if running, queued := q.Load(); running != 0 || queued != 0 {
		t.Errorf("%d operations run and %d wait", running, queued)
	}
}

// TestTurns checks that tenants with equally few slots take turns, and that each tenant's operations run in
// order of arrival.
func TestTurns(t *testing.T) {
	q := traffic.NewQueue(2, 10)
	first, second := mustEnter(t, q, "a"), mustEnter(t, q, "b")
	var order []string
	var waiting []*waiter
	names := []string{"a1", "a2", "a3", "b1", "c1"}
	for _, name := range names {
		waiting = append(waiting, enter(t.Context(), q, tracker.TenantID(name[:1])))
	}
	next := func() (leave func()) {
		for {
			for i, w := range waiting {
				select {
				case leave = <-w.entered:
					order = append(order, names[i])
					return leave
				default:
				}
			}
			runtime.Gosched()
		}
	}
	leave := first
	for range 4 { // of two slots, a tenant gets one; b keeps its own
		leave()
		leave = next()
	}
	leave()
	second()
	next()()
	if want := []string{"a1", "c1", "a2", "a3", "b1"}; !slices.Equal(order, want) {
		t.Errorf("the order was %v, want %v", order, want)
	}
	wantIdle(t, q)
}

// TestFewest checks that a tenant with many slots waits for tenants with fewer, in any order of arrival.
func TestFewest(t *testing.T) {
	q := traffic.NewQueue(4, 8)
	leave := mustEnter(t, q, "greedy")
	mustEnter(t, q, "greedy")
	mustEnter(t, q, "greedy")
	modest := mustEnter(t, q, "modest")
	greedy, second, third := enter(t.Context(), q, "greedy"), enter(t.Context(), q, "modest"),
		enter(t.Context(), q, "new")
	leave() // now greedy has two slots, modest one, new none
	leaveNew := <-third.entered
	leaveNew()
	leaveSecond := <-second.entered
	select {
	case <-greedy.entered:
		t.Error("the tenant with the most slots got another one before the others")
	default:
	}
	leaveSecond()
	(<-greedy.entered)()
	modest()
}

// TestNoneWait checks that a queue without waiting rejects an operation at once if no slot is free.
func TestNoneWait(t *testing.T) {
	q := traffic.NewQueue(4, 0)
	leave := mustEnter(t, q, "a")
	mustEnter(t, q, "a")
	mustEnter(t, q, "a")
	if _, err := q.Enter(t.Context(), "a"); tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("beyond a tenant's share: %v", err)
	}
	mustEnter(t, q, "b")
	if _, err := q.Enter(t.Context(), "b"); tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("beyond all slots: %v", err)
	}
	leave()
	mustEnter(t, q, "b")
}

// TestFull checks that a full queue rejects operations at once, and that one tenant alone cannot fill it.
func TestFull(t *testing.T) {
	q := traffic.NewQueue(4, 4)
	for range 3 { // three quarters of the slots
		mustEnter(t, q, "greedy")
	}
	for range 3 {
		enter(t.Context(), q, "greedy")
	}
	refused := func(tenant tracker.TenantID) {
		t.Helper()
		_, err := q.Enter(t.Context(), tenant)
		if e, ok := err.(*tracker.Error); !ok || e.Code != tracker.Unavailable ||
			e.RetryAfter != time.Second {
			t.Errorf("%v", err)
		}
	}
	refused("greedy")
	mustEnter(t, q, "modest")() // one slot and one turn are free
	mustEnter(t, q, "modest")
	enter(t.Context(), q, "modest")
	refused("another")
}

// TestGivingUp checks that an operation whose context ends frees its turn, and that leave may be called
// twice.
func TestGivingUp(t *testing.T) {
	q := traffic.NewQueue(1, 5)
	leave := mustEnter(t, q, "a")
	ctx, cancel := context.WithCancel(t.Context())
	impatient, patient := enter(ctx, q, "b"), enter(t.Context(), q, "b")
	cancel()
	if err := <-impatient.failed; tracker.CodeOf(err) != tracker.Unavailable {
		t.Error(err)
	}
	leave()
	(<-patient.entered)()
	leave() // the second call does nothing
	wantIdle(t, q)
}

// TestCrowd runs operations in parallel that enter, give up and leave at random. It checks that no more run
// than may, and that none is left.
func TestCrowd(t *testing.T) {
	const slots = 4
	q := traffic.NewQueue(slots, 20)
	var running, most, entered, refused atomic.Int64
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			tenant := tracker.TenantID(fmt.Sprint("t", n%5))
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(4) == 0 {
					cancel()
				}
				leave, err := q.Enter(ctx, tenant)
				cancel()
				if err != nil {
					refused.Add(1)
					continue
				}
				entered.Add(1)
				if now := running.Add(1); now > most.Load() {
					most.Store(now)
				}
				runtime.Gosched()
				running.Add(-1)
				leave()
			}
		})
	}
	all.Wait()
	if most.Load() > slots || entered.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d ran at a time, %d entered, %d were refused", most.Load(), entered.Load(), refused.Load())
	}
	wantIdle(t, q)
}
