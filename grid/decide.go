package grid

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// planning is what was decided for a region: once for a page, however many streams read the region.
type planning struct {
	mu     sync.Mutex
	done   bool
	access access
	cost   cost
	set    *set
	sorted []key // of sortAll
	// tooLarge reports that a set was too much to be sorted (errTooMuch), so that none is tried again.
	tooLarge bool
	node     *Node
	// rejected are the other ways, of the last decision.
	rejected []Rejected
	// check tells of each condition whether only the documents can tell it.
	check []bool
	exact bool // none of them
	// revised tells that the documents have changed the decision's estimates.
	revised bool
}

const (
	// leastCollected is how many keys may be collected however few were expected.
	leastCollected = 2000
	// mistaken is by how much an estimate may be exceeded before another way is looked for.
	mistaken = 4
)

// plan decides how the region is read, and collects what that takes first. An estimate that turns out far too low while collecting is mended,
// and the decision made again.
func (g *region) plan(ctx context.Context) error {
	p := &g.planning
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return nil
	}
	defer g.tell(ctx)()
	if !p.revised {
		g.guess()
		g.tallies = make([]tally, len(g.conditions))
	}
	rows := float64(g.query.request.Size + 1)
	forced := g.query.request.Force
	all := g.accesses()
	obvious, isObvious := g.obvious()
	if forced == 0 && len(all) > 1 && !isObvious && !p.revised {
		if err := g.probe(ctx); err != nil {
			return err
		}
		all = g.accesses()
	}
	before := p.access
	for {
		affordable := slices.DeleteFunc(slices.Clone(all), func(a access) bool { return !g.affordable(a, rows) })
		p.access = slices.MinFunc(affordable, func(a, b access) int { return cmp.Compare(g.cost(a, rows).score(), g.cost(b, rows).score()) })
		if forced > 0 {
			p.access = all[(forced-1)%len(all)]
		} else if isObvious {
			p.access = obvious
		}
		p.cost = g.cost(p.access, rows)
		if p.revised && p.access.String() == before.String() {
			break // what it needs is there
		}
		p.node = g.describe(p.access, p.cost)
		ok, err := g.prepare(ctx, all, rows)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		p.node.note("given up, because there are more keys than were expected")
	}
	g.explainRejected(all, rows, before)
	p.check, p.exact = make([]bool, len(g.conditions)), true
	for _, i := range g.residual(p.access) {
		p.check[i], p.exact = true, false
	}
	if p.exact {
		p.cost.yield = 1
	}
	p.done = true
	return nil
}

// obvious is the access than which nothing can be better, so that no probes are needed: where one condition can be used, and its keys are in
// the order of the rows, they are read instead of all keys.
func (g *region) obvious() (access, bool) {
	use := g.useful()
	if g.level && g.conditions[0].trivial && !g.filtered() && !g.planning.revised && len(use) == 1 && g.conditions[use[0]].cover.points != nil {
		return access{method: intersect, uses: use}, true
	}
	return access{}, false
}

// affordable tells whether an access is expected to leave half of the work budget to what follows collecting. That of walkAll always is.
func (g *region) affordable(a access, rows float64) bool {
	half := float64(g.query.work.budget / 2)
	if !a.collects() {
		return true
	}
	keys := 0.0
	for _, use := range a.uses {
		c := &g.conditions[use]
		if keys += c.keys; c.tooMany || keys > half {
			return false
		}
	}
	return a.method != sortAll || !g.planning.tooLarge && g.cost(a, rows).documents*keysPerDocument <= half
}

// collects tells whether an access begins with collecting a set.
func (a access) collects() bool {
	return a.method == walkMembers || a.method == listAll || a.method == sortAll
}

// prepare collects what the access uses, and decides again what to do with it when its size is known; false if it turns out to be too much, and
// another access must be chosen from all.
func (g *region) prepare(ctx context.Context, all []access, rows float64) (bool, error) {
	p := &g.planning
	if !p.access.collects() {
		return true, nil
	}
	sets := make([]*set, len(p.access.uses))
	enough := true
	group, ctx2 := errgroup.WithContext(ctx)
	var mu sync.Mutex
	for i, use := range p.access.uses {
		c := &g.conditions[use]
		limit := max(leastCollected, int(mistaken*c.keys))
		limit = min(limit, g.query.work.budget/2)
		for j := range c.cover.leaves {
			p.node.child(KindCollect, g.query.where(&c.cover.leaves[j])) // in their order, whichever is read first
		}
		group.Go(func() error {
			s, seen, err := g.query.collect(ctx2, c.cover.leaves, limit, p.node)
			if err != nil {
				return err
			}
			if sets[i] = s; s == nil && g.query.request.Force == 0 {
				mu.Lock()
				defer mu.Unlock()
				enough = false
				c.tooMany, c.keys, c.known = true, max(float64(seen)*mistaken, c.keys*2), true
				c.count = min(c.keys, g.query.total())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || !enough {
		return false, err
	}
	p.set = sets[0]
	for _, s := range sets[1:] {
		p.set = p.set.and(s)
	}
	for i, use := range p.access.uses {
		if c := &g.conditions[use]; c.cover.exact {
			c.count, c.known = float64(len(sets[i].keys)), true
		}
	}
	if g.query.request.Force == 0 {
		for _, a := range all {
			if a.collects() && slices.Equal(a.uses, p.access.uses) && g.affordable(a, rows) && g.cost(a, rows).score() < g.cost(p.access, rows).score() {
				p.access, p.cost = a, g.cost(a, rows)
				p.node.Kind = methodKinds[a.method]
				p.node.keep = a.method == sortAll
			}
		}
	}
	if p.access.method == sortAll {
		err := g.sortSet(ctx)
		if err == errTooMuch && g.query.request.Force == 0 {
			p.tooLarge = true
			return false, nil
		}
		return true, err
	}
	return true, nil
}

// yield is the expected share of the keys that are those of rows, and exact that all are, but for what is gone.
func (q *query) yield() (share float64, exact bool) {
	share, exact = 1, true
	for _, g := range q.regions {
		g.planning.mu.Lock()
		if g.planning.done {
			share, exact = min(share, g.planning.cost.yield), exact && g.planning.exact
		}
		g.planning.mu.Unlock()
	}
	return share, exact
}
