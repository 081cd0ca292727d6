package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/sample"
	"issuegrid/tracker"
)

func TestListPaging(t *testing.T) {
	var projects []sample.Project
	for i := range 7 {
		p := sample.Worked()[1]
		p.Project.ID = tracker.ProjectID(fmt.Sprintf("p%d", i))
		// some names are equal
		p.Project.Key, p.Project.Name = fmt.Sprintf("K%d", i), fmt.Sprintf("name %d", (i*3)%7/2)
		p.Issues = nil
		projects = append(projects, p)
		p.Tenant.ID, p.Tenant.Name = tracker.TenantID(fmt.Sprintf("t%d", i)),
			fmt.Sprintf("tenant %d", (i*5)%7)
		projects = append(projects, p)
	}
	s := load(t, projects...)
	tenant := encoded("T" + string(projects[0].Tenant.ID))

	type connection struct {
		Edges []struct {
			Cursor string
			Node   struct{ ID, Name string }
		}
		Nodes    []struct{ ID, Name string }
		PageInfo struct {
			HasNextPage, HasPreviousPage bool
			StartCursor, EndCursor       *string
		}
	}
	for _, list := range []struct {
		name  string
		query func(arguments string) string
		rows  int
	}{
		{"tenants", func(arguments string) string {
			return fmt.Sprintf(
				`{ list: tenants%s { nodes { id name } edges { cursor node { id name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
				inBrackets(arguments))
		}, 8},
		{"projects", func(arguments string) string {
			return fmt.Sprintf(
				`{ tenant(id: %q) { list: projects%s { nodes { id name } edges { cursor node { id name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
				tenant, inBrackets(arguments))
		}, 7},
	} {
		read := func(t *testing.T, arguments string) connection {
			t.Helper()
			var got struct {
				List   connection
				Tenant struct{ List connection }
			}
			s.data(t, list.query(arguments), nil, &got)
			c := got.List
			if list.name == "projects" {
				c = got.Tenant.List
			}
			for i, e := range c.Edges {
				if e.Node != c.Nodes[i] {
					t.Errorf("edge %d is %+v, the node %+v", i, e, c.Nodes[i])
				}
			}
			return c
		}
		t.Run(list.name, func(t *testing.T) {
			whole := read(t, "")
			if len(whole.Nodes) != list.rows {
				t.Fatalf("%d rows", len(whole.Nodes))
			}
			if !slices.IsSortedFunc(whole.Nodes, func(a, b struct{ ID, Name string }) int {
				return strings.Compare(a.Name, b.Name)
			}) {
				t.Errorf("not in the order of names: %+v", whole.Nodes)
			}
			for _, size := range []int{1, 2, 3, list.rows, 100} {
				var forward, backward []struct{ ID, Name string }
				for after := "null"; ; {
					c := read(t, fmt.Sprintf("first: %d, after: %s", size, after))
					if c.PageInfo.HasPreviousPage != (len(forward) > 0) {
						t.Errorf("hasPreviousPage %t after %d rows", c.PageInfo.HasPreviousPage, len(forward))
					}
					if forward = append(forward, c.Nodes...); !c.PageInfo.HasNextPage {
						break
					}
					after = null(*c.PageInfo.EndCursor)
				}
				for before := "null"; ; {
					c := read(t, fmt.Sprintf("last: %d, before: %s", size, before))
					if c.PageInfo.HasNextPage != (len(backward) > 0) {
						t.Errorf("hasNextPage %t before %d rows", c.PageInfo.HasNextPage, len(backward))
					}
					if backward = append(slices.Clone(c.Nodes), backward...); !c.PageInfo.HasPreviousPage {
						break
					}
					before = null(c.Edges[0].Cursor)
				}
				if diff := cmp.Diff(whole.Nodes, forward); diff != "" {
					t.Errorf("forwards by %d (-whole +walk):\n%s", size, diff)
				}
				if diff := cmp.Diff(whole.Nodes, backward); diff != "" {
					t.Errorf("backwards by %d (-whole +walk):\n%s", size, diff)
				}
			}
			if c := read(t, "first: 5, after: "+null(whole.Edges[list.rows-1].Cursor)); len(c.Nodes)+
				len(c.Edges) != 0 || c.PageInfo.StartCursor != nil || c.PageInfo.HasNextPage {
				t.Errorf("after the last row: %+v", c)
			}
			if c := read(t, fmt.Sprintf("after: %q, before: %q", whole.Edges[4].Cursor,
				whole.Edges[1].Cursor)); len(c.Nodes) != 0 {
				t.Errorf("between cursors in the wrong order: %+v", c)
			}
			if c := read(t, fmt.Sprintf("last: 5, after: %q, before: %q", whole.Edges[1].Cursor,
				whole.Edges[4].Cursor)); len(c.Nodes) != 2 {
				t.Errorf("between cursors: %+v", c)
			}

			var refusals []refusal
			for _, n := range []string{"-1", "101"} {
				for _, argument := range []string{"first", "last"} {
					refusals = append(refusals, refusal{name: argument + " " + n,
						query: list.query(argument + ": " + n), code: tracker.BadInput, argument: argument,
						says: []string{n, "0 to 100"}})
				}
			}
			for name, cursor := range map[string]string{"an empty cursor": "",
				"a tampered cursor":        whole.Edges[0].Cursor[1:],
				"a cursor with a line end": whole.Edges[0].Cursor + "\n", "an id": tenant,
				"only the prefix": encoded("list1\x00"),
				"too long":        encoded("list1\x00" + strings.Repeat("x", 2000))} {
				for _, argument := range []string{"after", "before"} {
					refusals = append(refusals, refusal{name: argument + " " + name,
						query: list.query(fmt.Sprintf("%s: %q", argument, cursor)), code: tracker.BadInput,
						argument: argument})
				}
			}
			refusals = append(refusals, refusal{name: "first and last",
				query: list.query("first: 1, last: 1"), code: tracker.BadInput, argument: "last"})
			s.refuses(t, refusals)
		})
	}
}

// TestDefaultSizeOfLists checks that a page has 50 rows without first and last.
func TestDefaultSizeOfLists(t *testing.T) {
	s := load(t)
	var many strings.Builder
	for i := range 51 {
		fmt.Fprintf(&many, "t%d: createTenant(input: {name: %q}) { tenant { id } } ", i,
			fmt.Sprintf("tenant %02d", i))
	}
	s.data(t, "mutation { "+many.String()+" }", nil, new(any))
	for _, arguments := range []string{"", "(first: null)"} {
		var got struct {
			Tenants struct {
				Nodes    []struct{ Name string }
				PageInfo struct{ HasNextPage bool }
			}
		}
		s.data(t, "{ tenants"+arguments+" { nodes { name } pageInfo { hasNextPage } } }", nil, &got)
		if n := len(got.Tenants.Nodes); n != 50 || got.Tenants.Nodes[49].Name != "tenant 49" ||
			!got.Tenants.PageInfo.HasNextPage {
			t.Errorf("%d tenants, more: %t", n, got.Tenants.PageInfo.HasNextPage)
		}
	}
}
