package grid

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

const (
	// probeLimit is how many keys a probe counts: about as many as DynamoDB reads for 1 RCU.
	probeLimit = 80
	// rangeProbeLimit is the limit for a range of values, which costs as much as some 15 documents. The
	// position where a probe stops says little, because values are rarely evenly distributed. To mistake a
	// rare range for a common one costs a whole budget, so a rare range is counted to its end.
	rangeProbeLimit = 800
	// maxProbes is the maximum number of Queries for the probes of one region. Further conditions are
	// guessed.
	maxProbes = 24
)

// probe counts the keys of the conditions that plans may use, in parallel and each with a limit. It returns
// the updated statistics. A range that several conditions have is counted once.
func (x *pageSource) probe(ctx context.Context, g *region, s Stats) (Stats, error) {
	s = s.clone()
	left := maxProbes
	group, ctx := errgroup.WithContext(ctx)
	node := newNode(KindProbe, "")
	probes := map[rangeKey]*rangeProbe{}
	counted := map[int][]indexRange{} // the ranges by which a condition is estimated
	for i := range g.conditions {
		c, e := &g.conditions[i], &s.conditions[i]
		if !c.covered || c.trivial || e.known {
			continue
		}
		f := c.presenceRange()
		if i == 0 && g.filtered() && g.tail {
			// Other conditions also filter the region's own keys.
			f = &indexRange{without: []tracker.Column{x.request.column().Column}}
		}
		if f != nil && left >= probesOfEnds {
			left -= probesOfEnds
			group.Go(func() error {
				share, err := x.presence(ctx, f, node)
				e.count, e.known = share*x.request.total(), true
				return err
			})
		}
		if f != nil || i == 0 && g.whole() {
			continue
		}
		for _, ranges := range c.cover.countable() {
			if more, ok := wanted(probes, &c.cover, ranges, &left); ok {
				probes, counted[i] = more, ranges
				break
			}
		}
	}
	for _, p := range probes {
		group.Go(func() error { return x.probeRange(ctx, p, node) })
	}
	err := group.Wait()
	if err == nil {
		known := map[part]int{}
		for _, i := range slices.Sorted(maps.Keys(counted)) {
			x.estimate(&s, i, &g.conditions[i].cover, counted[i], probes, known)
		}
	}
	if node.Calls > 0 || len(node.Notes) > 0 {
		x.node.add(node)
	}
	s.probes = Work{Queries: node.Calls, Keys: node.Keys, RCU: node.RCU}
	return s, err
}

// maxCountedByNumber is the maximum number of ranges in the order of the numbers that are counted rather than
// those of values.
const maxCountedByNumber = 4

// countable returns the ranges by which a cover can be estimated, the better ones first. In the order of the
// numbers, keys are spread more evenly than in that of values, such as states, of which some are rare.
func (c *cover) countable() [][]indexRange {
	if n := len(c.numberRanges); n > 0 && n <= maxCountedByNumber {
		return [][]indexRange{c.numberRanges, c.ranges}
	}
	return [][]indexRange{c.ranges}
}

// wanted returns the probes with those of the ranges of a cover, and takes their Queries from left. It
// returns false if these are too few.
func wanted(probes map[rangeKey]*rangeProbe, c *cover, ranges []indexRange, left *int) (
	map[rangeKey]*rangeProbe, bool) {
	more, rest := maps.Clone(probes), *left
	for i := range ranges {
		l, key := &ranges[i], ranges[i].key()
		p := rangeProbe{indexRange: l}
		if before := more[key]; before != nil {
			p = *before
		}
		rest += p.queries()
		p.want(c, l)
		if rest -= p.queries(); rest < 0 {
			return nil, false
		}
		more[key] = &p
	}
	*left = rest
	return more, true
}

// rangeProbe is the probe of a range.
type rangeProbe struct {
	*indexRange
	counts, reads bool // whether the number of keys is wanted, and the texts in some of them
	keys          float64
	ends          [probesOfEnds]columns.KeyPage // with the texts
}

// want adds what a cover needs to know of a range of its own. Every issue has a key in the range of all texts
// of a column that cannot be empty.
func (p *rangeProbe) want(c *cover, l *indexRange) {
	reads := c.decides(l)
	p.reads = p.reads || reads
	p.counts = p.counts || !reads || l.column.Nullable()
}

