package issues

import (
	"bytes"
	"context"
	"errors"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// commit is a change of one issue that is being written. Readers see all of it or nothing, because the
// document is one item, and the long texts that it refers to are never overwritten.
//
// A change that fits into one transaction is written as one. A larger change takes these steps, and a crash
// between any two of them loses nothing:
//
//  1. write the new long texts, which no document refers to yet;
//  2. commit a transaction with the document, what record adds, and the marker, which contains the version of
//     the document. This makes the change visible;
//  3. write the index entries, in transactions that each check that the marker still has this version. The
//     last one removes the marker.
//
// A change of an issue with a marker replaces the marker by one with its own version. So a writer that was
// delayed within step 3 cannot overwrite a newer entry. The change compares all entries with the document,
// because it cannot know which of them were written.
type commit struct {
	definition *tracker.Definition
	// was is an older definition with which the values may have been written, or nil.
	was *tracker.Definition
	// before is the current document, nil if there is none; after is the new one.
	before, after *tracker.Issue
	// unsure is set if the entries may differ from those of before.
	unsure bool
	kind   tracker.ChangeKind
	// at is the time of the change, and by is what made it.
	at time.Time
	by tracker.Actor
	// conflict is the error if the stored document is not before.
	conflict error
	// columns are the columns in which before and after differ. existing contains the entries in the table,
	// if they had to be read because columns do not determine them.
	columns  []tracker.Column
	existing map[layout.Key][]byte
	// parts are the parts of the new long texts, and full contains these texts.
	parts []layout.Item
	full  map[tracker.Column]string
	lost  lostTexts
	// trashed is the issue in the trash that is being restored.
	trashed *tracker.Issue
	// unused are the parts of long texts that after does not refer to.
	unused []layout.Key
	// extra contains writes to be made in the transaction of the document.
	extra client.Transaction
}

// commit makes a change. On an error nothing of the change is made, except that after Unavailable it may have
// been made, because the response was lost.
func (s *Store) commit(ctx context.Context, c *commit) error {
	write, err := s.t.NewID()
	if err != nil {
		return err
	}
	x := s.documentWrites(c, write)
	for _, m := range c.parts {
		x.Put(s.t.Table, m, client.Condition{})
	}
	s.expire(x, c.unused, s.t.KeepHistory)
	tags := s.entryWrites(x, s.entriesBefore(c), s.entriesAfter(c), c.after.Version)
	if x.TooBig != nil {
		return x.TooBig
	}
	if err := s.list(ctx, c.definition, tags); err != nil {
		return err
	}
	if x.Fits() && !c.unsure {
		return s.resolveError(ctx, c, write, s.t.Write(ctx, x))
	}
	return s.commitInSteps(ctx, c, write)
}

// documentWrites returns the transaction that makes a change: the document, what record adds, the idempotency
// key and c.extra.
func (s *Store) documentWrites(c *commit, write string) *client.Transaction {
	var x client.Transaction
	condition := client.MustNotExist(c.conflict)
	if c.before != nil {
		condition = client.MustHaveVersion(c.before.Version, c.conflict)
	}
	x.Put(s.t.Table, s.t.Keys.EncodeIssue(c.after), condition)
	s.record(&x, c, write)
	x.Append(&c.extra)
	s.t.AddOnce(&x, c.after.ID.Issue)
	return &x
}

// resolveError returns nil if a change was made although its write returned err: an earlier attempt succeeded
// and its response was lost. It returns Conflict only if the change was not made, and Unavailable if that
// cannot be determined.
func (s *Store) resolveError(ctx context.Context, c *commit, write string, err error) error {
	code := tracker.CodeOf(err)
	if errors.Is(err, tracker.ErrDefinitionChanged) ||
		code != tracker.Conflict && (code != tracker.Unavailable || ctx.Err() != nil) {
		return err
	}
	readCtx := ctx
	if code == tracker.Conflict { // what is removed after a conflict must not depend on the client's context
		var cancel context.CancelFunc
		readCtx, cancel = store.Completing(ctx)
		defer cancel()
	}
	found, readErr := s.t.Get(readCtx, []layout.Key{s.t.Keys.History(c.after.ID, c.after.Version, 0)},
		true)
	switch {
	case readErr != nil && code == tracker.Conflict:
		// Do not wrap err: a caller that checks for the conflict with errors.Is would repeat the change.
		return client.Unavailable("the change may have been written; check it before you try again", readErr)
	case readErr != nil || found[0] == nil || layout.GetS(found[0], "write") != write:
		return err
	}
	return nil
}

// commitInSteps makes a change that does not fit into one transaction.
func (s *Store) commitInSteps(ctx context.Context, c *commit, write string) error {
	stepCtx, cancel := context.WithTimeout(ctx, longTextTime)
	defer cancel()
	if err := s.t.Put(stepCtx, c.parts...); err != nil {
		s.discard(ctx, c)
		return err
	}
	indexing := *c.after
	indexing.Indexing = true
	c.after = &indexing
	x := s.documentWrites(c, write)
	marker := layout.KeyItem(s.t.Keys.Marker(c.after.ID))
	marker["version"] = layout.N(c.after.Version)
	x.Put(s.t.Table, marker, client.Condition{})
	if err := s.resolveError(ctx, c, write, s.t.Write(stepCtx, x)); err != nil {
		if tracker.CodeOf(err) != tracker.Unavailable {
			s.discard(ctx, c)
		}
		return err
	}
	// Continue even if the client disconnects. If this fails, the next change of the issue, or
	// `check --repair`, completes it.
	ctx, cancel = store.Completing(ctx)
	defer cancel()
	_ = s.index(ctx, c.definition, c.after, c.full, byMarker)
	var rest client.Transaction
	s.expire(&rest, c.unused, s.t.KeepHistory)
	_ = s.t.WriteGuarded(ctx, &rest, nil)
	return nil
}

// discard removes long texts that no document will refer to. `check --repair` removes those it cannot.
func (s *Store) discard(ctx context.Context, c *commit) {
	ctx, cancel := store.Completing(ctx)
	defer cancel()
	all := make([]layout.Key, len(c.parts))
	for i, m := range c.parts {
		all[i] = layout.KeyOf(m)
	}
	_ = s.t.Delete(ctx, all...)
}

// expire makes items expire after keep, so that a client which read the document earlier can still read them.
func (s *Store) expire(x *client.Transaction, all []layout.Key, keep time.Duration) {
	for _, k := range all {
		x.Update(s.t.Table, k, "SET "+layout.AttrExpires+" = :expires",
			layout.Item{":expires": s.t.Expiry(keep)})
	}
}

// entriesBefore returns the entries of the changed columns with their sort strings. The sort string is nil
// for a long text that is not loaded.
func (s *Store) entriesBefore(c *commit) map[layout.Key][]byte {
	if c.existing != nil {
		return s.known(c.definition, c.after, c.existing, c.lost)
	}
	existing := map[layout.Key][]byte{}
	if c.before == nil {
		return existing
	}
	for _, column := range c.columns {
		for _, e := range s.t.Keys.EntriesOf(c.definition, c.before, column, "") {
			if existing[e.Key] = e.Sort; c.before.Values[column.Field()].Kind == tracker.KindLong {
				existing[e.Key] = nil
			}
		}
	}
	return existing
}

func (s *Store) entriesAfter(c *commit) []layout.Entry {
	if c.existing != nil {
		return s.readable(c.after.ID, s.t.Keys.AllEntries(c.definition, c.after, c.full),
			c.lost)
	}
	columns := c.columns
	if c.before == nil {
		columns = layout.EntryColumns(c.definition, c.after)
	}
	var out []layout.Entry
	for _, column := range columns {
		out = append(out, s.t.Keys.EntriesOf(c.definition, c.after, column, c.full[column])...)
	}
	return s.readable(c.after.ID, out, c.lost)
}

// entryWrites adds the writes that replace the entries in existing by those in want. It returns the keys of
// the tags that must be listed before (I7).
func (s *Store) entryWrites(x *client.Transaction, existing map[layout.Key][]byte, want []layout.Entry,
	version int64) (tags []layout.Key) {
	for _, e := range want {
		ss := existing[e.Key]
		delete(existing, e.Key)
		if !bytes.Equal(ss, e.Sort) { // no sort string is empty
			x.Put(s.t.Table, e.Item(version), client.Condition{})
			tags = e.AppendTag(tags)
		}
	}
	for k := range existing {
		x.Delete(s.t.Table, k, client.Condition{})
	}
	return tags
}
