package grid

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// estimate is what is believed of a condition.
type estimate struct {
	// count is how many issues meet it, keys how many keys of the index tell which.
	count, keys float64
	// weight is what a key costs, in those of an ordinary column.
	weight float64
	// known tells that count comes from the index, and is not a guess.
	known bool
}

const (
	// probeLimit is how many keys a probe counts: those that DynamoDB reads for 1 RCU, about.
	probeLimit = 80
	// rangeProbeLimit is the same for a range of values. Where it ends says little, because values are seldom spread evenly, and taking a rare range
	// for a common one costs a whole budget: so that one which is rare is counted to its end, for what some 15 documents cost.
	rangeProbeLimit = 800
	// maxProbes is how many Queries the probes of one page may take. Conditions beyond are guessed.
	maxProbes = 24
	// keyBytes is the size of a key in the partition of a column, about, with what DynamoDB adds.
	keyBytes = 110
)

// guesses for what the index does not tell: shares of the issues.
const (
	guessRange    = 0.3
	guessContains = 0.1
	guessNot      = 0.9
)

// total is about how many issues the project has: its highest number, because numbers are given in turn.
func (q *query) total() float64 {
	n := 1.0
	if d := q.request.Definition; d != nil {
		n = max(n, float64(d.Highest))
	}
	return n
}

// weightOf is what a key of the project's own partition costs: it carries the set of what an issue has, which is half of the fields, say.
func (q *query) weightOf(l *leaf) float64 {
	if d := q.request.Definition; l.column == tracker.ColumnNum && d != nil {
		return 1 + float64(len(d.Fields))*10/keyBytes
	}
	return 1
}

// guess sets the estimates that take no probes.
func (g *region) guess() {
	n := g.query.total()
	for i := range g.conditions {
		c := &g.conditions[i]
		c.estimate = estimate{count: n * g.query.share(c.is), weight: 1}
		for j := range c.cover.leaves {
			l := &c.cover.leaves[j]
			c.weight = max(c.weight, g.query.weightOf(l))
		}
		c.keys = c.count
		if f := hasField(c); f != nil {
			c.keys = n
		}
		if c.trivial {
			c.count, c.keys, c.known = n, n, true
		}
	}
}

// whole tells that all issues with a value are rows of the region, as far as it is concerned.
func (g *region) whole() bool {
	return len(g.base) == 1 && len(g.base[0].values.From) == 0 && g.base[0].values.To == nil
}

// share guesses how much of the issues meets a condition.
func (q *query) share(c filter.Condition) float64 {
	switch c := c.(type) {
	case filter.In:
		if len(c.Values.Ranges) == 1 && len(c.Values.Ranges[0].From) == 0 && c.Values.Ranges[0].To == nil {
			return 1
		}
		if c.Column == tracker.ColumnNum {
			return q.numShare(c.Values)
		}
		share := guessRange * float64(min(len(c.Values.Ranges), 3))
		if c.Values.None {
			share = max(share, 0.5)
		}
		return min(share, 1)
	case filter.Has:
		return guessRange
	case filter.Contains:
		return guessContains
	case filter.Not:
		return guessNot
	case filter.And:
		share := 1.0
		for _, m := range c {
			share *= q.share(m)
		}
		return share
	case filter.Or:
		rest := 1.0
		for _, m := range c {
			rest *= 1 - q.share(m)
		}
		return 1 - rest
	}
	return 1
}

// numShare is the share of the numbers that are among values, because numbers are given in turn.
func (q *query) numShare(v filter.Values) float64 {
	n, share := q.total(), 0.0
	for _, r := range v.Ranges {
		from, to := 1.0, n+1
		if i, err := sortkey.ParseNum(r.From); err == nil {
			from = float64(i)
		}
		if i, err := sortkey.ParseNum(r.To); err == nil {
			to = min(to, float64(i))
		}
		share += max(0, to-from) / n
	}
	return min(share, 1)
}

