package grid

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"issuegrid/grid/filter"
)

// Candidate is a way to find the rows of a region: a method, and the conditions that it uses, as indexes into
// region.conditions. Walk uses none, and SemiJoin those in addition to the region's own.
type Candidate struct {
	method Method
	uses   []int
	cost   Cost
	// rejected is the reason why it is not chosen; empty for the chosen one.
	rejected string
}

// Plan is the candidate chosen to find the rows of a region, with all candidates and the statistics.
type Plan struct {
	Candidate
	region     *region
	stats      Stats
	candidates []Candidate
	// check reports for each condition whether it must be checked on the documents.
	check []bool
	exact bool // no condition is checked on the documents
}

// whole reports whether the plan collects all rows of the region, and is expected to read the documents of
// all for a page.
func (p *Plan) whole() bool {
	return (p.method == Sort || p.method == List) && p.cost.documents <= float64(p.region.request.Size)
}

// same reports whether two candidates have the same method and conditions.
func (a *Candidate) same(b *Candidate) bool {
	return a.method == b.method && slices.Equal(a.uses, b.uses)
}

// collects reports whether a candidate collects a set first.
func (a *Candidate) collects() bool {
	return a.method == SemiJoin || a.method == List || a.method == Sort
}

// maxUses is how many conditions in addition to the region's own are considered for a plan, the most
// selective ones first.
const maxUses = 4

// candidates returns the candidates for the region's rows. All of them find the same rows.
func (g *region) candidates(s *Stats) []Candidate {
	out := []Candidate{{method: Walk}}
	add := func(m Method, uses []int) { out = append(out, Candidate{method: m, uses: uses}) }
	useful := g.useful()
	slices.SortStableFunc(useful, func(a, b int) int {
		return cmp.Compare(s.conditions[a].count, s.conditions[b].count)
	})
	useful = useful[:min(len(useful), maxUses)]
	for bits := 1; bits < 1<<len(useful); bits++ {
		var uses []int
		byNumber, base := true, false
		for i, c := range useful {
			if bits>>i&1 == 1 {
				uses = append(uses, c)
				byNumber = byNumber && g.conditions[c].cover.numberRanges != nil
				base = base || g.conditions[c].base
			}
		}
		slices.Sort(uses)
		if !base { // the walk would be filtered twice
			add(SemiJoin, uses)
		}
		if !g.byNumber {
			// While index entries are being rebuilt, documents have another order than the index, and the
			// next page may have another plan.
			if !g.tail && !g.request.column().moving {
				add(Sort, uses)
			}
			continue
		}
		add(List, uses)
		if byNumber {
			add(Intersect, uses)
			if !g.conditions[0].trivial || g.filtered() {
				add(Intersect, append([]int{0}, uses...))
			}
		}
	}
	return out
}

// residual returns the conditions that a candidate must check on the documents. The keys decide the others,
// except for texts of which the keys have only the beginning.
func (g *region) residual(a *Candidate) []int {
	var out []int
	walks := a.method == Walk || a.method == SemiJoin
	for i := range g.conditions {
		c := &g.conditions[i]
		switch {
		case c.trivial, c.nums != nil, c.base && walks,
			slices.Contains(a.uses, i) && c.cover.decided():
		case c.base && slices.Contains(a.uses, 0) && a.method == Intersect:
			// the region's own keys are part of the intersection
		default:
			out = append(out, i)
		}
	}
	return out
}

// String formats the plan with its statistics, and all candidates with their estimated costs.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "of %.0f issues", p.region.request.total())
	for i, e := range p.stats.conditions {
		about := "about "
		switch {
		case e.tooMany:
			about = "more than can be collected, say "
		case e.known:
			about = ""
		}
		fmt.Fprintf(&b, "; %s: %s%.0f, keys %.0f", p.region.describe(i), about, e.count, e.keys)
	}
	if q := p.stats.probes; q.Queries > 0 {
		fmt.Fprintf(&b, "; probes %d, keys %d, RCU %.1f", q.Queries, q.Keys, q.RCU)
	}
	b.WriteString("\n")
	for i := range p.candidates {
		c := &p.candidates[i]
		why := "chosen"
		if c.rejected != "" {
			why = "rejected, " + c.rejected
		}
		fmt.Fprintf(&b, "%s %s: keys %.0f, documents %.0f, RCU %.1f, steps %.0f: %s\n",
			c.method, p.region.label(c), c.cost.keys, c.cost.documents, c.cost.rcu, c.cost.steps, why)
	}
	return b.String()
}

// rejects returns the candidates other than the chosen one and the one chosen before, if any.
func (p *Plan) rejects(before *Candidate) []Rejected {
	var out []Rejected
	for i := range p.candidates {
		c := &p.candidates[i]
		if c.same(&p.Candidate) || before != nil && c.same(before) {
			continue
		}
		out = append(out, Rejected{Label: c.method.String() + " " + p.region.label(c), Keys: c.cost.keys,
			Documents: c.cost.documents, RCU: c.cost.rcu, Steps: c.cost.steps, Reason: c.rejected})
	}
	return out
}

// describe returns a condition in words.
func (g *region) describe(i int) string {
	return filter.Describe(g.request.Definition, g.conditions[i].expr)
}

// label describes a candidate in words.
func (g *region) label(a *Candidate) string {
	order := filter.Name(g.request.Definition, g.request.column().Column)
	where := "by " + order
	if g.tail {
		where = "without " + order + ", by number"
	}
	var uses []string
	for _, i := range a.uses {
		uses = append(uses, g.describe(i))
	}
	if len(uses) > 0 {
		where += ", of " + strings.Join(uses, " and ")
	}
	return where
}
