package grid

import (
	"context"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

const (
	// probeLimit is how many keys a probe counts: those that DynamoDB reads for 1 RCU, about.
	probeLimit = 80
	// rangeProbeLimit is the same for a range of values. Where it ends says little, because values are seldom spread evenly, and taking a rare range
	// for a common one costs a whole budget: so that one which is rare is counted to its end, for what some 15 documents cost.
	rangeProbeLimit = 800
	// maxProbes is how many Queries the probes of one page may take. Conditions beyond are guessed.
	maxProbes = 24
)

// probe counts, side by side and each with a limit, the keys of the conditions that plans may use.
func (g *region) probe(ctx context.Context) error {
	left := maxProbes
	group, ctx := errgroup.WithContext(ctx)
	node := newNode(KindProbe, "")
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
	err := group.Wait()
	if node.Calls > 0 {
		g.query.node.add(node)
	}
	return err
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
		probe(&least, dynamo.KeyQuery{Project: q.request.Project, Column: l.column, Gen: l.gen, Limit: 1})
		probe(&greatest, dynamo.KeyQuery{Project: q.request.Project, Column: l.column, Gen: l.gen, Limit: 1, Descending: true})
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
