package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/sample"
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

	type named struct{ ID, Name string }
	for _, list := range []struct {
		path, query string
		rows        int
	}{
		{"tenants", `{ tenants%s { %s } }`, 8},
		{"tenant.projects", fmt.Sprintf(`{ tenant(id: %q) { projects%%s { %%s } } }`, tenant), 7},
	} {
		query := func(arguments string) string {
			return fmt.Sprintf(list.query, inBrackets(arguments),
				"nodes { id name } edges { cursor node { id name } }"+flags)
		}
		t.Run(list.path, func(t *testing.T) {
			read := func(arguments string) connection[named] {
				return get[connection[named]](t, s, list.path, query(arguments), nil)
			}
			whole := read("")
			if len(whole.Nodes) != list.rows || !slices.IsSortedFunc(whole.Nodes, func(a, b named) int {
				return strings.Compare(a.Name, b.Name)
			}) {
				t.Fatalf("%d rows, or not in the order of names: %+v", len(whole.Nodes), whole.Nodes)
			}
			for _, size := range []int{1, 2, 3, list.rows, 100} {
				same(t, fmt.Sprint("pages of ", size), whole.Nodes, walkPages(t, size, read))
			}
			second, fifth := whole.Edges[1].Cursor, whole.Edges[4].Cursor
			for arguments, want := range map[string][]named{
				"first: 5, after: " + null(whole.Edges[list.rows-1].Cursor):  {},
				fmt.Sprintf("after: %q, before: %q", fifth, second):          {},
				fmt.Sprintf("last: 5, after: %q, before: %q", second, fifth): whole.Nodes[2:4],
			} {
				page := read(arguments)
				checkEdges(t, page)
				same(t, arguments, want, page.Nodes)
			}

			var refusals []refusal
			for _, n := range []string{"-1", "101"} {
				for _, argument := range []string{"first", "last"} {
					refusals = append(refusals, refusal{name: argument + " " + n,
						query: query(argument + ": " + n), code: tracker.BadInput, argument: argument,
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
						query: query(fmt.Sprintf("%s: %q", argument, cursor)), code: tracker.BadInput,
						argument: argument})
				}
			}
			refusals = append(refusals, refusal{name: "first and last",
				query: query("first: 1, last: 1"), code: tracker.BadInput, argument: "last"})
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
		page := get[connection[struct{ Name string }]](t, s, "tenants",
			"{ tenants"+arguments+" { nodes { name } pageInfo { hasNextPage } } }", nil)
		if n := len(page.Nodes); n != 50 || page.Nodes[49].Name != "tenant 49" || !page.PageInfo.HasNextPage {
			t.Errorf("%d tenants, more: %t", n, page.PageInfo.HasNextPage)
		}
	}
}
