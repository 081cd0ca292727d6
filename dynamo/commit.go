package dynamo

import (
	"bytes"
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/account"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// commit is a change of one issue on its way to the table. Readers see all of it or nothing, because they see
// the document and the long texts that it names, the document is one item, and a text is never written again.
//
// A change that fits into one transaction is one. A larger one takes steps, and a crash between any two of
// them loses nothing:
//
//  1. its new long texts, which no document names yet;
//  2. a transaction with the document, its history, and the marker, which says of which version it is: now
//     the change is made;
//  3. the index entries, in transactions that each check that the marker is still there, of this version; the
//     last one removes it.
//
// Who changes an issue with a marker puts one of his own version in its place. So a writer that was held up
// within step 3 can't put an entry over a newer one. And he compares all entries with the document, because
// he can't know which of them were written.
type commit struct {
	definition *tracker.Definition
	// before is the document as it is, nil if there is none; after is what it is to be.
	before, after *tracker.Issue
	// unsure tells that the entries may be others than before says.
	unsure bool
	kind   tracker.ChangeKind
	// conflict is the error for a document that is not the one that before says.
	conflict error
	// columns are those in which the two differ. had are all entries that there are, where they were read
	// because columns do not tell.
	columns []tracker.Column
	had     map[layout.Key][]byte
	// parts are those of new long texts, and full are these texts.
	parts []layout.Item
	full  map[tracker.Column]string
	lost  lostTexts
	// trashed is what an issue that is restored was in the trash.
	trashed *tracker.Issue
	// unused are the parts of long texts that after does not name any more.
	unused []layout.Key
	// also is what must be written with the document.
	also client.Transaction
}

// IndexTime is how long the steps behind a change that is made may take. They do not end when its client goes
// away.
const IndexTime = time.Minute

// commit makes a change. When it fails nothing of it is made, with one exception: after Unavailable it may
// be, because the answer was lost.
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
		return t.made(ctx, c, write, t.db.write(ctx, x))
	}
	return t.inSteps(ctx, c, write)
}

// documentWrites are what makes a change: the document, its history, and what must be written with them.
func (t committer) documentWrites(c *commit, write string) *client.Transaction {
	var x client.Transaction
	is := client.MustNotExist(c.conflict)
	if c.before != nil {
		is = client.MustHaveVersion(c.before.Version, c.conflict)
	}
	x.Put(t.db.table, t.keys.EncodeIssue(c.after), is)
	for _, m := range t.encodeHistory(c, write) {
		// nobody else can make this version; of an issue with this id that was deleted there may be one
		x.Put(t.db.table, m, client.Condition{})
	}
	x.Append(&c.also)
	idempotency(t).addTo(&x, c.after.ID.Issue)
	return &x
}

// made tells a change that was made from one that was refused because it was made before: by an earlier
// attempt, whose answer was lost. Conflict is only said of a change that was not made: where that can't be
// learned, it is Unavailable.
func (t committer) made(ctx context.Context, c *commit, write string, err error) error {
	code := tracker.CodeOf(err)
	if code != tracker.Conflict && (code != tracker.Unavailable || ctx.Err() != nil) {
		return err
	}
	looking := ctx
	if code == tracker.Conflict { // what is removed after it must not depend on who waits
		var cancel context.CancelFunc
		looking, cancel = completing(ctx)
		defer cancel()
	}
	found, readErr := t.db.batchGet(looking, []layout.Key{t.keys.History(c.after.ID, c.after.Version, 0)},
		true)
	switch {
	case readErr != nil && code == tracker.Conflict:
		// Not err: who asks for the conflict by errors.Is must not find it here, and make the change again.
		return client.Unavailable("the change may have been written; check it before you try again", readErr)
	case readErr != nil || found[0] == nil || layout.GetS(found[0], "write") != write:
		return err
	}
	return nil
}

