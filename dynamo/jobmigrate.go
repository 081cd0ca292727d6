package dynamo

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/aws/smithy-go"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

const (
	// jobChunk is how many issues are dealt with before that is written down, and jobParallel how many of them at a time.
	jobChunk    = 50
	jobParallel = 4
)

// migrateStep brings the next issues by number up to date, and behind the last one those in the trash.
func (t *Tenant) migrateStep(ctx context.Context, d *tracker.Definition, w, next *work) error {
	began := time.Now()
	keys, err := t.nextIssues(ctx, d.Project.ID, w.at)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		problems, more, err := t.someTrashed(ctx, d.Project.ID, next, "", func(m layout.Item) error { return t.migrateTrashed(ctx, d, m) })
		if err != nil {
			return err
		}
		next.tell(problems)
		if more {
			return t.saveAndRest(ctx, began, d.Project.ID, w, next)
		}
		return t.endJobs(ctx, d, w, next)
	}
	problems, err := t.migrateAll(ctx, d, keys)
	if err != nil {
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
	next.tell(problems)
	return t.saveAndRest(ctx, began, d.Project.ID, w, next)
}

// nextIssues are the keys of the next issues by number.
func (t *Tenant) nextIssues(ctx context.Context, p tracker.ProjectID, at int64) ([]IndexKey, error) {
	page, err := t.QueryKeys(ctx, KeyQuery{Project: p, Column: tracker.ColumnNum, From: sortkey.Num(at + 1), Limit: jobChunk})
	return page.Keys, err
}

// tell adds problems to a job that is running, the newest.
func (w *work) tell(problems []tracker.Problem) {
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Status == tracker.JobRunning {
			j.Add(problems...)
			return
		}
	}
}

// endJobs makes the definition that of a project without jobs.
func (t *Tenant) endJobs(ctx context.Context, d *tracker.Definition, w, next *work) error {
	var x client.Transaction
	for _, f := range d.Fields {
		if f.Rebuilding() {
			done := *f
			done.Moving, done.Merged, done.From = false, nil, nil
			x.Put(t.db.table, t.keys.EncodeField(d.Project.ID, &done), client.MustExist(errJobs))
		}
	}
	for i := range next.jobs {
		if j := &next.jobs[i]; j.Open() {
			j.Status, j.Ended, j.At, j.Total = tracker.JobDone, t.time(), max(j.At, d.Highest), max(j.Total, d.Highest)
		}
	}
	t.putWork(&x, d.Project.ID, w, next)
	return t.writeProject(ctx, &x, d, errJobs)
}

