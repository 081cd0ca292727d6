package dynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/runner"
	"issuegrid/internal/sortkey"
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
		if err != nil || ctx.Err() != nil {
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
		if err := t.db.settle(ctx, pause); err != nil {
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
	leave, err := t.db.jobs.Enter(ctx, t.id)
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
	case w.lease.Held(owner, t.db.now()) > 0:
		return leased, 0, nil
	}
	next := *w
	next.jobs = slices.Clone(w.jobs)
	next.lease.Owner = owner
	if w.lease.Owner != owner {
		if next.since.IsZero() {
			next.since = t.db.time()
		}
		if w.lease.Owner != "" && w.waiting == "" {
			next.lost()
		}
		return proceed, 0, saveWork(ctx, scope(t), p, w, &next)
	}
	if w.waiting != "" {
		if pause, next.waiting, err = t.mustWait(ctx, d, w); err != nil {
			return proceed, 0, err
		}
		return proceed, pause, saveWork(ctx, scope(t), p, w, &next)
	}
	next.progressed()
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
	t.by = tracker.Actor{Kind: tracker.ActorJob}
	return jobs(t.db.background(scope(t)))
}

// background returns a handle whose cost is charged to the tenant's background work, not to a request.
func (db *DB) background(t scope) scope {
	m := account.NewMeter()
	if spent := db.spent; spent != nil {
		m.Settle(func(c account.Cost) { spent(t.id, c) })
	}
	return scope{db: db.Metered(m), id: t.id, keys: t.keys, by: t.by}
}

// waitForPace waits until the tenant's jobs may continue. If that takes long, it gives up the lease, so that
// another server can take over.
func (t jobs) waitForPace(ctx context.Context, p tracker.ProjectID, owner string) error {
	if t.db.pace == nil {
		return nil
	}
	soon, cancel := context.WithTimeout(ctx, runner.LeaseTime/3)
	err := t.db.pace(soon, t.id)
	cancel()
	if err == nil || ctx.Err() != nil {
		return err
	}
	t.releaseLease(ctx, p, owner)
	return t.db.pace(ctx, t.id)
}

// settleTime is how long after a change of a definition a change of an issue that was checked with the older
// one may still be written: it is sent within writeTime, and the engine acts on it within the same time, or
// not at all.
//
// A change of type changes the definition twice, and must wait for this time after each. The second wait
// cannot be shortened by the time that the job has spent before: until the second change, any request may
// find that the older definition is current, and send its change up to writeTime later. Such a change could
// only be prevented by a condition in its transaction (see basis).
func (db *DB) settleTime() time.Duration { return 2 * db.writeTime }

// mustWait returns for how long the pass must wait before it checks again whether it may begin, and why, ""
// if it may begin.
func (t jobs) mustWait(ctx context.Context, d *tracker.Definition, w *work) (pause time.Duration, why string,
	_ error) {
	waited := t.db.now().Sub(w.since)
	known := t.db.settleTime()
	if slices.ContainsFunc(d.Fields, isLeaving) || d.Project.Empties == tracker.EmptiesLeaving {
		known = max(known, t.db.readTime) // the pass will remove entries that readers have used
	}
	if left := known - waited; left > 0 {
		return min(left, runner.LeaseTime/3), waitingForServers, nil
	}
	left := t.db.settleTime() + t.db.indexLag - waited
	if left <= 0 {
		return 0, "", nil
	}
	if complete, err := t.indexed(ctx, d, w); complete || err != nil {
		return 0, "", err
	}
	return min(left, max(t.db.indexLag/5, time.Millisecond)), waitingForIndex, nil
}

// recently is how long before the change of the definition an issue may have begun to be added that the index
// lacks when the pass begins.
const recently = 2 * changeTime

// indexed reports whether the index is known to have all issues that were added with an older definition:
// none was added recently, or only under the highest numbers, and the index has all of these. Each shard must
// have one of them, because their index partitions are updated independently.
func (t jobs) indexed(ctx context.Context, d *tracker.Definition, w *work) (bool, error) {
	began := w.since.Add(-recently)
	switch {
	case d.Project.Deleted: // the times were deleted with the counter
		return false, nil
	case w.added.otherwise.After(began):
		return false, nil
	case !w.added.reserved.After(began):
		return true, nil
	}
	page, err := reader(t).queryKeys(ctx, columns.KeyQuery{Project: d.Project.ID, Shards: d.Project.Shards,
		Column: tracker.ColumnNum, To: sortkey.Num(d.MaxIssueNum + 1), Descending: true, Limit: MaxBatch})
	if err != nil {
		return false, err
	}
	shards := map[int]bool{}
	for i, k := range page.Keys {
		if num, err := sortkey.ParseNum(k.SS); err != nil || num != d.MaxIssueNum-int64(i) {
			return false, nil // a number is missing
		}
		shards[k.Issue.Shard()] = true
	}
	return len(page.Keys) == MaxBatch && len(shards) == d.Project.ShardCount() ||
		int64(len(page.Keys)) == d.MaxIssueNum, nil
}

// releaseLease gives up the lease, so that another server can take over immediately.
func (t jobs) releaseLease(ctx context.Context, p tracker.ProjectID, owner string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, w, err := reader(t).readProject(ctx, p); err == nil && w != nil && w.lease.Owner == owner {
		next := *w
		next.lease = runner.Lease{}
		_ = saveWork(ctx, scope(t), p, w, &next)
	}
}

// saveAndPause saves the progress of the work, and then waits for as long as the step took.
func (t jobs) saveAndPause(ctx context.Context, began time.Time, p tracker.ProjectID, w, next *work) error {
	if err := saveWork(ctx, scope(t), p, w, next); err != nil {
		return err
	}
	return client.Wait(ctx, min(time.Since(began), runner.LeaseTime/3))
}
