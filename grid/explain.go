package grid

import (
	"slices"
	"strings"

	"issuegrid/grid/filter"
)

// fetchNode returns the node that counts the documents of rows.
func (q *pageQuery) fetchNode() *Node {
	if !q.request.Explain {
		return q.node
	}
	var checked []string
	for _, r := range q.regions {
		p := r.current()
		if p == nil {
			continue
		}
		for i, check := range p.check {
			if what := r.region.describe(i); check && !slices.Contains(checked, what) {
				checked = append(checked, what)
			}
		}
	}
	if len(checked) > 0 {
		return q.node.child(KindFetch, "to look at "+strings.Join(checked, " and "))
	}
	return q.node.child(KindFetch, "")
}

// explained returns the executed plan.
func (q *pageQuery) explained() *Node {
	if q.form.Never {
		q.node.child(KindEmpty, "the filter can't be met")
	}
	if n := q.work; n.over() {
		q.node.note("the work budget was spent")
	}
	return q.node
}

// maxPlans is the maximum number of pages that an explanation shows.
const maxPlans = 100

// explain adds the plan of a page in the order of one column.
func (s *spending) explain(r *Request, where filter.Condition, o *OrderColumn, page *Page) {
	page.Plan.Label = "by " + filter.Name(r.Definition, o.Column)
	if where != nil {
		page.Plan.Label += ", of " + filter.Describe(r.Definition, where)
	}
	if len(s.plans) < maxPlans {
		s.plans = append(s.plans, page.Plan)
	}
	for _, rejected := range page.Rejected {
		if !slices.ContainsFunc(s.rejected, func(known Rejected) bool {
			return known.Label == rejected.Label
		}) {
			s.rejected = append(s.rejected, rejected)
		}
	}
}

// explained returns the plan of the page, whose children are the plans of the pages in the order of one
// column, and the rejected candidates.
func (s *spending) explained(r *Request) (*Node, []Rejected) {
	names := make([]string, len(r.Order))
	for i := range r.Order {
		names[i] = filter.Name(r.Definition, r.Order[i].Column)
	}
	return &Node{Kind: KindPage, Label: "by " + strings.Join(names, ", then by "),
		Children: s.plans, ExpectedKeys: -1, ExpectedDocuments: -1, ExpectedRCU: -1,
		ExpectedSteps: -1}, s.rejected
}
