package dynamo

import (
	"context"
	"errors"
	"maps"

	"github.com/aws/smithy-go"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// migrate brings an issue up to date with the definition, its document and its index entries. What it removes
// of a document is in the history.
func (t migrator) migrate(ctx context.Context, d *tracker.Definition, id tracker.IssueID) error {
	t.once = nil // the key is that of the change that follows: with it that one would be taken for made
	for try := 1; ; try++ {
		found, err := reader(t).issues(ctx, []tracker.IssueID{id}, true)
		if err != nil || found[0] == nil {
			return err
		}
		err = t.migrateVersion(ctx, d, found[0])
		if !errors.Is(err, client.ErrStale) {
			return err
		}
		if err := t.db.afterConflict(ctx, try); err != nil {
			return err
		}
	}
}

func (t migrator) migrateVersion(ctx context.Context, d *tracker.Definition, doc *tracker.Issue) error {
	marked, err := reader(t).marked(ctx, doc)
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
		return indexer(t).index(ctx, d, doc, nil, by)
	}
	c, err := drafter(t).conversion(d, doc, now)
	if err != nil {
		return err
	}
	c.unsure = marked
	if c.full, c.lost, err = indexer(t).sortedTexts(ctx, d, c.after, c.full); err != nil {
		return err
	}
	if c.had, err = reader(t).entriesNow(ctx, doc.ID); err != nil {
		return err
	}
	if err := committer(t).commit(ctx, c); err != nil {
		return err
	}
	if marked, err := reader(t).marked(ctx, c.after); err != nil || !marked {
		return err
	}
	// whose errors commit leaves to the next change, which a job is not followed by
	return indexer(t).index(ctx, d, c.after, c.full, byMarker)
}

// converted is the document as the definition has it, long texts too; the same one if it is that already.
func (t migrator) converted(ctx context.Context, d *tracker.Definition, doc *tracker.Issue) (*tracker.Issue,
	error) {
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
		if v.Kind != tracker.KindLong || f.From == nil || doc.Gens[id] == f.Gen ||
			now.Values[id].Kind == tracker.KindLong {
			continue
		}
		text, err := reader(t).longText(ctx, doc.ID, id, v)
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

// ofItem tells that an error is because of what an item is, and not of the database, so that trying again
// comes to the same.
func ofItem(err error) bool {
	e, ok := errors.AsType[*tracker.Error](err)
	_, said := errors.AsType[smithy.APIError](err)
	return ok && !said && (e.Code == tracker.InternalErr || e.Code == tracker.BadInput)
}

// migrateTrashed converts the values of a deleted issue, because nobody can when the jobs have ended. Its
// history has what that changed. Who restores it meanwhile finds another version, and begins again.
func (t migrator) migrateTrashed(ctx context.Context, d *tracker.Definition, trashed layout.Item) error {
	doc, err := t.keys.DecodeIssue(trashed)
	if err != nil {
		return err
	}
	now, err := t.converted(ctx, d, doc)
	if err != nil || now == doc {
		return err
	}
	c, err := drafter(t).conversion(d, doc, now)
	if err != nil {
		return err
	}
	write, err := tracker.NewID(t.db.random)
	if err != nil {
		return err
	}
	converted := t.keys.EncodeIssue(c.after)
	for name, v := range trashed { // when, by whom, and until when it was deleted
		if _, ofIssue := converted[name]; !ofIssue && name != "values" && name != "gens" &&
			name != layout.AttrHas {
			converted[name] = v
		}
	}
	converted[layout.AttrSK], converted[layout.AttrSS] = trashed[layout.AttrSK], trashed[layout.AttrSS]
	var parts client.Transaction
	for _, m := range c.parts {
		m[layout.AttrExpires] = layout.N(layout.GetN(trashed, layout.AttrExpires) +
			int64(trashMargin.Seconds()))
		parts.Put(t.db.table, m, client.Condition{})
	}
	if err := t.db.writeGuarded(ctx, &parts, nil); err != nil {
		return err
	}
	var x client.Transaction
	x.Put(t.db.table, converted, client.MustHaveVersion(doc.Version, client.ErrStale))
	for _, m := range committer(t).encodeHistory(c, write) {
		x.Put(t.db.table, m, client.Condition{})
	}
	committer(t).expire(&x, c.unused, t.db.keepHistory)
	if err := t.db.write(ctx, &x); !errors.Is(err, client.ErrStale) {
		return err
	}
	committer(t).discard(ctx, c)
	return nil // it was restored meanwhile, and so converted
}
