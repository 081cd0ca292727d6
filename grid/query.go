package grid

import (
	"context"

	"issuegrid/grid/filter"
)

// query is a request on its way to an answer.
type query struct {
	*run
	form     filter.Form
	readings []*reading      // of its regions, in the grid's order
	matcher  *filter.Matcher // of match; nil until there is something to match
}

func newQuery(ctx context.Context, source Source, r *Request) *query {
	q := &query{run: newRun(ctx, source, r), form: filter.Normalize(r.Where)}
	for _, g := range newRegions(r, q.form) {
		q.readings = append(q.readings, newReading(q.run, g))
	}
	return q
}

// yield is the expected share of the keys that are those of rows, and exact reports whether all are, but for
// what is gone.
func (q *query) yield() (share float64, exact bool) {
	share, exact = 1, true
	for _, r := range q.readings {
		if p := r.current(); p != nil {
			share, exact = min(share, p.cost.yield), exact && p.exact
		}
	}
	return share, exact
}
