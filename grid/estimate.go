package grid

import (
	"math"
	"slices"
)

// Cost is the estimated cost of a candidate for one page.
type Cost struct {
	// steps is the number of sequential calls.
	keys, documents, steps float64
	// rcu is the RCU of reading the keys and documents.
	rcu float64
	// yield is an optimistic estimate of the share of documents that are rows. part is the share of the keys
	// of the conditions that an intersection is expected to read.
	yield, part float64
}

// stepRCU is the price of one more sequential call, in RCU.
const stepRCU = 3

// score returns the total cost, in RCU.
func (c Cost) score() float64 { return c.rcu + stepRCU*c.steps }

// yieldMargin is the factor by which the yield of the first documents is set above the estimate. Documents
// fetched in vain cost more than another round for the last few rows: stepRCU is the price of six documents,
// and estimates from samples are less accurate than that.
const yieldMargin = 1.4

// keysPerQuery is how many keys one Query returns, because its response is limited to 1 MB.
const keysPerQuery = 9000

// cost estimates the cost of a candidate by statistics, for the rows of a page and one more.
func (g *region) cost(s *Stats, a *Candidate) Cost {
	rows, n := float64(g.request.Size+1), g.request.total()
	share := func(i int) float64 { return min(1, s.conditions[i].count/n) }
	// yield is the share of documents that are rows, members the number of issues that match the used
	// conditions.
	used := s.shareOf(n, a.uses...)
	yield, members := 1.0, n*used
	walks := a.method == Walk || a.method == SemiJoin
	all := slices.Clone(a.uses)
	for _, i := range g.residual(a) {
		switch {
		case walks && g.conditions[i].own != nil: // the keys have decided nearly all
		case slices.Contains(a.uses, i):
			yield *= share(i)
		default:
			all = append(all, i)
		}
	}
	if used > 0 {
		yield *= s.shareOf(n, all...) / used
	}
	collect, steps := 0.0, 0.0
	var exact []int
	held := n // the number of issues in the set
	for _, i := range a.uses {
		c, keys := &g.conditions[i], s.conditions[i].keys
		if c.cover.decided() {
			exact = append(exact, i)
		} else {
			yield *= 0.5
			held *= max(share(i), min(1, keys/n))
		}
		if s.conditions[i].set == nil || a.method == Intersect {
			collect += keys * c.weight
			steps = max(steps, math.Ceil(keys/keysPerQuery))
		}
	}
	held *= s.shareOf(n, exact...)
	yield = max(yield, 1/n)
	var keys, documents float64
	var out Cost
	switch a.method {
	case Walk, SemiJoin:
		// Conditions that DynamoDB or numberFilter evaluates make the walk longer.
		pass := 1.0
		for i := range g.conditions {
			c := &g.conditions[i]
			isFiltered := c.base && (i > 0 || g.tail && g.filtered()) || c.own != nil
			if c.nums != nil && !g.byNumber && !slices.Contains(a.uses, i) || isFiltered {
				pass *= max(share(i), 1/n)
			}
		}
		region := s.conditions[0].keys
		if g.tail && g.filtered() {
			region = n
		}
		density := yield * members / n * pass
		walked := min(rows/max(density, 1/n), region)
		documents = min(walked*pass*members/n, rows/yield)
		keys = collect + walked*g.conditions[0].weight
		steps += math.Ceil(walked/keysPerQuery) + rounds(documents, rows)
	case Intersect:
		found := min(rows/yield, members)
		part := 1.0
		if len(a.uses) > 1 {
			// The positions of the common issues are random. Add a standard deviation, because a second round
			// costs more than some keys.
			found = min(found+assumedAlive+math.Sqrt(found), members)
		}
		if members > 0 {
			part = min(1, found/members)
		}
		documents, out.part = min(rows/yield, members), part
		keys = collect * part
		steps = max(1, math.Ceil(steps*part)) + rounds(documents, rows)
	case List:
		documents = min(rows/yield, members)
		keys = collect
		steps += rounds(documents, rows)
	case Sort:
		documents = held
		keys = collect
		steps++
	}
	if g.request.keysOnly && a.method != Sort && len(g.residual(a)) == 0 {
		documents = 0
	}
	out.keys, out.documents, out.steps, out.yield = keys, documents, steps, min(1, yieldMargin*yield)
	out.rcu = (keys*keyBytes/8192+g.shardRCU(s, a))/float64(max(1, g.request.Sharers)) + documents/2
	return out
}

// shardRCU returns the RCU of the Queries of all shards but one, which cost at least 0.5 RCU each.
func (g *region) shardRCU(s *Stats, a *Candidate) float64 {
	queries := 0
	count := func(ranges []indexRange) {
		queries += partitions(g.request.project(), ranges) - len(ranges)
	}
	if a.method == Walk || a.method == SemiJoin {
		count(g.base)
	}
	for _, i := range a.uses {
		if c := &g.conditions[i].cover; a.method == Intersect {
			count(c.numberRanges)
		} else if s.conditions[i].set == nil {
			count(c.ranges)
		}
	}
	return float64(queries) / 2
}

// rounds returns how many fetches it takes to examine that many documents for that many rows.
func rounds(documents, rows float64) float64 {
	return math.Ceil(math.Log2(1 + documents/max(rows, 100)))
}
