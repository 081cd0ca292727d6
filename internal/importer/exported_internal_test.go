package importer

import (
	"slices"
	"testing"
)

// TestExportedColumns checks which files are exports of all columns, and what their other columns are called.
func TestExportedColumns(t *testing.T) {
	var all []string
	for _, c := range ExportedColumns {
		all = append(all, c.Column)
	}
	rejects := []string{"reject_line", "reject_column", "reject_reason"}
	for _, test := range []struct {
		names []string
		first int // the first built-in column, or -1
	}{
		{all, 0},
		{append(slices.Clone(all), "Cost", "name (field)"), 0},
		{append(slices.Clone(rejects), all...), 3},
		{all[1:], -1},
		{all[:len(all)-1], -1},
		{append([]string{"Cost"}, all...), -1},
		{nil, -1},
	} {
		got := (&profile{names: test.names}).exported()
		if (got != nil) != (test.first >= 0) || got != nil && (len(got) != len(all) ||
			got[test.first] != ToRowKey || got[test.first+len(all)-1] != ToDescription) {
			t.Errorf("%q: %v", test.names, got)
		}
	}
	for column, want := range map[string]string{"Cost": "Cost", "Cost (field)": "Cost (field)",
		"name (field)": "name", "Name (field)": "Name", "created by (field) (field)": "created by (field)"} {
		if got := exportedField(column); got != want {
			t.Errorf("%s is the field %q, want %q", column, got, want)
		}
	}
}