// queries returns how many Queries the probe sends.
func (p *rangeProbe) queries() (n int) {
	if p.reads {
		n += probesOfEnds
	}
	_, byNumber := p.prefix()
	switch {
	case !p.counts, p.filtered():
	case byNumber:
		n += probesOfEnds
	case p.all():
		n += 1 + probesOfEnds // its beginning, and the share of the issues that have a value
	default:
		n += 2 + probesOfEnds // its beginning and end, and the column's least and greatest value
	}
	return n
}

// probeRange sends the Queries of a probe.
func (x *pageSource) probeRange(ctx context.Context, p *rangeProbe, node *Node) error {
	group, ctx := errgroup.WithContext(ctx)
	if p.keys = x.request.total(); p.counts {
		group.Go(func() (err error) {
			p.keys, err = x.count(ctx, p.indexRange, node)
			return err
		})
	}
	if p.reads {
		group.Go(func() (err error) {
			p.ends, err = x.probeEnds(ctx, p.indexRange, false, node)
			return err
		})
	}
	return group.Wait()
}

// part identifies what a condition consists of: the keys of a range, and the strings that they contain.
type part struct {
	rangeKey
	contains string
}

// estimate estimates a condition by the number of keys of ranges, and by the texts in some of them if these
// decide it. known has the indexes of Stats.ranges.
func (x *pageSource) estimate(s *Stats, condition int, c *cover, ranges []indexRange,
	probes map[rangeKey]*rangeProbe, known map[part]int) {
	e, n := &s.conditions[condition], x.request.total()
	e.keys, e.count = 0, 0
	for i := range ranges {
		l, of := &ranges[i], part{rangeKey: ranges[i].key()}
		p, share := probes[of.rangeKey], 1.0
		if c.decides(l) {
			share, of.contains = x.textShare(p, l), l.contains.Key()
		}
		e.keys += p.keys
		e.count += p.keys * share
		at, ok := known[of]
		if !ok {
			at = len(known)
			known[of] = at
			s.ranges = append(s.ranges, rangeShare{l.column, min(1, p.keys*share/n)})
		}
		if at < maxRanges {
			e.ranges |= 1 << at
		}
	}
	e.count, e.known = min(e.count, n), true
	if !c.decided() {
		e.count *= guessRange
		e.ranges = 0
	}
}

// textShare estimates the share of the keys of a range that match, by the texts in the least and the greatest
// ones.
func (x *pageSource) textShare(p *rangeProbe, l *indexRange) float64 {
	met, seen := 0, 0
	for _, page := range p.ends {
		x.work.account.Spend(time.Duration(len(page.Keys)) * account.ValueCPU)
		for i := range page.Keys {
			if found, _ := contained(page.Keys[i].SS, l.contains); found {
				met++
			}
			seen++
		}
	}
	return (float64(met) + 0.5) / (float64(seen) + 1)
}

// unevenDensity is the ratio of the densities of the keys at the ends of a range from which on values are
// not evenly distributed. Below it, the densities may differ because there are few values.
const unevenDensity = 8

// probesOfEnds is how many Queries probeEnds sends.
const probesOfEnds = 2

// presence estimates the share of issues that match a range's filter on the fields that they have. It samples
// the oldest and the newest issues, because fields come into use and go out of use.
func (x *pageSource) presence(ctx context.Context, l *indexRange, node *Node) (float64, error) {
	all := &indexRange{column: tracker.ColumnNum, with: l.with, without: l.without}
	pages, err := x.probeEnds(ctx, all, true, node)
	met, seen := 0, 0
	for _, p := range pages {
		met, seen = met+p.Count, seen+p.Examined
	}
	// Add half a match: no match in the sample does not mean that there is none.
	return (float64(met) + 0.5) / (float64(seen) + 1), err
}

// filled estimates the share of issues that have a value in the column of a range.
func (x *pageSource) filled(ctx context.Context, l *indexRange, node *Node) (float64, error) {
	empties := emptiesOf(x.request.Definition, l.column, l.gen)
	if !empties.empties {
		return x.presence(ctx, &indexRange{with: []tracker.Column{l.column}}, node)
	}
	n, err := x.countByNumber(ctx, &empties, node)
	return 1 - n/x.request.total(), err
}

// probeEnds probes a range from its beginning and from its end.
func (x *pageSource) probeEnds(ctx context.Context, l *indexRange, countOnly bool,
	node *Node) (ends [probesOfEnds]columns.KeyPage, err error) {
	group, ctx := errgroup.WithContext(ctx)
	for i := range ends {
		group.Go(func() (err error) {
			k := l.query(x.request.project())
			k.CountOnly, k.Limit, k.Descending = countOnly, probeLimit, i > 0
			ends[i], err = x.sendProbe(ctx, k, node)
			return err
		})
	}
	err = group.Wait()
	return ends, err
}

