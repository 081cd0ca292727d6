package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/sample"
)

// These tests check the worked example with the forms of queries in the product's description.

// grid is a page of a grid.
type grid = connection[struct{ Num int }]

// grid reads a page.
func (s *server) grid(t testing.TB, p *sample.Project, arguments string) grid {
	t.Helper()
	g := get[grid](t, s, "project.issues", fmt.Sprintf(`{ project(id: %q) { issues%s { nodes { num } edges { cursor
		node { num } } `+flags+` } } }`, projectID(p), inBrackets(arguments)), nil)
	if len(g.Nodes) != len(g.Edges) {
		t.Errorf("%d nodes and %d edges", len(g.Nodes), len(g.Edges))
	}
	checkEdges(t, g)
	return g
}

// nums returns the numbers of rows.
func nums(rows []struct{ Num int }) (out []int) {
	for _, r := range rows {
		out = append(out, r.Num)
	}
	return out
}

func TestWorkedExample(t *testing.T) {
	projects := sample.Worked()
	bridge, news := &projects[0], &projects[1]
	s := load(t, projects...)

	by := func(column, direction, nulls string) string {
		return fmt.Sprintf("orderBy: [{column: {%s}, direction: %s, nulls: %s}]", column, direction, nulls)
	}
	field := func(f string) string { return fmt.Sprintf("fieldId: %q", fieldID(bridge, f)) }
	start, items, sign := field("3812"), field("3fe6"), field("47e5")
	t.Run("orders", func(t *testing.T) {
		for _, c := range []struct {
			project *sample.Project
			order   string
			want    []int
		}{
			{bridge, "", []int{1, 2, 3}},
			{bridge, "orderBy: null", []int{1, 2, 3}},
			{bridge, "orderBy: []", []int{1, 2, 3}},
			{bridge, by("builtin: NUM", "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, by("builtin: NAME", "ASC", "LAST"), []int{2, 3, 1}},
			{bridge, by("builtin: NAME", "DESC", "FIRST"), []int{1, 3, 2}},
			{bridge, by("builtin: STATE", "ASC", "LAST"), []int{1, 3, 2}},
			{bridge, by("builtin: CREATED_AT", "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, by("builtin: UPDATED_AT", "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, "orderBy: [{column: {" + start + "}}]", []int{1, 2, 3}},
			{bridge, "orderBy: {column: {" + start + "}, direction: DESC}", []int{2, 1, 3}},
			{bridge, by(start, "DESC", "LAST"), []int{2, 1, 3}},
			{bridge, by(start, "ASC", "FIRST"), []int{3, 1, 2}},
			{bridge, by(start, "DESC", "FIRST"), []int{3, 2, 1}},
			{bridge, by(items, "DESC", "LAST"), []int{3, 2, 1}},
			{bridge, by(items, "DESC", "FIRST"), []int{2, 1, 3}},
			{bridge, by(sign, "ASC", "FIRST"), []int{1, 2, 3}},
			{news, "", []int{1, 2}},
			{news, by("builtin: NAME", "ASC", "LAST"), []int{2, 1}},
		} {
			for _, size := range []int{1, 2, 500} {
				got := walkPages(t, size, func(paging string) grid {
					return s.grid(t, c.project, paging+", "+c.order)
				})
				same(t, fmt.Sprintf("%s, %s, %d", c.project.Project.Key, c.order, size), c.want, nums(got))
			}
		}
	})

	t.Run("the query of the description", func(t *testing.T) {
		g := s.grid(t, bridge, fmt.Sprintf(`first: 2, orderBy: [{column: {fieldId: %q}, direction: DESC, nulls: FIRST}]`,
			fieldID(bridge, "3812")))
		if same(t, "rows", []int{3, 2}, nums(g.Nodes)); !g.PageInfo.HasNextPage {
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
		got := get[[]tenant](t, s, "tenants.nodes",
			`{ tenants { nodes { id name projects { nodes { id key name fields { id name type } } } } } }`, nil)
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
		same(t, "tenants", want, got)
		if names := []string{want[0].Name, want[1].Name}; !slices.IsSortedFunc(names, strings.Compare) {
			t.Errorf("%v are not in the order of their names", names)
		}
	})

	t.Run("values", func(t *testing.T) {
		got := get[[]struct {
			Name  string
			State struct {
				Name string
				Open bool
			}
			Values []struct {
				Field   struct{ Name string }
				Display string
			}
		}](t, s, "project.issues.nodes", fmt.Sprintf(`{ project(id: %q) { issues { nodes { name state { name open }
			values { field { name } display } } } } }`, projectID(bridge)), nil)
		var lines []string
		for _, n := range got {
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
		same(t, "rows", want, lines)
	})
}
