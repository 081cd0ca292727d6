package grid

import (
	"context"

	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// pageQuery is the state of a request while it is read.
type pageQuery struct {
	*pageSource
	form    filter.Form
	regions []*plannedRegion // of the request's regions, in the grid's order
	matcher *filter.Matcher  // used by match; nil until first needed
	ways    *Ways            // instead of regions
}

func newPageQuery(ctx context.Context, source Source, r *Request) *pageQuery {
	q := &pageQuery{pageSource: newPageSource(ctx, source, r), form: filter.Normalize(r.Where)}
	for _, g := range newRegions(r, q.form) {
		q.regions = append(q.regions, newPlannedRegion(q.pageSource, g))
	}
	return q
}

// yield returns the expected share of keys that are keys of rows. exact reports whether the keys decide the
// filter, so that all are except ghosts.
func (q *pageQuery) yield() (share float64, exact bool) {
	share, exact = 1, q.ways == nil || !q.ways.Filtered
	for _, r := range q.regions {
		if p := r.current(); p != nil {
			share, exact = min(share, p.cost.yield), exact && p.exact
		}
	}
	return share, exact
}

// stubs returns issues that have only an id if the documents are not needed.
func (q *pageQuery) stubs(ids []tracker.IssueID) ([]*tracker.Issue, bool) {
	if _, exact := q.yield(); !q.request.keysOnly || !exact {
		return nil, false
	}
	all := make([]tracker.Issue, len(ids))
	out := make([]*tracker.Issue, len(ids))
	for i := range ids {
		all[i].ID = ids[i]
		out[i] = &all[i]
	}
	return out, true
}
