package jobs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/issues"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// checkStep checks whether a job can convert the values of the next issues, and after the last issue those in
// the trash. When all are checked, the conversion begins or the job fails. Values written meanwhile can be
// converted (tracker.Field.CheckWrite), because the job started after all servers had read the definition
// with the new type.
func (s *Store) checkStep(ctx context.Context, d *tracker.Definition, w, next *work.State,
	j *tracker.Job) error {
	began := time.Now()
	f := d.Field(j.Field)
	if f == nil || f.Next == nil { // the field was deleted
		j.Status, j.Ended, j.Options = tracker.JobFailed, s.t.Time(), nil
		j.Reason = "the field was deleted"
		next.Trash, next.TrashOf = nil, ""
		return work.Save(ctx, s.t, d.Project.ID, w, next)
	}
	keys, err := s.nextIssues(ctx, &d.Project, j.At, w.Chunk())
	if err != nil {
		return err
	}
	if len(keys) > 0 && w.Exhausted() {
		j.Add(problemAt(keys[0], work.ErrCrashed))
		j.Reason = work.Crashed
		return s.beginConversion(ctx, d, w, next, j)
	}
	c := newConversion(f, j)
	if len(keys) == 0 {
		problems, more, err := s.eachTrashed(ctx, d.Project.ID, w, next, j.ID, func(m layout.Item) error {
			doc, err := s.t.Keys.DecodeIssue(m)
			if err != nil {
				return err
			}
			return s.checkValue(ctx, c, doc)
		})
		if err != nil {
			return err
		}
		if c.save(j); w.Exhausted() && len(problems) > 0 {
			j.Reason = work.Crashed
		}
		j.Add(problems...)
		if more && j.Reason == "" {
			return s.saveAndPause(ctx, began, d.Project.ID, w, next)
		}
		return s.beginConversion(ctx, d, w, next, j)
	}
	if err := s.checkIssues(ctx, c, keys, j); err != nil {
		return err
	}
	if c.save(j); j.Reason != "" {
		return s.beginConversion(ctx, d, w, next, j)
	}
	if j.At, err = sortkey.ParseNum(keys[len(keys)-1].SS); err != nil {
		return tracker.Internal("the index has a sort string that is no number", err)
	}
	j.Total = max(j.Total, j.At)
	return s.saveAndPause(ctx, began, d.Project.ID, w, next)
}

// conversion is a change of the form of a field whose values are being checked.
type conversion struct {
	field tracker.Field // with the new form
	// create is set if options are created from the values; given is the number of options before.
	create bool
	given  int
	failed error // that no more options can be created
}

func newConversion(f *tracker.Field, j *tracker.Job) *conversion {
	c := &conversion{field: f.As(*f.Next), create: f.Next.FromValues}
	c.given = len(c.field.Options)
	c.field.Options = append(slices.Clip(c.field.Options), j.Options...)
	return c
}

// save records in the job the options that were created, and why it fails, if it must.
func (c *conversion) save(j *tracker.Job) {
	j.Options = c.field.Options[c.given:]
	if c.failed != nil {
		j.Reason = c.failed.Error()
	}
}

func (s *Store) checkIssues(ctx context.Context, c *conversion, keys []columns.IndexKey,
	j *tracker.Job) error {
	ids := make([]tracker.IssueID, len(keys))
	for i, k := range keys {
		ids[i] = k.Issue
	}
	docs, err := s.issues.IssuesConsistent(ctx, ids)
	if issues.OfItem(err) && len(keys) > 1 { // find the damaged one
		for i := range keys {
			if err := s.checkIssues(ctx, c, keys[i:i+1], j); err != nil {
				return err
			}
		}
		return nil
	}
	if issues.OfItem(err) {
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
		if err := s.checkValue(ctx, c, doc); issues.OfItem(err) {
			j.Add(problem(doc.ID, doc.Num, err))
		} else if err != nil {
			return err
		}
	}
	return nil
}

// checkValue returns an error of the item (issues.OfItem) if the value of an issue cannot be converted.
func (s *Store) checkValue(ctx context.Context, c *conversion, doc *tracker.Issue) error {
	to := &c.field
	v, text := doc.Values[to.ID], ""
	if v.Kind == tracker.KindLong && !to.Type.LongTexts() {
		var err error
		if text, err = s.issues.LongText(ctx, doc.ID, to.ID, v); err != nil {
			return err
		}
	}
	if c.create && c.failed == nil {
		err := to.CreateOptions(v, text)
		if errors.Is(err, tracker.ErrTooManyOptions) {
			c.failed = err
			return nil
		}
		if err != nil {
			return err
		}
	}
	_, err := tracker.Convert(to.From, to, v, text)
	return err
}

// beginConversion changes the type of a field, or leaves it unchanged if there are problems, in one
// transaction with the job.
func (s *Store) beginConversion(ctx context.Context, d *tracker.Definition, w, next *work.State,
	j *tracker.Job) error {
	old := d.Field(j.Field)
	var changed tracker.Field
	var x client.Transaction
	if j.Reason != "" || j.ProblemCount > 0 && !old.Removes {
		changed = *old
		changed.Next = nil
		j.Status, j.Ended = tracker.JobFailed, s.t.Time()
		if next.TrashOf == j.ID {
			next.Trash, next.TrashOf = nil, ""
		}
	} else {
		changed = old.As(*old.Next)
		created := slices.Clone(j.Options)
		slices.SortFunc(created, func(a, b tracker.Option) int {
			return cmp.Or(bytes.Compare(sortkey.Text(a.Name), sortkey.Text(b.Name)),
				cmp.Compare(a.Name, b.Name))
		})
		changed.Options = append(slices.Clip(changed.Options), created...)
		j.Status, j.At = tracker.JobRunning, 0
		next.Restart()
		asked := *s.t
		asked.By.Name, asked.By.User = j.By, j.ByUser
		definitions.Of(&asked, s.runner.definitions).Record(&x, &d.Project, d.Project.Version+1,
			changed.ChangesOf(old))
	}
	j.Options = nil
	s.definitions.PutField(&x, d.Project.ID, &changed)
	work.Put(s.t, &x, d.Project.ID, w, next)
	return s.definitions.WriteProject(ctx, &x, d)
}
