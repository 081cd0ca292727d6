package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// jobRunner runs jobs in the background, for each project in one goroutine.
type jobRunner struct {
	mu      sync.Mutex
	ctx     context.Context     // nil: this process runs no jobs
	running map[layout.Key]bool // the projects and tenants being processed; true if started again since
	group   sync.WaitGroup
	limit   chan struct{}
	failed  func(error)
	// declined has when a column was found to need no entries of its empty values.
	declined map[layout.Key]time.Time
}

// jobsAtATime is the number of projects whose jobs a server runs in parallel. Waiting jobs do not count.
const jobsAtATime = 2

// RunJobs runs jobs in this process until ctx is canceled: jobs started by changes in this process, abandoned
// jobs of projects that are read, and those found by a regular search. A job that fails is passed to failed
// and retried. The returned function waits until all jobs have stopped.
func (db *DB) RunJobs(ctx context.Context, failed func(error)) (ended func()) {
	r := db.jobs
	r.mu.Lock()
	r.ctx, r.running, r.limit, r.failed = ctx, map[layout.Key]bool{}, make(chan struct{}, jobsAtATime), failed
	r.declined = map[layout.Key]time.Time{}
	r.mu.Unlock()
	r.group.Go(func() {
		for next := findEvery; ctx.Err() == nil; next = findEvery {
			if err := db.findJobs(ctx); err != nil && ctx.Err() == nil {
				failed(fmt.Errorf("%w: %w", ErrJobsNotFound, err))
				next = db.retryTime
			}
			_ = client.Wait(ctx, next)
		}
	})
	return r.group.Wait
}

// ErrJobsNotFound reports that the search for open jobs failed. Jobs that are already running continue.
var ErrJobsNotFound = errors.New("the open jobs cannot be listed")

// findEvery is the interval of the search for jobs abandoned by servers that have crashed.
const findEvery = time.Hour

// findJobs searches all tenants for open jobs, and for projects that must be removed from the trash.
func (db *DB) findJobs(ctx context.Context) error {
	return db.EachTenant(ctx, func(id tracker.TenantID, deleted bool) error {
		t, err := db.Tenant(id)
		if err != nil {
			return err
		}
		projects, _, err := List[tracker.ProjectID]{db: db, partition: t.keys.OpenJobs(),
			parse: t.keys.ParseProject}.Page(ctx, ListQuery{Limit: 1000})
		if err != nil {
			return err
		}
		for _, p := range projects {
			db.jobs.kick(t.scope, p.ID)
		}
		if deleted {
			db.jobs.removeTenant(t.scope)
			return nil
		}
		if err := t.Records().purge(ctx); err != nil && ctx.Err() == nil {
			db.jobs.failed(err) // the other tenants must not wait
		}
		return nil
	})
}

// kick starts a goroutine that runs the jobs of a project until there are none. If there is one in this
// process, it searches for jobs once more before it ends.
func (r *jobRunner) kick(t scope, p tracker.ProjectID) {
	r.start(t, t.keys.Jobs(p), func(ctx context.Context) (bool, error) { return jobs(t).doJobs(ctx, p) })
}

// removeTenant starts a goroutine that removes the items of a deleted tenant.
func (r *jobRunner) removeTenant(t scope) { r.start(t, t.keys.TenantItem(), jobs(t).removeTenant) }

// start starts a goroutine that calls work, until it reports that nothing is left. If there is one for the
// key in this process, it calls work once more before it ends.
func (r *jobRunner) start(t scope, key layout.Key, work func(context.Context) (left bool, _ error)) {
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
	r.group.Go(func() {
		for r.ctx.Err() == nil {
			left, err := work(r.ctx)
			if err == nil && !left && r.ended(key) {
				return
			}
			if err == nil && !left {
				continue
			}
			if err != nil && r.ctx.Err() == nil {
				r.failed(err)
			}
			_ = client.Wait(r.ctx, t.db.retryTime)
		}
	})
}

const (
	// declineTime is how long a column is not looked at again, and maxDeclined the number of columns that are
	// remembered.
	declineTime = 10 * time.Minute
	maxDeclined = 10_000
)

// decline remembers that a column needs no entries of its empty values.
func (r *jobRunner) decline(column layout.Key, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.declined) >= maxDeclined {
		clear(r.declined)
	}
	r.declined[column] = now
}

// hasDeclined reports whether decline was called for a column in the last declineTime.
func (r *jobRunner) hasDeclined(column layout.Key, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.declined[column]
	return ok && now.Sub(at) < declineTime
}

// ended reports whether the goroutine of a key may end: it may not if it was started again meanwhile.
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

// enter waits until fewer than jobsAtATime projects are being processed. leave must be called at the end.
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

// CancelJob cancels a job that has changed nothing yet: a change of type whose values are not all checked. It
// returns Conflict for any other job.
func (t *Tenant) CancelJob(ctx context.Context, p tracker.ProjectID, id string) (*tracker.Job, error) {
	load := func(id string) (*tracker.Job, error) {
		_, w, err := reader(t.scope).readProject(ctx, p)
		if err != nil {
			return nil, err
		}
		return w.job(id)
	}
	return applyOnce(ctx, t.scope, load, func() (*tracker.Job, error) {
		for try := 1; ; try++ {
			j, err := definer(t.scope).cancelJob(ctx, p, id)
			if !errors.Is(err, errProjectChanged) {
				return j, err
			}
			if err := t.db.client.AfterConflict(ctx, try, err); err != nil {
				return nil, err
			}
		}
	})
}

func (t definer) cancelJob(ctx context.Context, p tracker.ProjectID, id string) (*tracker.Job, error) {
	d, w, err := reader(t).readProject(ctx, p)
	if err != nil {
		return nil, err
	}
	if d.Project.Hidden() {
		return nil, tracker.Missing("project")
	}
	if _, err := w.job(id); err != nil {
		return nil, err
	}
	next := *w
	next.jobs = slices.Clone(w.jobs)
	j, _ := next.job(id)
	switch {
	case !j.Open():
		return nil, &tracker.Error{Code: tracker.Conflict, Message: "the job has ended already"}
	case j.Status != tracker.JobChecking:
		return nil, &tracker.Error{Code: tracker.Conflict,
			Message: "the job cannot be canceled, because the change that it applies is already visible; " +
				"wait until it has ended, and then undo the change"}
	}
	j.Status, j.Ended, j.Options = tracker.JobCanceled, t.db.time(), nil
	if next.trashOf == j.ID {
		next.trash, next.trashOf = nil, ""
	}
	var x client.Transaction
	if f := d.Field(j.Field); f != nil {
		unchanged := *f
		unchanged.Next, unchanged.Removes = nil, false
		x.Put(t.db.table, t.keys.EncodeField(p, &unchanged), client.MustExist(errProjectChanged))
	}
	idempotency(t).addTo(&x, j.ID)
	putWork(scope(t), &x, p, w, &next)
	return j, t.writeProject(ctx, &x, d)
}
