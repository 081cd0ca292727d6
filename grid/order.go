package grid

import (
	"strconv"

	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// Order is the order of a grid's rows (G1). Make it with NewOrder.
type Order struct {
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
}

// NewOrder returns the order by a built-in column, for which def may be nil, or by a custom field of def. It
// returns BadInput at column.field if the field does not exist or its type is not sortable.
func NewOrder(def *tracker.Definition, c tracker.Column, descending, nullsFirst bool) (Order, error) {
	if c == tracker.ColumnDescription {
		return Order{}, tracker.Bad("column.builtin",
			"a grid cannot be sorted by the description, because it is a long text")
	}
	o := Order{Column: c, Descending: descending, NullsFirst: nullsFirst}
	if !c.Builtin() {
		f := def.Field(c.Field())
		if f == nil {
			return Order{}, tracker.Bad("column.field",
				"the project has no such field; give the id of one of its own fields")
		}
		if !f.Type.Sortable() {
			return Order{}, tracker.Bad("column.field",
				"a grid cannot be sorted by the field %q, because its type is %s; give a field that is "+
					"sortable", f.Name, f.Type).MayBeOutdated()
		}
		if f.From != nil {
			return Order{}, f.Converting("sort")
		}
		o.gen = f.Gen
	}
	o.kind, o.moving = kindOf(def, c), def.RebuildingColumn(c)
	return o, nil
}

// Rebuilding reports whether rows may be out of order, because a job is rebuilding the index entries of the
// column.
func (o *Order) Rebuilding() bool { return o.moving }

// acrossMark begins the names of the columns in cursors of pages with rows of several projects.
const acrossMark = "all~"

// mark returns the name of the column in cursors. It differs after a change of the field's type, so that
// older cursors are invalid.
func (o *Order) mark() tracker.Column {
	if o.across {
		return acrossMark + o.Column
	}
	if o.gen == 0 {
		return o.Column
	}
	return o.Column + tracker.Column("~"+strconv.FormatInt(o.gen, 10))
}

// byNum reports whether the sort strings are numbers without a preceding value.
func (o *Order) byNum() bool { return o.Column == tracker.ColumnNum && !o.across }

// hasTail reports whether rows may lack a value.
func (o *Order) hasTail() bool { return o.Column.Nullable() }
