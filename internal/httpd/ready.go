package httpd

import (
	"context"
	"sync"
	"time"
)

const (
	// readyTime is how long the table may take to respond to the health check.
	readyTime = 2 * time.Second
	// readyFor is how long a result is valid, because any client can call /readyz, but must not cause that
	// many calls of the table.
	readyFor = time.Second
)

// readiness checks whether the table responds, one call at a time and at most once per readyFor.
type readiness struct {
	ask func(context.Context) error
	now func() time.Time

	mu      sync.Mutex
	checked time.Time
	err     error
}

// check returns the latest result, and checks the table first if the result is too old.
func (r *readiness) check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.checked.IsZero() || r.now().Sub(r.checked) >= readyFor {
		ctx, cancel := context.WithTimeout(context.Background(), readyTime)
		defer cancel()
		r.err, r.checked = r.ask(ctx), r.now()
	}
	return r.err
}
