package grid_test

import (
	"testing"

	"issuegrid/grid"
	"issuegrid/tracker"
)

func TestNewOrderColumn(t *testing.T) {
	for _, c := range []struct {
		column tracker.Column
		path   string // path of the error; empty for no error
	}{
		{tracker.ColumnNum, ""}, {tracker.ColumnName, ""}, {tracker.ColumnState, ""},
		{tracker.ColumnCreated, ""}, {tracker.ColumnUpdated, ""},
		{tracker.ColumnCreatedBy, ""}, {tracker.ColumnUpdatedBy, ""},
		{tracker.ColumnDescription, "column.builtin"},
		{"3812", ""}, {"882a", ""}, {"3fe6", ""}, {"47e5", ""}, {"aa01", ""}, {"aa02", ""}, {"aa03", ""},
		{"aa04", ""},
		{"aa05", "column.fieldId"}, {"aa06", "column.fieldId"}, {"aa07", "column.fieldId"},
		{"0000", "column.fieldId"}, {"", "column.fieldId"},
	} {
		o, err := grid.NewOrderColumn(definition, c.column, true, true)
		if c.path != "" {
			if e, ok := err.(*tracker.Error); !ok || e.Code != tracker.BadInput || e.Path != c.path {
				t.Errorf("%q: got %#v, want BadInput at %s", c.column, err, c.path)
			}
			continue
		}
		if err != nil || o.Column != c.column || !o.Descending || !o.NullsFirst {
			t.Errorf("%q: %+v, %v", c.column, o, err)
		}
	}
	if _, err := grid.NewOrderColumn(nil, tracker.ColumnNum, false, false); err != nil {
		t.Errorf("a built-in column without a definition: got %v", err)
	}
	// For a field of every type, NewOrderColumn agrees with Sortable.
	for _, typ := range tracker.FieldTypes {
		def := tracker.NewDefinition(tracker.Project{ID: project}, []*tracker.Field{{ID: "f", Type: typ}})
		if _, err := grid.NewOrderColumn(def, "f", false, false); (err == nil) != typ.Sortable() {
			t.Errorf("%s: Sortable is %t, but NewOrderColumn returned %v", typ, typ.Sortable(), err)
		}
	}
}
