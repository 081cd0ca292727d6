package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/sample"
)

// These tests check the worked example with the forms of queries in the product's description.

// grid is the part of a page's response that the tests of orders examine.
type grid struct {
	Project struct {
		Issues struct {
			Edges []struct {
				Cursor string
				Node   struct{ Num int }
			}
			Nodes    []struct{ Num int }
			PageInfo struct {
				HasNextPage, HasPreviousPage bool
				StartCursor, EndCursor       *string
			}
		}
	}
}

// nums returns the numbers of the rows.
func (g grid) nums() []int {
	out := make([]int, 0, len(g.Project.Issues.Nodes))
	for _, n := range g.Project.Issues.Nodes {
		out = append(out, n.Num)
	}
	return out
}

const wholePage = `{ nodes { num } edges { cursor node { num } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`

// grid reads a page and checks that nodes and edges have the same rows, and that the cursors of pageInfo are
// those of the first and the last edge.
func (s *server) grid(t testing.TB, p *sample.Project, arguments string) grid {
	t.Helper()
	var g grid
	s.data(t, fmt.Sprintf(`{ project(id: %q) { issues%s %s } }`, projectID(p), inBrackets(arguments),
		wholePage), nil, &g)
	issues := g.Project.Issues
	if len(issues.Nodes) != len(issues.Edges) {
		t.Fatalf("%d nodes and %d edges", len(issues.Nodes), len(issues.Edges))
	}
	for i, e := range issues.Edges {
		if e.Node != issues.Nodes[i] || e.Cursor == "" {
			t.Errorf("edge %d is %+v, the node %+v", i, e, issues.Nodes[i])
		}
	}
	switch start, end := issues.PageInfo.StartCursor, issues.PageInfo.EndCursor; {
	case len(issues.Edges) == 0 && (start != nil || end != nil):
		t.Error("an empty page has cursors")
	case len(issues.Edges) > 0 && (*start != issues.Edges[0].Cursor ||
		*end != issues.Edges[len(issues.Edges)-1].Cursor):
		t.Error("the cursors of pageInfo are not those of the first and the last edge")
	}
	return g
}

// walks reads a grid from end to end in both directions, with the cursors of pageInfo and with those of the
// edges. It returns the numbers of the rows, which must be the same in both directions.
func (s *server) walks(t testing.TB, p *sample.Project, order string, size int) []int {
	t.Helper()
	var forward []int
	for after := "null"; ; {
		g := s.grid(t, p, fmt.Sprintf("first: %d, after: %s, %s", size, after, order))
		if info := g.Project.Issues.PageInfo; info.HasPreviousPage != (len(forward) > 0) {
			t.Errorf("after %v: hasPreviousPage is %t", forward, info.HasPreviousPage)
		}
		forward = append(forward, g.nums()...)
		if !g.Project.Issues.PageInfo.HasNextPage {
			break
		}
		after = null(*g.Project.Issues.PageInfo.EndCursor)
	}
	var backward []int
	for before := "null"; ; {
		g := s.grid(t, p, fmt.Sprintf("last: %d, before: %s, %s", size, before, order))
		if info := g.Project.Issues.PageInfo; info.HasNextPage != (len(backward) > 0) {
			t.Errorf("before %v: hasNextPage is %t", backward, info.HasNextPage)
		}
		backward = append(g.nums(), backward...)
		if !g.Project.Issues.PageInfo.HasPreviousPage {
			break
		}
		before = null(g.Project.Issues.Edges[0].Cursor)
	}
	if diff := cmp.Diff(forward, backward); diff != "" {
		t.Errorf("the rows forwards and backwards (-forwards +backwards):\n%s", diff)
	}
	return forward
}

