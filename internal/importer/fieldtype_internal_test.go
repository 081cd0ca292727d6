package importer

import (
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestEveryFieldType: a cell of each type becomes a value that the field can have, and a column of such cells
// is inferred to be of the type, or of one that has it as a text where nothing in a file tells the type.
func TestEveryFieldType(t *testing.T) {
	long := strings.Repeat("x", tracker.MaxInlineText+1)
	tests := map[tracker.FieldType]struct {
		cell     cell
		want     string // the value as people read it, or the names of options
		wrong    string // a cell that the type refuses; empty if it takes any text
		inferred tracker.FieldType
	}{
		tracker.TypeText:     {cell{text: "x"}, "x", "", tracker.TypeText},
		tracker.TypeLongText: {cell{text: long}, long, "", tracker.TypeLongText},
		tracker.TypeInteger:  {cell{text: "12"}, "12", "1.5", tracker.TypeInteger},
		tracker.TypeNumber:   {cell{text: "1.5"}, "1.5", "x", tracker.TypeNumber},
		tracker.TypeDate:     {cell{text: "2024-02-29"}, "2024-02-29", "2023-02-29", tracker.TypeDate},
		tracker.TypeDateTime: {cell{text: "2024-02-29T12:00:00Z"}, "2024-02-29T12:00:00Z", "noon",
			tracker.TypeDateTime},
		tracker.TypeBoolean:     {cell{text: "TRUE"}, "true", "2", tracker.TypeBoolean},
		tracker.TypeSelect:      {cell{text: "Red"}, "Red", "", tracker.TypeSelect},
		tracker.TypeMultiSelect: {cell{text: "Red;Blue"}, "Red, Blue", "", tracker.TypeSelect},
		tracker.TypeTags: {cell{text: `["x","y"]`, list: []string{"x", "y"}}, "x, y",
			strings.Repeat("x", tracker.MaxTag+1), tracker.TypeTags},
		tracker.TypeUser: {cell{text: "ann"}, "ann", strings.Repeat("x", tracker.MaxUser+1),
			tracker.TypeText},
	}
	for _, kind := range tracker.FieldTypes {
		tt, ok := tests[kind]
		if !ok {
			t.Errorf("internal/importer/fieldtype_internal_test.go: there is no cell of type %s", kind)
			continue
		}
		known := typeOf(kind)
		if known == nil {
			t.Errorf("internal/importer/fieldtype.go: fieldTypes lacks %s", kind)
			continue
		}
		c := Column{Column: "c", To: ToField, Name: "F", Type: kind}
		if takes(kind, "separator") {
			c.Separator = ";"
		}
		if err := c.check(); err != nil {
			t.Errorf("internal/importer/fieldtype.go: a column of type %s: %v", kind, err)
			continue
		}
		convert, err := newConverter(&c)
		if err != nil {
			t.Errorf("internal/importer/fieldtype.go: the converter of type %s: %v", kind, err)
			continue
		}
		got, bad := convert(tt.cell)
		f := &tracker.Field{Name: "F", Type: kind}
		if kind.HasOptions() {
			if text := strings.Join(got.names, ", "); bad != nil || text != tt.want {
				t.Errorf("internal/importer/fieldtype.go: a cell of type %s has the options %q (%v)", kind,
					text, bad)
			}
		} else if bad != nil || !kind.Fits(got.value) || f.Display(got.value) != tt.want {
			t.Errorf("internal/importer/fieldtype.go: a cell of type %s becomes %q (%v)", kind,
				f.Display(got.value), bad)
		}
		if tt.wrong != "" {
			if got, bad := convert(cell{text: tt.wrong}); bad == nil {
				t.Errorf("internal/importer/fieldtype.go: the cell %q of type %s becomes %q", tt.wrong, kind,
					f.Display(got.value))
			}
		}
		if got := inferredOf(t, tt.cell, kind); got != tt.inferred {
			t.Errorf("internal/importer/fieldtype.go: cells of type %s are inferred to be of type %s, "+
				"want %s", kind, got, tt.inferred)
		}
		if known.holds != nil && tt.inferred != kind {
			t.Errorf("internal/importer/fieldtype.go: the type %s can be inferred, and is not", kind)
		}
	}
}

// inferredOf infers the type of a column with a cell. One of few values is a SELECT if they repeat.
func inferredOf(t *testing.T, v cell, kind tracker.FieldType) tracker.FieldType {
	t.Helper()
	p, err := newProfile(&meter{})
	if err != nil {
		t.Fatal(err)
	}
	p.meet([]string{"c"})
	v.bytes = len(v.text)
	p.columns[0].look(p, v)
	if kind.HasOptions() {
		p.columns[0].look(p, v)
	}
	return p.columns[0].fieldType()
}
