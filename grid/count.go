package grid

import (
	"context"
	"errors"

	"issuegrid/account"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// CountQueries is the work budget of a count that reads no documents, in Queries of 1 MB of keys each: about
// 90,000 issues. A Query that reaches the end of a range does not count.
const CountQueries = 10

// Count counts the issues of a project that match a request's filter, within a budget. exact reports whether
// it counted all of them; otherwise there are at least n. Where no document is read, ghosts are included. It
// uses the fields Project, Definition, Where, Budget and Force of the request.
//
// Without a filter, it reads the partition of the states, because every issue has a state and those keys are
// the shortest. For a filter that a single index condition answers, it reads the keys of that condition, with
// the same number of Queries. All other filters are read like a page, within the budget of a page.
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
			// The ranges of such a condition have no key in common.
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

// countRows counts by reading all rows in the order of their numbers. The count of as many rows as documents
// may be read is exact.
func countRows(ctx context.Context, source Source, r Request) (n int, exact bool, err error) {
	r = Request{Project: r.Project, Definition: r.Definition, Where: r.Where, Budget: r.Budget,
		Force: r.Force,
		Order: Order{Column: tracker.ColumnNum, kind: sortkey.KindInt}}
	if r.Size = 1; r.Definition != nil {
		r.Size = max(1, int(r.Definition.MaxIssueNum))
	}
	q := newQuery(ctx, source, &r)
	q.work.allowKeys()
	rows := q.stream(interval{})
	for !rows.spent() {
		if q.work.over() {
			return n, false, nil
		}
		if err := rows.fill(ctx, q.work, 1, maxExamined); err != nil {
			return 0, false, err
		}
		keys := rows.keys
		if _, exact := q.yield(); exact {
			n += len(keys)
			rows.keys = nil
			continue
		}
		keys = keys[:min(len(keys), maxExamined)]
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
