package grid

import (
	"bytes"

	"issuegrid/dynamo"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// leaf is a part of the index whose keys answer a condition: a range of the partition of a column, the partition of one member of a set, or
// the keys of the project's own partition that DynamoDB filters by what an issue has.
type leaf struct {
	column        tracker.Column
	gen           int64 // of the field's values
	member        string
	kind          sortkey.Kind // of the column's values
	values        filter.Range
	with, without []tracker.FieldID
}

// point is the one value that the sort strings of the leaf begin with, empty where they are numbers; false if the leaf is not in the order of
// the numbers.
func (l *leaf) point() (sortkey.Value, bool) {
	if l.column == tracker.ColumnNum || l.member != "" {
		return nil, true
	}
	return l.values.Point(l.kind)
}

// query reads all of the leaf.
func (l *leaf) query(p tracker.ProjectID) dynamo.KeyQuery {
	q := dynamo.KeyQuery{Project: p, Column: l.column, Gen: l.gen, Member: l.member, To: l.values.To, With: l.with, Without: l.without}
	if len(l.values.From) > 0 {
		q.From = l.values.From
	}
	return q
}

// num is the number of a key of the leaf.
func (l *leaf) num(ss []byte) (int64, error) {
	if l.column == tracker.ColumnNum || l.member != "" {
		return sortkey.ParseNum(ss)
	}
	_, n, err := sortkey.Split(l.kind, ss)
	return n, err
}

// cover is the leaves that together have the keys of all issues that meet a condition, each once at least.
type cover struct {
	leaves []leaf
	// points are the same keys from leaves that are in the order of the numbers; nil if there are none, or too many.
	points []leaf
	// exact tells that they have no others.
	exact bool
}

// maxPoints is how many leaves in the order of the numbers may stand for a condition, because they are read side by side.
const maxPoints = 20

// level finds the points.
func (c *cover) level(d *tracker.Definition) {
	var points []leaf
	for _, l := range c.leaves {
		if _, ok := l.point(); ok {
			points = append(points, l)
			continue
		}
		values, ok := integers(d, &l)
		if !ok || len(points)+len(values) > maxPoints {
			return
		}
		for _, i := range values {
			v := filter.Equal(sortkey.Int(i))
			points = append(points, leaf{column: l.column, gen: l.gen, kind: l.kind, values: v.Ranges[0]})
		}
	}
	if len(points) <= maxPoints {
		c.points = points
	}
}

// integers lists the values of a leaf whose column has integers, as do states, options and booleans; false if they are too many.
func integers(d *tracker.Definition, l *leaf) ([]int64, bool) {
	if l.kind != sortkey.KindInt {
		return nil, false
	}
	first, most := int64(0), int64(0) // of the column, if it is one with few values
	if l.column == tracker.ColumnState {
		most = int64(len(d.Project.States))
	} else if !l.column.Builtin() {
		switch f := d.Field(l.column.Field()); f.Type {
		case tracker.TypeSelect:
			most = int64(len(f.Options))
		case tracker.TypeBoolean:
			most = 2
		}
	}
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
		if out = append(out, i); len(out) > maxPoints {
			return nil, false
		}
	}
	return out, true
}

// coverOf finds the cover of a condition, with its points; false if the index does not have one.
func coverOf(d *tracker.Definition, c filter.Condition) (cover, bool) {
	out, ok := findCover(d, c)
	if ok {
		out.level(d)
	}
	return out, ok
}

func findCover(d *tracker.Definition, c filter.Condition) (cover, bool) {
	switch c := c.(type) {
	case filter.In:
		return coverIn(d, c)
	case filter.Has:
		f := d.Field(c.Column.Field())
		return cover{leaves: []leaf{{column: c.Column, gen: f.Gen, member: c.Member}}, exact: true}, !f.Rebuilding()
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
			any.leaves = append(any.leaves, one.leaves...)
			any.exact = any.exact && one.exact
		}
		return any, true
	case filter.And:
		// One member of it covers it, if not exactly: the one with the fewest leaves, preferably one that is not filtered by DynamoDB.
		var best cover
		found := false
		for _, m := range c {
			one, ok := findCover(d, m)
			if ok && (!found || one.clumsiness() < best.clumsiness()) {
				best, found = one, true
			}
		}
		best.exact = false
		return best, found
	}
	return cover{}, false
}

// clumsiness compares covers of which nothing else is known.
func (c *cover) clumsiness() int {
	n := len(c.leaves)
	for i := range c.leaves {
		if l := &c.leaves[i]; len(l.with)+len(l.without) > 0 {
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
			out.leaves = append(out.leaves, leaf{column: tracker.ColumnNum, without: []tracker.FieldID{f.ID}})
		}
		if !sortable && len(c.Values.Ranges) > 0 {
			out.leaves = append(out.leaves, leaf{column: tracker.ColumnNum, with: []tracker.FieldID{f.ID}})
			out.exact = len(c.Values.Ranges) == 1 && len(c.Values.Ranges[0].From) == 0 && c.Values.Ranges[0].To == nil
		}
	}
	if sortable {
		for _, r := range c.Values.Ranges {
			out.leaves = append(out.leaves, leaf{column: c.Column, gen: gen, kind: kindOf(d, c.Column), values: r})
		}
	}
	return out, true
}

// kindOf is the kind of the sort values of a column that a grid can be sorted by.
func kindOf(d *tracker.Definition, c tracker.Column) sortkey.Kind {
	switch c {
	case tracker.ColumnName:
		return sortkey.KindText
	case tracker.ColumnNum, tracker.ColumnState, tracker.ColumnCreated, tracker.ColumnUpdated:
		return sortkey.KindInt
	}
	switch d.Field(c.Field()).Type {
	case tracker.TypeText, tracker.TypeUser:
		return sortkey.KindText
	case tracker.TypeNumber:
		return sortkey.KindFloat
	}
	return sortkey.KindInt
}
