package grid

import (
	"bytes"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// indexRange is a part of the index whose keys answer a condition: a range of the partition of a column, the
// partition of one member of a set, or the keys of the project's own partition, which DynamoDB filters by
// the columns in which an issue has a value.
type indexRange struct {
	column        tracker.Column
	gen           int64 // generation of the field's values
	member        string
	kind          sortkey.Kind // of the column's values
	values        filter.Range
	with, without []tracker.Column
}

// prefix returns the value that all sort strings of the range begin with, empty if they are numbers. byNumber
// is false if the range is not in the order of the numbers.
func (l *indexRange) prefix() (value sortkey.Value, byNumber bool) {
	if l.column == tracker.ColumnNum || l.member != "" {
		return nil, true
	}
	return l.values.Point(l.kind)
}

// filtered reports whether DynamoDB filters the keys of the range by the columns in which issues have
// a value.
func (l *indexRange) filtered() bool { return len(l.with)+len(l.without) > 0 }

// query returns the query of the whole range.
func (l *indexRange) query(p tracker.ProjectID) columns.KeyQuery {
	q := columns.KeyQuery{Project: p, Column: l.column, Gen: l.gen, Member: l.member, To: l.values.To,
		With: l.with, Without: l.without}
	if len(l.values.From) > 0 {
		q.From = l.values.From
	}
	return q
}

// within returns the query of the part of the range within bounds, and false if that is empty.
func (l *indexRange) within(p tracker.ProjectID, b bounds) (columns.KeyQuery, bool) {
	q := l.query(p)
	q.Descending = b.descending
	if b.from != nil && bytes.Compare(b.from, q.From) > 0 {
		q.From = b.from
	}
	if b.to != nil && (q.To == nil || bytes.Compare(b.to, q.To) < 0) {
		q.To = b.to
	}
	return q, !empty(q)
}

// num returns the issue number of a key of the range.
func (l *indexRange) num(ss []byte) (int64, error) {
	if l.column == tracker.ColumnNum || l.member != "" {
		return sortkey.ParseNum(ss)
	}
	_, n, err := sortkey.Split(l.kind, ss)
	return n, err
}

// num returns the number that a sort string encodes.
func num(ss []byte) int64 {
	n, _ := sortkey.ParseNum(ss) // 0 on error, which only affects an estimate
	return n
}

// bounds are the half-open bounds of an iterator's sort strings, with the direction of reading.
type bounds struct {
	from, to   []byte
	descending bool
	seen       bool // see scan
}

// empty reports whether no sort string is within the bounds of q. DynamoDB rejects a lower bound above the
// upper one.
func empty(q columns.KeyQuery) bool {
	return q.From != nil && q.To != nil && bytes.Compare(q.From, q.To) >= 0
}

// cover is a set of ranges whose keys include at least one key of each issue that matches a condition.
type cover struct {
	ranges []indexRange
	// numberRanges has the same keys in ranges that are in the order of the numbers. It is nil if there are
	// no such ranges, or too many.
	numberRanges []indexRange
	// exact reports whether the ranges have no keys of other issues.
	exact bool
}

// maxNumberRanges is the maximum number of ranges in the order of the numbers for one condition. They are
// read in parallel.
const maxNumberRanges = 20

// findNumberRanges sets numberRanges.
func (c *cover) findNumberRanges(d *tracker.Definition) {
	var found []indexRange
	for _, l := range c.ranges {
		if _, ok := l.prefix(); ok {
			found = append(found, l)
			continue
		}
		values, ok := integers(d, &l)
		if !ok || len(found)+len(values) > maxNumberRanges {
			return
		}
		for _, i := range values {
			v := filter.Equal(sortkey.Int(i))
			found = append(found, indexRange{column: l.column, gen: l.gen, kind: l.kind, values: v.Ranges[0]})
		}
	}
	if len(found) <= maxNumberRanges {
		c.numberRanges = found
	}
}

// integers returns the values in a range of a column of integers, such as states, options and booleans. It
// returns false if there are more than maxNumberRanges.
func integers(d *tracker.Definition, l *indexRange) ([]int64, bool) {
	if l.kind != sortkey.KindInt {
		return nil, false
	}
	first, most := int64(0), int64(columns.Count(d, l.column))
	if v, ok := sortkey.Decode(sortkey.KindInt, l.values.From); ok {
		first = v.(int64)
	} else if most == 0 {
		return nil, false
	}
	var out []int64
	for i := first; most == 0 || i < most; i++ {
		if v := sortkey.Int(i); l.values.To != nil && bytes.Compare(v, l.values.To) >= 0 {
			break
		}
		if out = append(out, i); len(out) > maxNumberRanges {
			return nil, false
		}
	}
	return out, true
}

// coverOf returns the cover of a condition, with its number ranges. It returns false if the index cannot
// answer the condition.
func coverOf(d *tracker.Definition, c filter.Condition) (cover, bool) {
	out, ok := findCover(d, c)
	if ok {
		out.findNumberRanges(d)
	}
	return out, ok
}

func findCover(d *tracker.Definition, c filter.Condition) (cover, bool) {
	switch c := c.(type) {
	case filter.In:
		return coverIn(d, c)
	case filter.Has:
		f := d.Field(c.Column.Field())
		members := indexRange{column: c.Column, gen: f.Gen, member: c.Member}
		return cover{ranges: []indexRange{members}, exact: true}, !f.Rebuilding()
	case filter.Contains:
		if !c.Column.Nullable() {
			return cover{}, false // every issue has a name
		}
		all, ok := coverIn(d, filter.In{Column: c.Column, Values: filter.Any()})
		all.exact = false
		return all, ok
	case filter.Or:
		any := cover{exact: true}
		for _, m := range c {
			one, ok := findCover(d, m)
			if !ok {
				return cover{}, false
			}
			any.ranges = append(any.ranges, one.ranges...)
			any.exact = any.exact && one.exact
		}
		return any, true
	case filter.And:
		// One member covers the condition, inexactly. Take the one with the fewest ranges, preferably one
		// that DynamoDB does not filter.
		var best cover
		found := false
		for _, m := range c {
			one, ok := findCover(d, m)
			if ok && (!found || one.preference() < best.preference()) {
				best, found = one, true
			}
		}
		best.exact = false
		return best, found
	}
	return cover{}, false
}

// preference ranks covers without statistics; the lowest is the best.
func (c *cover) preference() int {
	n := len(c.ranges)
	for i := range c.ranges {
		if c.ranges[i].filtered() {
			n += 100
		}
	}
	return n
}

func coverIn(d *tracker.Definition, c filter.In) (cover, bool) {
	if c.Column == tracker.ColumnDescription {
		return cover{}, false // neither indexed nor in the set of fields that an issue has
	}
	if d.RebuildingColumn(c.Column) {
		return cover{}, false // neither the index nor that set is reliable
	}
	out := cover{exact: true}
	if c.Values.None && c.Column.Nullable() {
		without := indexRange{column: tracker.ColumnNum, without: []tracker.Column{c.Column}}
		out.ranges = append(out.ranges, without)
	}
	sortable, gen := true, int64(0)
	if !c.Column.Builtin() {
		f := d.Field(c.Column.Field())
		gen = f.Gen
		sortable = f.Type.Sortable()
		if !sortable && len(c.Values.Ranges) > 0 {
			with := indexRange{column: tracker.ColumnNum, with: []tracker.Column{c.Column}}
			out.ranges = append(out.ranges, with)
			out.exact = len(c.Values.Ranges) == 1 && c.Values.Ranges[0].All()
		}
	}
	if sortable {
		for _, r := range c.Values.Ranges {
			out.ranges = append(out.ranges,
				indexRange{column: c.Column, gen: gen, kind: kindOf(d, c.Column), values: r})
		}
	}
	return out, true
}

// kindOf returns the kind of the sort values of a sortable column.
func kindOf(d *tracker.Definition, c tracker.Column) sortkey.Kind { return columns.Kind(d, c) }
