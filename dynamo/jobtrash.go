package dynamo

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// someTrashed does something with the next issues in the trash, for the job of that id, or for all of them if it is empty. It returns what can't be done because
// of what an issue is, and whether there are more issues.
func (t *Tenant) someTrashed(ctx context.Context, p tracker.ProjectID, next *work, of string, do func(layout.Item) error) (problems []tracker.Problem, more bool, _ error) {
	if next.trashOf != of {
		next.trash = nil
	}
	page, more, err := t.ListTrash(ctx, p, ListQuery{From: next.trash, Limit: jobChunk})
	if err != nil {
		return nil, false, err
	}
	next.trash, next.trashOf = nil, ""
	if more {
		next.trash, next.trashOf = behindPosition(page[len(page)-1].Position), of
	}
	all := make([]layout.Key, len(page))
	for i, found := range page {
		all[i] = t.keys.Trash(found.ID)
	}
	items, err := t.db.batchGet(ctx, all, true)
	if err != nil {
		return nil, false, err
	}
	for i, m := range items {
		if m == nil {
			continue // it was restored, or removed for good
		}
		err := do(m)
		if ofItem(err) {
			problems = append(problems, problem(page[i].ID, layout.GetN(m, "num"), err))
		} else if err != nil {
			return nil, false, err
		}
	}
	return problems, more, nil
}

// migrateTrashed converts the values of a deleted issue, because nobody can when the jobs have ended. Its history has what that changed. Who restores
// it meanwhile finds another version, and begins again.
func (t *Tenant) migrateTrashed(ctx context.Context, d *tracker.Definition, trashed layout.Item) error {
	doc, err := t.keys.DecodeIssue(trashed)
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
	converted := t.keys.EncodeIssue(c.after)
	for name, v := range trashed { // when, by whom, and until when it was deleted
		if _, ofIssue := converted[name]; !ofIssue && name != "values" && name != "gens" && name != layout.AttrHas {
			converted[name] = v
		}
	}
	converted[layout.AttrSK], converted[layout.AttrSS] = trashed[layout.AttrSK], trashed[layout.AttrSS]
	var parts client.Transaction
	for _, m := range c.parts {
		m[layout.AttrExpires] = layout.N(layout.GetN(trashed, layout.AttrExpires) + int64(trashMargin.Seconds()))
		parts.Put(t.db.table, m, client.Condition{})
	}
	if err := t.db.writeGuarded(ctx, &parts, nil); err != nil {
		return err
	}
	var x client.Transaction
	x.Put(t.db.table, converted, client.MustHaveVersion(doc.Version, client.ErrOutrun))
	for _, m := range t.encodeHistory(c, write) {
		x.Put(t.db.table, m, client.Condition{})
	}
	t.expire(&x, c.unused, t.db.keepHistory)
	if err := t.db.write(ctx, &x); err != error(client.ErrOutrun) {
		return err
	}
	t.discard(ctx, c)
	return nil // it was restored meanwhile, and so converted
}
