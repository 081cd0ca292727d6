package dynamo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/aws/smithy-go"
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
)

// RunJobs does the jobs of a project until none is open, or another server is at them. It can be ended at any moment; who calls it next goes on.
// Between the chunks of its work it waits as long as the last one took, so that it takes half of what it could.
func (t *Tenant) RunJobs(ctx context.Context, p tracker.ProjectID) error {
	_, err := t.doJobs(ctx, p)
	return err
}

// doJobs tells whether some are left, because another server is at them.
func (t *Tenant) doJobs(ctx context.Context, p tracker.ProjectID) (left bool, err error) {
	t = t.As(jobsName)
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
		next, pause, err := t.workOn(ctx, p, owner)
		if err != nil && err != error(errJobs) { // then a job was added, or another server has taken over
			return false, err
		}
		if err == nil && next != goOn {
			return next == held, nil
		}
		if err := wait(ctx, pause); err != nil {
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
func (t *Tenant) workOn(ctx context.Context, p tracker.ProjectID, owner string) (then turn, pause time.Duration, err error) {
	leave, err := t.db.jobs.enter(ctx)
	if err != nil {
		return goOn, 0, err
	}
	defer leave()
	d, w, err := t.readProject(ctx, p)
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
			next.since = t.time()
		}
		return goOn, 0, t.saveWork(ctx, p, w, &next)
	}
	if left := w.since.Add(t.db.settleTime()).Sub(t.db.now()); left > 0 {
		return goOn, min(left, leaseTime/3), t.saveWork(ctx, p, w, &next)
	}
	if d.Project.Deleted {
		return goOn, 0, t.deleteProject(ctx, d, w, &next)
	}
	for i := range next.jobs {
		if j := &next.jobs[i]; j.Status == tracker.JobChecking {
			return goOn, 0, t.checkStep(ctx, d, w, &next, j)
		}
	}
	return goOn, 0, t.migrateStep(ctx, d, w, &next)
}

// settleTime is how long after a change of a definition something may still be written with an older one, or be missing in the index.
func (db *DB) settleTime() time.Duration { return db.ttl + db.writeTime + db.writeTime/6 }

// leaveJobs lets others take over at once.
func (t *Tenant) leaveJobs(ctx context.Context, p tracker.ProjectID, owner string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, w, err := t.readProject(ctx, p); err == nil && w != nil && w.owner == owner {
		next := *w
		next.owner = ""
		_ = t.saveWork(ctx, p, w, &next)
	}
}

// saveAndRest writes down how far the work is, and waits for as long as that took since it began.
func (t *Tenant) saveAndRest(ctx context.Context, began time.Time, p tracker.ProjectID, w, next *work) error {
	if err := t.saveWork(ctx, p, w, next); err != nil {
		return err
	}
	return wait(ctx, min(time.Since(began), leaseTime/3))
}

// migrateStep brings the next issues by number up to date, and behind the last one those in the trash.
func (t *Tenant) migrateStep(ctx context.Context, d *tracker.Definition, w, next *work) error {
	began := time.Now()
	keys, err := t.nextIssues(ctx, d.Project.ID, w.at)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		w, problems, err := t.eachTrashed(ctx, d.Project.ID, w, next, func(m item) error { return t.migrateTrashed(ctx, d, m) })
		if err != nil {
			return err
		}
		next.tell(problems)
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
			for _, p := range problems {
				j.Add(p)
			}
			return
		}
	}
}

// eachTrashed does something with every issue in the trash. It returns the work as it is then, and what can't be done because of what an issue is.
func (t *Tenant) eachTrashed(ctx context.Context, p tracker.ProjectID, w, next *work, do func(item) error) (_ *work, problems []tracker.Problem, _ error) {
	q := ListQuery{Limit: jobChunk}
	for {
		began := time.Now()
		page, more, err := t.ListTrash(ctx, p, q)
		if err != nil {
			return nil, nil, err
		}
		all := make([]Key, len(page))
		for i, found := range page {
			all[i], q.From = t.keys.trash(found.ID), behindPosition(found.Position)
		}
		items, err := t.db.batchGet(ctx, all, true)
		if err != nil {
			return nil, nil, err
		}
		for i, m := range items {
			if m == nil {
				continue // it was restored, or removed for good
			}
			err := do(m)
			if ofItem(err) {
				problems = append(problems, problem(page[i].ID, getN(m, "num"), err))
			} else if err != nil {
				return nil, nil, err
			}
		}
		if !more {
			return w, problems, nil
		}
		if err := t.saveAndRest(ctx, began, p, w, next); err != nil {
			return nil, nil, err
		}
		saved := *next
		w = &saved
	}
}

// migrateTrashed converts the values of a deleted issue, because nobody can when the jobs have ended. Its history has what that changed. Who restores
// it meanwhile finds another version, and begins again.
func (t *Tenant) migrateTrashed(ctx context.Context, d *tracker.Definition, trashed item) error {
	doc, err := t.keys.decodeIssue(trashed)
	if err != nil {
		return err
	}
	now, err := t.converted(ctx, d, doc)
	if err != nil || now == doc {
		return err
	}
	c, err := t.conversion(d, doc, now)
	if err != nil {
		return err
	}
	write, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	converted := t.keys.encodeIssue(c.after)
	for name, v := range trashed { // when, by whom, and until when it was deleted
		if _, ofIssue := converted[name]; !ofIssue && name != "values" && name != "gens" && name != attrHas {
			converted[name] = v
		}
	}
	converted[attrSK], converted[attrSS] = trashed[attrSK], trashed[attrSS]
	var parts transaction
	for _, m := range c.parts {
		m[attrExpires] = avN(getN(trashed, attrExpires) + int64(trashMargin.Seconds()))
		parts.put(t.db, m, condition{})
	}
	if err := t.db.writeGuarded(ctx, &parts, nil); err != nil {
		return err
	}
	var x transaction
	x.put(t.db, converted, mustHaveVersion(doc.Version, errOutrun))
	for _, m := range t.encodeHistory(c, write) {
		x.put(t.db, m, condition{})
	}
	t.expire(&x, c.unused, t.db.keepHistory)
	if err := t.db.write(ctx, &x); err != error(errOutrun) {
		return err
	}
	t.discard(ctx, c)
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
			num, _ := sortkey.ParseNum(keys[i].SS) // 0 of a key that is damaged
			problems = append(problems, problem(keys[i].Issue, num, err))
		}
	}
	return problems, nil
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
		if err != error(errOutrun) {
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
	c := &commit{definition: d, before: doc, after: &next, kind: tracker.Updated, raced: errOutrun, full: map[tracker.Column]string{}}
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
			c.unused = append(c.unused, t.keys.partKeys(doc.ID, id.Column(), was.Long())...)
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
