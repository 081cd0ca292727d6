package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/graph/guard/guardtest"
)

// TestPagesAreEstimated checks that exactly the fields of the schema that return a connection count as pages.
func TestPagesAreEstimated(t *testing.T) {
	connections := 0
	for _, d := range ofOurs(schemaFile(t)) {
		for _, f := range d.Fields {
			name := d.Name + "." + f.Name
			most, isPage := graph.Pages[name]
			if isConnection := strings.HasSuffix(f.Type.Name(), "Connection"); isConnection != isPage {
				t.Errorf("%s: returns a connection: %t, counts as a page: %t", name, isConnection, isPage)
			} else if isConnection {
				connections++
			}
			if isPage && most < 1 {
				t.Errorf("%s has pages of at most %v rows", name, most)
			}
		}
	}
	if connections != len(graph.Pages) {
		t.Errorf("%d fields of the schema return connections; %v count as pages", connections, graph.Pages)
	}
}

// TestBulkMutationsAreEstimated checks that a mutation with one result per issue is estimated by the number
// of issues.
func TestBulkMutationsAreEstimated(t *testing.T) {
	schema := schemaFile(t)
	bulk := 0
	for _, f := range schema.Types["Mutation"].Fields {
		input := map[string]any{}
		for _, member := range schema.Types[f.Arguments.ForName("input").Type.Name()].Fields {
			if member.Type.Elem != nil && member.Name == "issues" {
				input[member.Name] = []any{map[string]any{}, map[string]any{}, map[string]any{}}
			}
		}
		one := graph.Written(f.Name, map[string]any{"issue": map[string]any{}})
		if one <= 0 && len(input) == 0 {
			t.Errorf("%s is estimated to write nothing", f.Name)
		}
		if schema.Types[f.Type.Name()].Fields.ForName("results") == nil {
			continue
		}
		bulk++
		if n, wcu := graph.Results(f.Name, input), graph.Written(f.Name, input); n != 3 || wcu < 3*8 {
			t.Errorf("%s of 3 issues is estimated at %v results and %v WCU", f.Name, n, wcu)
		}
	}
	if bulk < 3 {
		t.Errorf("only %d mutations are bulk", bulk)
	}
}

// TestLookUpsInListsAreEstimated checks that options that are looked up by name in a list of fields count for
// each field that the list may have, and those of one field once.
func TestLookUpsInListsAreEstimated(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	query := func(list string, n int) string {
		return fmt.Sprintf(`{ project(id: %q) { %s { %s } } }`, w.project, list,
			guardtest.Times(n, ` a~: option(name: "Two") { name }`))
	}
	for list, most := range map[string]int{"fields": 9, `field(name: "Field SELECT")`: 500} {
		a := s.ask(t, query(list, most), nil)
		if !strings.Contains(string(a.Data), `"Two"`) {
			t.Errorf("%s with %d look-ups: %.300s %v", list, most, a.Data, a.Errors)
		}
	}
	a := s.ask(t, query("fields", 11), nil)
	if len(a.Errors) != 1 || !strings.Contains(a.Errors[0].Message, "Parallel") {
		t.Errorf("11 look-ups in each field: %.300s %v", a.Data, a.Errors)
	}
}
