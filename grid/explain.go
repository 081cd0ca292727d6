package grid

import (
	"slices"
	"strings"
)

// fetchNode returns the node that counts the documents of rows.
func (q *query) fetchNode() *Node {
	if !q.request.Explain {
		return q.node
	}
	var checked []string
	for _, r := range q.readings {
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
func (q *query) explained() *Node {
	if q.form.Never {
		q.node.child(KindEmpty, "the filter can't be met")
	}
	if n := q.work; n.over() {
		q.node.note("the work budget was spent")
	}
	return q.node
}
