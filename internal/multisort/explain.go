package multisort

import (
	"slices"
	"strings"

	"issuegrid/grid"
	"issuegrid/grid/filter"
)

// maxPlans is the maximum number of pages that an explanation shows.
const maxPlans = 100

// explain adds the plan of a page in the order of one column.
func (s *spending) explain(r *Request, where filter.Condition, o *grid.Order, page *grid.Page) {
	page.Plan.Label = "by " + filter.Name(r.Definition, o.Column)
	if where != nil {
		page.Plan.Label += ", of " + filter.Describe(r.Definition, where)
	}
	if len(s.plans) < maxPlans {
		s.plans = append(s.plans, page.Plan)
	}
	for _, rejected := range page.Rejected {
		if !slices.ContainsFunc(s.rejected, func(known grid.Rejected) bool {
			return known.Label == rejected.Label
		}) {
			s.rejected = append(s.rejected, rejected)
		}
	}
}

// explained returns the plan of the page, whose children are the plans of the pages in the order of one
// column, and the rejected candidates.
func (s *spending) explained(r *Request) (*grid.Node, []grid.Rejected) {
	names := make([]string, len(r.Order))
	for i := range r.Order {
		names[i] = filter.Name(r.Definition, r.Order[i].Column)
	}
	return &grid.Node{Kind: grid.KindPage, Label: "by " + strings.Join(names, ", then by "),
		Children: s.plans, ExpectedKeys: -1, ExpectedDocuments: -1, ExpectedRCU: -1,
		ExpectedSteps: -1}, s.rejected
}
