package loaders_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/loaders"
)

// TestObserve checks that Observe receives each batch, with each key counted once.
func TestObserve(t *testing.T) {
	inRequest(t, func(r *request) {
		var mu sync.Mutex
		got := map[string][]int{}
		r.set.Observe = func(ctx context.Context, b loaders.Batch) {
			mu.Lock()
			defer mu.Unlock()
			got[b.Loader] = append(got[b.Loader], b.Size)
			if b.Capacity != 100 || b.Start.Before(r.begin) || b.Duration < 0 ||
				b.Duration > time.Since(b.Start) {
				r.Errorf("%+v", b)
			}
		}
		tenant := r.tenant("acme")
		if _, err := tenant.Issues(r.Context(), issueIDs(0, 130)); err != nil {
			r.Error(err)
		}
		if _, err := tenant.Issues(r.Context(), issueIDs(0, 131)); err != nil { // one is not cached
			r.Error(err)
		}
		if _, err := tenant.Project(r.Context(), project); err != nil {
			r.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		sum := 0
		for _, n := range got["issue"] {
			sum += n
		}
		if len(got["issue"]) != 3 || sum != 131 {
			r.Errorf("batches of issues: %v", got["issue"])
		}
		if diff := cmp.Diff([]int{1}, got["project"]); diff != "" {
			r.Errorf("batches of projects (-want +got):\n%s", diff)
		}
	})
}
