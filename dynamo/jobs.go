package dynamo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// jobRunner runs jobs in the background, those of one project at a time each.
type jobRunner struct {
	mu      sync.Mutex
	ctx     context.Context     // nil: none are run here
	running map[layout.Key]bool // whether there may be a job since they were looked for last
	group   sync.WaitGroup
	limit   chan struct{}
	failed  func(error)
}

// jobsAtATime is of how many projects a server does the jobs at a time. Those that wait do not count.
const jobsAtATime = 2

// RunJobs lets jobs run in this process until ctx ends: those that changes made here begin, those of projects
// that are used and that nobody is at, and those that are found at the start. failed gets the error of one
// that could not go on; it is taken up again. The result waits until all have stopped.
func (db *DB) RunJobs(ctx context.Context, failed func(error)) (ended func()) {
	r := db.jobs
	r.mu.Lock()
	r.ctx, r.running, r.limit, r.failed = ctx, map[layout.Key]bool{}, make(chan struct{}, jobsAtATime), failed
	r.mu.Unlock()
	r.group.Go(func() {
		for next := findEvery; ctx.Err() == nil; next = findEvery {
			if err := db.findJobs(ctx); err != nil && ctx.Err() == nil {
				failed(fmt.Errorf("%w: %w", ErrJobsNotFound, err))
				next = db.retryTime()
			}
			_ = client.Wait(ctx, next)
		}
	})
	return r.group.Wait
}

// ErrJobsNotFound is the error of looking for open jobs; those that run go on.
var ErrJobsNotFound = errors.New("the open jobs cannot be listed")

// findEvery is how often a server looks for jobs that nothing has made known to it, because a server that was
// at them has died.
const findEvery = time.Hour

// retryTime is after how long a server looks again at jobs that could not go on, or that another one is at.
func (db *DB) retryTime() time.Duration { return db.writeTime }

// findJobs looks for open jobs in all tenants.
func (db *DB) findJobs(ctx context.Context) error {
	q := ListQuery{Limit: 100}
	for more := true; more; {
		var page []Listed[tracker.TenantID]
		var err error
		if page, more, err = db.ListTenants(ctx, q); err != nil {
			return err
		}
		for _, found := range page {
			q.From = sortkey.After(found.Position)
			t, err := db.Tenant(found.ID)
			if err != nil {
				return err
			}
			projects, _, err := list(ctx, db, t.keys.OpenJobs(), ListQuery{Limit: 1000}, t.keys.ParseProject)
			if err != nil {
				return err
			}
			for _, p := range projects {
				db.jobs.kick(t.scope, p.ID)
			}
		}
	}
	return nil
}

// kick sees to the jobs of a project until there are none, unless somebody here does so already.
func (r *jobRunner) kick(t scope, p tracker.ProjectID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := t.keys.Jobs(p)
	if r.ctx == nil || r.ctx.Err() != nil {
		return
	}
	if _, ok := r.running[key]; ok {
		r.running[key] = true
		return
	}
	r.running[key] = false
	r.group.Go(func() {
		for r.ctx.Err() == nil {
			open, err := jobs(t).doJobs(r.ctx, p)
			if err == nil && !open && r.ended(key) {
				return
			}
			if err == nil && !open {
				continue
			}
			if err != nil && r.ctx.Err() == nil {
				r.failed(err)
			}
			_ = client.Wait(r.ctx, t.db.retryTime())
		}
	})
}

// ended forgets a project whose jobs are done, unless there may be one more since they were looked for.
func (r *jobRunner) ended(key layout.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if again := r.running[key]; again {
		r.running[key] = false
		return false
	}
	delete(r.running, key)
	return true
}

// enter waits for its turn at the work, and returns what lets the next one have it.
func (r *jobRunner) enter(ctx context.Context) (leave func(), err error) {
	r.mu.Lock()
	limit := r.limit
	r.mu.Unlock()
	if limit == nil {
		return func() {}, nil
	}
	select {
	case limit <- struct{}{}:
		return func() { <-limit }, nil
	case <-ctx.Done():
		return nil, client.Translate(ctx.Err())
	}
}

// jobsName is who makes the changes that jobs make, in histories.
const jobsName = "job"
