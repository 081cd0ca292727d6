package grid

import (
	"math"
	"slices"
)

// Cost is what a candidate is expected to take for a page.
type Cost struct {
	// steps are calls one after the other.
	keys, documents, steps float64
	// rcu of keys and documents.
	rcu float64
	// yield is the share of the documents that are expected to be rows, at best, and part that of the keys to
	// collect that an intersection gets to.
	yield, part float64
}

// stepRCU is how many RCU one call more in sequence is worth.
const stepRCU = 3

// score compares costs.
func (c Cost) score() float64 { return c.rcu + stepRCU*c.steps }

// yieldMargin is how much better than expected the first documents are taken to yield, because those that are
// fetched in vain cost more than a round for the last few rows: stepRCU are worth six documents, and
// estimates by a sample err by more.
const yieldMargin = 1.4

// perAnswer is how many keys one Query brings, because its answer ends at 1 MB.
const perAnswer = 9000

// cost estimates a candidate, by statistics, for the rows of a page and one more.
func (g *region) cost(s *Stats, a *Candidate) Cost {
	rows, n := float64(g.request.Size+1), g.request.total()
	share := func(i int) float64 { return min(1, s.conditions[i].count/n) }
	yield, members := 1.0, n // of documents that are rows; of issues that meet what is used
	for _, i := range g.residual(a) {
		yield *= share(i)
	}
	collect, steps := 0.0, 0.0
	for _, i := range a.uses {
		c, keys := &g.conditions[i], s.conditions[i].keys
		members *= share(i)
		if !c.cover.exact {
			yield *= 0.5
		}
		collect += keys * c.weight
		steps = max(steps, math.Ceil(keys/perAnswer))
	}
	yield = max(yield, 1/n)
	var keys, documents float64
	var out Cost
	switch a.method {
	case Walk, SemiJoin:
		// Conditions of which DynamoDB tells the keys make the walk longer.
		pass := 1.0
		for i := range g.conditions {
			c := &g.conditions[i]
			if c.nums != nil && !g.byNumber && !slices.Contains(a.uses, i) || c.base && (i > 0 || g.tail) {
				pass *= max(share(i), 1/n)
			}
		}
		region := s.conditions[0].keys
		if g.tail {
			region = n
		}
		density := yield * members / n * pass
		walked := min(rows/max(density, 1/n), region)
		documents = min(walked*pass*members/n, rows/yield)
		keys = collect + walked*g.request.weightOf(&g.base[0])
		steps += math.Ceil(walked/perAnswer) + rounds(documents, rows)
	case Intersect:
		found := min(rows/yield, members)
		part := 1.0
		if len(a.uses) > 1 {
			// Where the issues that are in common lie is chance: a standard deviation more, because a second
			// round costs more than some keys.
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
		documents = members
		keys = collect
		steps++
	}
	out.keys, out.documents, out.steps, out.yield = keys, documents, steps, min(1, yieldMargin*yield)
	out.rcu = keys*keyBytes/8192 + documents/2
	return out
}

// rounds is how many fetches it takes to look at so many documents for so many rows.
func rounds(documents, rows float64) float64 {
	return math.Ceil(math.Log2(1 + documents/max(rows, 100)))
}
