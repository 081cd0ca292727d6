package grid

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// planning is what was decided for a region: once for a page, however many streams read the region.
type planning struct {
	mu     sync.Mutex
	done   bool
	access access
	cost   cost
	set    *set
	sorted []key // of sortAll
	node   *Node
	// check tells of each condition whether only the documents can tell it.
	check []bool
	exact bool // none of them
}

// set is the issues that meet conditions.
type set struct {
	ids  map[string]struct{} // within the project
	keys []key               // in the order of the numbers; the sort strings are numbers
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
	g.guess()
	rows := float64(g.query.request.Size + 1)
	forced := g.query.request.Force
	all := g.accesses()
	if forced == 0 && len(all) > 1 && !g.obvious() {
		if err := g.probe(ctx); err != nil {
			return err
		}
		all = g.accesses()
	}
	for {
		p.access = slices.MinFunc(all, func(a, b access) int { return cmp.Compare(g.cost(a, rows).score(), g.cost(b, rows).score()) })
		if forced > 0 {
			p.access = all[(forced-1)%len(all)]
		} else if g.obvious() {
			p.access = access{method: intersect, uses: []int{1}}
		}
		p.cost = g.cost(p.access, rows)
		p.node = g.describe(p.access, p.cost)
		ok, err := g.prepare(ctx)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		p.node.note("given up, because there are more keys than were expected")
	}
	g.explainRejected(all, rows)
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

// obvious tells that the one condition there is can be read like the region itself: nothing can be better.
func (g *region) obvious() bool {
	return g.level && len(g.conditions) == 2 && g.conditions[0].trivial && g.conditions[1].level && g.conditions[1].cover.exact && !g.conditions[1].base
}

// prepare collects what the access uses; false if that turns out to be too much, and another access must be chosen.
func (g *region) prepare(ctx context.Context) (bool, error) {
	p := &g.planning
	switch p.access.method {
	case walkMembers, listAll, sortAll:
	default:
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
		group.Go(func() error {
			s, seen, err := g.query.collect(ctx2, c.cover.leaves, limit, p.node)
			if err != nil {
				return err
			}
			if sets[i] = s; s == nil && g.query.request.Force == 0 {
				mu.Lock()
				defer mu.Unlock()
				enough = false
				c.keys, c.known = max(float64(seen)*mistaken, c.keys*2), true
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
	if p.access.method == sortAll {
		return true, g.sortSet(ctx)
	}
	return true, nil
}

// collect reads all keys of leaves, nil if there are more than limit.
func (q *query) collect(ctx context.Context, leaves []leaf, limit int, node *Node) (*set, int, error) {
	s := &set{ids: map[string]struct{}{}}
	var mu sync.Mutex
	seen := 0
	group, ctx := errgroup.WithContext(ctx)
	for i := range leaves {
		l := &leaves[i]
		group.Go(func() error {
			scan := &scan{index: q.source.Index, work: q.work, node: node.child(KindCollect, q.where(l)), query: l.query(q.request.Project)}
			if _, level := l.point(); !level {
				scan.node.note("in the order of its values")
			}
			for end := false; !end; {
				var keys []key
				var err error
				if keys, end, err = scan.next(ctx, 0, nil); err != nil {
					return err
				}
				mu.Lock()
				seen += len(keys)
				over := seen > limit && q.request.Force == 0
				for _, k := range keys {
					n, err := l.num(k.ss)
					if err != nil {
						mu.Unlock()
						return tracker.Internal("the index has a sort string of another column", err)
					}
					if _, twice := s.ids[k.id.Issue]; !twice && !over {
						s.ids[k.id.Issue] = struct{}{}
						s.keys = append(s.keys, key{id: k.id, ss: sortkey.Num(n)})
					}
				}
				mu.Unlock()
				if over {
					return nil
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, seen, err
	}
	if seen > limit && q.request.Force == 0 {
		return nil, seen, nil
	}
	slices.SortFunc(s.keys, func(a, b key) int { return bytes.Compare(a.ss, b.ss) })
	return s, seen, nil
}

// and is what is in both sets.
func (s *set) and(other *set) *set {
	out := &set{ids: map[string]struct{}{}}
	for _, k := range s.keys {
		if _, ok := other.ids[k.id.Issue]; ok {
			out.ids[k.id.Issue] = struct{}{}
			out.keys = append(out.keys, k)
		}
	}
	return out
}

// sortSet fetches the documents of the set, and orders those that are rows of the region.
func (g *region) sortSet(ctx context.Context) error {
	p, q := &g.planning, g.query
	ids := make([]tracker.IssueID, len(p.set.keys))
	for i, k := range p.set.keys {
		ids[i] = k.id
	}
	docs, err := q.documents(ctx, ids, p.node)
	if err != nil {
		return err
	}
	own := g.conditions[0].is
	column := q.request.Order.Column
	texts, err := q.longTexts(ctx, docs, own)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		if doc == nil {
			continue
		}
		s := filter.Subject{Definition: q.request.Definition, Issue: doc, Texts: texts[doc.ID.Issue]}
		if s.Meets(own) != filter.Yes {
			continue
		}
		v, ok := s.SortValue(column)
		if ok {
			p.sorted = append(p.sorted, key{id: ids[i], ss: sortkey.Join(v, doc.Num)})
		}
	}
	slices.SortFunc(p.sorted, func(a, b key) int { return bytes.Compare(a.ss, b.ss) })
	return nil
}

// open makes an iterator of the region's rows within bounds, as was decided.
func (g *region) open(b bounds) iterator {
	p := &g.planning
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
		lanes[i] = &lane{from: g.leaves(g.conditions[use].cover.leaves, b)}
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
}

func (n *numbered) next(ctx context.Context, want int, keys []key) ([]key, bool, error) {
	found, end, err := n.from.next(ctx, want, nil)
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

// documents fetches issues, but for those that were fetched for this page already.
func (q *query) documents(ctx context.Context, ids []tracker.IssueID, node *Node) ([]*tracker.Issue, error) {
	docs := make([]*tracker.Issue, len(ids))
	missing, places := ids, []int(nil) // all of them, unless some are known
	q.mu.Lock()
	if len(q.known) > 0 {
		missing = nil
		for i, id := range ids {
			doc, known := q.known[id.Issue]
			if docs[i] = doc; !known {
				missing, places = append(missing, id), append(places, i)
			}
		}
	}
	q.mu.Unlock()
	if len(missing) == 0 {
		return docs, nil
	}
	started := time.Now()
	found, err := q.source.Fetch(ctx, missing)
	if err != nil {
		return nil, err
	}
	if len(found) != len(missing) {
		return nil, tracker.Internal("fetch did not return one document for each id", nil)
	}
	q.work.fetched(len(missing))
	node.fetched(len(missing), time.Since(started))
	if places == nil {
		copy(docs, found)
	}
	for n, i := range places {
		docs[i] = found[n]
	}
	if node.keep {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.known == nil {
			q.known = map[string]*tracker.Issue{}
		}
		for n, id := range missing {
			q.known[id.Issue] = found[n]
		}
	}
	return docs, nil
}

// meets tells whether an issue is a row of the region. A condition that the keys have told is believed where the document does not tell it.
func (g *region) meets(s *filter.Subject) filter.Truth {
	truth := filter.Yes
	for i := range g.conditions {
		c := &g.conditions[i]
		if c.trivial || c.nums != nil || i == 0 && !g.planning.check[0] {
			continue
		}
		t := s.Meets(c.is)
		if t == filter.Unknown && !g.planning.check[i] {
			t = filter.Yes
		}
		if truth = min(truth, t); truth == filter.No {
			break
		}
	}
	return truth
}

// regionOf is the region of a key.
func (q *query) regionOf(k key) *region {
	for _, g := range q.regions {
		if g.tail == k.tail {
			return g
		}
	}
	return nil
}

// match puts nil in the place of documents that are not rows: the filter is asked again of every document, because the index may lag behind.
func (q *query) match(ctx context.Context, keys []key, docs []*tracker.Issue) error {
	if q.form.Always() && !slices.ContainsFunc(q.regions, func(g *region) bool { return g.planning.done && g.planning.check[0] }) {
		return nil
	}
	var open []int // documents of which a long text decides
	subjects := make([]filter.Subject, len(docs))
	for i, doc := range docs {
		if doc == nil {
			continue
		}
		subjects[i] = filter.Subject{Definition: q.request.Definition, Issue: doc}
		switch q.regionOf(keys[i]).meets(&subjects[i]) {
		case filter.No:
			docs[i] = nil
		case filter.Unknown:
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return nil
	}
	undecided := make([]*tracker.Issue, len(open))
	for n, i := range open {
		undecided[n] = docs[i]
	}
	texts, err := q.longTexts(ctx, undecided, filter.And(q.form.All))
	if err != nil {
		return err
	}
	for _, i := range open {
		subjects[i].Texts = texts[docs[i].ID.Issue]
		if q.regionOf(keys[i]).meets(&subjects[i]) != filter.Yes {
			docs[i] = nil
		}
	}
	return nil
}

// longTexts reads the texts outside of documents that a condition may look at, by their issues' ids within the project.
func (q *query) longTexts(ctx context.Context, docs []*tracker.Issue, c filter.Condition) (map[string]map[tracker.Column]string, error) {
	var refs []tracker.LongRef
	for _, doc := range docs {
		if doc != nil {
			s := filter.Subject{Definition: q.request.Definition, Issue: doc}
			refs = append(refs, s.LongTexts(c)...)
		}
	}
	out := map[string]map[tracker.Column]string{}
	if len(refs) == 0 {
		return out, nil
	}
	if q.source.Texts == nil {
		return nil, tracker.Internal("a filter looks at long texts, and there is no way to read them", nil)
	}
	texts, err := q.source.Texts(ctx, refs)
	if err != nil {
		return nil, err
	}
	q.work.fetched(len(refs))
	for i, r := range refs {
		if out[r.Issue.Issue] == nil {
			out[r.Issue.Issue] = map[tracker.Column]string{}
		}
		out[r.Issue.Issue][r.Column] = texts[i]
	}
	return out, nil
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
