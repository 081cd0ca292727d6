package traffic_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// arrivals records the names of operations in the order in which they got their bytes.
type arrivals struct {
	mu    sync.Mutex
	names []string
}

func (a *arrivals) add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.names = append(a.names, name)
}

// want compares the names after all goroutines have either got their bytes or blocked.
func (a *arrivals) want(t *testing.T, what string, names ...string) {
	t.Helper()
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Equal(a.names, names) {
		t.Fatalf("%s: %v, want %v", what, a.names, names)
	}
}

// take acquires bytes in its own goroutine, for the tenant whose name is the first letter of name. It returns
// when the goroutine has the bytes or waits.
func (a *arrivals) take(t *testing.T, m *traffic.Memory, name string, bytes int64, growing bool) {
	go func() {
		if m.Acquire(t.Context(), tracker.TenantID(name[:1]), bytes, growing) == nil {
			a.add(name)
		}
	}()
	synctest.Wait()
}

func mustTake(t *testing.T, m *traffic.Memory, tenant tracker.TenantID, bytes int64) {
	t.Helper()
	if err := m.Acquire(t.Context(), tenant, bytes, true); err != nil {
		t.Fatal(err)
	}
}

// TestMemoryOrder checks the order of service: operations that hold bytes first, then those of the tenant
// that holds the least, then the earliest. Operations that hold nothing leave a quarter of the bytes to the
// others.
func TestMemoryOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := traffic.NewMemory(1000)
		mustTake(t, m, "a", 500)
		mustTake(t, m, "b", 350)
		mustTake(t, m, "c", 150)
		var order arrivals
		order.take(t, m, "b1", 20, false)
		order.take(t, m, "a1", 45, false) // a has its share, so it waits for its own operations
		order.take(t, m, "d1", 10, false)
		order.take(t, m, "c1", 200, false)
		order.take(t, m, "b2", 50, true)
		for _, step := range []struct {
			tenant tracker.TenantID
			bytes  int64
			want   []string
		}{
			// growing goes first, though b holds more than c and d
			{"b", 50, []string{"b2"}},
			{"b", 200, []string{"b2"}},      // 800 are in use: the rest is reserved for growing operations
			{"b", 60, []string{"b2", "d1"}}, // d holds nothing
			// b holds 90, c 150, and a more than three quarters of its share
			{"a", 100, []string{"b2", "d1", "b1"}},
			// c is next and does not fit; a1, which would fit, does not overtake it
			{"a", 110, []string{"b2", "d1", "b1"}},
			{"c", 50, []string{"b2", "d1", "b1", "c1"}},
			{"a", 50, []string{"b2", "d1", "b1", "c1", "a1"}},
		} {
			m.Release(step.tenant, step.bytes)
			order.want(t, fmt.Sprintf("after %s gave %d back", step.tenant, step.bytes), step.want...)
		}
	})
}

// TestMemoryShare checks that a tenant holds at most half of the bytes and waits for its own
// operations, and that others do not wait for it.
func TestMemoryShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := traffic.NewMemory(100)
		mustTake(t, m, "a", 50)
		var order arrivals
		order.take(t, m, "a1", 1, false)
		mustTake(t, m, "b", 50)
		m.Release("b", 50)
		order.want(t, "with more than half")
		if err := m.Acquire(t.Context(), "c", 51, false); tracker.CodeOf(err) != tracker.Unavailable {
			t.Errorf("more than a share: %v", err)
		}
		m.Release("a", 13)
		order.want(t, "with more than three quarters of it")
		m.Release("a", 2)
		order.want(t, "when a has given enough back", "a1")
	})
}

// TestMemoryPatience checks that a wait ends with UNAVAILABLE and a time to try again, sooner for operations
// that hold bytes, and that a claim fails at once if too many bytes are waited for.
func TestMemoryPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := traffic.NewMemory(100)
		mustTake(t, m, "a", 50)
		mustTake(t, m, "b", 50)
		begun := time.Now()
		refused := func(what string, err error, after time.Duration) {
			t.Helper()
			e, ok := err.(*tracker.Error)
			if !ok || e.Code != tracker.Unavailable || e.RetryAfter != time.Second ||
				time.Since(begun) != after {
				t.Errorf("%s: %+v after %s, want UNAVAILABLE after %s", what, err, time.Since(begun), after)
			}
		}
		refused("growing", m.Acquire(t.Context(), "a", 1, true), time.Second)
		refused("starting", m.Acquire(t.Context(), "c", 1, false), 6*time.Second)
		var order arrivals
		for n, bytes := range []int64{36, 36, 28} {
			order.take(t, m, fmt.Sprint("c", n), bytes, false)
		}
		refused("with much before it", m.Acquire(t.Context(), "d", 1, false), 6*time.Second)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		refused("until its context ends", m.Acquire(ctx, "c", 1, false), 11500*time.Millisecond)
		if s := m.State(); s.Waiting != 0 || s.Used != 100 {
			t.Errorf("%+v", s)
		}
	})
}

// TestMemoryCrowd runs random operations in parallel that acquire, wait, give up and release. It checks that
// neither the budget nor a share is exceeded, and that nothing is held in the end.
func TestMemoryCrowd(t *testing.T) {
	const size = 1000
	m := traffic.NewMemory(size)
	var all sync.WaitGroup
	for n := range 32 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(3, uint64(n)))
			tenant := tracker.TenantID(fmt.Sprint("t", n%5))
			for range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(4) == 0 {
					go cancel()
				}
				first, more := int64(1+rng.IntN(300)), int64(1+rng.IntN(300))
				if m.Acquire(ctx, tenant, first, false) == nil {
					if s := m.State(); s.Used > size || m.Held(tenant) > m.Share() {
						t.Errorf("%+v, and %s holds %d", s, tenant, m.Held(tenant))
					}
					if rng.IntN(2) == 0 && m.Acquire(ctx, tenant, min(more, 10), true) == nil {
						m.Release(tenant, min(more, 10))
					}
					m.Release(tenant, first)
				}
				cancel()
			}
		})
	}
	all.Wait()
	if s := m.State(); s.Used != 0 || s.Waiting != 0 || s.Peak > size {
		t.Errorf("in the end %+v", s)
	}
}

// TestMemoryIsNotStuck checks that operations of one tenant that begin with few bytes and then need more all
// end, however many run in parallel, because those that hold bytes go first.
func TestMemoryIsNotStuck(t *testing.T) {
	for _, parallel := range []int{48, 64, 96} {
		synctest.Test(t, func(t *testing.T) {
			m := traffic.NewMemory(128)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var all sync.WaitGroup
			var done, failed atomic.Int64
			for range parallel {
				all.Go(func() {
					for ctx.Err() == nil {
						if m.Acquire(ctx, "a", 1, false) != nil {
							continue
						}
						time.Sleep(2 * time.Millisecond)
						if m.Acquire(ctx, "a", 2, true) != nil {
							failed.Add(1)
							m.Release("a", 1)
							continue
						}
						time.Sleep(30 * time.Millisecond)
						m.Release("a", 3)
						done.Add(1)
					}
				})
			}
			all.Wait()
			// operations that run at the deadline may fail
			if done.Load() < 3000 || failed.Load() > int64(parallel) {
				t.Errorf("%d in parallel: %d ended and %d failed half-way in 10 s", parallel, done.Load(),
					failed.Load())
			}
		})
	}
}
