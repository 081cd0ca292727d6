package httpd

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// TestReadiness checks that the table is called at most once a second, however many clients call /readyz, and
// that all of them get its result.
func TestReadiness(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now, calls := time.Unix(1000, 0), 0
	var down error
	r := &readiness{now: func() time.Time { return now }, ask: func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if at, ok := ctx.Deadline(); !ok || time.Until(at) > readyTime {
			t.Error("the call of the table has no deadline")
		}
		return down
	}}
	for n, c := range []struct {
		passes time.Duration
		down   error
		calls  int
		want   bool
	}{{0, nil, 1, true}, {readyFor - 1, errors.New("down"), 1, true}, {1, errors.New("down"), 2, false},
		{readyFor - 1, nil, 2, false}, {1, nil, 3, true}} {
		now, down = now.Add(c.passes), c.down
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if ready := r.check() == nil; ready != c.want {
					t.Errorf("%d: ready %t", n, ready)
				}
			})
		}
		all.Wait()
		if calls != c.calls {
			t.Errorf("%d: called %d times, want %d", n, calls, c.calls)
		}
	}
}
