package graph_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph"
	"issuegrid/tracker"
)

// notCompiled are the fields that make the executor write the whole list of rows, each with the reason.
var notCompiled = map[string]string{
	"Issue.project":            "a project has lists of its own, up to the grid that the row is in",
	"Issue.history":            "a page that is read for each row",
	"Issue.comments":           "likewise",
	"Issue.commentLanguages":   "likewise",
	"Issue.commentSummary":     "numbers that are read for each row",
	"CustomField.project":      "as Issue.project",
	"User.teams":               "a list that is read for each user",
	"Team.members":             "likewise",
	"User.issues":              "a page that is read for each user",
	"Team.issues":              "likewise",
	"CustomField.optionByName": "a look-up by name, which fails for the fields without such an option",
}

// leaves returns the fields of a type in the schema that have no arguments and no subfields, and __typename.
func leaves(schema *ast.Schema, kind string) []string {
	out := []string{"__typename"}
	for _, f := range schema.Types[kind].Fields {
		if len(f.Arguments) == 0 && schema.Types[f.Type.Name()].IsLeafType() {
			out = append(out, f.Name)
		}
	}
	return out
}

// valueTypesOf returns the names of the types of custom values.
func valueTypesOf(schema *ast.Schema) (names []string) {
	for _, d := range schema.GetPossibleTypes(schema.Types["CustomValue"]) {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return names
}

// rowTypes returns the types in a row, each with a list of rows that selects § of it.
func rowTypes(schema *ast.Schema) map[string]string {
	types := map[string]string{
		"IssueEdge":   "edges { § }",
		"Issue":       "nodes { § }",
		"State":       "nodes { state { § } }",
		"CustomField": "nodes { values { field { § } } }",
		"Option": "nodes { values { ... on SelectValue { option { § } } ... on MultiSelectValue { " +
			"options { § } } } }",
		"CustomValue": "nodes { values { § } }",
	}
	for _, kind := range []string{"User", "Team"} {
		on := "(first: 1) { ... on " + kind + " { § } } "
		types[kind] = "nodes { assignees" + on + "watchers" + on + "}"
	}
	for _, kind := range valueTypesOf(schema) {
		types[kind] = "nodes { values { ... on " + kind + " { § } } }"
	}
	return types
}

// TestEveryFieldOfARowIsCompiled selects each field that a row can have alone. Either the row is compiled or
// the field is in notCompiled. Compiled rows must equal those of the executor.
func TestEveryFieldOfARowIsCompiled(t *testing.T) {
	p := awkwardProject()
	p.Fields[1].Archived = true
	p.Fields[2].From = &tracker.Form{}
	s := load(t, p)
	s.assign(t, &p)
	schema := schemaFile(t)
	var compiled atomic.Int64
	fast, plain := graph.NewCountingHandler(sessions(s.db), &compiled), graph.NewPlainHandler(sessions(s.db))
	exceptions := maps.Clone(notCompiled)
	types := rowTypes(schema)
	for _, kind := range slices.Sorted(maps.Keys(types)) {
		for _, f := range schema.Types[kind].Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			name := kind + "." + f.Name
			t.Run(name, func(t *testing.T) {
				field := f.Name
				if a := f.Arguments.ForName("fieldId"); a != nil {
					field += fmt.Sprintf("(fieldId: %q)", fieldID(&p, string(p.Fields[0].ID)))
				}
				if f.Arguments.ForName("name") != nil {
					field += `(name: "none")`
				}
				if schema.Types[f.Type.Name()].IsCompositeType() {
					field += " { __typename }"
				}
				rows := 40
				if f.Arguments.ForName("name") != nil {
					rows = 9 // more would look up too many names
				}
				query := fmt.Sprintf("{ project(id: %q) { issues(first: %d) { %s } } }", projectID(&p), rows,
					strings.ReplaceAll(types[kind], "§", field))
				before := compiled.Load()
				got, want := serve(fast, query, nil), serve(plain, query, nil)
				// The order of errors depends on which row the executor resolves first.
				got, _, _ = bytes.Cut(got, []byte(`,"errors":`))
				want, _, _ = bytes.Cut(want, []byte(`,"errors":`))
				if !bytes.HasPrefix(want, []byte(`{"data":{"project":{"issues":{`)) ||
					!bytes.Equal(got, want) {
					t.Fatalf("compiled %.300s\nexecutor %.300s\n%s", got, want, query)
				}
				_, exception := exceptions[name]
				delete(exceptions, name)
				switch isCompiled := compiled.Load() > before; {
				case !isCompiled && !exception:
					t.Errorf("%s is in the schema, but neither compiled nor in notCompiled: rows with it "+
						"are written by the executor", name)
				case isCompiled && exception:
					t.Errorf("%s is in notCompiled, but compiled", name)
				}
			})
		}
	}
	for name := range exceptions {
		t.Errorf("%s is in notCompiled, but not in the schema", name)
	}
}
