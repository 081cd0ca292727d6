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

	"issuegrid/tracker"
	"issuegrid/traffic"
)

// waiter is somebody who wants to enter.
type waiter struct {
	entered chan func()
	failed  chan error
}

// enter lets somebody wait, and returns when it does.
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

func mustEnter(t *testing.T, q *traffic.Queue, who tracker.TenantID) (leave func()) {
	t.Helper()
	leave, err := q.Enter(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	return leave
}

// TestTurns: tenants take turns, each in the order in which it came.
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
	for range 4 { // of two places a tenant has one, and b has it
		leave()
		leave = next()
	}
	leave()
	second()
	next()()
	if want := []string{"a1", "c1", "a2", "a3", "b1"}; !slices.Equal(order, want) {
		t.Errorf("they entered as %v, want %v", order, want)
	}
	if running, queued := q.Load(); running != 0 || queued != 0 {
		t.Errorf("%d run and %d wait", running, queued)
	}
}

// TestFewest: a tenant that has many places waits for those that have fewer, whoever came first.
func TestFewest(t *testing.T) {
	q := traffic.NewQueue(4, 8)
	leave := mustEnter(t, q, "greedy")
	mustEnter(t, q, "greedy")
	mustEnter(t, q, "greedy")
	modest := mustEnter(t, q, "modest")
	greedy, second, third := enter(t.Context(), q, "greedy"), enter(t.Context(), q, "modest"),
		enter(t.Context(), q, "new")
	leave() // greedy has two places, modest one, new none
	leaveNew := <-third.entered
	leaveNew()
	leaveSecond := <-second.entered
	select {
	case <-greedy.entered:
		t.Error("who has the most places got one more before the others")
	default:
	}
	leaveSecond()
	(<-greedy.entered)()
	modest()
}

// TestNoneWait: where nobody may wait, who finds no place is refused at once.
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
		t.Errorf("beyond all places: %v", err)
	}
	leave()
	mustEnter(t, q, "b")
}

// TestFull: who finds the queue full is refused at once, and a tenant alone does not fill it.
func TestFull(t *testing.T) {
	q := traffic.NewQueue(4, 4)
	for range 3 { // three quarters of the places
		mustEnter(t, q, "greedy")
	}
	for range 3 {
		enter(t.Context(), q, "greedy")
	}
	refused := func(who tracker.TenantID) {
		t.Helper()
		_, err := q.Enter(t.Context(), who)
		if e, ok := err.(*tracker.Error); !ok || e.Code != tracker.Unavailable ||
			e.RetryAfter != time.Second {
			t.Errorf("%v", err)
		}
	}
	refused("greedy")
	mustEnter(t, q, "modest")() // there is a place left, and a turn
	mustEnter(t, q, "modest")
	enter(t.Context(), q, "modest")
	refused("another")
}

// TestGivingUp: who does not wait any longer leaves no place taken, and no turn.
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
	leave() // twice is once
	if running, queued := q.Load(); running != 0 || queued != 0 {
		t.Errorf("%d run and %d wait", running, queued)
	}
}

// TestCrowd lets many come, give up and leave at random: never do more run than may, and nobody is left.
func TestCrowd(t *testing.T) {
	const places = 4
	q := traffic.NewQueue(places, 20)
	var running, most, entered, refused atomic.Int64
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			who := tracker.TenantID(fmt.Sprint("t", n%5))
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(4) == 0 {
					cancel()
				}
				leave, err := q.Enter(ctx, who)
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
	if most.Load() > places || entered.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d ran at a time, %d entered, %d were refused", most.Load(), entered.Load(), refused.Load())
	}
	if running, queued := q.Load(); running != 0 || queued != 0 {
		t.Errorf("%d run and %d wait", running, queued)
	}
}
