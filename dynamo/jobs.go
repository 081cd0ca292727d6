package dynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/runner"
	"issuegrid/tracker"
)

// RunJobs runs jobs in this process until ctx is canceled: jobs started by changes in this process, abandoned
// jobs of projects that are read, and those found by a regular search. A job that fails is passed to failed
// and retried. The returned function waits until all jobs have stopped.
func (db *DB) RunJobs(ctx context.Context, failed func(error)) (ended func()) {
	return db.jobs.Run(ctx, func(ctx context.Context) error { return db.findJobs(ctx, failed) }, failed)
}

// ErrJobsNotFound reports that the search for open jobs failed. Jobs that are already running continue.
var ErrJobsNotFound = runner.ErrSearch

// findJobs searches all tenants for open jobs, and for projects that must be removed from the trash.
func (db *DB) findJobs(ctx context.Context, failed func(error)) error {
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
			kickJobs(t.scope, p.ID)
		}
		if deleted {
			kickRemoval(t.scope)
			return nil
		}
		if err := t.Records().purge(ctx); err != nil && ctx.Err() == nil {
			failed(err) // the other tenants must not wait
		}
		return nil
	})
}

// kickJobs runs the jobs of a project in the background, if this process runs jobs.
func kickJobs(t scope, p tracker.ProjectID) {
	kick(t, t.keys.Jobs(p), func(ctx context.Context) (bool, error) { return jobs(t).doJobs(ctx, p) })
}

// kickRemoval removes the items of a deleted tenant in the background, if this process runs jobs.
func kickRemoval(t scope) { kick(t, t.keys.TenantItem(), jobs(t).removeTenant) }

// kick runs work in the background. left reports whether another server is doing the rest.
func kick(t scope, key layout.Key, work func(context.Context) (left bool, _ error)) {
	t.db.jobs.Kick(key, func(ctx context.Context) (bool, time.Duration, error) {
		left, err := work(ctx)
		return left, t.db.retryTime, err
	})
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
