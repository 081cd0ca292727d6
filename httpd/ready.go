package httpd

import (
	"context"
	"sync"
	"time"
)

const (
	// readyTime is how long the table may take to answer the health check.
	readyTime = 2 * time.Second
	// readyFor is for how long an answer counts: anybody may ask, and must not ask the table as often.
	readyFor = time.Second
)

// readiness asks whether the table answers, once at a time and at most once in readyFor.
type readiness struct {
	ask func(context.Context) error
	now func() time.Time

	mu    sync.Mutex
	asked time.Time
	err   error
}

// check tells what was found out last, if that is not too long ago.
func (r *readiness) check() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked.IsZero() || r.now().Sub(r.asked) >= readyFor {
		ctx, cancel := context.WithTimeout(context.Background(), readyTime)
		defer cancel()
		r.err, r.asked = r.ask(ctx), r.now()
	}
	return r.err
}
