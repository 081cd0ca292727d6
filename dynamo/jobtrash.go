package dynamo

import (
	"context"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// eachTrashed calls do for the next issues in the trash, for the job with the id of, or for all running jobs
// if it is empty. It returns the errors caused by the content of issues as problems, and whether there are
// more issues.
func (t jobs) eachTrashed(ctx context.Context, p tracker.ProjectID, next *work, of string,
	do func(layout.Item) error) (problems []tracker.Problem, more bool, _ error) {
	if next.trashOf != of {
		next.trash = nil
	}
	page, more, err := list(ctx, t.db, t.keys.TrashOf(p), ListQuery{From: next.trash, Limit: jobChunk},
		t.keys.ParseIssue)
	if err != nil {
		return nil, false, err
	}
	next.trash, next.trashOf = nil, ""
	if more {
		next.trash, next.trashOf = sortkey.After(page[len(page)-1].Position), of
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
			continue // it was restored or purged
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
