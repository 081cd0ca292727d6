package grid

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// OrderColumn is one column of an order. Make it with NewOrderColumn.
type OrderColumn struct {
	Column tracker.Column
	// Descending reverses the order of the rows with a value, and of those without one.
	Descending bool
	// NullsFirst puts the rows without a value before all others, in both directions; otherwise they come
	// after.
	NullsFirst bool

	kind sortkey.Kind
	gen  int64 // generation of the field's values
	// across reports whether the rows are of several projects (Ways). A value then includes the project.
	across bool
	// moving reports whether the index may have outdated values, because a job is rebuilding it.
	moving bool
	// choices are the marks of the values, if they are positions of states or options (columns.ChoiceMarks).
	choices []uint32
}

// NewOrderColumn returns the order by a built-in column, for which def may be nil, or by a custom field of
// def. It returns BadInput at column.fieldId if the field does not exist or its type is not sortable.
func NewOrderColumn(def *tracker.Definition, c tracker.Column, descending, nullsFirst bool) (OrderColumn,
	error) {
	if c == tracker.ColumnDescription {
		return OrderColumn{}, tracker.Bad("column.builtin",
			"a grid cannot be sorted by the description, because it is a long text")
	}
	o := OrderColumn{Column: c, Descending: descending, NullsFirst: nullsFirst}
	if !c.Builtin() {
		f := def.Field(c.Field())
		if f == nil {
			return OrderColumn{}, tracker.Bad("column.fieldId",
				"the project has no such field; give the id of one of its own fields")
		}
		if !f.Type.Sortable() {
			return OrderColumn{}, tracker.Bad("column.fieldId",
				"a grid cannot be sorted by the field %q, because its type is %s; give a field that is "+
					"sortable", f.Name, f.Type).MayBeOutdated()
		}
		if f.From != nil {
			return OrderColumn{}, f.Converting("sort")
		}
		o.gen = f.Gen
	}
	o.kind, o.moving = kindOf(def, c), def.RebuildingColumn(c)
	o.choices = columns.ChoiceMarks(def, c)
	return o, nil
}

// acrossMark begins the names of the columns in cursors of pages with rows of several projects.
const acrossMark = "all~"

// mark returns the name of the column in a cursor at a value, or at none. It differs after a change of the
// field's type, and where a change of the states or options has put other rows before or behind the position
// (columns.ChoiceMarks), so that older cursors are invalid: they would skip or repeat rows.
func (o *OrderColumn) mark(hasValue bool, v sortkey.Value) tracker.Column {
	if o.across {
		return acrossMark + o.Column
	}
	mark := o.Column
	if o.gen != 0 {
		mark += tracker.Column("~" + strconv.FormatInt(o.gen, 10))
	}
	if hasValue && len(o.choices) > 0 {
		rank, _ := sortkey.Decode(o.kind, v)
		n, ok := rank.(int64)
		if !ok || n < 0 || n >= int64(len(o.choices)) {
			n = int64(len(o.choices)) - 1 // an entry that a job has not updated yet
		}
		mark += tracker.Column("~" + strconv.FormatUint(uint64(o.choices[n]), 36))
	}
	return mark
}

// at returns the position at a value, or among the rows without one.
func (o *OrderColumn) at(hasValue bool, v sortkey.Value) Position {
	return Position{Column: o.mark(hasValue, v), HasValue: hasValue, Value: v}
}

// byNum reports whether the sort strings are numbers without a preceding value.
func (o *OrderColumn) byNum() bool { return o.Column == tracker.ColumnNum && !o.across }

// hasTail reports whether rows may lack a value.
func (o *OrderColumn) hasTail() bool { return o.Column.Nullable() }

// MaxColumns is the maximum number of columns that a grid is sorted by.
const MaxColumns = 4

// Order is the order of a grid's rows (G1), by one or more columns. Make it with NewOrder or OrderBy.
type Order []OrderColumn

// OrderBy returns the order by one column. The arguments and errors are those of NewOrderColumn.
func OrderBy(def *tracker.Definition, c tracker.Column, descending, nullsFirst bool) (Order, error) {
	o, err := NewOrderColumn(def, c, descending, nullsFirst)
	return Order{o}, err
}

// NewOrder returns the order by the first column, then by the second, and so on. It returns BadInput, with a
// path like [1].column, if there are too many columns or one occurs twice. Columns after the number are left
// out, because no two rows have the same number.
func NewOrder(columns ...OrderColumn) (Order, error) {
	if len(columns) > MaxColumns {
		return nil, tracker.Bad("", "more than %d columns; a grid is sorted by at most that many", MaxColumns)
	}
	index := func(c tracker.Column) int { // of its first occurrence, or -1
		return slices.IndexFunc(columns, func(o OrderColumn) bool { return o.Column == c })
	}
	for i := range columns {
		if index(columns[i].Column) < i {
			return nil, tracker.Bad(fmt.Sprintf("[%d].column", i),
				"the order contains this column already; give each column once")
		}
	}
	if n := index(tracker.ColumnNum); n >= 0 {
		columns = columns[:n+1]
	}
	return slices.Clone(columns), nil
}

// Rebuilding reports whether rows may be out of order, because a job is rebuilding the index entries of a
// column.
func (o Order) Rebuilding() bool {
	return slices.ContainsFunc(o, func(c OrderColumn) bool { return c.moving })
}

// reversed returns the exact reverse of the order.
func (o Order) reversed() Order {
	out := slices.Clone(o)
	for i := range out {
		out[i].Descending, out[i].NullsFirst = !out[i].Descending, !out[i].NullsFirst
	}
	return out
}

// compare returns the order of two positions: negative if a is before b, 0 if they are the same.
func (o Order) compare(a, b Cursor) int {
	for i := range len(o) - 1 {
		if c := o[i].compareValues(a[i], b[i]); c != 0 {
			return c
		}
		if i == len(a)-1 || i == len(b)-1 {
			return cmp.Compare(o[i].side(a[i:]), o[i].side(b[i:]))
		}
	}
	last := len(o) - 1
	return o[last].compare(a[last], b[last])
}

// compare returns the order of two positions in the order of one column.
func (o *OrderColumn) compare(a, b Position) int {
	c := cmp.Compare(a.Num, b.Num)
	if o.Descending {
		c = -c
	}
	return cmp.Or(o.compareValues(a, b), c)
}

// compareValues compares the values at two positions.
func (o *OrderColumn) compareValues(a, b Position) int {
	if a.HasValue != b.HasValue {
		if a.HasValue == o.NullsFirst {
			return 1
		}
		return -1
	}
	c := bytes.Compare(a.Value, b.Value)
	if o.Descending {
		c = -c
	}
	return c
}

// side returns where a position is, relative to the rows with the value of its first part: before them, -1;
// among them, 0; or after them, 1. The part is not that of the last column.
func (o *OrderColumn) side(c Cursor) int {
	switch {
	case len(c) > 1:
		return 0
	case (c[0].Num == firstNum) != o.Descending:
		return -1
	}
	return 1
}
