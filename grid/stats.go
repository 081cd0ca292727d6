package grid

import (
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Stats are what a plan is chosen by: what is known of a region's conditions, from guesses at first, then
// from the index, and at last from documents.
type Stats struct {
	// conditions has an estimate for each of the region's.
	conditions []estimate
	// tooLarge reports that a set was too much to be sorted (errTooMuch), so that none is tried again.
	tooLarge bool
	// fromDocuments reports that documents have corrected the estimates.
	fromDocuments bool
	// probes is what it took to find out.
	probes Work
}

// estimate is what is known of a condition.
type estimate struct {
	// count is how many issues meet it, keys how many keys of the index tell which.
	count, keys float64
	// known reports that count comes from the index, and is not a guess.
	known bool
	// tooMany reports that collecting it was tried and given up: count and keys are more than what was seen.
	tooMany bool
}

// clone is a copy that shares nothing.
func (s Stats) clone() Stats {
	s.conditions = slices.Clone(s.conditions)
	return s
}

// guesses for what the index does not tell: shares of the issues.
const (
	guessRange    = 0.3
	guessContains = 0.1
	guessNot      = 0.9
)

// guess is the statistics that take no probes.
func guess(g *region) Stats {
	n := g.request.total()
	s := Stats{conditions: make([]estimate, len(g.conditions))}
	for i := range g.conditions {
		c, e := &g.conditions[i], &s.conditions[i]
		e.count = n * g.request.share(c.is)
		e.keys = e.count
		if c.hasField() != nil {
			e.keys = n
		}
		if c.trivial {
			e.count, e.keys, e.known = n, n, true
		}
		e.known = e.known || c.nums != nil // numbers are given in turn
	}
	return s
}

// share guesses how much of the issues meets a condition.
func (r *Request) share(c filter.Condition) float64 {
	switch c := c.(type) {
	case filter.In:
		if len(c.Values.Ranges) == 1 && len(c.Values.Ranges[0].From) == 0 && c.Values.Ranges[0].To == nil {
			return 1
		}
		if c.Column == tracker.ColumnNum {
			return r.numShare(c.Values)
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
			share *= r.share(m)
		}
		return share
	case filter.Or:
		rest := 1.0
		for _, m := range c {
			rest *= 1 - r.share(m)
		}
		return 1 - rest
	}
	return 1
}

// numShare is the share of the numbers that are among values, because numbers are given in turn.
func (r *Request) numShare(v filter.Values) float64 {
	share := 0.0
	for _, in := range v.Ranges {
		last := sortkey.Num(int64(r.total()) + 1)
		share += sortkey.Share(sortkey.KindInt, sortkey.Num(1), last, in.From, in.To)
	}
	return min(share, 1)
}

// tally counts what documents have told of a condition of a region.
type tally struct{ asked, failed int }

// minLooked is how many documents tell more of a filter than its estimate does.
const minLooked = 50

// corrected is the statistics of a plan, and what documents have told of the conditions that only they
// decide.
func (p *Plan) corrected(tallies []tally) Stats {
	s, n := p.stats.clone(), p.region.request.total()
	s.fromDocuments = true
	for i := range s.conditions {
		t, e, c := tallies[i], &s.conditions[i], &p.region.conditions[i]
		// Of the others, the documents are those that meet them.
		if !p.check[i] || t.asked < minLooked/2 {
			continue
		}
		e.count = n * (float64(t.asked-t.failed) + 0.5) / (float64(t.asked) + 1)
		// Else the index has told how many there are, and it is here that they are few.
		if c.cover.numberRanges == nil && c.cover.exact {
			e.keys = min(e.keys, e.count)
		}
	}
	return s
}
