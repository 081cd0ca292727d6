// Package runner runs work that outlives requests: jobs and imports. Work belongs to a key, such as a
// project. In this process, one goroutine works on a key at a time, until nothing is left to do, and again
// after a failure. Servers that share work agree by a Lease, which is a part of the item that describes the
// work.
package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const (
	// places is the number of keys that a process works on in parallel. Work that waits has no place.
	places = 2
	// searchEvery is the interval of the search for work of servers that have crashed.
	searchEvery = time.Hour
)

// Work does the work of a key, or a part of it. left reports whether there is more to do, after a time, which
// is positive if another server has the lease.
type Work func(ctx context.Context) (left bool, after time.Duration, err error)

// Runner runs work in the background. Its methods can be called concurrently.
type Runner[K comparable] struct {
	retry  time.Duration
	places *traffic.Queue

	mu      sync.Mutex
	ctx     context.Context // nil: this process runs no work
	failed  func(error)
	running map[K]bool // the keys that are being worked on; true if kicked since
	group   sync.WaitGroup
}

// New returns a Runner that tries work again after the given time if it has failed.
func New[K comparable](retry time.Duration) *Runner[K] {
	return &Runner[K]{retry: retry, places: traffic.NewShared(places, math.MaxInt32, places),
		running: map[K]bool{}}
}

// ErrSearch is wrapped by the error of a search for open work. Work that is already running continues.
var ErrSearch = errors.New("the open work cannot be listed")

// Run runs work in this process until ctx ends. It calls search at once and every hour, or sooner if that
// fails, to Kick what servers that have crashed left. Errors are passed to failed. The returned function
// waits until all work has stopped. Then Run may be called again.
func (r *Runner[K]) Run(ctx context.Context, search func(context.Context) error,
	failed func(error)) (stopped func()) {
	r.mu.Lock()
	r.ctx, r.failed = ctx, failed
	r.mu.Unlock()
	r.group.Go(func() {
		for next := searchEvery; ctx.Err() == nil; next = searchEvery {
			if err := search(ctx); err != nil && ctx.Err() == nil {
				failed(fmt.Errorf("%w: %w", ErrSearch, err))
				next = r.retry
			}
			_ = traffic.Sleep(ctx, next)
		}
	})
	return r.group.Wait
}

// Kick starts a goroutine that works on a key. If there is one in this process, that calls its work once more
// before it ends, so that what was added before Kick is done. Kick does nothing if the process runs no work.
func (r *Runner[K]) Kick(key K, work Work) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx == nil || r.ctx.Err() != nil {
		return
	}
	if _, ok := r.running[key]; ok {
		r.running[key] = true
		return
	}
	r.running[key] = false
	ctx := r.ctx
	r.group.Go(func() {
		for ctx.Err() == nil {
			left, after, err := work(ctx)
			if err != nil && ctx.Err() == nil {
				r.failed(err)
			}
			switch {
			case err != nil:
				_ = traffic.Sleep(ctx, r.retry)
			case left:
				_ = traffic.Sleep(ctx, after)
			case r.ended(key):
				return
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, key)
	})
}

// ended reports whether the goroutine of a key may end: it may not if the key was kicked meanwhile.
func (r *Runner[K]) ended(key K) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if again := r.running[key]; again {
		r.running[key] = false
		return false
	}
	delete(r.running, key)
	return true
}

// Enter waits for one of the places, which tenants get in turn. leave gives it back; it may be called more
// than once.
func (r *Runner[K]) Enter(ctx context.Context, t tracker.TenantID) (leave func(), err error) {
	return r.places.Enter(ctx, t)
}
