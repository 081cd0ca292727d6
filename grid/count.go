package grid

import (
	"context"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// CountQueries is the work budget of one count, in Queries of 1 MB of keys each: some 90,000 issues.
const CountQueries = 10

// Count counts the issues of a project, ghosts included, within a budget of CountQueries; exact tells that it got to the
// end, else there are at least n. It reads the partition of the states, because every issue has one and those keys are
// the shortest.
func Count(ctx context.Context, index Index, p tracker.ProjectID) (n int, exact bool, err error) {
	q := dynamo.KeyQuery{Project: p, Column: tracker.ColumnState, CountOnly: true}
	for range CountQueries {
		if err := ctx.Err(); err != nil {
			return 0, false, err
		}
		page, err := index.QueryKeys(ctx, q)
		if err != nil {
			return 0, false, err
		}
		n += page.Count
		if page.Last == nil {
			return n, true, nil
		}
		q.From = behind(page.Last)
	}
	return n, false, nil
}
