package grid

import (
	"bytes"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// indexRange is a part of the index whose keys answer a condition: a range of the partition of a column, the
// partition of one member of a set, or the keys of the project's own partition that DynamoDB filters by what
// an issue has.
type indexRange struct {
	column        tracker.Column
	gen           int64 // of the field's values
	member        string
	kind          sortkey.Kind // of the column's values
	values        filter.Range
	with, without []tracker.FieldID
}

// prefix is the one value that the sort strings of the range begin with, empty where they are numbers;
// byNumber is false if the range is not in the order of the numbers.
func (l *indexRange) prefix() (value sortkey.Value, byNumber bool) {
	if l.column == tracker.ColumnNum || l.member != "" {
		return nil, true
	}
	return l.values.Point(l.kind)
}

// filtered reports whether DynamoDB filters the keys of the range by what issues have.
func (l *indexRange) filtered() bool { return len(l.with)+len(l.without) > 0 }

// query reads all of the range.
func (l *indexRange) query(p tracker.ProjectID) columns.KeyQuery {
	q := columns.KeyQuery{Project: p, Column: l.column, Gen: l.gen, Member: l.member, To: l.values.To,
		With: l.with, Without: l.without}
	if len(l.values.From) > 0 {
		q.From = l.values.From
	}
	return q
}

// within reads what of the range is within bounds; false if nothing is.
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

// num is the number of a key of the range.
func (l *indexRange) num(ss []byte) (int64, error) {
	if l.column == tracker.ColumnNum || l.member != "" {
		return sortkey.ParseNum(ss)
	}
	_, n, err := sortkey.Split(l.kind, ss)
	return n, err
}

// num is the number of a sort string that is one.
func num(ss []byte) int64 {
	n, _ := sortkey.ParseNum(ss) // 0 for none, which only makes an estimate wrong
	return n
}

// bounds are those of an iterator's sort strings, half-open, with the direction of reading.
type bounds struct {
	from, to   []byte
	descending bool
	seen       bool // see scan
}

// empty reports whether no sort string is within the bounds of q. DynamoDB refuses a lower bound above the
// upper one.
func empty(q columns.KeyQuery) bool {
	return q.From != nil && q.To != nil && bytes.Compare(q.From, q.To) >= 0
}

// cover is the ranges that together have the keys of all issues that meet a condition, each once at least.
type cover struct {
	ranges []indexRange
	// numberRanges are the same keys from ranges that are in the order of the numbers; nil if there are none,
	// or too many.
	numberRanges []indexRange
	// exact reports whether they have no others.
	exact bool
}

// maxNumberRanges is how many ranges in the order of the numbers may stand for a condition, because they are
// read in parallel.
const maxNumberRanges = 20

// findNumberRanges finds the number ranges.
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

// integers lists the values of a range whose column has integers, as do states, options and booleans; false
// if they are too many.
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

// coverOf finds the cover of a condition, with its number ranges; false if the index has none.
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
		if c.Column.Builtin() {
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
		// One member of it covers it, if not exactly: the one with the fewest ranges, preferably one that is
		// not filtered by DynamoDB.
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

// preference compares covers of which nothing else is known: the least is the best.
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
		return cover{}, false // neither indexed nor among what an issue has
	}
	out := cover{exact: true}
	sortable, gen := true, int64(0)
	if !c.Column.Builtin() {
		f := d.Field(c.Column.Field())
		if f.Rebuilding() {
			return cover{}, false // neither the index nor what an issue has can be relied upon
		}
		gen = f.Gen
		sortable = f.Type.Sortable()
		if c.Values.None {
			without := indexRange{column: tracker.ColumnNum, without: []tracker.FieldID{f.ID}}
			out.ranges = append(out.ranges, without)
		}
		if !sortable && len(c.Values.Ranges) > 0 {
			with := indexRange{column: tracker.ColumnNum, with: []tracker.FieldID{f.ID}}
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

// kindOf is the kind of the sort values of a column that a grid can be sorted by.
func kindOf(d *tracker.Definition, c tracker.Column) sortkey.Kind { return columns.Kind(d, c) }