// sendProbe sends the query of a probe to the first shard, and records its work, unless the result is
// remembered. Ids, and so the issues that a condition matches, are evenly spread over the shards.
func (x *pageSource) sendProbe(ctx context.Context, k columns.KeyQuery, node *Node) (columns.KeyPage, error) {
	m, d := x.source.Probes, x.request.Definition
	k.Shards = 1
	key := m.key(d, &k)
	if page, ok := m.get(key); ok {
		node.note("counts of an earlier page")
		return page, nil
	}
	page, err := x.source.Index.QueryKeys(ctx, k)
	x.work.probed(&page)
	node.queried(&page, 0)
	if err == nil {
		m.add(d, key, page)
	}
	return page, err
}

// count estimates how many keys a range has. If they are fewer than the limit of a probe, the count is exact
// in a project with one shard.
// In the order of the numbers, the density of the keys is estimated by the numbers that the probes from both
// ends reach, because issues are numbered consecutively. In the order of values, the share of the range is
// its part of the interval between the least and the greatest value of the column, as if values were evenly
// distributed. If keys are much denser at one end of the range than at the other, they are not: then the
// density is the geometric mean of the two. A range without bounds has all issues with a value.
func (x *pageSource) count(ctx context.Context, l *indexRange, node *Node) (float64, error) {
	if l.filtered() {
		return x.request.total(), nil // DynamoDB reads all of them
	}
	if _, byNumber := l.prefix(); byNumber {
		return x.countByNumber(ctx, l, node)
	}
	n, share := x.request.total(), guessRange
	var first, last, least, greatest columns.KeyPage
	group, ctx := errgroup.WithContext(ctx)
	probe := func(into *columns.KeyPage, k columns.KeyQuery) {
		group.Go(func() (err error) {
			*into, err = x.sendProbe(ctx, k, node)
			return err
		})
	}
	k := l.query(x.request.project())
	k.CountOnly, k.Limit = true, rangeProbeLimit
	if l.all() {
		k.Limit = probeLimit
		group.Go(func() (err error) {
			share, err = x.filled(ctx, l, node)
			return err
		})
	} else {
		ends := (&indexRange{column: l.column, gen: l.gen, kind: l.kind}).query(x.request.project())
		ends.Limit = 1
		probe(&least, ends)
		end := k
		end.Limit, end.Descending = probeLimit, true
		if end.CountOnly = l.values.To != nil; end.CountOnly {
			ends.Descending = true
			probe(&greatest, ends)
		}
		probe(&last, end)
	}
	probe(&first, k)
	if err := group.Wait(); err != nil {
		return 0, err
	}
	if len(greatest.Keys) == 0 {
		greatest = last // it has the greatest value of the column
	}
	found := float64(first.Count * l.partitions(x.request.project()))
	if first.Last == nil {
		return found, nil
	}
	if len(least.Keys) > 0 && len(greatest.Keys) > 0 {
		part := func(from, to []byte) float64 {
			return sortkey.Share(l.kind, least.Keys[0].SS, greatest.Keys[0].SS, from, to)
		}
		share = part(l.values.From, l.values.To)
		if near, far := part(l.values.From, first.Last), part(last.Last, l.values.To); near > 0 && far > 0 {
			a, b := float64(first.Count)/near, float64(last.Count)/far
			if max(a, b) > unevenDensity*min(a, b) {
				share *= math.Sqrt(a*b) * float64(l.partitions(x.request.project())) / n
			}
		}
		if share*n < found {
			share = guessRange // there are more, so values are not evenly distributed
		}
	}
	return min(max(share*n, found), n), nil
}

// countByNumber is count for a range in the order of the numbers.
func (x *pageSource) countByNumber(ctx context.Context, l *indexRange, node *Node) (float64, error) {
	value, _ := l.prefix()
	ends, err := x.probeEnds(ctx, l, true, node) // the lowest and the highest
	if err != nil {
		return 0, err
	}
	shards := float64(l.partitions(x.request.project()))
	for _, e := range ends {
		if e.Last == nil {
			return shards * float64(e.Count), nil
		}
	}
	n, first, last := x.request.total(), ends[0], ends[1]
	low := float64(num(first.Last[len(value):]))
	high := n - float64(num(last.Last[len(value):])) + 1
	density := shards * (float64(first.Count)/max(low, 1) + float64(last.Count)/max(high, 1)) / 2
	return min(max(density*n, shards*float64(first.Count)), n), nil
}