// probe counts, side by side and each with a limit, the keys of the conditions that plans may use.
func (g *region) probe(ctx context.Context) error {
	left := maxProbes
	group, ctx := errgroup.WithContext(ctx)
	node := g.query.node.child(KindProbe, "")
	for i := range g.conditions {
		c := &g.conditions[i]
		if !c.covered || c.trivial || c.known {
			continue
		}
		f := hasField(c)
		if i == 0 && g.tail {
			f = &leaf{without: []tracker.FieldID{g.query.request.Order.Column.Field()}} // the base has what other conditions demand, too
		}
		if f != nil && left >= probesOfPresence {
			left -= probesOfPresence
			group.Go(func() error {
				share, err := g.query.presence(ctx, f, node)
				c.count, c.known = share*g.query.total(), true
				return err
			})
		}
		if f != nil || i == 0 && g.whole() {
			continue
		}
		need := 0
		for j := range c.cover.leaves {
			need += probesOf(&c.cover.leaves[j])
		}
		if need > left {
			continue
		}
		left -= need
		group.Go(func() error {
			counts := make([]float64, len(c.cover.leaves))
			group, ctx := errgroup.WithContext(ctx)
			for j := range c.cover.leaves {
				group.Go(func() (err error) {
					counts[j], err = g.query.count(ctx, &c.cover.leaves[j], node)
					return err
				})
			}
			if err := group.Wait(); err != nil {
				return err
			}
			c.keys = 0
			for _, n := range counts {
				c.keys += n
			}
			c.count, c.known = min(c.keys, g.query.total()), true
			if !c.cover.exact {
				c.count *= guessRange
			}
			return nil
		})
	}
	return group.Wait()
}

// probesOf is how many Queries it takes to estimate a leaf.
func probesOf(l *leaf) int {
	if _, level := l.point(); level {
		return 2
	}
	return 1 + probesOfPresence // or its column's least and greatest value
}

// probesOfPresence is how many Queries presence takes.
const probesOfPresence = 2

// presence estimates the share of the issues that have what a leaf demands of what they have, from the oldest and the newest ones: fields come into
// use and out of it.
func (q *query) presence(ctx context.Context, l *leaf, node *Node) (float64, error) {
	var pages [probesOfPresence]dynamo.KeyPage
	group, ctx := errgroup.WithContext(ctx)
	for i := range pages {
		group.Go(func() (err error) {
			pages[i], err = q.ask(ctx, dynamo.KeyQuery{Project: q.request.Project, Column: tracker.ColumnNum, With: l.with, Without: l.without,
				CountOnly: true, Limit: probeLimit, Descending: i > 0}, node)
			return err
		})
	}
	err := group.Wait()
	met, seen := 0, 0
	for _, p := range pages {
		met, seen = met+p.Count, seen+p.Examined
	}
	// Half a one more: that none was seen does not mean that there are none.
	return (float64(met) + 0.5) / (float64(seen) + 1), err
}

// ask sends a probe.
func (q *query) ask(ctx context.Context, k dynamo.KeyQuery, node *Node) (dynamo.KeyPage, error) {
	page, err := q.source.Index.QueryKeys(ctx, k)
	q.work.probed(page.Examined, page.RCU)
	node.queried(page.Examined, page.RCU, 0)
	return page, err
}

// count estimates how many keys a leaf has. Fewer than a probe counts are counted exactly. In the order of the numbers, where the probes from both
// ends get tells how dense the keys are, for numbers are given in turn. In the order of values, where the leaf's bounds lie between the
// least and the greatest value of the column tells its share, as if values were spread evenly; and without bounds it is all issues with a value.
func (q *query) count(ctx context.Context, l *leaf, node *Node) (float64, error) {
	if len(l.with)+len(l.without) > 0 {
		return q.total(), nil // DynamoDB reads all of them
	}
	if _, level := l.point(); level {
		return q.countLevel(ctx, l, node)
	}
	n, share := q.total(), guessRange
	var first, least, greatest dynamo.KeyPage
	group, ctx := errgroup.WithContext(ctx)
	probe := func(into *dynamo.KeyPage, k dynamo.KeyQuery) {
		group.Go(func() (err error) {
			*into, err = q.ask(ctx, k, node)
			return err
		})
	}
	all := len(l.values.From) == 0 && l.values.To == nil && !l.column.Builtin()
	k := l.query(q.request.Project)
	k.CountOnly, k.Limit = true, rangeProbeLimit
	if all {
		k.Limit = probeLimit
		group.Go(func() (err error) {
			share, err = q.presence(ctx, &leaf{with: []tracker.FieldID{l.column.Field()}}, node)
			return err
		})
	} else {
		probe(&least, dynamo.KeyQuery{Project: q.request.Project, Column: l.column, Limit: 1})
		probe(&greatest, dynamo.KeyQuery{Project: q.request.Project, Column: l.column, Limit: 1, Descending: true})
	}
	probe(&first, k)
	if err := group.Wait(); err != nil {
		return 0, err
	}
	if first.Last == nil {
		return float64(first.Count), nil
	}
	if len(least.Keys) > 0 && len(greatest.Keys) > 0 {
		share = sortkey.Share(l.kind, least.Keys[0].SS, greatest.Keys[0].SS, l.values.From, l.values.To)
		if share*n < float64(first.Count) {
			share = guessRange // there are more: they are not spread evenly
		}
	}
	return min(max(share*n, float64(first.Count)), n), nil
}

