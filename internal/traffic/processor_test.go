package traffic_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// compute uses CPU time for a tenant in n goroutines, in steps, until ctx ends, and returns how much was
// used. Each goroutine has a simulated CPU of its own: the tests measure how much the Processor lets through.
func compute(ctx context.Context, all *sync.WaitGroup, p *traffic.Processor, t tracker.TenantID, n int,
	step time.Duration) *atomic.Int64 {
	var used atomic.Int64
	for range n {
		all.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(step)
				used.Add(int64(step))
				p.Spent(t, step)
				p.Wait(ctx, t)
			}
		})
	}
	return &used
}

// TestProcessorShares checks the shares of two CPUs. A tenant with heavy load gets an eighth of them and the
// lane of one CPU, however many operations it has, while a tenant with light load never waits. Two tenants
// with heavy load get equal shares.
func TestProcessorShares(t *testing.T) {
	for _, test := range []struct {
		name         string
		greedy       []tracker.TenantID
		step         time.Duration
		atMost, each float64 // CPUs
	}{
		{"one", []tracker.TenantID{"a"}, 2 * time.Millisecond, 1.3, 1.15},
		{"one in large steps", []tracker.TenantID{"a"}, 50 * time.Millisecond, 1.35, 1.1},
		{"two", []tracker.TenantID{"a", "b"}, 2 * time.Millisecond, 0.8, 0.65},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const seconds = 20
				p := traffic.NewProcessor(2)
				ctx, cancel := context.WithTimeout(t.Context(), seconds*time.Second)
				defer cancel()
				var all sync.WaitGroup
				var used []*atomic.Int64
				for _, tenant := range test.greedy {
					used = append(used, compute(ctx, &all, p, tenant, 8, test.step))
				}
				all.Go(func() { // 4 ms of CPU time 50 times a second: a fifth of a CPU
					for ctx.Err() == nil {
						begun := time.Now()
						if p.Wait(ctx, "modest"); time.Since(begun) > 0 && ctx.Err() == nil {
							t.Errorf("the modest tenant waited for %s", time.Since(begun))
						}
						p.Spent("modest", 4*time.Millisecond)
						time.Sleep(20 * time.Millisecond)
					}
				})
				all.Wait()
				for i, u := range used {
					cpus := time.Duration(u.Load()).Seconds() / seconds
					if cpus > test.atMost || cpus < test.each {
						t.Errorf("%s had %.2f CPUs, want %.2f to %.2f", test.greedy[i], cpus, test.each,
							test.atMost)
					}
				}
				if n := p.Waiting(); n != 0 {
					t.Errorf("%d wait in the end", n)
				}
			})
		})
	}
}

// TestProcessorAlone checks that a tenant does not wait as soon as all others are idle.
func TestProcessorAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := traffic.NewProcessor(2)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var all sync.WaitGroup
		used := compute(ctx, &all, p, "a", 2, 5*time.Millisecond)
		all.Wait()
		if cpus := time.Duration(used.Load()).Seconds() / 10; cpus < 1.99 {
			t.Errorf("alone it had %.2f CPUs", cpus)
		}
		p.Spent("other", time.Millisecond)
		p.Spent("a", time.Second)
		p.Wait(t.Context(), "a") // the lane is free; this takes it for a second
		p.Spent("a", 5*time.Millisecond)
		p.Spent("other", time.Millisecond)
		begun := time.Now()
		p.Wait(t.Context(), "a")
		if waited := time.Since(begun); waited < 900*time.Millisecond || waited > time.Second {
			t.Errorf("with debt and another tenant it waited for %s", waited)
		}
		time.Sleep(time.Second)
		begun = time.Now()
		if p.Wait(t.Context(), "a"); time.Since(begun) != 0 {
			t.Errorf("alone again, it waited for %s", time.Since(begun))
		}
	})
}

// TestProcessorGivingUp checks that an operation whose context ends while it waits is removed.
func TestProcessorGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := traffic.NewProcessor(1)
		p.Spent("other", time.Millisecond)
		p.Spent("a", 10*time.Second)
		p.Wait(t.Context(), "a") // pays the whole debt, which takes the lane for seconds
		p.Spent("a", 10*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		p.Spent("other", time.Millisecond)
		if err := p.Wait(ctx, "a"); err != context.DeadlineExceeded {
			t.Errorf("%v", err)
		}
		if n := p.Waiting(); n != 0 {
			t.Errorf("%d operations wait", n)
		}
	})
}
