package jobs

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/issues"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// jobParallel is the number of issues that a step processes in parallel.
const jobParallel = 4

// migrateStep migrates the next issues by number. After the last one it removes the lists of tags that no
// field has any more, and then migrates the issues in the trash.
func (s *Store) migrateStep(ctx context.Context, d *tracker.Definition, w, next *work.State) error {
	began := time.Now()
	if changed, err := s.beginRemoval(ctx, d, w, next); changed || err != nil {
		return err
	}
	keys, err := s.nextIssues(ctx, &d.Project, w.At, w.Chunk())
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		if removed, err := s.removeTags(ctx, d, next); err != nil {
			return err
		} else if removed {
			return s.saveAndPause(ctx, began, d.Project.ID, w, next)
		}
		problems, more, err := s.eachTrashed(ctx, d.Project.ID, w, next, "", func(m layout.Item) error {
			return s.issues.MigrateTrashed(ctx, d, m)
		})
		if err != nil {
			return err
		}
		next.AddProblems(problems)
		if more {
			return s.saveAndPause(ctx, began, d.Project.ID, w, next)
		}
		return s.endJobs(ctx, d, w, next)
	}
	var problems []tracker.Problem
	if w.Exhausted() {
		problems = []tracker.Problem{problemAt(keys[0], work.ErrCrashed)}
	} else if problems, err = s.migrateAll(ctx, d, keys); err != nil {
		return err
	}
	if next.At, err = sortkey.ParseNum(keys[len(keys)-1].SS); err != nil {
		return tracker.Internal("the index has a sort string that is no number", err)
	}
	for i := range next.Jobs {
		if j := &next.Jobs[i]; j.Status == tracker.JobRunning {
			j.At, j.Total = next.At, max(j.Total, next.At)
		}
	}
	next.AddProblems(problems)
	return s.saveAndPause(ctx, began, d.Project.ID, w, next)
}

// nextIssues returns the keys of the next issues by number, at most limit.
func (s *Store) nextIssues(ctx context.Context, p *tracker.Project, at int64,
	limit int) ([]columns.IndexKey, error) {
	page, err := s.issues.QueryKeys(ctx, columns.KeyQuery{Project: p.ID, Shards: p.Shards,
		Column: tracker.ColumnNum, From: sortkey.Num(at + 1), Limit: limit})
	return page.Keys, err
}

// endJobs changes the definition to that of a project without open jobs.
func (s *Store) endJobs(ctx context.Context, d *tracker.Definition, w, next *work.State) error {
	var x client.Transaction
	left := false
	// The pass has also added and removed the entries of empty values.
	for _, f := range d.Fields {
		if f.Rebuilding() || f.Empties.Changing() || len(f.Links) > 0 {
			if left = len(x.Writes) == maxFieldWrites; left {
				break // the next step changes the others
			}
			done := *f
			done.Rebuild, done.From, done.Links = done.Rebuild.Ended(), nil, nil
			done.Empties = done.Empties.Changed()
			s.definitions.PutField(&x, d.Project.ID, &done)
		}
	}
	d.Project.Rebuild = d.Project.Rebuild.Ended()
	d.Project.Empties = d.Project.Empties.Changed()
	for i := range next.Jobs {
		if j := &next.Jobs[i]; j.Open() && !left {
			j.Status, j.Ended, j.At, j.Total = tracker.JobDone, s.t.Time(), max(j.At, d.MaxIssueNum),
				max(j.Total, d.MaxIssueNum)
			j.Options = nil
		}
	}
	work.Put(s.t, &x, d.Project.ID, w, next)
	return s.definitions.WriteProject(ctx, &x, d)
}

// removeTags removes the next tags in the lists of fields that are deleted or have another type. It reports
// whether there were any.
func (s *Store) removeTags(ctx context.Context, d *tracker.Definition, next *work.State) (bool, error) {
	p := d.Project.ID
	for _, j := range next.Jobs {
		if !j.Open() || j.Kind != tracker.JobDeleteField && j.Kind != tracker.JobChangeType {
			continue
		}
		for _, r := range layout.FormerTags(s.t.Keys, p, j.Field, d.Field(j.Field)) {
			removed, err := s.removeChunk(ctx, s.t.Keys.Project(p), r.First, r.Last)
			if removed || err != nil {
				return removed, err
			}
		}
	}
	return false, nil
}

// migrateAll migrates issues. An issue that cannot be migrated is recorded as a problem, and does not stop
// the job.
func (s *Store) migrateAll(ctx context.Context, d *tracker.Definition,
	keys []columns.IndexKey) ([]tracker.Problem,
	error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobParallel)
	errs := make([]error, len(keys))
	for i, k := range keys {
		group.Go(func() error {
			errs[i] = s.issues.Migrate(ctx, d, nil, k.Issue)
			if issues.OfItem(errs[i]) {
				return nil
			}
			return errs[i]
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var problems []tracker.Problem
	for i, err := range errs {
		if err != nil {
			problems = append(problems, problemAt(keys[i], err))
		}
	}
	return problems, nil
}

// problemAt returns a problem of an issue of which only the key was read.
func problemAt(k columns.IndexKey, err error) tracker.Problem {
	num, _ := sortkey.ParseNum(k.SS) // 0 for a damaged key
	return problem(k.Issue, num, err)
}

func problem(id tracker.IssueID, num int64, err error) tracker.Problem {
	return tracker.Problem{Issue: id, Num: num, Reason: tracker.AllOf(err)[0].Message}
}

// eachTrashed calls do for the next issues in the trash, for the job with the id of, or for all running jobs
// if it is empty. It returns the errors caused by the content of issues as problems, and whether there are
// more issues.
func (s *Store) eachTrashed(ctx context.Context, p tracker.ProjectID, w, next *work.State, of string,
	do func(layout.Item) error) (problems []tracker.Problem, more bool, _ error) {
	if next.TrashOf != of {
		next.Trash = nil
	}
	page, more, err := s.issues.TrashList(p).Page(ctx, store.ListQuery{From: next.Trash, Limit: w.Chunk()})
	if err != nil {
		return nil, false, err
	}
	next.Trash, next.TrashOf = nil, ""
	if more {
		next.Trash, next.TrashOf = sortkey.After(page[len(page)-1].Position), of
	}
	if w.Exhausted() {
		for _, found := range page { // its number is not read
			problems = append(problems, problem(found.ID, 0, work.ErrCrashed))
		}
		return problems, more, nil
	}
	all := make([]layout.Key, len(page))
	for i, found := range page {
		all[i] = s.t.Keys.Trash(found.ID)
	}
	items, err := s.t.Get(ctx, all, true)
	if err != nil {
		return nil, false, err
	}
	for i, m := range items {
		if m == nil {
			continue // it was restored or purged
		}
		err := do(m)
		if issues.OfItem(err) {
			problems = append(problems, problem(page[i].ID, layout.GetN(m, "num"), err))
		} else if err != nil {
			return nil, false, err
		}
	}
	return problems, more, nil
}
