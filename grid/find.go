package grid

import (
	"context"

	"issuegrid/columns"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// FindNum returns the id of the issue with a number, by one Query of at most one key. It returns NotFound if
// the index has none.
func FindNum(ctx context.Context, index Index, p tracker.ProjectID, num int64) (tracker.IssueID, error) {
	page, err := index.QueryKeys(ctx, columns.KeyQuery{Project: p, Column: tracker.ColumnNum,
		From: sortkey.Num(num), To: sortkey.Num(num + 1), Limit: 1})
	if err != nil {
		return tracker.IssueID{}, err
	}
	if len(page.Keys) == 0 {
		return tracker.IssueID{}, tracker.Missing("issue")
	}
	return page.Keys[0].Issue, nil
}
