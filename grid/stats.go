package grid

import (
	"maps"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Stats are the statistics of a region's conditions by which a plan is chosen. They are guesses first, then
// come from the index, and finally from documents.
type Stats struct {
	// conditions has an estimate for each condition of the region.
	conditions []estimate
	// spent is what was spent of the work budget when the last set was collected, in keys.
	spent float64
	// tooLarge reports that sorting a set failed with errSortTooLarge, so that Sort is not tried again.
	tooLarge bool
	// fromDocuments reports that documents have corrected the estimates.
	fromDocuments bool
	// probes is the work that the probes took.
	probes Work
	// ranges are what the probed conditions consist of. Up to maxRanges are known.
	ranges []rangeShare
}

// rangeShare is the share of the issues that have a key in a range, and contain its strings if it has some.
type rangeShare struct {
	column tracker.Column
	share  float64
}

// maxRanges is the number of bits of estimate.ranges.
const maxRanges = 64

// estimate is the statistics of a condition.
type estimate struct {
	// count is the number of issues that match the condition, keys the number of index keys to read to find
	// them.
	count, keys float64
	// known reports that count comes from the index rather than a guess.
	known bool
	// undecided reports that some of the keys that were collected have only the beginning of a text, which
	// does not decide the condition.
	undecided bool
	// set has the issues of the condition's keys if these are collected, which then costs nothing any more.
	set *set
	// ranges are those of Stats.ranges that the condition consists of, one bit each; 0 if they are not known.
	ranges uint64
	// tooMany reports that collecting the condition's keys was given up. count and keys are then higher than
	// what was read.
	tooMany bool
}

// clone returns a deep copy.
func (s Stats) clone() Stats {
	s.conditions = slices.Clone(s.conditions)
	return s
}

// shareOf estimates the share of issues that match all of some conditions: the product of their shares, as if
// they were independent of each other, unless they have ranges in common. An Or that was distributed over
// Ands has become conditions with common ranges: (a or c) and (b or c) match no fewer issues than c.
func (s *Stats) shareOf(n float64, conditions ...int) float64 {
	share := 1.0
	var joint []uint64
	for _, i := range conditions {
		others := uint64(0)
		for _, j := range conditions {
			if i != j {
				others |= s.conditions[j].ranges
			}
		}
		if e := &s.conditions[i]; e.ranges&others != 0 {
			joint = append(joint, e.ranges)
		} else {
			share *= min(1, e.count/n)
		}
	}
	if len(joint) == 0 {
		return share
	}
	return share * s.jointShare(joint)
}

// jointShare is shareOf for conditions that consist of ranges. Ranges are independent of each other, apart
// from those of one column, which have no issues in common.
func (s *Stats) jointShare(conditions []uint64) float64 {
	type at struct {
		in     uint64 // the conditions that have the ranges, one bit each
		column tracker.Column
	}
	shares := map[at]float64{}
	for r := range s.ranges {
		a := at{column: s.ranges[r].column}
		for i, ranges := range conditions {
			a.in |= ranges >> r & 1 << i
		}
		shares[a] += s.ranges[r].share
	}
	none := map[uint64]float64{} // the share of issues without a key in the ranges that some conditions have
	for a, share := range shares {
		if a.in != 0 {
			if _, ok := none[a.in]; !ok {
				none[a.in] = 1
			}
			none[a.in] *= 1 - min(1, share)
		}
	}
	parts := slices.Sorted(maps.Keys(none))
	parts = parts[:min(len(parts), maxJoint)]
	// matched returns the share of issues that match conditions by the parts from the given one on.
	var matched func(conditions uint64, from int) float64
	matched = func(conditions uint64, from int) float64 {
		switch {
		case conditions == 0:
			return 1
		case from == len(parts):
			return 0
		case parts[from]&conditions == 0:
			return matched(conditions, from+1)
		}
		without := none[parts[from]]
		return (1-without)*matched(conditions&^parts[from], from+1) + without*matched(conditions, from+1)
	}
	return matched(1<<len(conditions)-1, 0)
}

// maxJoint limits the work of jointShare: 2^maxJoint additions. What is left out makes its estimate too low.
const maxJoint = 12

// Guesses of the share of issues that match, for conditions without statistics.
const (
	guessRange    = 0.3
	guessContains = 0.1
	guessNot      = 0.9
)

// guess returns statistics without I/O.
func guess(g *region) Stats {
	n := g.request.total()
	s := Stats{conditions: make([]estimate, len(g.conditions))}
	for i := range g.conditions {
		c, e := &g.conditions[i], &s.conditions[i]
		e.count = n * g.request.share(c.expr)
		e.keys = e.count
		if c.presenceRange() != nil {
			e.keys = n
		} else if texts := c.cover.textRanges(); texts > 0 {
			e.keys = n * float64(texts)
		}
		if c.trivial {
			e.count, e.keys, e.known = n, n, true
		}
		e.known = e.known || c.nums != nil // issues are numbered consecutively
	}
	return s
}

// share guesses the share of issues that match a condition.
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
	case filter.Is, filter.Refers:
		return 1 // of those with the same name
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

// numShare returns the share of issue numbers that are among values. Issues are numbered consecutively.
func (r *Request) numShare(v filter.Values) float64 {
	share := 0.0
	for _, in := range v.Ranges {
		last := sortkey.Num(int64(r.total()) + 1)
		share += sortkey.Share(sortkey.KindInt, sortkey.Num(1), last, in.From, in.To)
	}
	return min(share, 1)
}

// tally counts the documents on which a condition was checked, and those that failed it.
type tally struct{ checked, failed int }

// minExamined is the number of documents from which the share of rows is a better estimate than the
// planner's.
const minExamined = 50

// corrected returns the statistics of the plan, corrected by the documents for the conditions that are
// checked on them.
func (p *Plan) corrected(tallies []tally) Stats {
	s, n := p.stats.clone(), p.region.request.total()
	s.fromDocuments = true
	for i := range s.conditions {
		t, e, c := tallies[i], &s.conditions[i], &p.region.conditions[i]
		// The documents match the other conditions already, because their keys were found by them.
		if !p.check[i] || t.checked < minExamined/2 {
			continue
		}
		e.count = n * (float64(t.checked-t.failed) + 0.5) / (float64(t.checked) + 1)
		e.ranges = 0 // the documents match the conditions before this one
		// A number of keys that comes from the index stays: the condition has that many, but few here.
		if c.cover.exact && !e.known {
			e.keys = min(e.keys, e.count)
		}
	}
	return s
}
