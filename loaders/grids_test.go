package loaders_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issuegrid/loaders"
	"issuegrid/tracker"
)

// loadGrids loads each list of ids through its own grid and checks the results. All grids are registered
// before the first one loads.
func (r *request) loadGrids(tenant *loaders.Tenant, lists ...[]tracker.IssueID) {
	r.Helper()
	grids := make([]*loaders.Grid, len(lists))
	for n := range lists {
		grids[n] = tenant.Grid()
	}
	var all sync.WaitGroup
	for n, ids := range lists {
		all.Go(func() {
			defer grids[n].Done()
			if ids == nil {
				return
			}
			r.load(grids[n], ids)
		})
	}
	all.Wait()
}

// TestGridsShareBatches checks the batch sizes of several grids in one request.
func TestGridsShareBatches(t *testing.T) {
	for _, test := range []struct {
		name  string
		lists [][]tracker.IssueID
		sizes []int
	}{
		{"one alone", [][]tracker.IssueID{issueIDs(0, 100)}, []int{100}},
		{"one of 250", [][]tracker.IssueID{issueIDs(0, 250)}, []int{100, 100, 50}},
		{"two of 50", [][]tracker.IssueID{issueIDs(0, 50), issueIDs(50, 100)}, []int{100}},
		{"two with the same rows", [][]tracker.IssueID{issueIDs(0, 50), issueIDs(25, 75)}, []int{75}},
		{"five", [][]tracker.IssueID{issueIDs(0, 30), issueIDs(30, 60), issueIDs(60, 90), issueIDs(90, 120),
			issueIDs(120, 150)}, []int{100, 50}},
		{"one ends without keys", [][]tracker.IssueID{issueIDs(0, 50), nil, issueIDs(50, 60)}, []int{60}},
		{"one has an empty page", [][]tracker.IssueID{issueIDs(0, 50), {}}, []int{50}},
		{"none has keys", [][]tracker.IssueID{nil, nil}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			inRequest(t, func(r *request) {
				r.loadGrids(r.tenant("acme"), test.lists...)
				r.wantBatches(test.sizes...)
				r.wantTook(0)
			})
		})
	}
	t.Run("one after the other", func(t *testing.T) {
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			for n := range 3 {
				r.loadGrids(tenant, issueIDs(n*10, n*10+10), issueIDs(n*10+5, n*10+15))
			}
			r.wantBatches(15, 10, 10)
			r.wantTook(0)
		})
	})
	t.Run("later pages do not wait", func(t *testing.T) {
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			g := tenant.Grid()
			defer g.Done()
			r.load(g, issueIDs(0, 10))
			late := tenant.Grid() // has entered and never joins
			r.load(g, issueIDs(10, 20))
			r.wantTook(0)
			late.Done()
			late.Done() // a second call has no effect
		})
	})
}

// gridWait is the longest time that a grid waits for another.
const gridWait = time.Second

// TestGridWait checks that a grid waits at most gridWait for another grid. A grid that is later gets its own
// batch.
func TestGridWait(t *testing.T) {
	for _, test := range []struct {
		name   string
		late   time.Duration
		sizes  []int
		waited time.Duration
	}{
		{"in time", gridWait - 1, []int{20}, gridWait - 1},
		{"late", gridWait + 1, []int{10, 10}, gridWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			inRequest(t, func(r *request) {
				tenant := r.tenant("acme")
				first, second := tenant.Grid(), tenant.Grid()
				var both sync.WaitGroup
				both.Go(func() {
					defer first.Done()
					r.load(first, issueIDs(0, 10))
					r.wantTook(test.waited)
				})
				both.Go(func() {
					defer second.Done()
					<-time.After(test.late)
					r.load(second, issueIDs(10, 20))
				})
				both.Wait()
				r.wantBatches(test.sizes...)
				if repeated := r.engine.repeated(); repeated != nil {
					r.Errorf("repeated %v", repeated)
				}
			})
		})
	}
	t.Run("a cancelled grid does not wait", func(t *testing.T) {
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			first, second := tenant.Grid(), tenant.Grid()
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			first.Issues(ctx, issueIDs(0, 10))
			r.wantTook(0)
			r.load(second, issueIDs(0, 20)) // includes the keys of the first grid
			first.Done()
			second.Done()
		})
	})
}

// TestGridsAtAnyTime checks grids that enter and join at random times. Each gets its rows and waits at most
// gridWait, and no key is read twice.
func TestGridsAtAnyTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type plan struct {
			enter, join time.Duration
			from, to    int
		}
		moment := rapid.Map(rapid.IntRange(0, 12), func(n int) time.Duration {
			return time.Duration(n) * gridWait / 5
		})
		plans := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) plan {
			p := plan{enter: moment.Draw(rt, "enter"), join: moment.Draw(rt, "join"),
				from: rapid.IntRange(0, 60).Draw(rt, "from")}
			p.to = p.from + rapid.IntRange(0, 120).Draw(rt, "rows")
			return p
		}), 1, 6).Draw(rt, "grids")
		inRequest(t, func(r *request) {
			tenant := r.tenant("acme")
			distinct := map[int]bool{}
			var all sync.WaitGroup
			for _, p := range plans {
				for n := p.from; n < p.to; n++ {
					distinct[n] = true
				}
				all.Go(func() {
					<-time.After(p.enter)
					g := tenant.Grid()
					defer g.Done()
					<-time.After(p.join)
					joined := time.Now()
					r.load(g, issueIDs(p.from, p.to))
					if waited := time.Since(joined); waited > gridWait {
						r.Errorf("a grid waited %s", waited)
					}
				})
			}
			all.Wait()
			sent := 0
			for _, n := range r.engine.sizes() {
				sent += n
			}
			if sent != len(distinct) || r.engine.repeated() != nil {
				r.Errorf("%d keys were sent for %d issues; repeated: %v", sent, len(distinct),
					r.engine.repeated())
			}
		})
		if t.Failed() {
			rt.Fatalf("grids %+v", plans)
		}
	})
}
