package dynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/tracker"
)

// RunJobs runs the jobs of a project until none is open, or another server is running them. It can be
// canceled at any time; the next call continues. Between chunks it waits as long as the last chunk took, so
// that it uses half of the possible throughput.
func (t *Tenant) RunJobs(ctx context.Context, p tracker.ProjectID) error {
	_, err := jobs(t.scope).doJobs(ctx, p)
	return err
}

// doJobs is RunJobs, and reports whether open jobs are left, because another server is running them.
func (t jobs) doJobs(ctx context.Context, p tracker.ProjectID) (left bool, err error) {
	t = t.ofJobs()
	owner, err := tracker.NewID(t.db.random)
	if err != nil {
		return false, err
	}
	defer func() {
		if ctx.Err() != nil {
			t.releaseLease(context.WithoutCancel(ctx), p, owner)
		}
	}()
	for {
		if err := t.waitForPace(ctx, p, owner); err != nil {
			return false, client.Translate(err)
		}
		next, pause, err := t.workOn(ctx, p, owner)
		// after errProjectChanged a job was added, or another server has taken over
		if err != nil && !errors.Is(err, errProjectChanged) {
			return false, err
		}
		if err == nil && next != proceed {
			return next == leased, nil
		}
		if err := client.Wait(ctx, pause); err != nil {
			return false, err
		}
	}
}

// stepResult is what follows a step of the work.
type stepResult int

const (
	proceed stepResult = iota
	noJobs             // there are no open jobs
	leased             // another server is running them
)

// workOn does the next step of the work of a project, and returns how long to pause before the next one.
func (t jobs) workOn(ctx context.Context, p tracker.ProjectID, owner string) (then stepResult,
	pause time.Duration, err error) {
	leave, err := t.db.jobs.enter(ctx)
	if err != nil {
		return proceed, 0, err
	}
	defer leave()
	d, w, err := reader(t).readProject(ctx, p)
	switch {
	case tracker.CodeOf(err) == tracker.NotFound || err == nil && (w == nil || !w.open()):
		return noJobs, 0, nil
	case err != nil:
		return proceed, 0, err
	case w.owner != owner && w.until.After(t.db.now()):
		return leased, 0, nil
	}
	next := *w
	next.jobs = slices.Clone(w.jobs)
	next.owner = owner
	if w.owner != owner {
		if next.since.IsZero() {
			next.since = t.db.time()
		}
		return proceed, 0, saveWork(ctx, scope(t), p, w, &next)
	}
	if left := w.since.Add(t.db.settleTime()).Sub(t.db.now()); left > 0 {
		return proceed, min(left, leaseTime/3), saveWork(ctx, scope(t), p, w, &next)
	}
	if d.Project.Deleted {
		return proceed, 0, t.deleteProject(ctx, d, w, &next)
	}
	if j := next.checking(); j != nil {
		return proceed, 0, t.checkStep(ctx, d, w, &next, j)
	}
	return proceed, 0, t.migrateStep(ctx, d, w, &next)
}

// ofJobs returns the handle for the tenant's jobs. Their cost is not charged to any request.
func (t jobs) ofJobs() jobs {
	m := client.NewMeter()
	if spent := t.db.spent; spent != nil {
		m.Settle(func(c client.Cost) { spent(t.id, c) })
	}
	return jobs{db: t.db.Metered(m), id: t.id, keys: t.keys, by: jobsName}
}

// waitForPace waits until the tenant's jobs may continue. If that takes long, it gives up the lease, so that
// another server can take over.
func (t jobs) waitForPace(ctx context.Context, p tracker.ProjectID, owner string) error {
	if t.db.pace == nil {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, leaseTime/3)
	err := t.db.pace(soon, t.id)
	cancel()
	if err == nil || ctx.Err() != nil {
		return err
	}
	t.releaseLease(ctx, p, owner)
	return t.db.pace(ctx, t.id)
}

// settleTime is how long after a change of a definition a write may still use the older one, or be missing
// from the index.
func (db *DB) settleTime() time.Duration { return db.ttl + db.writeTime + db.writeTime/6 }

// releaseLease gives up the lease, so that another server can take over immediately.
func (t jobs) releaseLease(ctx context.Context, p tracker.ProjectID, owner string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, w, err := reader(t).readProject(ctx, p); err == nil && w != nil && w.owner == owner {
		next := *w
		next.owner = ""
		_ = saveWork(ctx, scope(t), p, w, &next)
	}
}

// saveAndPause saves the progress of the work, and then waits for as long as the step took.
func (t jobs) saveAndPause(ctx context.Context, began time.Time, p tracker.ProjectID, w, next *work) error {
	if err := saveWork(ctx, scope(t), p, w, next); err != nil {
		return err
	}
	return client.Wait(ctx, min(time.Since(began), leaseTime/3))
}
