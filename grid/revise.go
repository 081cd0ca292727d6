package grid

import "context"

// tally counts what documents have told of a condition of a region.
type tally struct{ asked, failed int }

// disappointed tells that the documents of a region are rows far less often than was expected, so that another way may be better: values need not be
// spread evenly, nor independently of each other and of where the page lies.
func (p *reader) disappointed(g *region) bool {
	s := &g.planning
	if p.request.Force > 0 || p.complete() || s.exact || s.revised || s.access.method == sortAll || p.looked < minLooked || p.at.ss == nil || p.at.tail != g.tail {
		return false
	}
	return float64(p.found+1)/float64(p.looked) < s.cost.yield/mistaken
}

// revise decides again how a region is read, by what the documents have told, and goes on from where the page has got to (G2). It does so once a
// page. Nothing else reads the region meanwhile.
func (p *reader) revise(ctx context.Context, g *region) error {
	s, n := &g.planning, g.query.total()
	before := s.access.String()
	for i := range g.conditions {
		c := &g.conditions[i]
		// Of the others, the documents are those that meet them.
		if t := g.tallies[i]; s.check[i] && t.asked >= minLooked/2 {
			c.count = n * (float64(t.asked-t.failed) + 0.5) / (float64(t.asked) + 1)
			if c.cover.points == nil && c.cover.exact {
				c.keys = min(c.keys, c.count) // else the index has told how many there are, and it is here that they are few
			}
		}
	}
	s.done, s.revised = false, true
	if err := g.plan(ctx); err != nil || s.access.String() == before {
		return err
	}
	s.node.note("chosen when fewer documents than expected were rows")
	at, err := p.request.Order.cursor(p.at)
	if err != nil {
		return err
	}
	near, far := p.request.After, p.request.Before
	if p.request.Backward {
		near, far = far, near
	}
	p.inside = p.query.stream(interval{start: &at, end: far, backward: p.request.Backward})
	if p.ahead.open && far != nil {
		p.beyond = p.query.stream(interval{start: far, inclusive: true, backward: p.request.Backward})
	}
	if p.behind.open && near != nil {
		p.back = p.query.stream(interval{start: near, inclusive: true, backward: !p.request.Backward})
	}
	p.looked, p.found = 0, 0
	return nil
}
