package grid

import (
	"bytes"
	"context"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// open makes an iterator of the region's rows within bounds, as was decided.
func (g *region) open(b bounds) iterator {
	p := &g.planning
	b, ok := g.hull(b)
	if !ok {
		return &list{}
	}
	var from iterator
	switch p.access.method {
	case walkAll:
		from = g.walk(b)
	case walkMembers:
		from = &members{from: g.walk(b), set: p.set, density: float64(len(p.set.ids)) / g.query.total()}
	case sortAll:
		from = newList(p.sorted, b.from, b.to, b.descending)
	default:
		inner, ok := g.numbers(b)
		switch {
		case !ok:
			from = &list{}
		case p.access.method == listAll:
			from = newList(p.set.keys, inner.from, inner.to, b.descending)
		default:
			from = g.intersect(inner)
		}
		if len(g.value) > 0 || g.tail {
			from = &within{from: from, value: g.value, tail: g.tail}
		}
	}
	for i := range g.conditions {
		if nums := g.conditions[i].nums; nums != nil {
			from = &numbered{from: from, values: *nums, region: g}
		}
	}
	return from
}

// hull narrows bounds of a region that is in the order of the numbers to what conditions on the number admit; false if nothing is within.
func (g *region) hull(b bounds) (bounds, bool) {
	if !g.level {
		return b, true
	}
	for i := range g.conditions {
		nums := g.conditions[i].nums
		if nums == nil {
			continue
		}
		from, to := slices.Concat(g.value, nums.Ranges[0].From), nums.Ranges[len(nums.Ranges)-1].To
		if bytes.Compare(from, b.from) > 0 {
			b.from = from
		}
		if to != nil {
			if to = slices.Concat(g.value, to); b.to == nil || bytes.Compare(to, b.to) < 0 {
				b.to = to
			}
		}
	}
	return b, b.to == nil || bytes.Compare(b.from, b.to) < 0
}

// walk reads the region's own keys.
func (g *region) walk(b bounds) iterator {
	c := &chain{}
	for i := range g.base {
		l := &g.base[i]
		if q, ok := l.within(g.query.request.Project, b); ok {
			c.left = append(c.left, &scan{index: g.query.source.Index, work: g.query.work, node: g.planning.node.child(KindScan, g.query.where(l)),
				query: q, tail: g.tail, seen: b.seen})
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

// intersect reads what conditions have in common, within bounds of numbers.
func (g *region) intersect(b bounds) iterator {
	p := &g.planning
	lanes := make([]*lane, len(p.access.uses))
	for i, use := range p.access.uses {
		c := &g.conditions[use]
		lanes[i] = &lane{from: g.leaves(c.cover.points, b), chunk: int(min(max(c.keys*p.cost.part, firstChunk), maxChunk))}
	}
	if len(lanes) == 1 {
		return lanes[0].from
	}
	return &zigzag{lanes: lanes, descending: b.descending}
}

// leaves reads all of several leaves that are in the order of the numbers.
func (g *region) leaves(leaves []leaf, b bounds) seeker {
	lanes := make([]*lane, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		value, _ := l.point()
		outer := bounds{descending: b.descending}
		if b.from != nil {
			outer.from = slices.Concat(value, b.from)
		}
		if b.to != nil {
			outer.to = slices.Concat(value, b.to)
		}
		q, ok := l.within(g.query.request.Project, outer)
		lanes[i] = &lane{from: &scan{index: g.query.source.Index, work: g.query.work, node: g.planning.node.child(KindScan, g.query.where(l)),
			query: q, value: value, ended: !ok}}
	}
	if len(lanes) == 1 {
		return lanes[0].from
	}
	return &merge{lanes: lanes, descending: b.descending}
}

// numbers are bounds of the region as bounds of the numbers behind its one value; false if nothing is within.
func (g *region) numbers(b bounds) (bounds, bool) {
	if len(g.value) == 0 {
		return b, true
	}
	out := bounds{descending: b.descending}
	if bytes.Compare(b.from, g.value) > 0 {
		rest, ok := bytes.CutPrefix(b.from, g.value)
		if !ok {
			return out, false // behind all of the region
		}
		out.from = rest
	}
	if b.to != nil {
		if bytes.Compare(b.to, g.value) <= 0 {
			return out, false
		}
		if rest, ok := bytes.CutPrefix(b.to, g.value); ok {
			out.to = rest
		}
	}
	return out, true
}

// numbered keeps the keys of issues with certain numbers.
type numbered struct {
	from   iterator
	values filter.Values
	region *region
	asked  int  // how many keys the last request asked for
	sparse bool // it brought less than half of what was expected
}

func (n *numbered) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	ask, share := want, 1.0
	if g := n.region; !g.level { // else the keys are those within the hull of the numbers
		share = max(g.query.numShare(n.values), 1e-6)
		ask = int(min(float64(want)/share+1, maxChunk))
	}
	if n.sparse {
		ask = max(ask, min(2*n.asked, maxChunk))
	}
	before := len(keys)
	found, end, err := n.from.next(ctx, ask, nil)
	if err != nil {
		return keys, false, err
	}
	for _, k := range found {
		ss := k.ss
		if order := &n.region.query.request.Order; !k.tail && !order.byNum() {
			_, num, err := sortkey.Split(order.kind, k.ss)
			if err != nil {
				return keys, false, tracker.Internal("the index has a sort string of another column", err)
			}
			ss = sortkey.Num(num)
		}
		if n.values.Contains(ss) {
			keys = append(keys, k)
		}
	}
	n.asked, n.sparse = ask, float64(len(keys)-before) < float64(len(found))*share/2
	return keys, end, nil
}

func (n *numbered) passed() (key, bool) { return n.from.passed() }

// deferred is a region that is planned when it is reached.
type deferred struct {
	region *region
	bounds bounds
	opened iterator
}

func (d *deferred) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	if d.opened == nil {
		if err := d.region.plan(ctx); err != nil {
			return keys, false, err
		}
		d.opened = d.region.open(d.bounds)
	}
	return d.opened.next(ctx, want, keys)
}

func (d *deferred) passed() (key, bool) {
	if d.opened == nil {
		return key{}, false
	}
	return d.opened.passed()
}
