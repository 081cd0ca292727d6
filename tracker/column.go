package tracker

// Column is the name of a column of a project's grid: a built-in column, or the id of a custom field.
type Column string

// The built-in columns that a grid can be sorted by.
const (
	ColumnNum     Column = "num"
	ColumnName    Column = "name"
	ColumnState   Column = "state"
	ColumnCreated Column = "created"
	ColumnUpdated Column = "updated"
)

// ColumnDescription is a built-in long text. A grid cannot be sorted by it. The name is reserved because the
// table items of descriptions are named like those of custom fields.
const ColumnDescription Column = "description"

// Builtin reports whether c is a built-in column.
func (c Column) Builtin() bool {
	switch c {
	case ColumnNum, ColumnName, ColumnState, ColumnCreated, ColumnUpdated, ColumnDescription:
		return true
	}
	return false
}

// Field returns the id of the custom field. c must not be a built-in column.
func (c Column) Field() FieldID { return FieldID(c) }

// Column returns the column of the custom field.
func (id FieldID) Column() Column { return Column(id) }
