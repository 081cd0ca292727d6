package tracker

// Column names a column of a project's grid: one of the built-in ones, or a custom field by its id.
type Column string

// The built-in columns that a grid can be sorted by.
const (
	ColumnNum     Column = "num"
	ColumnName    Column = "name"
	ColumnState   Column = "state"
	ColumnCreated Column = "created"
	ColumnUpdated Column = "updated"
)

// ColumnDescription is a built-in long text. It cannot be sorted by; the name is reserved because its value
// item is named like those of custom fields.
const ColumnDescription Column = "description"

// Builtin tells whether c is a built-in column and not a custom field.
func (c Column) Builtin() bool {
	switch c {
	case ColumnNum, ColumnName, ColumnState, ColumnCreated, ColumnUpdated, ColumnDescription:
		return true
	}
	return false
}

// Field returns the custom field that c is. It must not be asked of a built-in column.
func (c Column) Field() FieldID { return FieldID(c) }

// Column returns the column of a custom field.
func (id FieldID) Column() Column { return Column(id) }
