package grid

import "context"

// prepare plans the region that is read next, and replans it, at most once, if its estimates were wrong. The
// page then continues from its current position (G2).
func (p *reader) prepare(ctx context.Context, next *reading) error {
	if _, err := next.prepare(ctx); err != nil || !p.misjudged(next) {
		return err
	}
	changed, err := next.revise(ctx)
	if err != nil || !changed {
		return err
	}
	next.execution.node.note("chosen when fewer documents than expected were rows")
	at, err := p.request.column().position(p.at)
	if err != nil {
		return err
	}
	p.open(&at)
	p.examined, p.found = 0, 0
	return nil
}

// misjudged reports whether the share of documents that are rows is so far below the estimate that another
// plan may be better. Values may be unevenly distributed, correlated with each other, or correlated with the
// position of the page.
func (p *reader) misjudged(r *reading) bool {
	plan := r.current()
	if p.request.Force > 0 || p.complete() || plan.exact || r.revised || plan.method == Sort ||
		p.examined < minExamined || p.at.ss == nil || p.at.tail != r.region.tail {
		return false
	}
	return float64(p.found+1)/float64(p.examined) < plan.cost.yield/maxErrorFactor
}
