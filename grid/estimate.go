package grid

import (
	"math"
	"slices"

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

// keyBytes is the size of a key in the partition of a column, about, with what DynamoDB adds.
const keyBytes = 110

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
		c.known = c.known || c.nums != nil // numbers are given in turn
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
	share := 0.0
	for _, r := range v.Ranges {
		share += sortkey.Share(sortkey.KindInt, sortkey.Num(1), sortkey.Num(int64(q.total())+1), r.From, r.To)
	}
	return min(share, 1)
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
			if c := &g.conditions[i]; c.nums != nil && !g.level && !slices.Contains(a.uses, i) || c.base && (i > 0 || g.tail) {
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
