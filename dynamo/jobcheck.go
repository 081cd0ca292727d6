package dynamo

import (
	"context"
	"time"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// checkStep looks at the values of the next issues, whether a job can convert them. When it has seen all, it begins to, or the job has failed.
func (t *Tenant) checkStep(ctx context.Context, d *tracker.Definition, w, next *work, j *tracker.Job) error {
	f := d.Field(j.Field)
	if f == nil || f.Rebuilding() || f.Type == j.To.Type {
		j.Status, j.Ended = tracker.JobFailed, t.time()
		return t.saveWork(ctx, d.Project.ID, w, next)
	}
	began := time.Now()
	keys, err := t.nextIssues(ctx, d.Project.ID, j.At)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return t.beginConversion(ctx, d, w, next, j)
	}
	ids := make([]tracker.IssueID, len(keys))
	for i, k := range keys {
		ids[i] = k.Issue
	}
	docs, err := t.issues(ctx, ids, true)
	if err != nil {
		return err
	}
	to := converted(f, j.To)
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		v := doc.Values[f.ID]
		text := ""
		if v.Kind == tracker.KindLong && to.Type != tracker.TypeText && to.Type != tracker.TypeLongText {
			if text, err = t.longText(ctx, doc.ID, f.ID, v); err != nil {
				return err
			}
		}
		if _, err := tracker.Convert(to.From, &to, v, text); err != nil {
			if j.ProblemCount++; len(j.Problems) < tracker.MaxProblems {
				j.Problems = append(j.Problems, tracker.Problem{Issue: doc.ID, Num: doc.Num, Why: tracker.AllOf(err)[0].Message})
			}
		}
	}
	if j.At, err = sortkey.ParseNum(keys[len(keys)-1].SS); err != nil {
		return tracker.Internal("the index has a sort string that is no number", err)
	}
	j.Total = max(j.Total, j.At)
	return t.saveAndRest(ctx, began, d.Project.ID, w, next)
}

// beginConversion gives a field its other type, in one transaction with the job.
func (t *Tenant) beginConversion(ctx context.Context, d *tracker.Definition, w, next *work, j *tracker.Job) error {
	if j.ProblemCount > 0 && !j.Remove {
		j.Status, j.Ended = tracker.JobFailed, t.time()
		return t.saveWork(ctx, d.Project.ID, w, next)
	}
	f := converted(d.Field(j.Field), j.To)
	var x transaction
	x.put(t.db, t.keys.encodeField(d.Project.ID, &f), mustExist(errJobs))
	j.Status, j.At = tracker.JobRunning, 0
	next.at, next.since = 0, t.time()
	t.putWork(&x, d.Project.ID, w, next)
	return t.writeProject(ctx, &x, d, errJobs)
}
