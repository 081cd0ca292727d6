package dynamo

import (
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

const (
	// leaseTime is how long a server that is at the jobs of a project may be silent before another one takes them over.
	leaseTime = 30 * time.Second
	// jobChunk is how many issues are dealt with before that is written down, and jobParallel how many of them at a time.
	jobChunk    = 50
	jobParallel = 4
	// lateMargin is how much earlier than the change the issues were changed that are looked at once more, because clocks differ.
	lateMargin = time.Minute
)

// RunJobs does the jobs of a project until none is open, or another server is at them. It can be ended at any moment; who calls it next goes on.
// Between the chunks of its work it waits as long as the last one took, so that it takes half of what it could.
func (t *Tenant) RunJobs(ctx context.Context, p tracker.ProjectID) error {
	t = t.As(jobsName)
	owner, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	defer func() {
		if ctx.Err() != nil {
			t.leaveJobs(context.WithoutCancel(ctx), p, owner)
		}
	}()
	for {
		d, w, err := t.readProject(ctx, p)
		if tracker.CodeOf(err) == tracker.NotFound || err == nil && (w == nil || !w.open()) {
			return nil
		}
		if err != nil {
			return err
		}
		if w.owner != owner && w.until.After(t.db.now()) {
			return nil
		}
		err = t.jobStep(ctx, d, w, owner)
		switch {
		case err == error(errJobs): // a job was added, or another server has taken over
		case err != nil:
			return err
		}
		if err := ctx.Err(); err != nil {
			return translate(err)
		}
	}
}

// leaveJobs lets others take over at once.
func (t *Tenant) leaveJobs(ctx context.Context, p tracker.ProjectID, owner string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, w, err := t.readProject(ctx, p); err == nil && w != nil && w.owner == owner {
		next := *w
		next.owner, next.until = "", time.Time{}
		_ = t.saveWork(ctx, p, w, &next)
	}
}

// jobStep does the next chunk.
func (t *Tenant) jobStep(ctx context.Context, d *tracker.Definition, w *work, owner string) error {
	next := *w
	next.jobs = slices.Clone(w.jobs)
	next.owner, next.until = owner, t.db.now().Add(leaseTime)
	if w.owner != owner {
		return t.saveWork(ctx, d.Project.ID, w, &next)
	}
	if d.Project.Deleted {
		return t.deleteProject(ctx, d, w, &next)
	}
	for i := range next.jobs {
		if j := &next.jobs[i]; j.Status == tracker.JobChecking {
			return t.checkStep(ctx, d, w, &next, j)
		}
	}
	switch grace := w.since.Add(t.db.ttl + t.db.writeTime); {
	case !w.late:
		return t.passStep(ctx, d, w, &next)
	case t.db.now().Before(grace):
		return t.rest(ctx, min(grace.Sub(t.db.now()), leaseTime/3), d.Project.ID, w, &next)
	}
	return t.lateStep(ctx, d, w, &next)
}

// rest waits, and writes down that somebody is still at it.
func (t *Tenant) rest(ctx context.Context, span time.Duration, p tracker.ProjectID, w, next *work) error {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return translate(ctx.Err())
	case <-timer.C:
	}
	next.until = t.db.now().Add(leaseTime)
	return t.saveWork(ctx, p, w, next)
}

// passStep brings the next issues by number up to date.
func (t *Tenant) passStep(ctx context.Context, d *tracker.Definition, w, next *work) error {
	keys, err := t.nextIssues(ctx, d.Project.ID, w.at)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		next.late = true
		return t.saveWork(ctx, d.Project.ID, w, next)
	}
	began := t.db.now()
	if err := t.migrateAll(ctx, d, keys); err != nil {
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
	return t.rest(ctx, t.db.now().Sub(began), d.Project.ID, w, next)
}

// nextIssues are the keys of the next issues by number.
func (t *Tenant) nextIssues(ctx context.Context, p tracker.ProjectID, at int64) ([]IndexKey, error) {
	page, err := t.QueryKeys(ctx, KeyQuery{Project: p, Column: tracker.ColumnNum, From: sortkey.Num(at + 1), Limit: jobChunk})
	return page.Keys, err
}

