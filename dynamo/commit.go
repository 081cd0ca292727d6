package dynamo

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
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
	// before is the current document, nil if there is none; after is the new one.
	before, after *tracker.Issue
	// unsure is set if the entries may differ from those of before.
	unsure bool
	kind   tracker.ChangeKind
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

// IndexTime limits the time of the steps that follow a change which is already visible. They continue if the
// client disconnects.
const IndexTime = time.Minute

// commit makes a change. On an error nothing of the change is made, except that after Unavailable it may have
// been made, because the response was lost.
func (t committer) commit(ctx context.Context, c *commit) error {
	write, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	x := t.documentWrites(c, write)
	for _, m := range c.parts {
		x.Put(t.db.table, m, client.Condition{})
	}
	t.expire(x, c.unused, t.db.keepHistory)
	indexer(t).entryWrites(x, t.entriesBefore(c), t.entriesAfter(c), c.after.Version)
	if x.TooBig != nil {
		return x.TooBig
	}
	if x.Fits() && !c.unsure {
		return t.resolveError(ctx, c, write, t.db.write(ctx, x))
	}
	return t.commitInSteps(ctx, c, write)
}

// documentWrites returns the transaction that makes a change: the document, what record adds, the idempotency
// key and c.extra.
func (t committer) documentWrites(c *commit, write string) *client.Transaction {
	var x client.Transaction
	condition := client.MustNotExist(c.conflict)
	if c.before != nil {
		condition = client.MustHaveVersion(c.before.Version, c.conflict)
	}
	x.Put(t.db.table, t.keys.EncodeIssue(c.after), condition)
	t.record(&x, c, write)
	x.Append(&c.extra)
	idempotency(t).addTo(&x, c.after.ID.Issue)
	return &x
}

// resolveError returns nil if a change was made although its write returned err: an earlier attempt succeeded
// and its response was lost. It returns Conflict only if the change was not made, and Unavailable if that
// cannot be determined.
func (t committer) resolveError(ctx context.Context, c *commit, write string, err error) error {
	code := tracker.CodeOf(err)
	if errors.Is(err, tracker.ErrDefinitionChanged) ||
		code != tracker.Conflict && (code != tracker.Unavailable || ctx.Err() != nil) {
		return err
	}
	readCtx := ctx
	if code == tracker.Conflict { // what is removed after a conflict must not depend on the client's context
		var cancel context.CancelFunc
		readCtx, cancel = completing(ctx)
		defer cancel()
	}
	found, readErr := t.db.batchGet(readCtx, []layout.Key{t.keys.History(c.after.ID, c.after.Version, 0)},
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

// completing returns a context for the steps that complete a visible change. It is not canceled when the
// client disconnects, and is not limited by the CPU time and memory that the operation has left. The memory
// that it holds comes from the memory shared by all operations. The steps do not depend on the definition
// being the current one.
func completing(ctx context.Context) (context.Context, context.CancelFunc) {
	a := account.From(ctx).Unbounded()
	ctx = client.BeforeWrites(context.WithoutCancel(ctx), nil)
	ctx, cancel := context.WithTimeout(account.With(ctx, a), IndexTime)
	return ctx, func() {
		cancel()
		a.Close()
	}
}

// commitInSteps makes a change that does not fit into one transaction.
func (t committer) commitInSteps(ctx context.Context, c *commit, write string) error {
	parts := make([]types.WriteRequest, len(c.parts))
	for i, m := range c.parts {
		parts[i] = put(m)
	}
	stepCtx, cancel := context.WithTimeout(ctx, longTextTime)
	defer cancel()
	if err := t.db.batchWrite(stepCtx, parts); err != nil {
		t.discard(ctx, c)
		return err
	}
	indexing := *c.after
	indexing.Indexing = true
	c.after = &indexing
	x := t.documentWrites(c, write)
	marker := layout.KeyItem(t.keys.Marker(c.after.ID))
	marker["version"] = layout.N(c.after.Version)
	x.Put(t.db.table, marker, client.Condition{})
	if err := t.resolveError(ctx, c, write, t.db.write(stepCtx, x)); err != nil {
		if tracker.CodeOf(err) != tracker.Unavailable {
			t.discard(ctx, c)
		}
		return err
	}
	// Continue even if the client disconnects. If this fails, the next change of the issue, or
	// `check --repair`, completes it.
	ctx, cancel = completing(ctx)
	defer cancel()
	_ = indexer(t).index(ctx, c.definition, c.after, c.full, byMarker)
	var rest client.Transaction
	t.expire(&rest, c.unused, t.db.keepHistory)
	_ = t.db.writeGuarded(ctx, &rest, nil)
	return nil
}

// discard removes long texts that no document will refer to. `check --repair` removes those it cannot.
func (t committer) discard(ctx context.Context, c *commit) {
	ctx, cancel := completing(ctx)
	defer cancel()
	all := make([]layout.Key, len(c.parts))
	for i, m := range c.parts {
		all[i] = layout.KeyOf(m)
	}
	_ = t.db.batchWrite(ctx, deletes(all))
}

// expire makes items expire after keep, so that a client which read the document earlier can still read them.
func (t committer) expire(x *client.Transaction, all []layout.Key, keep time.Duration) {
	for _, k := range all {
		x.Update(t.db.table, k, "SET "+layout.AttrExpires+" = :expires",
			layout.Item{":expires": t.db.expiry(keep)})
	}
}

// entriesBefore returns the entries of the changed columns with their sort strings. The sort string is nil
// for a long text that is not loaded.
func (t committer) entriesBefore(c *commit) map[layout.Key][]byte {
	if c.existing != nil {
		return indexer(t).known(c.definition, c.after, c.existing, c.lost)
	}
	existing := map[layout.Key][]byte{}
	if c.before == nil {
		return existing
	}
	for _, column := range c.columns {
		for _, e := range t.keys.EntriesOf(c.definition, c.before, column, "") {
			if existing[e.Key] = e.Sort; c.before.Values[column.Field()].Kind == tracker.KindLong {
				existing[e.Key] = nil
			}
		}
	}
	return existing
}

func (t committer) entriesAfter(c *commit) []layout.Entry {
	if c.existing != nil {
		return indexer(t).readable(c.after.ID, t.keys.AllEntries(c.definition, c.after, c.full),
			c.lost)
	}
	columns := c.columns
	if c.before == nil {
		columns = layout.EntryColumns(c.definition, c.after)
	}
	var out []layout.Entry
	for _, column := range columns {
		out = append(out, t.keys.EntriesOf(c.definition, c.after, column, c.full[column])...)
	}
	return indexer(t).readable(c.after.ID, out, c.lost)
}

// entryWrites adds the writes that replace the entries in existing by those in want.
func (t indexer) entryWrites(x *client.Transaction, existing map[layout.Key][]byte, want []layout.Entry,
	version int64) {
	for _, e := range want {
		ss := existing[e.Key]
		delete(existing, e.Key)
		if !bytes.Equal(ss, e.Sort) { // no sort string is empty
			x.Put(t.db.table, e.Item(version), client.Condition{})
		}
	}
	for k := range existing {
		x.Delete(t.db.table, k, client.Condition{})
	}
}
