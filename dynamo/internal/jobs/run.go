package jobs

import (
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/columns"
	"issuegrid/internal/runner"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// RunJobs runs the jobs of a project until none is open, or another server is running them. It can be
// canceled at any time; the next call continues. Between chunks it waits as long as the last chunk took, so
// that it uses half of the possible throughput.
func (s *Store) RunJobs(ctx context.Context, p tracker.ProjectID) error {
	_, err := s.doJobs(ctx, p)
	return err
}

// doJobs is RunJobs, and reports whether open jobs are left, because another server is running them.
func (s *Store) doJobs(ctx context.Context, p tracker.ProjectID) (left bool, err error) {
	s = s.background()
	owner, err := s.t.NewID()
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil || ctx.Err() != nil {
			s.releaseLease(context.WithoutCancel(ctx), p, owner)
		}
	}()
	for {
		if err := s.waitForPace(ctx, p, owner); err != nil {
			return false, err
		}
		next, pause, err := s.workOn(ctx, p, owner)
		// after work.ErrProjectChanged a job was added, or another server has taken over
		if err != nil && !errors.Is(err, work.ErrProjectChanged) {
			return false, err
		}
		if err == nil && next != proceed {
			return next == leased, nil
		}
		if err := s.runner.Settle(ctx, pause); err != nil {
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
func (s *Store) workOn(ctx context.Context, p tracker.ProjectID, owner string) (then stepResult,
	pause time.Duration, err error) {
	leave, err := s.runner.queue.Enter(ctx, s.t.ID)
	if err != nil {
		return proceed, 0, err
	}
	defer leave()
	d, w, err := s.definitions.ReadAny(ctx, p)
	switch {
	case tracker.CodeOf(err) == tracker.NotFound || err == nil && (w == nil || !w.Open()):
		return noJobs, 0, nil
	case err != nil:
		return proceed, 0, err
	case w.Lease.Held(owner, s.t.Now()) > 0:
		return leased, 0, nil
	}
	next := *w
	next.Jobs = slices.Clone(w.Jobs)
	next.Lease.Owner = owner
	if w.Lease.Owner != owner {
		if next.Since.IsZero() {
			next.Since = s.t.Time()
		}
		if w.Lease.Owner != "" && w.Waiting == "" {
			next.Lost()
		}
		return proceed, 0, work.Save(ctx, s.t, p, w, &next)
	}
	if w.Waiting != "" {
		if pause, next.Waiting, err = s.mustWait(ctx, d, w); err != nil {
			return proceed, 0, err
		}
		return proceed, pause, work.Save(ctx, s.t, p, w, &next)
	}
	next.Progressed()
	if d.Project.Deleted {
		return proceed, 0, s.deleteProject(ctx, d, w, &next)
	}
	if j := next.Checking(); j != nil {
		return proceed, 0, s.checkStep(ctx, d, w, &next, j)
	}
	return proceed, 0, s.migrateStep(ctx, d, w, &next)
}

// waitForPace waits until the tenant's jobs may continue. If that takes long, it gives up the lease, so that
// another server can take over.
func (s *Store) waitForPace(ctx context.Context, p tracker.ProjectID, owner string) error {
	soon, cancel := context.WithTimeout(ctx, runner.LeaseTime/3)
	err := s.t.Pace(soon)
	cancel()
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.releaseLease(ctx, p, owner)
	return s.t.Pace(ctx)
}

// settleTime is how long after a change of a definition a change of an issue that was checked with the older
// one may still be written: it is sent within WriteTime, and the engine acts on it within the same time, or
// not at all.
//
// A change of type changes the definition twice, and must wait for this time after each. The second wait
// cannot be shortened by the time that the job has spent before: until the second change, any request may
// find that the older definition is current, and send its change up to WriteTime later. Such a change could
// only be prevented by a condition in its transaction (see definitions.Basis).
func (s *Store) settleTime() time.Duration { return 2 * s.t.WriteTime }

// mustWait returns for how long the pass must wait before it checks again whether it may begin, and why, ""
// if it may begin.
func (s *Store) mustWait(ctx context.Context, d *tracker.Definition, w *work.State) (pause time.Duration,
	why string, _ error) {
	waited := s.t.Now().Sub(w.Since)
	known := s.settleTime()
	if slices.ContainsFunc(d.Fields, isLeaving) || d.Project.Empties == tracker.EmptiesLeaving {
		known = max(known, s.runner.ReadTime) // the pass will remove entries that readers have used
	}
	if left := known - waited; left > 0 {
		return min(left, runner.LeaseTime/3), work.WaitingForServers, nil
	}
	left := s.settleTime() + s.runner.IndexLag - waited
	if left <= 0 {
		return 0, "", nil
	}
	if complete, err := s.indexed(ctx, d, w); complete || err != nil {
		return 0, "", err
	}
	return min(left, max(s.runner.IndexLag/5, time.Millisecond)), work.WaitingForIndex, nil
}

// recently is how long before the change of the definition an issue may have begun to be added that the index
// lacks when the pass begins.
const recently = 2 * definitions.ChangeTime

// indexed reports whether the index is known to have all issues that were added with an older definition:
// none was added recently, or only under the highest numbers, and the index has all of these. Each shard must
// have one of them, because their index partitions are updated independently.
func (s *Store) indexed(ctx context.Context, d *tracker.Definition, w *work.State) (bool, error) {
	began := w.Since.Add(-recently)
	switch {
	case d.Project.Deleted: // the times were deleted with the counter
		return false, nil
	case w.Added.Otherwise.After(began):
		return false, nil
	case !w.Added.Reserved.After(began):
		return true, nil
	}
	page, err := s.issues.QueryKeys(ctx, columns.KeyQuery{Project: d.Project.ID, Shards: d.Project.Shards,
		Column: tracker.ColumnNum, To: sortkey.Num(d.MaxIssueNum + 1), Descending: true,
		Limit: store.MaxBatch})
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
	return len(page.Keys) == store.MaxBatch && len(shards) == d.Project.ShardCount() ||
		int64(len(page.Keys)) == d.MaxIssueNum, nil
}

// releaseLease gives up the lease, so that another server can take over immediately.
func (s *Store) releaseLease(ctx context.Context, p tracker.ProjectID, owner string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, w, err := s.definitions.ReadAny(ctx, p); err == nil && w != nil && w.Lease.Owner == owner {
		next := *w
		next.Lease = runner.Lease{}
		_ = work.Save(ctx, s.t, p, w, &next)
	}
}

// saveAndPause saves the progress of the work, and then waits for as long as the step took.
func (s *Store) saveAndPause(ctx context.Context, began time.Time, p tracker.ProjectID,
	w, next *work.State) error {
	if err := work.Save(ctx, s.t, p, w, next); err != nil {
		return err
	}
	return client.Wait(ctx, min(time.Since(began), runner.LeaseTime/3))
}