func TestWorkedExample(t *testing.T) {
	projects := sample.Worked()
	bridge, news := &projects[0], &projects[1]
	s := load(t, projects...)

	by := func(column, direction, nulls string) string {
		return fmt.Sprintf("orderBy: [{column: {%s}, direction: %s, nulls: %s}]", column, direction, nulls)
	}
	field := func(f string) string { return fmt.Sprintf("field: %q", fieldID(bridge, f)) }
	start, end, items, sign := field("3812"), field("882a"), field("3fe6"), field("47e5")
	t.Run("orders", func(t *testing.T) {
		for _, c := range []struct {
			project *sample.Project
			order   string
			want    []int
		}{
			{bridge, "", []int{1, 2, 3}},
			{bridge, "orderBy: null", []int{1, 2, 3}},
			{bridge, "orderBy: []", []int{1, 2, 3}},
			{bridge, by("builtin: NUM", "ASC", "LAST"), []int{1, 2, 3}},
			{bridge, by("builtin: NUM", "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, by("builtin: NAME", "ASC", "LAST"), []int{2, 3, 1}},
			{bridge, by("builtin: NAME", "DESC", "FIRST"), []int{1, 3, 2}},
			{bridge, by("builtin: STATE", "ASC", "LAST"), []int{1, 3, 2}},
			{bridge, by("builtin: STATE", "DESC", "LAST"), []int{2, 3, 1}},
			{bridge, by("builtin: CREATED_AT", "ASC", "LAST"), []int{1, 2, 3}},
			{bridge, by("builtin: CREATED_AT", "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, by("builtin: UPDATED_AT", "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, "orderBy: [{column: {" + start + "}}]", []int{1, 2, 3}},
			{bridge, "orderBy: {column: {" + start + "}, direction: DESC}", []int{2, 1, 3}},
			{bridge, by(start, "ASC", "LAST"), []int{1, 2, 3}},
			{bridge, by(start, "DESC", "LAST"), []int{2, 1, 3}},
			{bridge, by(start, "ASC", "FIRST"), []int{3, 1, 2}},
			{bridge, by(start, "DESC", "FIRST"), []int{3, 2, 1}},
			{bridge, by(end, "DESC", "LAST"), []int{2, 1, 3}},
			{bridge, by(items, "ASC", "LAST"), []int{3, 1, 2}},
			{bridge, by(items, "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, by(items, "DESC", "FIRST"), []int{2, 1, 3}},
			{bridge, by(sign, "ASC", "FIRST"), []int{1, 2, 3}},
			{bridge, by(sign, "ASC", "LAST"), []int{3, 1, 2}},
			{news, "", []int{1, 2}},
			{news, by("builtin: NAME", "ASC", "LAST"), []int{2, 1}},
			{news, by("builtin: STATE", "ASC", "LAST"), []int{2, 1}},
		} {
			for _, size := range []int{1, 2, 500} {
				t.Run(fmt.Sprintf("%s/%s/%d", c.project.Project.Key, c.order, size), func(t *testing.T) {
					if diff := cmp.Diff(c.want, s.walks(t, c.project, c.order, size)); diff != "" {
						t.Errorf("rows (-want +got):\n%s", diff)
					}
				})
			}
		}
	})

	t.Run("the query of the description", func(t *testing.T) {
		g := s.grid(t, bridge, fmt.Sprintf(
			`first: 2, orderBy: [{column: {field: %q}, direction: DESC, nulls: FIRST}]`,
			fieldID(bridge, "3812")))
		if diff := cmp.Diff([]int{3, 2}, g.nums()); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
		if !g.Project.Issues.PageInfo.HasNextPage {
			t.Error("no next page")
		}
	})

	t.Run("tenants, projects and fields", func(t *testing.T) {
		type field struct{ ID, Name, Type string }
		type project struct {
			ID, Key, Name string
			Fields        []field
		}
		type tenant struct {
			ID, Name string
			Projects struct{ Nodes []project }
		}
		var got struct{ Tenants struct{ Nodes []tenant } }
		s.data(t,
			`{ tenants { nodes { id name projects { nodes { id key name fields { id name type } } } } } }`,
			nil, &got)
		var want []tenant
		for _, p := range projects {
			one := tenant{ID: encoded("T" + string(p.Tenant.ID)), Name: p.Tenant.Name}
			inside := project{ID: projectID(&p), Key: p.Project.Key, Name: p.Project.Name, Fields: []field{}}
			for _, f := range p.Fields {
				inside.Fields = append(inside.Fields,
					field{fieldID(&p, string(f.ID)), f.Name, string(f.Type)})
			}
			one.Projects.Nodes = []project{inside}
			want = append(want, one)
		}
		if diff := cmp.Diff(want, got.Tenants.Nodes); diff != "" {
			t.Errorf("tenants (-want +got):\n%s", diff)
		}
		if names := []string{want[0].Name, want[1].Name}; !slices.IsSortedFunc(names, strings.Compare) {
			t.Errorf("%v are not in the order of their names", names)
		}
	})

	t.Run("values", func(t *testing.T) {
		type value struct {
			Field   struct{ Name string }
			Display string
		}
		var got struct {
			Project struct {
				Issues struct {
					Nodes []struct {
						Name  string
						State struct {
							Name string
							Open bool
						}
						Values []value
					}
				}
			}
		}
		s.data(t,
			fmt.Sprintf(
				`{ project(id: %q) { issues { nodes { name state { name open } values { field { name } display } } } } }`,
				projectID(bridge)),
			nil, &got)
		var lines []string
		for _, n := range got.Project.Issues.Nodes {
			line := fmt.Sprintf("%s, %s %t", n.Name, n.State.Name, n.State.Open)
			for _, v := range n.Values {
				line += ", " + v.Field.Name + " " + v.Display
			}
			lines = append(lines, line)
		}
		want := []string{
			"Needs Painting, open true, Start 2023-05-01, End 2023-06-01",
			"Check for rust, closed false, Start 2023-05-02, End 2023-06-02",
			"Girder needs replacing, open true, Num Items 42, Sign Off Approved",
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	})
}
