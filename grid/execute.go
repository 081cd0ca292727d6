package grid

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// execution is a plan with the sets collected for it.
type execution struct {
	source *pageSource
	plan   Plan
	node   *Node
	set    *set
	sorted []key // the sorted keys of the method Sort
}

const (
	// minCollectLimit is the minimum limit on the keys of a set, even if fewer are expected.
	minCollectLimit = 2000
	// maxErrorFactor is the factor by which an estimate may be wrong before another plan is chosen.
	maxErrorFactor = 4
)

// execute collects the sets that a plan uses, and chooses again by their actual sizes. It returns nil if the
// plan with the lowest cost is then one with other sets, or if this one turns out to be too expensive;
// another one is then chosen by the better statistics.
func (x *pageSource) execute(ctx context.Context, p Plan) (e *execution, better Stats, err error) {
	e = &execution{source: x, plan: p, node: x.describe(&p)}
	if !p.collects() {
		return e, p.stats, nil
	}
	complete, better, err := e.collect(ctx)
	if err != nil {
		return nil, better, err
	}
	if !complete {
		e.node.note(moreThanExpected)
		return nil, better, nil
	}
	left := x.work.left()
	better.spent = float64(x.work.budget - left)
	e.plan = p.chooseAgain(better)
	if e.plan.method == Sort && e.plan.sameSets(&p.Candidate) &&
		len(e.set.keys)*keysPerDocument > left {
		better.tooLarge = true // all documents of the set are read, however few of them are rows
		e.plan = p.chooseAgain(better)
	}
	if !e.plan.sameSets(&p.Candidate) {
		e.node.note("given up, because another plan costs less with what is collected")
		return nil, better, nil
	}
	e.node.Kind, e.node.keep = NodeKind(e.plan.method), e.plan.method == Sort
	switch {
	case e.plan.method != Sort:
		return e, better, nil
	case x.request.window > 0 && len(e.set.keys) > x.request.Size:
		err = errSortTooLarge // for a window
	default:
		err = e.sort(ctx)
	}
	if err == errSortTooLarge && x.request.Force == 0 {
		better.tooLarge = true
		e.node.note(moreThanExpected)
		return nil, better, nil
	}
	return e, better, err
}

const moreThanExpected = "given up, because there are more keys than were expected"

// describe adds a node for the plan.
func (x *pageSource) describe(p *Plan) *Node {
	label := ""
	if x.request.Explain {
		label = p.region.label(&p.Candidate)
	}
	n := x.node.add(newNode(NodeKind(p.method), label))
	n.ExpectedKeys, n.ExpectedDocuments = p.cost.keys, p.cost.documents
	n.ExpectedRCU, n.ExpectedSteps = p.cost.rcu, p.cost.steps
	n.keep = p.method == Sort
	return n
}

