package dynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/tracker"
)

// RunJobs does the jobs of a project until none is open, or another server is at them. It can be ended at any
// moment; who calls it next goes on. Between the chunks of its work it waits as long as the last one took, so
// that it takes half of what it could.
func (t *Tenant) RunJobs(ctx context.Context, p tracker.ProjectID) error {
	_, err := jobs(t.scope).doJobs(ctx, p)
	return err
}

// doJobs tells whether some are left, because another server is at them.
func (t jobs) doJobs(ctx context.Context, p tracker.ProjectID) (left bool, err error) {
	t = t.ofJobs()
	owner, err := tracker.NewID(t.db.random)
	if err != nil {
		return false, err
	}
	defer func() {
		if ctx.Err() != nil {
			t.leaveJobs(context.WithoutCancel(ctx), p, owner)
		}
	}()
	for {
		if err := t.mayGoOn(ctx, p, owner); err != nil {
			return false, client.Translate(err)
		}
		next, pause, err := t.workOn(ctx, p, owner)
		// then a job was added, or another server has taken over
		if err != nil && !errors.Is(err, errProjectChanged) {
			return false, err
		}
		if err == nil && next != goOn {
			return next == held, nil
		}
		if err := client.Wait(ctx, pause); err != nil {
			return false, err
		}
	}
}

// turn is what comes behind a step of the work.
type turn int

const (
	goOn  turn = iota
	ended      // there are no open jobs
	held       // another server is at them
)

// workOn does what is next in the work of a project, and tells how long there is nothing to do.
func (t jobs) workOn(ctx context.Context, p tracker.ProjectID, owner string) (then turn, pause time.Duration,
	err error) {
	leave, err := t.db.jobs.enter(ctx)
	if err != nil {
		return goOn, 0, err
	}
	defer leave()
	d, w, err := reader(t).readProject(ctx, p)
	switch {
	case tracker.CodeOf(err) == tracker.NotFound || err == nil && (w == nil || !w.open()):
		return ended, 0, nil
	case err != nil:
		return goOn, 0, err
	case w.owner != owner && w.until.After(t.db.now()):
		return held, 0, nil
	}
	next := *w
	next.jobs = slices.Clone(w.jobs)
	next.owner = owner
	if w.owner != owner {
		if next.since.IsZero() {
			next.since = t.db.time()
		}
		return goOn, 0, saveWork(ctx, scope(t), p, w, &next)
	}
	if left := w.since.Add(t.db.settleTime()).Sub(t.db.now()); left > 0 {
		return goOn, min(left, leaseTime/3), saveWork(ctx, scope(t), p, w, &next)
	}
	if d.Project.Deleted {
		return goOn, 0, t.deleteProject(ctx, d, w, &next)
	}
	if j := next.checking(); j != nil {
		return goOn, 0, t.checkStep(ctx, d, w, &next, j)
	}
	return goOn, 0, t.migrateStep(ctx, d, w, &next)
}

// ofJobs is the handle for the jobs of the tenant, which cost none of its requests anything.
func (t jobs) ofJobs() jobs {
	m := client.NewMeter()
	if spent := t.db.spent; spent != nil {
		m.Settle(func(c client.Cost) { spent(t.id, c) })
	}
	return jobs{db: t.db.Metered(m), id: t.id, keys: t.keys, by: jobsName}
}

// mayGoOn waits until the tenant's jobs may go on. Where that takes long, others may take over meanwhile.
func (t jobs) mayGoOn(ctx context.Context, p tracker.ProjectID, owner string) error {
	if t.db.pace == nil {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, leaseTime/3)
	err := t.db.pace(soon, t.id)
	cancel()
	if err == nil || ctx.Err() != nil {
		return err
	}
	t.leaveJobs(ctx, p, owner)
	return t.db.pace(ctx, t.id)
}

// settleTime is how long after a change of a definition something may still be written with an older one, or
// be missing in the index.
func (db *DB) settleTime() time.Duration { return db.ttl + db.writeTime + db.writeTime/6 }

// leaveJobs lets others take over at once.
func (t jobs) leaveJobs(ctx context.Context, p tracker.ProjectID, owner string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, w, err := reader(t).readProject(ctx, p); err == nil && w != nil && w.owner == owner {
		next := *w
		next.owner = ""
		_ = saveWork(ctx, scope(t), p, w, &next)
	}
}

// saveAndRest writes down how far the work is, and waits for as long as that took since it began.
func (t jobs) saveAndRest(ctx context.Context, began time.Time, p tracker.ProjectID, w, next *work) error {
	if err := saveWork(ctx, scope(t), p, w, next); err != nil {
		return err
	}
	return client.Wait(ctx, min(time.Since(began), leaseTime/3))
}
