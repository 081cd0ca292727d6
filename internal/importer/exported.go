package importer

import (
	"slices"
	"strings"
)

// ExportedColumns are the built-in columns of an export, which are its first ones, and what an import makes
// of them. It cannot set the users.
var ExportedColumns = []Column{{Column: "key", To: ToRowKey}, {Column: "number", To: ToNum},
	{Column: "name", To: ToName}, {Column: "state", To: ToState}, {Column: "created", To: ToCreated},
	{Column: "updated", To: ToUpdated}, {Column: "created by", To: ToSkip},
	{Column: "updated by", To: ToSkip}, {Column: "description", To: ToDescription}}

// ExportedSeparator separates the members of a set in an export as CSV.
const ExportedSeparator = "\n"

// ExportedField is what an export adds to the name of a field that another column has.
const ExportedField = " (field)"

// exported returns what the built-in columns become if the file is an export of all columns or its rejected
// rows, by their indexes, and otherwise nil.
func (p *profile) exported() map[int]Target {
	builtin := map[int]Target{}
	for i, name := range p.names {
		switch n := len(builtin); {
		case rejectColumn(p.names, name):
		case n == len(ExportedColumns):
			return builtin
		case name != ExportedColumns[n].Column:
			return nil
		default:
			builtin[i] = ExportedColumns[n].To
		}
	}
	if len(builtin) < len(ExportedColumns) {
		return nil
	}
	return builtin
}

// exportedField returns the name of the field that a column of an export has.
func exportedField(column string) string {
	base := column
	for strings.HasSuffix(base, ExportedField) {
		base = strings.TrimSuffix(base, ExportedField)
	}
	isBase := func(c Column) bool { return strings.EqualFold(c.Column, base) }
	if slices.ContainsFunc(ExportedColumns, isBase) {
		return strings.TrimSuffix(column, ExportedField)
	}
	return column
}
