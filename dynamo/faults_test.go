package dynamo_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// mixed returns faults of all kinds, which occur with a total probability of p per request.
func mixed(p float64) dynamotest.Faults {
	p /= 7
	return dynamotest.Faults{DropBefore: p, DropAfter: p, ErrorBefore: p, ErrorAfter: p, Throttle: p,
		Conflict: p, Partial: p}
}

// TestFaults makes 2,000 reads and writes through a proxy that injects faults. With faults in 5% of the
// requests all calls succeed, and with 20% at least 99.9% do. A successful change is made exactly once.
func TestFaults(t *testing.T) {
	const calls, workers = 2000, 8
	for _, test := range []struct {
		p    float64
		lost int64
	}{{0.05, 0}, {0.2, calls / 1000}} {
		t.Run(fmt.Sprintf("%.0f %%", 100*test.p), func(t *testing.T) {
			f := setup(t)
			proxy := dynamotest.NewProxy(t, dynamotest.Endpoint(), 11)
			var retries atomic.Int64
			store, _ := f.server(func(s *dynamo.Settings) {
				s.Endpoint = proxy.URL()
				s.Observe = func(_ context.Context, c dynamo.Call) { retries.Add(int64(c.Attempts - 1)) }
			})
			var issues []*tracker.Issue
			for range workers {
				issues = append(issues, f.issue(one("fint", tracker.Int(0)).Values))
			}
			proxy.SetFaults(mixed(test.p))
			var all sync.WaitGroup
			var failed atomic.Int64
			for _, i := range issues {
				all.Go(func() {
					made, unknown, highest := int64(0), int64(0), int64(0)
					for n := range calls / workers {
						var err error
						switch n % 4 {
						case 0:
							var found []*tracker.Issue
							if found, err = store.IssuesConsistent(t.Context(),
								[]tracker.IssueID{i.ID, {Project: project, Issue: "none"}}); err ==
								nil && found[0].Version < made+1 {
								t.Errorf("read version %d after %d changes", found[0].Version, made)
							}
						case 1:
							_, err = store.QueryKeys(t.Context(),
								dynamoQuery(project, tracker.ColumnNum, false))
						case 2:
							var first int64
							if first, err = store.ReserveNums(t.Context(), project, 1); err == nil &&
								first <= highest {
								t.Errorf("reserved number %d after %d", first, highest)
							} else if err == nil {
								highest = first
							}
						case 3:
							if _, err = store.UpdateIssue(t.Context(), f.d, i.ID,
								one("fint", tracker.Int(int64(n)))); err == nil {
								made++
							} else {
								unknown++
							}
						}
						if err != nil {
							failed.Add(1)
							t.Logf("call %d: %v", n, err)
						}
					}
					if v := f.read(i.ID).Version; v < made+1 || v > made+1+unknown {
						t.Errorf("after %d changes and %d that may have been made, the version is %d", made,
							unknown, v)
					}
				})
			}
			all.Wait()
			if n := failed.Load(); n > test.lost {
				t.Errorf("%d of %d calls failed, want at most %d", n, calls, test.lost)
			}
			faults := int64(0)
			for _, n := range proxy.Injected() {
				faults += int64(n)
			}
			if least := int64(calls * test.p / 2); faults < least || retries.Load() < least {
				t.Errorf("%d faults and %d retries, want at least %d of each", faults, retries.Load(), least)
			}
			t.Logf("faults %v, %d retries, %d of %d calls failed", proxy.Injected(), retries.Load(),
				failed.Load(), calls)
		})
	}
}