// migrateAll brings issues up to date. What can't be because of what they are is a problem, and keeps the job from nothing else.
func (t *Tenant) migrateAll(ctx context.Context, d *tracker.Definition, keys []IndexKey) ([]tracker.Problem, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobParallel)
	errs := make([]error, len(keys))
	for i, k := range keys {
		group.Go(func() error {
			errs[i] = t.migrate(ctx, d, k.Issue)
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

// problemAt is a problem of an issue of which only the key was read.
func problemAt(k IndexKey, err error) tracker.Problem {
	num, _ := sortkey.ParseNum(k.SS) // 0 of a key that is damaged
	return problem(k.Issue, num, err)
}

func problem(id tracker.IssueID, num int64, err error) tracker.Problem {
	return tracker.Problem{Issue: id, Num: num, Why: tracker.AllOf(err)[0].Message}
}

// ofItem tells that an error is because of what an item is, and not of the database, so that trying again comes to the same.
func ofItem(err error) bool {
	e, ok := errors.AsType[*tracker.Error](err)
	_, said := errors.AsType[smithy.APIError](err)
	return ok && !said && (e.Code == tracker.InternalErr || e.Code == tracker.BadInput)
}

// migrate brings an issue up to date with the definition, its document and its index entries. What it removes of a document is in the history.
func (t *Tenant) migrate(ctx context.Context, d *tracker.Definition, id tracker.IssueID) error {
	own := *t
	own.once = nil // the key is that of the change which comes behind it: with it the change would be taken for made
	t = &own
	for try := 1; ; try++ {
		found, err := t.issues(ctx, []tracker.IssueID{id}, true)
		if err != nil || found[0] == nil {
			return err
		}
		err = t.migrateVersion(ctx, d, found[0])
		if err != error(client.ErrOutrun) {
			return err
		}
		if err := t.db.raced(ctx, try); err != nil {
			return err
		}
	}
}

func (t *Tenant) migrateVersion(ctx context.Context, d *tracker.Definition, doc *tracker.Issue) error {
	marked, err := t.marked(ctx, doc)
	if err != nil {
		return err
	}
	now, err := t.converted(ctx, d, doc)
	if err != nil {
		return err
	}
	if now == doc {
		by := byDocument
		if marked {
			by = byMarker
		}
		return t.index(ctx, d, doc, nil, by)
	}
	c, err := t.conversion(d, doc, now)
	if err != nil {
		return err
	}
	c.unsure = marked
	if c.full, c.lost, err = t.sortedTexts(ctx, d, c.after, c.full); err != nil {
		return err
	}
	if c.had, err = t.entriesNow(ctx, doc.ID); err != nil {
		return err
	}
	if err := t.commit(ctx, c); err != nil {
		return err
	}
	if marked, err := t.marked(ctx, c.after); err != nil || !marked {
		return err
	}
	return t.index(ctx, d, c.after, c.full, byMarker) // whose errors commit leaves to the next change, which a job is not followed by
}

// conversion is the commit that makes a document what it is converted to.
func (t *Tenant) conversion(d *tracker.Definition, doc, now *tracker.Issue) (*commit, error) {
	once, err := tracker.NewID(t.db.random)
	if err != nil {
		return nil, err
	}
	next := *now
	c := &commit{definition: d, before: doc, after: &next, kind: tracker.Updated, raced: client.ErrOutrun, full: map[tracker.Column]string{}}
	next.Version++
	next.Indexing = false
	next.Values = maps.Clone(now.Values)
	for id, was := range doc.Values {
		is := now.Values[id]
		if is.Equal(was) {
			continue
		}
		c.columns = append(c.columns, id.Column())
		if was.Kind == tracker.KindLong && is.Kind != tracker.KindLong {
			c.unused = append(c.unused, t.keys.PartKeys(doc.ID, id.Column(), was.Long())...)
		}
		if is.Kind == tracker.KindText {
			next.Values[id] = t.shorten(c, id.Column(), is, once)
		}
	}
	return c, nil
}

// converted is the document as the definition has it, long texts too; the same one if it is that already.
func (t *Tenant) converted(ctx context.Context, d *tracker.Definition, doc *tracker.Issue) (*tracker.Issue, error) {
	now := d.Current(doc)
	own := func() {
		if now == doc {
			copied := *doc
			now = &copied
			now.Values, now.Gens = maps.Clone(doc.Values), maps.Clone(doc.Gens)
		}
	}
	for id, v := range doc.Values {
		f := d.Field(id)
		if f == nil && !deleting(d, id) {
			continue // another server has made it since the definition was read
		}
		if f == nil {
			own()
			delete(now.Values, id)
			delete(now.Gens, id)
			continue
		}
		if v.Kind != tracker.KindLong || f.From == nil || doc.Gens[id] == f.Gen || now.Values[id].Kind == tracker.KindLong {
			continue
		}
		text, err := t.longText(ctx, doc.ID, id, v)
		if err != nil {
			return nil, err
		}
		if short, err := tracker.Convert(f.From, f, v, text); err == nil && short.Kind != tracker.KindNone {
			own()
			if now.Gens == nil {
				now.Gens = map[tracker.FieldID]int64{}
			}
			now.Values[id], now.Gens[id] = short, f.Gen
		}
	}
	return now, nil
}

// longText reads the text of one value.
func (t *Tenant) longText(ctx context.Context, id tracker.IssueID, f tracker.FieldID, v tracker.Value) (string, error) {
	texts, errs := t.LongTexts(ctx, []tracker.LongRef{{Issue: id, Column: f.Column(), Long: v.Long()}})
	return texts[0], errs[0]
}
