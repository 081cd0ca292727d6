package grid

import (
	"context"
	"errors"

	"issuegrid/account"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// CountQueries is the work budget of a count that looks at no documents, in Queries of 1 MB of keys each:
// some 90,000 issues. One that gets to the end of what it counts is not counted.
const CountQueries = 10

// Count counts the issues of a project that meet a request's filter, ghosts included where no document is
// looked at, within a budget; exact tells that it got to the end, else there are at least n. Of the request
// it takes Project, Definition, Where, Budget and Force.
//
// Without a filter it reads the partition of the states, because every issue has one and those keys are the
// shortest. A filter that one condition of the index answers takes the keys of that, by as many Queries.
// Everything else is read as a page would be, and its budget is that of a page.
func Count(ctx context.Context, source Source, r Request) (n int, exact bool, err error) {
	form := filter.Normalize(r.Where)
	switch {
	case form.Never:
		return 0, true, nil
	case form.Always():
		states := []indexRange{{column: tracker.ColumnState, kind: sortkey.KindInt}}
		return countRanges(ctx, source.Index, r.Project, states)
	case len(form.All) == 1 && r.Force == 0:
		switch form.All[0].(type) {
		case filter.In, filter.Has:
			// The ranges of one of these have no key in common.
			if c, ok := coverOf(r.Definition, form.All[0]); ok && c.exact {
				return countRanges(ctx, source.Index, r.Project, c.ranges)
			}
		}
	}
	return countRows(ctx, source, r)
}

func countRanges(ctx context.Context, index Index, p tracker.ProjectID, ranges []indexRange) (
	n int, exact bool, err error) {
	left := CountQueries
	for i := range ranges {
		q := ranges[i].query(p)
		q.CountOnly = true
		for !empty(q) {
			if err := account.From(ctx).Check(ctx); err != nil {
				return 0, false, err
			}
			page, err := index.QueryKeys(ctx, q)
			if err != nil {
				return 0, false, err
			}
			if n += page.Count; page.Last == nil {
				break
			}
			if left--; left == 0 {
				return n, false, nil
			}
			q.From = sortkey.After(page.Last)
		}
	}
	return n, true, nil
}

// countRows reads all rows in the order of their numbers.
func countRows(ctx context.Context, source Source, r Request) (n int, exact bool, err error) {
	r = Request{Project: r.Project, Definition: r.Definition, Where: r.Where, Budget: r.Budget,
		Force: r.Force,
		Order: Order{Column: tracker.ColumnNum, kind: sortkey.KindInt}}
	if r.Size = 1; r.Definition != nil {
		r.Size = max(1, int(r.Definition.Highest))
	}
	q := newQuery(ctx, source, &r)
	rows := q.stream(interval{})
	for !rows.spent() {
		if q.work.over() {
			return n, false, nil
		}
		if err := rows.fill(ctx, q.work, 1, maxLook); err != nil {
			return 0, false, err
		}
		keys := rows.keys
		if _, exact := q.yield(); exact {
			n += len(keys)
			rows.keys = nil
			continue
		}
		keys = keys[:min(len(keys), maxLook)]
		rows.keys = rows.keys[len(keys):]
		ids := make([]tracker.IssueID, len(keys))
		for i := range keys {
			ids[i] = keys[i].id
		}
		docs, err := q.documents(ctx, ids, q.node)
		if errors.Is(err, account.ErrMemory) {
			return n, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		decided, err := q.match(ctx, keys, docs)
		if err != nil {
			return 0, false, err
		}
		for _, doc := range docs[:decided] {
			if doc != nil {
				n++
			}
		}
		if decided < len(docs) {
			return n, false, nil
		}
	}
	return n, true, nil
}
