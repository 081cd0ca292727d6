package grid

import (
	"bytes"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// condition is a condition that the rows of a region match, with the index ranges that answer it.
type condition struct {
	expr    filter.Condition
	cover   cover
	covered bool
	trivial bool // every issue matches it
	// base reports whether all of the region's own keys are of issues that match it: DynamoDB filters them.
	base bool
	// columnFilter is, for the region's own condition, the filter's condition on the column of the order, or
	// nil.
	columnFilter filter.Condition
	// nums are the issue numbers that match, if the condition is on the number.
	nums *filter.Values
	// own are strings of which the texts in the region's own keys must contain one, or nil.
	own *filter.Strings
	// weight is the cost of a key of its ranges, relative to a key of an ordinary column.
	weight float64
}

// region is a part of a grid whose rows are ordered by the sort strings of one index partition: the rows with
// a value in the column of the order, or the tail of rows without one. It is immutable.
type region struct {
	request *Request
	tail    bool
	// base is the ranges of the region's own keys, in ascending order. conditions[0] is the condition that
	// makes an issue a row of this region.
	base       []indexRange
	conditions []condition
	// byNumber reports whether the rows are in the order of the numbers: if the grid is ordered by number, in
	// the tail, and if all rows have the same value.
	byNumber bool
	value    sortkey.Value // the common value, if byNumber is due to one
}

// newRegions returns the regions of a request, in the grid's order.
func newRegions(r *Request, form filter.Form) []*region {
	if form.Never {
		return nil
	}
	var out []*region
	values := form.In(r.column().Column)
	if r.column().moving && len(values.Ranges) > 0 { // index entries may be outdated: check the documents
		values.Ranges = filter.Any().Ranges
	}
	if len(values.Ranges) > 0 {
		out = append(out, newRegion(r, form, false, values.Ranges))
	}
	hasText := func(c filter.Condition) bool {
		column, strings := filter.StringsOf(c)
		return strings != nil && column == r.column().Column
	}
	if values.None && r.column().hasTail() && !slices.ContainsFunc(form.All, hasText) {
		out = append(out, newRegion(r, form, true, nil))
	}
	if r.column().NullsFirst {
		slices.Reverse(out)
	}
	return out
}

func newRegion(r *Request, form filter.Form, tail bool, ranges []filter.Range) *region {
	order := r.column()
	g := &region{request: r, tail: tail}
	own := condition{base: true,
		expr: filter.In{Column: order.Column, Values: filter.Values{Ranges: ranges, None: tail}}}
	ssIsNum := tail || order.byNum()
	if tail {
		g.base = []indexRange{emptiesOf(r.Definition, order.Column, order.gen)}
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
	impossible := impossibleWays(r.Definition, form)
	for _, c := range form.All {
		in, isIn := c.(filter.In)
		if isIn && in.Column == order.Column && !order.moving {
			g.conditions[0].columnFilter = c
			continue // it is the region's own condition
		}
		one := condition{expr: c}
		one.cover, one.covered = coverOf(r.Definition, c)
		one.cover.leaveOut(impossible)
		if column, strings := filter.StringsOf(c); column == order.Column && !tail && !order.moving {
			one.own = strings
		}
		if isIn && in.Column == tracker.ColumnNum {
			one.nums = &in.Values // every key contains the number
		} else if f := one.presence(); f != nil && g.base[0].column == tracker.ColumnNum {
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

// impossibleWays returns a function that reports whether a range has no rows: the closed issues of a
// participant if the rows are in open states, and the open ones if they are in closed states. It is nil if
// there are no such ranges, and while a job moves issues between them.
func impossibleWays(d *tracker.Definition, form filter.Form) func(indexRange) bool {
	if d == nil || d.RebuildingColumn(tracker.ColumnState) {
		return nil
	}
	states, open, closed := form.In(tracker.ColumnState), false, false
	for i, s := range d.Project.States {
		if states.Contains(sortkey.Rank(i)) {
			open, closed = open || s.Open, closed || !s.Open
		}
	}
	if open == closed {
		return nil
	}
	return func(l indexRange) bool { return l.way != (columns.Way{}) && l.way.Closed == open }
}

// presence returns the range of the project's own partition that has a condition's keys in the order of the
// numbers, because DynamoDB evaluates the condition by the columns in which an issue has a value. It is nil
// if there is none, or if the cover has better ones.
func (c *condition) presence() *indexRange {
	in, ok := c.expr.(filter.In)
	if ok && c.covered && in.Column.Nullable() && !in.Values.None && len(in.Values.Ranges) == 1 &&
		in.Values.Ranges[0].All() {
		return &indexRange{column: tracker.ColumnNum, with: []tracker.Column{in.Column}}
	}
	return c.presenceRange()
}

// presenceRange returns the range of a condition whose cover DynamoDB evaluates by the fields that an issue
// has, or nil.
func (c *condition) presenceRange() *indexRange {
	if c.covered && c.cover.exact && len(c.cover.ranges) == 1 && c.cover.ranges[0].filtered() {
		return &c.cover.ranges[0]
	}
	return nil
}

// keyBytes is the approximate size of a key in the partition of a column, including DynamoDB's overhead.
const keyBytes = 110

// weightOf returns the cost of a key of a range, relative to a key of an ordinary column. Keys of the
// project's own partition are larger: they contain the set of fields that an issue has, assumed to be half of
// all fields.
func (r *Request) weightOf(l *indexRange) float64 {
	if l.column != tracker.ColumnNum || r.Definition == nil {
		return 1
	}
	bytes := 0
	for _, f := range r.Definition.Fields {
		bytes += len(f.ID) + 1
	}
	return 1 + float64(bytes)/2/keyBytes
}

// project returns the project.
func (r *Request) project() *tracker.Project {
	if r.Definition == nil {
		return &tracker.Project{ID: r.Project}
	}
	return &r.Definition.Project
}

// total returns the approximate number of issues of the project: its highest number, because issues are
// numbered consecutively.
func (r *Request) total() float64 {
	n := 1.0
	if d := r.Definition; d != nil {
		n = max(n, float64(d.MaxIssueNum))
	}
	return n
}

// filtered reports whether DynamoDB filters the region's own keys by the fields that issues have.
func (g *region) filtered() bool { return len(g.base) > 0 && g.base[0].filtered() }

// whole reports whether the region's own condition admits every issue with a value.
func (g *region) whole() bool {
	return len(g.base) == 1 && g.base[0].values.All() && !g.base[0].empties
}

// useful returns the conditions that a plan can use in addition to the region's own.
func (g *region) useful() []int {
	var out []int
	for i := range g.conditions {
		c := &g.conditions[i]
		// In the order of the numbers, conditions on the number are bounds. Those on the region's own texts
		// are decided by its own keys.
		filters := c.base && c.presenceRange() != nil // nothing else answers it
		if i > 0 && c.covered && !filters && (c.nums == nil || !g.byNumber) && c.own == nil {
			out = append(out, i)
		}
	}
	return out
}

// clampToNumbers narrows the bounds of a region in the order of the numbers to the numbers that its
// conditions admit. It returns false if nothing is left.
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

// numberBounds converts bounds of the region to bounds of the numbers after its common value. It returns
// false if they are empty.
func (g *region) numberBounds(b bounds) (bounds, bool) {
	if len(g.value) == 0 {
		return b, true
	}
	out := bounds{descending: b.descending}
	if bytes.Compare(b.from, g.value) > 0 {
		rest, ok := bytes.CutPrefix(b.from, g.value)
		if !ok {
			return out, false // after the whole region
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
