package dynamo

import (
	"context"

	"issuegrid/tracker"
)

// someTrashed does something with the next issues in the trash, for the job of that id, or for all of them if it is empty. It returns what can't be done because
// of what an issue is, and whether there are more issues.
func (t *Tenant) someTrashed(ctx context.Context, p tracker.ProjectID, next *work, of string, do func(item) error) (problems []tracker.Problem, more bool, _ error) {
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
	all := make([]Key, len(page))
	for i, found := range page {
		all[i] = t.keys.trash(found.ID)
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
			problems = append(problems, problem(page[i].ID, getN(m, "num"), err))
		} else if err != nil {
			return nil, false, err
		}
	}
	return problems, more, nil
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