// collect collects the set of issues that match all conditions that the plan uses. It returns statistics with
// the actual sizes. complete is false if a set is too large.
func (e *execution) collect(ctx context.Context) (complete bool, better Stats, err error) {
	x, p := e.source, &e.plan
	better = p.stats.clone()
	sets := make([]*set, len(p.uses))
	complete = true
	group, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	left := x.work.left()
	rest := left / 2 // for limits that are higher than expected
	for i, use := range p.uses {
		c, est := &p.region.conditions[use], &better.conditions[use]
		if est.set != nil {
			sets[i] = est.set
			continue
		}
		limit := min(max(minCollectLimit, int(maxErrorFactor*est.keys)), x.work.budget/2,
			max(minCollectLimit, left))
		limit = p.worthCollecting(use, limit, rest)
		rest -= limit
		for j := range c.cover.ranges {
			// Create the nodes in order before the parallel reads.
			e.node.child(KindCollect, x.rangeLabel(&c.cover.ranges[j]))
		}
		group.Go(func() error {
			s, seen, err := x.collect(ctx, c.cover.ranges, limit, e.node)
			if err != nil {
				return err
			}
			if sets[i] = s; s == nil && x.request.Force == 0 {
				mu.Lock()
				defer mu.Unlock()
				complete = false
				est.tooMany, est.known = true, true
				est.keys = max(float64(seen)*maxErrorFactor, est.keys*2)
				est.count = min(est.keys, x.request.total())
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return false, better, err
	}
	for i, use := range p.uses {
		est := &better.conditions[use]
		if est.set = sets[i]; est.set == nil {
			continue
		}
		if p.region.conditions[use].cover.decided() {
			est.count, est.known = float64(len(sets[i].keys)), true
			est.undecided = sets[i].undecided
		}
	}
	if !complete {
		return false, better, nil
	}
	e.set = sets[0]
	for _, s := range sets[1:] {
		e.set = e.set.and(s)
	}
	return true, better, nil
}

// open returns an iterator of the region's rows within bounds.
func (e *execution) open(b bounds) iterator {
	g := e.plan.region
	b, ok := g.clampToNumbers(b)
	if !ok {
		return &list{}
	}
	var from iterator
	switch e.plan.method {
	case Walk:
		from = e.walk(b)
	case SemiJoin:
		from = &setFilter{from: e.walk(b), set: e.set,
			density: float64(len(e.set.ids)) / e.source.request.total()}
	case Sort:
		from = newList(e.sorted, b.from, b.to, b.descending)
	default:
		inner, ok := g.numberBounds(b)
		switch {
		case !ok:
			from = &list{}
		case e.plan.method == List:
			from = newList(e.set.keys, inner.from, inner.to, b.descending)
		default:
			from = e.intersect(inner)
		}
		if len(g.value) > 0 || g.tail {
			from = &prefixer{from: from, value: g.value, tail: g.tail}
		}
	}
	for i := range g.conditions {
		c := &g.conditions[i]
		if c.nums != nil {
			from = &numberFilter{from: from, values: *c.nums, region: g}
		}
		if c.own != nil && (e.plan.method == Walk || e.plan.method == SemiJoin) {
			from = &textFilter{from: from, contains: c.own, account: e.source.work.account}
		}
	}
	return from
}

// walk returns an iterator of the region's own keys.
func (e *execution) walk(b bounds) iterator {
	g, c, passes := e.plan.region, &chain{}, e.passes()
	for i := range g.base {
		l := &g.base[i]
		if q, ok := l.within(e.source.request.project(), b); ok {
			s := e.source.scan(l, e.node)
			s.query, s.tail, s.seen, s.passes = q, g.tail, b.seen, passes
			c.left = append(c.left, s)
		}
	}
	if b.descending {
		slices.Reverse(c.left)
	}
	switch len(c.left) {
	case 0:
		return &list{}
	case 1:
		return c.left[0]
	}
	return c
}

// passes returns the share of the region's own keys that are expected to pass DynamoDB's filter, or 0 if it
// is not known.
func (e *execution) passes() float64 {
	share := 1.0
	for i := range e.plan.region.conditions {
		c, s := &e.plan.region.conditions[i], &e.plan.stats.conditions[i]
		switch {
		case i == 0 && e.plan.region.tail, c.base && !s.known:
			return 0
		case i > 0 && c.base:
			share *= min(1, s.count/e.source.request.total())
		}
	}
	return share
}

// intersect returns an iterator of the keys that the used conditions have in common, within bounds of
// numbers.
func (e *execution) intersect(b bounds) iterator {
	p := &e.plan
	lanes := make([]*lane, len(p.uses))
	for i, use := range p.uses {
		keys := p.stats.conditions[use].keys * p.cost.part
		lanes[i] = &lane{from: e.byNumber(p.region.conditions[use].cover.numberRanges, b),
			chunk: int(min(max(keys, firstChunk), maxChunk))}
	}
	if len(lanes) == 1 {
		return lanes[0].from
	}
	return &zigzag{lanes: lanes, descending: b.descending}
}

// byNumber returns an iterator of all keys of ranges that are in the order of the numbers.
func (e *execution) byNumber(ranges []indexRange, b bounds) seeker {
	lanes := make([]*lane, len(ranges))
	for i := range ranges {
		l := &ranges[i]
		value, _ := l.prefix()
		outer := bounds{descending: b.descending}
		if b.from != nil {
			outer.from = slices.Concat(value, b.from)
		}
		if b.to != nil {
			outer.to = slices.Concat(value, b.to)
		}
		q, ok := l.within(e.source.request.project(), outer)
		s := e.source.scan(l, e.node)
		s.query, s.value, s.ended = q, value, !ok
		lanes[i] = &lane{from: s}
	}
	if len(lanes) == 1 {
		return lanes[0].from
	}
	return &merge{lanes: lanes, descending: b.descending}
}
