package tracker_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	"issuegrid/tracker"
)

// TestEveryFieldType checks that each constant of FieldType is in FieldTypes and has a rule whose Display and
// parse agree. Packages that add properties to types have tests of the same name.
func TestEveryFieldType(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "fieldtype.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []tracker.FieldType
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "FieldType" {
				text, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				declared = append(declared, tracker.FieldType(text))
			}
		}
		return true
	})
	if !slices.Equal(declared, tracker.FieldTypes) {
		t.Errorf("tracker/fieldtype.go: the constants are %q, but FieldTypes is %q", declared,
			tracker.FieldTypes)
	}
	texts := map[tracker.FieldType]string{tracker.TypeText: "x", tracker.TypeLongText: "x",
		tracker.TypeInteger: "-12", tracker.TypeNumber: "1.5",
		tracker.TypeDate: "2024-02-29", tracker.TypeDateTime: "2024-02-29T12:00:00Z",
		tracker.TypeBoolean: "true", tracker.TypeSelect: "Red",
		tracker.TypeMultiSelect: "Red", tracker.TypeTags: "x", tracker.TypeUser: "ann"}
	for _, kind := range tracker.FieldTypes {
		text, ok := texts[kind]
		if !ok {
			t.Errorf("tracker/fieldtype_test.go: the test has no string for type %s", kind)
			continue
		}
		if !kind.Valid() {
			t.Errorf("tracker/fieldtype.go: the type %s has no rule", kind)
			continue
		}
		f := &tracker.Field{Name: "F", Type: kind}
		if kind.HasOptions() {
			f.Options = []tracker.Option{{ID: "r", Name: "Red"}}
		}
		v, err := tracker.Convert(&tracker.Form{Type: tracker.TypeText}, f, tracker.Text(text), "")
		if err != nil || v.Kind != kind.Kind() || f.CheckWrite(v) != nil || f.Display(v) != text {
			t.Errorf("tracker/fieldtype.go: the string %q of type %s converts to %s (%v), which is "+
				"displayed as %q",
				text, kind, formatValue(v), err, f.Display(v))
		}
		if kind.Sortable() && (kind.Kind() == tracker.KindSet || !kind.Indexed()) {
			t.Errorf("tracker/fieldtype.go: a field of type %s is sortable, but does not have a single "+
				"indexed "+
				"value", kind)
		}
		if kind.LongTexts() && kind.Kind() != tracker.KindText {
			t.Errorf("tracker/fieldtype.go: values of type %s are not strings and cannot be long texts", kind)
		}
	}
}
