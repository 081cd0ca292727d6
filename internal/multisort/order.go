package multisort

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"issuegrid/grid"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// MaxColumns is the maximum number of columns that a grid is sorted by.
const MaxColumns = 4

// Order is the order of a grid's rows (S1): one or more orders by different columns. Make it with NewOrder.
type Order []grid.Order

// NewOrder returns the order by the first column, then by the second, and so on. It returns BadInput, with a
// path like [1].column, if there are too many columns or one occurs twice. Columns after the number are left
// out, because no two rows have the same number.
func NewOrder(columns ...grid.Order) (Order, error) {
	if len(columns) > MaxColumns {
		return nil, tracker.Bad("", "more than %d columns; a grid is sorted by at most that many", MaxColumns)
	}
	for i := range columns {
		if before := column(columns, columns[i].Column); before < i {
			return nil, tracker.Bad(fmt.Sprintf("[%d].column", i),
				"the order contains this column already; give each column once")
		}
	}
	if n := column(columns, tracker.ColumnNum); n >= 0 {
		columns = columns[:n+1]
	}
	return slices.Clone(columns), nil
}

// column returns the index of the first order by a column, or -1.
func column(orders []grid.Order, c tracker.Column) int {
	return slices.IndexFunc(orders, func(o grid.Order) bool { return o.Column == c })
}

// Rebuilding reports whether rows may be out of order, because a job is rebuilding the index entries of a
// column.
func (o Order) Rebuilding() bool {
	return slices.ContainsFunc(o, func(c grid.Order) bool { return c.Rebuilding() })
}

// reversed returns the exact reverse of the order.
func (o Order) reversed() Order {
	out := slices.Clone(o)
	for i := range out {
		out[i].Descending, out[i].NullsFirst = !out[i].Descending, !out[i].NullsFirst
	}
	return out
}

// Cursor is a position in an order (S2): for each of its columns, the position in the order of that column.
// Only the last part of a row's position contains the number and the issue; the others are anchors, which
// contain only the value. A cursor with fewer parts than the order has columns is the position just before or
// just after the rows with these values. Nil is no position.
type Cursor []grid.Cursor

// separator separates the parts of an encoded cursor. It occurs in none of them, and not in the marks that
// package graph appends.
const separator = "~"

// String returns the encoded cursor, which is opaque to clients. The cursor of a grid that is sorted by one
// column is that of package grid.
func (c Cursor) String() string {
	parts := make([]string, len(c))
	for i := range c {
		parts[i] = c[i].String()
	}
	return strings.Join(parts, separator)
}

// ParseCursor decodes a cursor for use in the order o. It returns BadInput, without a path, unless s is
// exactly what String returns for a position in an order by the same columns.
func ParseCursor(s string, o Order) (Cursor, error) {
	parts := strings.SplitN(s, separator, MaxColumns+1)
	if len(parts) > len(o) {
		return nil, otherOrder()
	}
	out := make(Cursor, len(parts))
	for i, part := range parts {
		var err error
		if out[i], err = grid.ParseCursor(part, o[i]); err != nil {
			return nil, err
		}
		leads, ends := i < len(parts)-1, i < len(o)-1
		if leads && out[i].Num != grid.FirstNum || ends && !out[i].Anchored() ||
			len(o) > 1 && (out[i].Num < grid.FirstNum || out[i].Num > grid.LastNum) {
			return nil, otherOrder()
		}
	}
	return out, nil
}

func otherOrder() error {
	return tracker.Bad("", "the cursor belongs to a grid in the order of other columns; "+
		"leave it out when the order changes")
}

// From returns c as Request.After, and To returns c as Request.Before.
func (o Order) From(c Cursor) Cursor { return c.last(o, (*grid.Order).From) }

// To is explained at From.
func (o Order) To(c Cursor) Cursor { return c.last(o, (*grid.Order).To) }

// last returns c with another last part, if it has one for each column of the order.
func (c Cursor) last(o Order, change func(*grid.Order, grid.Cursor) grid.Cursor) Cursor {
	if last := len(o) - 1; len(c) > last {
		c = slices.Clone(c)
		c[last] = change(&o[last], c[last])
	}
	return c
}

// AtValue returns the position just before the rows with the value v in the first column, whether or not
// there are any.
func AtValue(o Order, v sortkey.Value) (Cursor, error) {
	c, err := grid.AtValue(o[0], v)
	return Cursor{c}, err
}

// AtIssue returns the position just before the row of an issue. It needs texts if a column holds texts. A
// request needs From or To of it.
func AtIssue(ctx context.Context, d *tracker.Definition, o Order, i *tracker.Issue, texts grid.Texts) (Cursor,
	error) {
	out := make(Cursor, len(o))
	for n := range o {
		var err error
		if out[n], err = grid.AtIssue(ctx, d, o[n], i, texts); err != nil {
			return nil, err
		}
		if n < len(o)-1 {
			out[n] = out[n].Anchor()
		}
	}
	return out, nil
}

// compare returns the order of two positions: negative if a is before b, 0 if they are the same.
func (o Order) compare(a, b Cursor) int {
	for i := range len(o) - 1 {
		if c := compareValues(&o[i], a[i], b[i]); c != 0 {
			return c
		}
		if i == len(a)-1 || i == len(b)-1 {
			return cmp.Compare(side(&o[i], a[i:]), side(&o[i], b[i:]))
		}
	}
	last := len(o) - 1
	return position(&o[last], a[last], b[last])
}

// position compares two positions in the order of one column.
func position(o *grid.Order, a, b grid.Cursor) int {
	c := cmp.Compare(a.Num, b.Num)
	if o.Descending {
		c = -c
	}
	return cmp.Or(compareValues(o, a, b), c)
}

// compareValues compares the values at two positions.
func compareValues(o *grid.Order, a, b grid.Cursor) int {
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
func side(o *grid.Order, c Cursor) int {
	switch {
	case len(c) > 1:
		return 0
	case (c[0].Num == grid.FirstNum) != o.Descending:
		return -1
	}
	return 1
}
