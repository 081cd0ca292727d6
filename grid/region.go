package grid

import (
	"bytes"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// condition is what the rows of a region meet, with the ranges of the index that answer it.
type condition struct {
	is      filter.Condition
	cover   cover
	covered bool
	trivial bool // every issue meets it
	// base reports whether the region's own keys are of issues that meet it.
	base bool
	// asked is what the filter says of the column of the order, of the condition that is the region itself;
	// nil for nothing.
	asked filter.Condition
	// nums are the numbers that it demands, if that is what it is about.
	nums *filter.Values
	// weight is what a key of its ranges costs, in those of an ordinary column.
	weight float64
}

// region is a part of a grid whose rows are ordered by the sort strings of one index partition: the rows with
// a value in the column of the order, or the tail of those without. It does not change.
type region struct {
	request *Request
	tail    bool
	// base is what the region's own keys are read from, in ascending order. conditions[0] is what makes an
	// issue a row of this region.
	base       []indexRange
	conditions []condition
	// byNumber reports whether the rows are in the order of the numbers: in the order of the number, in the
	// tail, and where all have the same value.
	byNumber bool
	value    sortkey.Value // that one value
}

// newRegions are the regions of a request, in the grid's order.
func newRegions(r *Request, form filter.Form) []*region {
	if form.Never {
		return nil
	}
	var out []*region
	values := form.In(r.Order.Column)
	if r.Order.moving && len(values.Ranges) > 0 { // the documents tell, and not the places in the index
		values.Ranges = filter.Any().Ranges
	}
	if len(values.Ranges) > 0 {
		out = append(out, newRegion(r, form, false, values.Ranges))
	}
	if values.None && r.Order.hasTail() {
		out = append(out, newRegion(r, form, true, nil))
	}
	if r.Order.NullsFirst {
		slices.Reverse(out)
	}
	return out
}

func newRegion(r *Request, form filter.Form, tail bool, ranges []filter.Range) *region {
	order := &r.Order
	g := &region{request: r, tail: tail}
	own := condition{base: true,
		is: filter.In{Column: order.Column, Values: filter.Values{Ranges: ranges, None: tail}}}
	ssIsNum := tail || order.byNum()
	if tail {
		g.base = []indexRange{{column: tracker.ColumnNum, without: []tracker.FieldID{order.Column.Field()}}}
	} else {
		for _, v := range ranges {
			g.base = append(g.base,
				indexRange{column: order.Column, gen: order.gen, kind: order.kind, values: v})
		}
		own.trivial = !order.hasTail() && len(ranges) == 1 && len(ranges[0].From) == 0 && ranges[0].To == nil
	}
	g.byNumber = ssIsNum
	if len(g.base) == 1 && !ssIsNum {
		g.value, g.byNumber = g.base[0].prefix()
	}
	own.cover, own.covered = cover{ranges: g.base, exact: true}, true
	if g.byNumber {
		own.cover.numberRanges = g.base
	}
	g.conditions = []condition{own}
	for _, c := range form.All {
		in, isIn := c.(filter.In)
		if isIn && in.Column == order.Column && !order.moving {
			g.conditions[0].asked = c
			continue // it is the region itself
		}
		one := condition{is: c}
		one.cover, one.covered = coverOf(r.Definition, c)
		if isIn && in.Column == tracker.ColumnNum {
			one.nums = &in.Values // every key tells its number
		} else if f := one.hasField(); ssIsNum && f != nil {
			one.base = true
			for i := range g.base {
				g.base[i].with = append(slices.Clip(g.base[i].with), f.with...)
				g.base[i].without = append(slices.Clip(g.base[i].without), f.without...)
			}
		}
		g.conditions = append(g.conditions, one)
	}
	for i := range g.conditions {
		c := &g.conditions[i]
		c.weight = 1
		for j := range c.cover.ranges {
			c.weight = max(c.weight, r.weightOf(&c.cover.ranges[j]))
		}
	}
	return g
}

// hasField is the one range of a condition on what an issue has.
func (c *condition) hasField() *indexRange {
	if c.covered && c.cover.exact && len(c.cover.ranges) == 1 && c.cover.ranges[0].filtered() {
		return &c.cover.ranges[0]
	}
	return nil
}

// keyBytes is the size of a key in the partition of a column, about, with what DynamoDB adds.
const keyBytes = 110

// weightOf is what a key of the project's own partition costs: it carries the set of what an issue has, which
// is half of the fields, say.
func (r *Request) weightOf(l *indexRange) float64 {
	if d := r.Definition; l.column == tracker.ColumnNum && d != nil {
		return 1 + float64(len(d.Fields))*10/keyBytes
	}
	return 1
}

// total is about how many issues the project has: its highest number, because numbers are given in turn.
func (r *Request) total() float64 {
	n := 1.0
	if d := r.Definition; d != nil {
		n = max(n, float64(d.Highest))
	}
	return n
}

// filtered reports whether DynamoDB filters the region's own keys by what issues have.
func (g *region) filtered() bool { return len(g.base) > 0 && g.base[0].filtered() }

// whole reports whether all issues with a value are rows of the region, as far as it is concerned.
func (g *region) whole() bool {
	return len(g.base) == 1 && len(g.base[0].values.From) == 0 && g.base[0].values.To == nil
}

// useful lists the conditions that a plan can use beside the region's own.
func (g *region) useful() []int {
	var out []int
	for i := range g.conditions {
		c := &g.conditions[i]
		// In the order of the numbers, those on the number are bounds.
		if i > 0 && c.covered && !c.base && (c.nums == nil || !g.byNumber) {
			out = append(out, i)
		}
	}
	return out
}

// clampToNumbers narrows bounds of a region that is in the order of the numbers to what conditions on the
// number admit; false if nothing is within.
func (g *region) clampToNumbers(b bounds) (bounds, bool) {
	if !g.byNumber {
		return b, true
	}
	for i := range g.conditions {
		nums := g.conditions[i].nums
		if nums == nil {
			continue
		}
		from, to := slices.Concat(g.value, nums.Ranges[0].From), nums.Ranges[len(nums.Ranges)-1].To
		if bytes.Compare(from, b.from) > 0 {
			b.from = from
		}
		if to != nil {
			if to = slices.Concat(g.value, to); b.to == nil || bytes.Compare(to, b.to) < 0 {
				b.to = to
			}
		}
	}
	return b, b.to == nil || bytes.Compare(b.from, b.to) < 0
}

// numberBounds are bounds of the region as bounds of the numbers after its one value; false if nothing is
// within.
func (g *region) numberBounds(b bounds) (bounds, bool) {
	if len(g.value) == 0 {
		return b, true
	}
	out := bounds{descending: b.descending}
	if bytes.Compare(b.from, g.value) > 0 {
		rest, ok := bytes.CutPrefix(b.from, g.value)
		if !ok {
			return out, false // after all of the region
		}
		out.from = rest
	}
	if b.to != nil {
		if bytes.Compare(b.to, g.value) <= 0 {
			return out, false
		}
		if rest, ok := bytes.CutPrefix(b.to, g.value); ok {
			out.to = rest
		}
	}
	return out, true
}