// lateStep brings those issues up to date that were changed since, perhaps by a server that did not know of the change yet, and ends the jobs.
func (t *Tenant) lateStep(ctx context.Context, d *tracker.Definition, w, next *work) error {
	q := KeyQuery{Project: d.Project.ID, Column: tracker.ColumnUpdated, From: sortkey.Time(w.since.Add(-lateMargin)), Limit: jobChunk}
	for {
		page, err := t.QueryKeys(ctx, q)
		if err != nil {
			return err
		}
		if err := t.migrateAll(ctx, d, page.Keys); err != nil {
			return err
		}
		if page.Last == nil {
			break
		}
		q.From = behindPosition(page.Last)
	}
	if err := t.migrateTrash(ctx, d); err != nil {
		return err
	}
	return t.endJobs(ctx, d, w, next)
}

// migrateTrash converts the values of deleted issues, because nobody can when the jobs have ended.
func (t *Tenant) migrateTrash(ctx context.Context, d *tracker.Definition) error {
	q := ListQuery{Limit: jobChunk}
	for more := true; more; {
		var page []Listed[tracker.IssueID]
		var err error
		if page, more, err = t.ListTrash(ctx, d.Project.ID, q); err != nil {
			return err
		}
		for _, found := range page {
			q.From = behindPosition(found.Position)
			if err := t.migrateTrashed(ctx, d, found.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Tenant) migrateTrashed(ctx context.Context, d *tracker.Definition, id tracker.IssueID) error {
	items, err := t.db.batchGet(ctx, []Key{t.keys.trash(id)}, true)
	if err != nil || items[0] == nil {
		return err
	}
	doc, err := t.keys.decodeIssue(items[0])
	if err != nil {
		return err
	}
	now, err := t.converted(ctx, d, doc)
	if err != nil || now == doc {
		return err
	}
	converted := t.keys.encodeIssue(now)
	for name, v := range items[0] { // when, by whom, and until when it was deleted
		if _, ofIssue := converted[name]; !ofIssue && name != "values" && name != "gens" && name != attrHas {
			converted[name] = v
		}
	}
	converted[attrSK], converted[attrSS] = items[0][attrSK], items[0][attrSS]
	var x transaction
	x.put(t.db, converted, mustHaveVersion(doc.Version, errOutrun))
	if err := t.db.write(ctx, &x); err != error(errOutrun) {
		return err
	}
	return nil // it was restored meanwhile, and so converted
}

// endJobs makes the definition that of a project without jobs.
func (t *Tenant) endJobs(ctx context.Context, d *tracker.Definition, w, next *work) error {
	var x transaction
	for _, f := range d.Fields {
		if f.Rebuilding() {
			done := *f
			done.Moving, done.Merged, done.From = false, nil, nil
			x.put(t.db, t.keys.encodeField(d.Project.ID, &done), mustExist(errJobs))
		}
	}
	for i := range next.jobs {
		if j := &next.jobs[i]; j.Open() {
			j.Status, j.Ended, j.At, j.Total = tracker.JobDone, t.time(), max(j.At, d.Highest), max(j.Total, d.Highest)
		}
	}
	next.owner, next.until = "", time.Time{}
	t.putWork(&x, d.Project.ID, w, next)
	return t.writeProject(ctx, &x, d, errJobs)
}

func (t *Tenant) migrateAll(ctx context.Context, d *tracker.Definition, keys []IndexKey) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobParallel)
	for _, k := range keys {
		group.Go(func() error { return t.migrate(ctx, d, k.Issue) })
	}
	return group.Wait()
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
		if err != error(errOutrun) {
			return err
		}
		if err := raced(ctx, try); err != nil {
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
	c := &commit{definition: d, before: doc, after: now, unsure: marked, kind: tracker.Updated, raced: errOutrun, full: map[tracker.Column]string{}}
	now.Version++
	now.Indexing = false
	for id, was := range doc.Values {
		if is := now.Values[id]; !is.Equal(was) {
			c.columns = append(c.columns, id.Column())
			if was.Kind == tracker.KindLong && is.Kind != tracker.KindLong {
				c.unused = append(c.unused, t.keys.partKeys(doc.ID, id.Column(), was.Long())...)
			}
		}
	}
	if c.full, err = t.sortedTexts(ctx, d, now, nil); err != nil {
		return err
	}
	if c.had, err = t.entriesNow(ctx, doc.ID); err != nil {
		return err
	}
	return t.commit(ctx, c)
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
		if f == nil { // it was deleted
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
