package grid

import "context"

// plan plans what is read next, and once a page plans it again where it should: the page then goes on from
// where it has got to (G2).
func (p *reader) plan(ctx context.Context, next *reading) error {
	if _, err := next.prepare(ctx); err != nil || !p.misjudged(next) {
		return err
	}
	changed, err := next.revise(ctx)
	if err != nil || !changed {
		return err
	}
	next.execution.node.note("chosen when fewer documents than expected were rows")
	at, err := p.request.Order.cursor(p.at)
	if err != nil {
		return err
	}
	p.open(&at)
	p.looked, p.found = 0, 0
	return nil
}

// misjudged reports whether the documents of a region are rows far less often than was expected, so that
// another plan may be better: values need not be spread evenly, nor independently of each other and of where
// the page lies.
func (p *reader) misjudged(r *reading) bool {
	plan := r.current()
	if p.request.Force > 0 || p.complete() || plan.exact || r.revised || plan.method == Sort ||
		p.looked < minLooked || p.at.ss == nil || p.at.tail != r.region.tail {
		return false
	}
	return float64(p.found+1)/float64(p.looked) < plan.cost.yield/mistaken
}
