package dynamo

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

const (
	// jobChunk is the number of issues processed between saves of the progress, and jobParallel the number
	// processed in parallel.
	jobChunk    = 50
	jobParallel = 4
)

// migrateStep migrates the next issues by number, and after the last one those in the trash.
func (t jobs) migrateStep(ctx context.Context, d *tracker.Definition, w, next *work) error {
	began := time.Now()
	if changed, err := t.beginRemoval(ctx, d, w, next); changed || err != nil {
		return err
	}
	keys, err := t.nextIssues(ctx, &d.Project, w.at, w.chunk())
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		problems, more, err := t.eachTrashed(ctx, d.Project.ID, w, next, "", func(m layout.Item) error {
			return migrator(t).migrateTrashed(ctx, d, m)
		})
		if err != nil {
			return err
		}
		next.addProblems(problems)
		if more {
			return t.saveAndPause(ctx, began, d.Project.ID, w, next)
		}
		return t.endJobs(ctx, d, w, next)
	}
	var problems []tracker.Problem
	if w.exhausted() {
		problems = []tracker.Problem{problemAt(keys[0], errCrashed)}
	} else if problems, err = t.migrateAll(ctx, d, keys); err != nil {
		return err
	}
	if next.at, err = sortkey.ParseNum(keys[len(keys)-1].SS); err != nil {
		return tracker.Internal("the index has a sort string that is no number", err)
	}
	for i := range next.jobs {
		if j := &next.jobs[i]; j.Status == tracker.JobRunning {
			j.At, j.Total = next.at, max(j.Total, next.at)
		}
	}
	next.addProblems(problems)
	return t.saveAndPause(ctx, began, d.Project.ID, w, next)
}

// nextIssues returns the keys of the next issues by number, at most limit.
func (t jobs) nextIssues(ctx context.Context, p *tracker.Project, at int64,
	limit int) ([]columns.IndexKey, error) {
	page, err := reader(t).queryKeys(ctx, columns.KeyQuery{Project: p.ID, Shards: p.Shards,
		Column: tracker.ColumnNum, From: sortkey.Num(at + 1), Limit: limit})
	return page.Keys, err
}

// endJobs changes the definition to that of a project without open jobs.
func (t jobs) endJobs(ctx context.Context, d *tracker.Definition, w, next *work) error {
	var x client.Transaction
	left := false
	// The pass has also added and removed the entries of empty values.
	for _, f := range d.Fields {
		if f.Rebuilding() || f.Empties.Changing() {
			if left = len(x.Writes) == maxFieldWrites; left {
				break // the next step changes the others
			}
			done := *f
			done.Moving, done.Merged, done.From = false, nil, nil
			done.Empties = done.Empties.Changed()
			x.Put(t.db.table, t.keys.EncodeField(d.Project.ID, &done), client.MustExist(errProjectChanged))
		}
	}
	d.Project.Moving, d.Project.Merged = false, nil
	d.Project.Empties = d.Project.Empties.Changed()
	for i := range next.jobs {
		if j := &next.jobs[i]; j.Open() && !left {
			j.Status, j.Ended, j.At, j.Total = tracker.JobDone, t.db.time(), max(j.At, d.MaxIssueNum),
				max(j.Total, d.MaxIssueNum)
		}
	}
	putWork(scope(t), &x, d.Project.ID, w, next)
	return definer(t).writeProject(ctx, &x, d)
}

// migrateAll migrates issues. An issue that cannot be migrated is recorded as a problem, and does not stop
// the job.
func (t jobs) migrateAll(ctx context.Context, d *tracker.Definition,
	keys []columns.IndexKey) ([]tracker.Problem,
	error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobParallel)
	errs := make([]error, len(keys))
	for i, k := range keys {
		group.Go(func() error {
			errs[i] = migrator(t).migrate(ctx, d, nil, k.Issue)
			if ofItem(errs[i]) {
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
func (t jobs) eachTrashed(ctx context.Context, p tracker.ProjectID, w, next *work, of string,
	do func(layout.Item) error) (problems []tracker.Problem, more bool, _ error) {
	if next.trashOf != of {
		next.trash = nil
	}
	page, more, err := reader(t).trashList(p).Page(ctx, ListQuery{From: next.trash, Limit: w.chunk()})
	if err != nil {
		return nil, false, err
	}
	next.trash, next.trashOf = nil, ""
	if more {
		next.trash, next.trashOf = sortkey.After(page[len(page)-1].Position), of
	}
	if w.exhausted() {
		for _, found := range page { // its number is not read
			problems = append(problems, problem(found.ID, 0, errCrashed))
		}
		return problems, more, nil
	}
	all := make([]layout.Key, len(page))
	for i, found := range page {
		all[i] = t.keys.Trash(found.ID)
	}
	items, err := t.db.batchGet(ctx, all, true)
	if err != nil {
		return nil, false, err
	}
	for i, m := range items {
		if m == nil {
			continue // it was restored or purged
		}
		err := do(m)
		if ofItem(err) {
			problems = append(problems, problem(page[i].ID, layout.GetN(m, "num"), err))
		} else if err != nil {
			return nil, false, err
		}
	}
	return problems, more, nil
}
