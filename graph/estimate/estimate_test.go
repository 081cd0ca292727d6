package estimate

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/google/go-cmp/cmp"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// TestPagesAreEstimated checks that a connection costs more if its page is larger, up to the largest page
// that it allows, which is also what an invalid size counts as.
func TestPagesAreEstimated(t *testing.T) {
	connections := 0
	schema := guardtest.SchemaFile(t, "../../schema.graphqls")
	for _, d := range schema.Types {
		for _, f := range d.Fields {
			of := schema.Types[f.Type.Name()]
			nodes := of.Fields.ForName("nodes")
			if f.Arguments.ForName("first") == nil || nodes == nil {
				continue
			}
			connections++
			reads := func(first int) float64 {
				size := &ast.Value{Kind: ast.IntValue, Raw: strconv.Itoa(first)}
				rows := &ast.Field{Name: "nodes", Alias: "nodes", ObjectDefinition: of, Definition: nodes}
				page := &ast.Field{Name: f.Name, Alias: f.Name, ObjectDefinition: d, Definition: f,
					Arguments:    ast.ArgumentList{{Name: "first", Value: size}},
					SelectionSet: ast.SelectionSet{rows}}
				return Of(&graphql.OperationContext{Operation: &ast.OperationDefinition{
					SelectionSet: ast.SelectionSet{page}}}).Reads
			}
			most := MaxListPage
			if of.Name == "IssueConnection" {
				most = MaxGridPage
			}
			all := reads(most)
			if one := reads(most - 1); one >= all || all != reads(most+1) || all != reads(-1) {
				t.Errorf("%s.%s: %v for %d rows, %v for one more, %v for two", d.Name, f.Name, one, most-1,
					all, reads(most+1))
			}
		}
	}
	if connections < 20 {
		t.Errorf("only %d fields return connections", connections)
	}
}

// TestBulkMutationsAreEstimated checks that a mutation with one result per issue is estimated by the number
// of issues.
func TestBulkMutationsAreEstimated(t *testing.T) {
	schema := guardtest.SchemaFile(t, "../../schema.graphqls")
	bulk := 0
	for _, f := range schema.Types["Mutation"].Fields {
		input := map[string]any{}
		for _, member := range schema.Types[f.Arguments.ForName("input").Type.Name()].Fields {
			if member.Type.Elem != nil && member.Name == "issues" {
				input[member.Name] = []any{map[string]any{}, map[string]any{}, map[string]any{}}
			}
		}
		one := written(f.Name, map[string]any{"issue": map[string]any{}})
		if one <= 0 && len(input) == 0 {
			t.Errorf("%s is estimated to write nothing", f.Name)
		}
		if schema.Types[f.Type.Name()].Fields.ForName("results") == nil {
			continue
		}
		bulk++
		if n, wcu := results(f.Name, input), written(f.Name, input); n != 3 || wcu < 3*10 {
			t.Errorf("%s of 3 issues is estimated at %v results and %v WCU", f.Name, n, wcu)
		}
	}
	if bulk < 3 {
		t.Errorf("only %d mutations are bulk", bulk)
	}
}

// TestParallelFields compares the fields that count as parallel with those that the generated executor
// resolves in parallel.
func TestParallelFields(t *testing.T) {
	text, err := os.ReadFile("../generated.go")
	if err != nil {
		t.Fatal(err)
	}
	object := regexp.MustCompile(`^func \(ec \*executionContext\) _([A-Z][A-Za-z]*)\(`)
	field := regexp.MustCompile(`^\t\tcase "([a-zA-Z]+)":`)
	want := map[string]bool{}
	var of, name string
	for l := range strings.Lines(string(text)) {
		if m := object.FindStringSubmatch(l); m != nil {
			of = m[1]
		}
		if m := field.FindStringSubmatch(l); m != nil {
			name = m[1]
		}
		if strings.Contains(l, "out.Concurrently(i, func") {
			want[of+"."+name] = true
		}
	}
	if len(want) < 20 {
		t.Fatalf("found only %v; has the form of the generated code changed?", want)
	}
	if diff := cmp.Diff(want, parallel); diff != "" {
		t.Errorf("fields that are resolved in parallel (-executor +estimate); change parallel in fields.go, "+
			"and in estimate.go add the costs of a field that reads:\n%s", diff)
	}
}

// TestValuesAreEstimated checks that the values of some fields are estimated by their number.
func TestValuesAreEstimated(t *testing.T) {
	schema := guardtest.SchemaFile(t, "../../schema.graphqls")
	cost := func(arguments string) float64 {
		t.Helper()
		doc, err := gqlparser.LoadQueryWithRules(schema, `{ issue(id: "x") { values`+arguments+
			` { field { project { deletedIssues { totalCount } } } } } }`, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Of(&graphql.OperationContext{Operation: doc.Operations[0]}).Reads
	}
	none := cost(`(fieldIds: [])`)
	one := cost(`(fieldIds: "a")`) - none
	for arguments, fields := range map[string]float64{"": tracker.MaxFields,
		"(fieldIds: null)": tracker.MaxFields, `(fieldIds: ["a"])`: 1, `(fieldIds: ["a", "b", "c"])`: 3} {
		if got := cost(arguments) - none; one <= 0 || got != one*fields {
			t.Errorf("values%s costs %v, and that of one field %v", arguments, got, one)
		}
	}
}

// TestSkippedSelections checks that what @skip and @include leave out costs nothing.
func TestSkippedSelections(t *testing.T) {
	schema := guardtest.SchemaFile(t, "../../schema.graphqls")
	of := func(selection string) Cost {
		t.Helper()
		doc, errs := gqlparser.LoadQueryWithRules(schema, `query($yes: Boolean! = true, $no: Boolean!) {
			project(id: "p") { id `+selection+` } }
			fragment F on Project { issues(first: 500) { nodes { description } } }`, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return Of(&graphql.OperationContext{Operation: doc.Operations[0],
			Variables: map[string]any{"yes": true, "no": false}})
	}
	for _, on := range []string{"issues(first: 500) %s { nodes { description } }", "...F %s",
		"... on Project %s { issues(first: 500) { nodes { description } } }"} {
		for directives, included := range map[string]bool{"@skip(if: $no)": true, "@include(if: $yes)": true,
			"@include(if: true) @skip(if: false)": true, "@skip(if: $yes)": false, "@include(if: $no)": false,
			"@include(if: $yes) @skip(if: $yes)": false, "@include(if: $no) @skip(if: $no)": false} {
			unused := "" // a fragment and the variables must be used
			if !strings.Contains(on, "...F") {
				unused = " ...F @skip(if: true)"
			}
			unused += " a: id @skip(if: $yes) b: id @skip(if: $no)"
			want := of(strings.ReplaceAll(on, "%s", "") + unused)
			if !included {
				want = of("...F @include(if: false)" + strings.Replace(unused, "...F @skip(if: true)", "", 1))
			}
			if got := of(strings.ReplaceAll(on, "%s", directives) + unused); got != want {
				t.Errorf("%s with %s: %+v, want %+v", on, directives, got, want)
			}
		}
	}
}
