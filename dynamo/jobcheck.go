package dynamo

import (
	"context"
	"time"

	"issuegrid/columns"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// checkStep checks whether a job can convert the values of the next issues, and after the last issue those in
// the trash. When all are checked, the conversion begins or the job fails. Values written meanwhile can be
// converted (tracker.Field.CheckWrite), because the job started after all servers had read the definition
// with the new type.
func (t jobs) checkStep(ctx context.Context, d *tracker.Definition, w, next *work, j *tracker.Job) error {
	began := time.Now()
	f := d.Field(j.Field)
	if f == nil || f.Next == nil { // the field was deleted
		j.Status, j.Ended = tracker.JobFailed, t.db.time()
		next.trash, next.trashOf = nil, ""
		return saveWork(ctx, scope(t), d.Project.ID, w, next)
	}
	keys, err := t.nextIssues(ctx, d.Project.ID, j.At)
	if err != nil {
		return err
	}
	to := f.As(*f.Next)
	if len(keys) == 0 {
		problems, more, err := t.eachTrashed(ctx, d.Project.ID, next, j.ID, func(m layout.Item) error {
			doc, err := t.keys.DecodeIssue(m)
			if err != nil {
				return err
			}
			return t.checkValue(ctx, &to, doc)
		})
		if err != nil {
			return err
		}
		j.Add(problems...)
		if more {
			return t.saveAndPause(ctx, began, d.Project.ID, w, next)
		}
		return t.beginConversion(ctx, d, w, next, j)
	}
	if err := t.checkIssues(ctx, &to, keys, j); err != nil {
		return err
	}
	if j.At, err = sortkey.ParseNum(keys[len(keys)-1].SS); err != nil {
		return tracker.Internal("the index has a sort string that is no number", err)
	}
	j.Total = max(j.Total, j.At)
	return t.saveAndPause(ctx, began, d.Project.ID, w, next)
}

func (t jobs) checkIssues(ctx context.Context, to *tracker.Field, keys []columns.IndexKey,
	j *tracker.Job) error {
	ids := make([]tracker.IssueID, len(keys))
	for i, k := range keys {
		ids[i] = k.Issue
	}
	docs, err := reader(t).issues(ctx, ids, true)
	if ofItem(err) && len(keys) > 1 { // find the damaged one
		for i := range keys {
			if err := t.checkIssues(ctx, to, keys[i:i+1], j); err != nil {
				return err
			}
		}
		return nil
	}
	if ofItem(err) {
		j.Add(problemAt(keys[0], err))
		return nil
	}
	if err != nil {
		return err
	}
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		if err := t.checkValue(ctx, to, doc); ofItem(err) {
			j.Add(problem(doc.ID, doc.Num, err))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// checkValue returns an error of the item (ofItem) if the value of an issue cannot be converted.
func (t jobs) checkValue(ctx context.Context, to *tracker.Field, doc *tracker.Issue) error {
	v, text := doc.Values[to.ID], ""
	if v.Kind == tracker.KindLong && !to.Type.LongTexts() {
		var err error
		if text, err = reader(t).longText(ctx, doc.ID, to.ID, v); err != nil {
			return err
		}
	}
	_, err := tracker.Convert(to.From, to, v, text)
	return err
}

// beginConversion changes the type of a field, or leaves it unchanged if there are problems, in one
// transaction with the job.
func (t jobs) beginConversion(ctx context.Context, d *tracker.Definition, w, next *work,
	j *tracker.Job) error {
	old := d.Field(j.Field)
	var changed tracker.Field
	if j.ProblemCount > 0 && !old.Removes {
		changed = *old
		changed.Next = nil
		j.Status, j.Ended = tracker.JobFailed, t.db.time()
	} else {
		changed = old.As(*old.Next)
		j.Status, j.At = tracker.JobRunning, 0
		// start over, after all servers have read the new definition
		next.at, next.since, next.owner = 0, time.Time{}, ""
	}
	var x client.Transaction
	x.Put(t.db.table, t.keys.EncodeField(d.Project.ID, &changed), client.MustExist(errProjectChanged))
	putWork(scope(t), &x, d.Project.ID, w, next)
	return definer(t).writeProject(ctx, &x, d)
}
