package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/internal/sample"
)

// readsEachRow has the fields below a row that cost calls for each row, besides lists, which are pages of
// their own.
var readsEachRow = []string{
	"commentLanguages", // a Query of the issue
	"defaultView",      // one of the project
}

// TestCallsOfRows selects each field below the rows of a grid, down to the third level, and checks that 60
// rows take as many calls as 3: what they refer to is read in batches, and what is part of an id not at all.
func TestCallsOfRows(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:100]
	s := load(t, p)
	schema := schemaFile(t)
	calls := func(rows int, selection string) (n int) {
		s.wire.Reset()
		a := s.ask(t, fmt.Sprintf("{ project(id: %q) { issues(first: %d) { nodes { %s } } } }", projectID(&p),
			rows, selection), nil)
		if len(a.Errors) > 0 && strings.Contains(a.Errors[0].Message, "may cost") {
			return -1
		}
		if len(a.Errors) > 0 {
			t.Errorf("%s: %+v", selection, a.Errors)
		}
		for _, sent := range s.wire.Calls() {
			n += sent
		}
		return n
	}
	calls(60, "num")
	tested := 0
	for _, selection := range selectionsOf(schema, schema.Types["Issue"], 3) {
		few, many := calls(3, selection), calls(60, selection)
		if many < 0 {
			continue // refused, because it may cost too much
		}
		tested++
		grows := slices.ContainsFunc(readsEachRow, func(f string) bool {
			return strings.Contains(selection, f)
		})
		if many > few != grows {
			t.Errorf("3 rows take %d calls, and 60 take %d: %s", few, many, selection)
		}
	}
	if tested < 25 {
		t.Errorf("only %d selections", tested)
	}
}

// selectionsOf returns a selection of each field of a type that is an object, with all that is in it down to
// a depth and needs no arguments.
func selectionsOf(schema *ast.Schema, of *ast.Definition, depth int) (out []string) {
	for _, f := range of.Fields {
		d := schema.Types[f.Type.Name()]
		isList := strings.HasSuffix(d.Name, "Connection")
		if !d.IsCompositeType() || isList || required(f) || strings.HasPrefix(f.Name, "__") {
			continue
		}
		leaves := []string{"__typename"}
		for _, leaf := range d.Fields {
			if !schema.Types[leaf.Type.Name()].IsCompositeType() && !required(leaf) &&
				!strings.HasPrefix(leaf.Name, "__") {
				leaves = append(leaves, leaf.Name)
			}
		}
		out = append(out, fmt.Sprintf("%s { %s }", f.Name, strings.Join(leaves, " ")))
		if depth > 1 {
			for _, inner := range selectionsOf(schema, d, depth-1) {
				out = append(out, fmt.Sprintf("%s { %s }", f.Name, inner))
			}
		}
	}
	return out
}

// required reports whether a field has an argument that must be given, or several of which one must be.
func required(f *ast.FieldDefinition) bool {
	oneOf := []string{"cursorAt", "field", "state", "option"}
	must := func(a *ast.ArgumentDefinition) bool { return a.Type.NonNull && a.DefaultValue == nil }
	return slices.Contains(oneOf, f.Name) && len(f.Arguments) > 1 || slices.ContainsFunc(f.Arguments, must)
}
