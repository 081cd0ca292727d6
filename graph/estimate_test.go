package graph_test

import (
	"strings"
	"testing"

	"issuegrid/graph"
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