// completing is the context of what completes a change that was made: it goes on when its client goes away,
// and is not bounded by what the operation has left of its CPU time and memory. What it holds is taken from
// the memory that all operations share.
func completing(ctx context.Context) (context.Context, context.CancelFunc) {
	a := account.From(ctx).Unbounded()
	ctx, cancel := context.WithTimeout(account.With(context.WithoutCancel(ctx), a), IndexTime)
	return ctx, func() {
		cancel()
		a.Close()
	}
}

// inSteps makes a change that does not fit into one transaction.
func (t committer) inSteps(ctx context.Context, c *commit, write string) error {
	parts := make([]types.WriteRequest, len(c.parts))
	for i, m := range c.parts {
		parts[i] = put(m)
	}
	stepping, cancel := context.WithTimeout(ctx, longTime)
	defer cancel()
	if err := t.db.batchWrite(stepping, parts); err != nil {
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
	if err := t.made(ctx, c, write, t.db.write(stepping, x)); err != nil {
		if tracker.CodeOf(err) != tracker.Unavailable {
			t.discard(ctx, c)
		}
		return err
	}
	// What follows is done even if the client goes away. If it can't be, the next change of the issue does
	// it, or `check --repair`.
	ctx, cancel = completing(ctx)
	defer cancel()
	_ = indexer(t).index(ctx, c.definition, c.after, c.full, byMarker)
	var rest client.Transaction
	t.expire(&rest, c.unused, t.db.keepHistory)
	_ = t.db.writeGuarded(ctx, &rest, nil)
	return nil
}

// discard removes texts that no document will name. What it can't remove, `check --repair` does.
func (t committer) discard(ctx context.Context, c *commit) {
	ctx, cancel := completing(ctx)
	defer cancel()
	all := make([]layout.Key, len(c.parts))
	for i, m := range c.parts {
		all[i] = layout.KeyOf(m)
	}
	_ = t.db.batchWrite(ctx, deletes(all))
}

// expire lets items go when a time has passed, so that who has read the document before still finds them.
func (t committer) expire(x *client.Transaction, all []layout.Key, keep time.Duration) {
	for _, k := range all {
		x.Update(t.db.table, k, "SET "+layout.AttrExpires+" = :expires",
			layout.Item{":expires": t.db.expiry(keep)})
	}
}

// entriesBefore are the entries of the columns that change, with their sort strings; nil for that of a text
// which is not known here.
func (t committer) entriesBefore(c *commit) map[layout.Key][]byte {
	if c.had != nil {
		return indexer(t).known(c.definition, c.after, c.had, c.lost)
	}
	had := map[layout.Key][]byte{}
	if c.before == nil {
		return had
	}
	for _, column := range c.columns {
		for _, e := range t.keys.EntriesOf(c.definition, c.before, column, "") {
			if had[e.Key] = e.Sort; c.before.Values[column.Field()].Kind == tracker.KindLong {
				had[e.Key] = nil
			}
		}
	}
	return had
}

func (t committer) entriesAfter(c *commit) []layout.Entry {
	if c.had != nil {
		return indexer(t).readable(c.after.ID.Project, t.keys.AllEntries(c.definition, c.after, c.full),
			c.lost)
	}
	var out []layout.Entry
	for _, column := range c.columns {
		out = append(out, t.keys.EntriesOf(c.definition, c.after, column, c.full[column])...)
	}
	return indexer(t).readable(c.after.ID.Project, out, c.lost)
}

// entryWrites adds what makes the entries in had those in want.
func (t indexer) entryWrites(x *client.Transaction, had map[layout.Key][]byte, want []layout.Entry,
	version int64) {
	for _, e := range want {
		ss := had[e.Key]
		delete(had, e.Key)
		if !bytes.Equal(ss, e.Sort) { // no sort string is empty
			x.Put(t.db.table, e.Item(version), client.Condition{})
		}
	}
	for k := range had {
		x.Delete(t.db.table, k, client.Condition{})
	}
}
