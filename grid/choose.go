package grid

import (
	"math"
	"slices"
)

// Reasons why a candidate is rejected.
const (
	costsMore  = "it costs no less"
	dominated  = "it reads no less than the chosen one, whatever the statistics"
	overBudget = "what it collects costs more than half of what is left of the work budget"
	gaveUp     = "what it collects was more than expected"
	tooLarge   = "its documents are too many to be sorted"
	notForced  = "another one is forced"
)

// choose is the planner. It returns the candidate with the lowest estimated cost among those that the work
// budget allows. It does no I/O and is deterministic. To revise a plan, choose again with better statistics.
func choose(g *region, s Stats) Plan {
	p := Plan{region: g, candidates: g.candidates(&s)}
	return p.chooseAgain(s)
}

// chooseAgain chooses among the same candidates by better statistics.
func (p *Plan) chooseAgain(s Stats) Plan {
	next := p.estimated(s)
	g, all := p.region, next.candidates
	if force := g.request.Force; force > 0 {
		return next.take((force-1)%len(all), notForced)
	}
	if i, ok := next.dominant(); ok {
		return next.take(i, dominated)
	}
	best := 0 // Walk, which is always allowed
	for i := range all {
		if all[i].rejected == "" && all[i].cost.score() < all[best].cost.score() {
			best = i
		}
	}
	return next.take(best, costsMore)
}

// estimated returns a plan without a chosen candidate: the candidates of p with their costs by the given
// statistics, and the reasons why some are rejected.
func (p *Plan) estimated(s Stats) Plan {
	next := Plan{region: p.region, stats: s, candidates: slices.Clone(p.candidates)}
	for i := range next.candidates {
		c := &next.candidates[i]
		c.cost = p.region.cost(&s, c)
		c.rejected = p.region.rejectReason(&s, c)
	}
	return next
}

// sameSets reports whether a candidate collects the sets of another one.
func (c *Candidate) sameSets(other *Candidate) bool {
	return c.collects() && slices.Equal(c.uses, other.uses)
}

// worthCollecting returns the limit on the keys that are collected for a condition of the plan: as many as
// may be expected, or more, up to most, as long as a plan with this set would be chosen if it had so many.
func (p *Plan) worthCollecting(use, expected, most int) int {
	limit := expected
	for limit < most {
		more := min(2*limit, most)
		s := p.stats.clone()
		e := &s.conditions[use]
		share := 1.0
		if e.keys > 0 && e.count > 0 {
			share = e.count / e.keys
		}
		e.count = min(share*float64(more), p.region.request.total())
		e.keys, e.known = float64(more), true
		next := p.estimated(s)
		with, without := math.Inf(1), math.Inf(1)
		for i := range next.candidates {
			switch c := &next.candidates[i]; {
			case c.rejected != "":
			case c.sameSets(&p.Candidate):
				with = min(with, c.cost.score())
			default:
				without = min(without, c.cost.score())
			}
		}
		if with >= without {
			break
		}
		limit = more
	}
	return limit
}

// take returns the plan with a candidate chosen. otherwise is the reason given for the candidates that are
// not rejected already.
func (p Plan) take(chosen int, otherwise string) Plan {
	for i := range p.candidates {
		c := &p.candidates[i]
		if i == chosen {
			c.rejected = ""
		} else if c.rejected == "" {
			c.rejected = otherwise
		}
	}
	p.Candidate = p.candidates[chosen]
	p.check, p.exact = make([]bool, len(p.region.conditions)), true
	for _, i := range p.region.residual(&p.Candidate) {
		p.check[i], p.exact = true, false
	}
	for _, i := range p.uses {
		if p.stats.conditions[i].undecided {
			p.check[i], p.exact = true, false
		}
	}
	if p.exact {
		p.cost.yield = 1
	}
	return p
}

// dominant returns the index of the candidate that no other can beat, so that no probes are needed, and false
// if there is none. It exists if exactly one condition can be used and its keys are in the order of the rows:
// they are read instead of all keys. With many ranges in many shards, it may be cheaper to read all keys.
func (p *Plan) dominant() (int, bool) {
	g, use := p.region, p.region.useful()
	if !g.byNumber || !g.conditions[0].trivial || g.filtered() || p.stats.fromDocuments || len(use) != 1 {
		return 0, false
	}
	ranges := g.conditions[use[0]].cover.numberRanges
	n := partitions(g.request.project(), ranges)
	if n == 0 || n > len(ranges) && n > maxNumberRanges {
		return 0, false
	}
	return slices.IndexFunc(p.candidates, func(c Candidate) bool { return c.method == Intersect }), true
}

// worthProbing reports whether statistics from the index may change the plan.
func (p *Plan) worthProbing() bool {
	_, dominant := p.dominant()
	return p.region.request.Force == 0 && len(p.candidates) > 1 && !dominant
}

// rejectReason returns why a candidate cannot be chosen, or "" if it can. What a candidate collects must be
// expected to take at most half of the work budget. Walk is never rejected.
func (g *region) rejectReason(s *Stats, a *Candidate) string {
	if !a.collects() {
		return ""
	}
	budget := float64(budgetKeys(g.request.Budget))
	left := budget - s.spent
	keys := 0.0
	for _, use := range a.uses {
		e := &s.conditions[use]
		if e.tooMany {
			return gaveUp
		}
		if e.set != nil {
			continue
		}
		if keys += e.keys; keys > left/2 {
			return overBudget
		}
	}
	if a.method == Sort && (s.tooLarge ||
		a.cost.documents*keysPerDocument > min(left, budget/2)) {
		return tooLarge
	}
	return ""
}