// countLevel is count in the order of the numbers.
func (q *query) countLevel(ctx context.Context, l *leaf, node *Node) (float64, error) {
	value, _ := l.point()
	var ends [2]dynamo.KeyPage // the lowest and the highest
	group, ctx := errgroup.WithContext(ctx)
	for i := range ends {
		group.Go(func() (err error) {
			k := l.query(q.request.Project)
			k.CountOnly, k.Limit, k.Descending = true, probeLimit, i > 0
			ends[i], err = q.ask(ctx, k, node)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	for _, e := range ends {
		if e.Last == nil {
			return float64(e.Count), nil
		}
	}
	n, first, last := q.total(), ends[0], ends[1]
	low := float64(num(first.Last[len(value):]))
	high := n - float64(num(last.Last[len(value):])) + 1
	density := (float64(first.Count)/max(low, 1) + float64(last.Count)/max(high, 1)) / 2
	return min(max(density*n, float64(first.Count)), n), nil
}

// cost is what an access is expected to take for a page.
type cost struct {
	keys, documents, steps float64
	// rcu of keys and documents.
	rcu float64
	// yield is the share of the documents that are hoped to be rows, and part that of the keys to collect that an intersection gets to.
	yield, part float64
}

// stepRCU is how many RCU one call more in sequence is worth.
const stepRCU = 3

func (c cost) score() float64 { return c.rcu + stepRCU*c.steps }

// hopeful is how much better than expected the first documents are hoped to yield, because those that are fetched in vain cost more than a round
// for the last few rows: stepRCU are worth six documents, and estimates by a sample err by more.
const hopeful = 1.4

// perAnswer is how many keys one Query brings, because its answer ends at 1 MB.
const perAnswer = 9000

// cost estimates an access for so many rows.
func (g *region) cost(a access, rows float64) cost {
	q := g.query
	n := q.total()
	share := func(i int) float64 { return min(1, g.conditions[i].count/n) }
	own := &g.conditions[0]
	yield, members := 1.0, n // of documents that are rows; of issues that meet what is used
	for _, i := range g.residual(a) {
		yield *= share(i)
	}
	collect, steps := 0.0, 0.0
	for _, i := range a.uses {
		c := &g.conditions[i]
		members *= share(i)
		if !c.cover.exact {
			yield *= 0.5
		}
		collect += c.keys * c.weight
		steps = max(steps, math.Ceil(c.keys/perAnswer))
	}
	yield = max(yield, 1/n)
	var keys, documents float64
	var out cost
	switch a.method {
	case walkAll, walkMembers:
		// Conditions of which DynamoDB tells the keys make the walk longer.
		pass := 1.0
		for i := range g.conditions {
			if c := &g.conditions[i]; c.nums != nil || c.base && (i > 0 || g.tail) {
				pass *= max(share(i), 1/n)
			}
		}
		region := own.keys
		if g.tail {
			region = n
		}
		density := yield * members / n * pass
		walked := min(rows/max(density, 1/n), region)
		documents = min(walked*pass*members/n, rows/yield)
		keys = collect + walked*q.weightOf(&g.base[0])
		steps += math.Ceil(walked/perAnswer) + math.Ceil(math.Log2(1+documents/max(rows, 100)))
	case intersect:
		found := min(rows/yield, members)
		part := 1.0
		if len(a.uses) > 1 {
			// Where the issues that are in common lie is chance: a standard deviation more, because a second round is dearer than some keys.
			found = min(found+believed+math.Sqrt(found), members)
		}
		if members > 0 {
			part = min(1, found/members)
		}
		documents, out.part = min(rows/yield, members), part
		keys = collect * part
		steps = max(1, math.Ceil(steps*part)) + math.Ceil(math.Log2(1+documents/max(rows, 100)))
	case listAll:
		documents = min(rows/yield, members)
		keys = collect
		steps += math.Ceil(math.Log2(1 + documents/max(rows, 100)))
	case sortAll:
		documents = members
		keys = collect
		steps++
	}
	out.keys, out.documents, out.steps, out.yield = keys, documents, steps, min(1, hopeful*yield)
	out.rcu = keys*keyBytes/8192 + documents/2
	return out
}
