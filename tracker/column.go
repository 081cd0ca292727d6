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
	// The users that created and last changed an issue. An issue has no value if the user is not known.
	ColumnCreatedBy Column = "createdby"
	ColumnUpdatedBy Column = "updatedby"
	// The participants of an issue. A grid cannot be sorted by them.
	ColumnAssignees Column = "assignees"
	ColumnWatchers  Column = "watchers"
	// The users of ColumnCreatedBy and ColumnUpdatedBy, which filters compare by id.
	ColumnAuthor Column = "author"
	ColumnEditor Column = "editor"
)

// ColumnParticipation has the index entries of all participants of an issue. It holds no values.
const ColumnParticipation Column = "participation"

// ColumnDescription is a built-in long text. A grid cannot be sorted by it. The name is reserved because the
// table items of descriptions are named like those of custom fields.
const ColumnDescription Column = "description"

// Builtin reports whether c is a built-in column.
func (c Column) Builtin() bool {
	switch c {
	case ColumnNum, ColumnName, ColumnState, ColumnCreated, ColumnUpdated, ColumnCreatedBy, ColumnUpdatedBy,
		ColumnDescription, ColumnAssignees, ColumnWatchers, ColumnAuthor, ColumnEditor, ColumnParticipation:
		return true
	}
	return false
}

// Nullable reports whether issues may lack a value in the column.
func (c Column) Nullable() bool {
	switch c {
	case ColumnCreatedBy, ColumnUpdatedBy, ColumnDescription, ColumnAssignees, ColumnWatchers, ColumnAuthor,
		ColumnEditor:
		return true
	}
	return !c.Builtin()
}

// Role returns the role of the participants that are the values of the column, and false for a column of
// other values.
func (c Column) Role() (ParticipantRole, bool) {
	switch c {
	case ColumnAssignees:
		return RoleAssignee, true
	case ColumnWatchers:
		return RoleWatcher, true
	case ColumnAuthor:
		return RoleAuthor, true
	case ColumnEditor:
		return RoleEditor, true
	}
	return "", false
}

// Field returns the id of the custom field. c must not be a built-in column.
func (c Column) Field() FieldID { return FieldID(c) }

// Column returns the column of the custom field.
func (id FieldID) Column() Column { return Column(id) }
