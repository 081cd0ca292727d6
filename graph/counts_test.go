package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// counted is a connection with its count.
type counted struct {
	Nodes []struct {
		Name, Kind string
		Version    int
	}
	TotalCount          *int
	TotalCountPrecision string
}

// TestEveryConnectionCounts checks the count of each list, which is the same for every page of it and costs
// one Query, or that of issues one in each shard.
func TestEveryConnectionCounts(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n, name := range []string{"Äpfel", "apfelmus", "Apfel B", "Birne", "x"} {
		s.worldOf(t, w.tenant, fmt.Sprint("K", n))
		var renamed struct{}
		s.data(
			t,
			`mutation($key: String!, $name: String!, $t: ID!) { createProject(input: {tenant: $t, key: $key,
			name: $name, states: [{name: "New", open: true}]}) { project { id } } }`,
			map[string]any{"t": w.tenant,
				"key": fmt.Sprint("P", n), "name": name},
			&renamed,
		)
	}
	var first string
	for n := range 7 {
		i := w.create(t, fmt.Sprint("issue ", n), nil)
		if n == 0 {
			first = i.ID
		}
		if n < 4 && n > 0 {
			s.mutate(t, deleteOne, map[string]any{"id": i.ID})
		}
	}
	for n := range 3 {
		w.update(t, map[string]any{"id": first, "name": fmt.Sprint("name ", n)})
	}
	for n := range 2 {
		p := s.worldOf(t, w.tenant, fmt.Sprint("GONE", n)).project
		s.mutate(t, trashProject, map[string]any{"id": p})
	}
	project := func(list string) string { return fmt.Sprintf(`project(id: %q) { list: %s }`, w.project, list) }
	tenant := func(list string) string { return fmt.Sprintf(`tenant(id: %q) { list: %s }`, w.tenant, list) }
	lists := map[string]bool{}
	for _, test := range []struct {
		connection, query string // with ARGS
		want              int
	}{
		{"Query.tenants", `list: tenants(ARGS) BODY`, 1},
		{"Tenant.projects", tenant(`projects(ARGS) BODY`), 11},
		{"Tenant.projects", tenant(`projects(nameStartsWith: "apfel", ARGS) BODY`), 3},
		{"Tenant.projects", tenant(`projects(nameStartsWith: "Apfel ", ARGS) BODY`), 1},
		{"Tenant.projects", tenant(`projects(nameStartsWith: "none", ARGS) BODY`), 0},
		{"Tenant.deletedProjects", tenant(`deletedProjects(ARGS) BODY`), 2},
		{"Project.issues", project(`issues(ARGS) BODY`), 4},
		{"Project.trash", project(`trash(ARGS) BODY`), 3},
		{"Issue.history", fmt.Sprintf(`issue(id: %q) { list: history(ARGS) BODY }`, first), 4},
		{"Project.history", project(`history(ARGS) BODY`), 1 + len(w.fields)},
	} {
		lists[test.connection] = true
		body := map[string]string{"Issue.history": "kind version",
			"Project.history": "version"}[test.connection]
		if body == "" {
			body = "name"
		}
		read := func(arguments, selection string) counted {
			t.Helper()
			var got struct {
				List                   *counted
				Tenant, Project, Issue *struct{ List counted }
			}
			query := `{ ` + strings.NewReplacer("ARGS", arguments, "BODY", selection).
				Replace(test.query) +
				` }`
			s.data(t, query, nil, &got)
			for _, in := range []*struct{ List counted }{got.Tenant, got.Project, got.Issue} {
				if in != nil {
					return in.List
				}
			}
			return *got.List
		}
		const count = ` totalCount totalCountPrecision`
		all := read("first: 100", "{ nodes { "+body+" }"+count+" }")
		if len(all.Nodes) != test.want || *all.TotalCount != test.want || all.TotalCountPrecision != "EXACT" {
			t.Errorf("%s: %d rows, counted %d, %s; want %d", test.query, len(all.Nodes), *all.TotalCount,
				all.TotalCountPrecision, test.want)
		}
		for _, arguments := range []string{"first: 1", "last: 2", "first: 0"} {
			page := read(arguments, "{ nodes { "+body+" }"+count+" }")
			if *page.TotalCount != test.want {
				t.Errorf(
					"%s with %s: counted %d, want %d",
					test.query,
					arguments,
					*page.TotalCount,
					test.want,
				)
			}
		}
		s.wire.Reset()
		read("first: 1", "{ nodes { "+body+" } }")
		without := s.wire.Calls()["Query"]
		s.wire.Reset()
		read("first: 1", "{ nodes { "+body+" }"+count+" }")
		more := 1
		if test.connection == "Project.issues" {
			more = shardsIn(t)
		}
		if with := s.wire.Calls()["Query"]; with != without+more {
			t.Errorf("%s: %d Queries, and %d with the count", test.query, without, with)
		}
	}
	for _, d := range ofOurs(schemaFile(t)) {
		for _, f := range d.Fields {
			if name := d.Name + "." + f.Name; strings.HasSuffix(f.Type.Name(), "Connection") && !lists[name] {
				t.Errorf("%s is not tested", name)
			}
		}
	}
	s.refuses(t, []refusal{
		{
			name: "an empty prefix",
			query: `{ ` + strings.ReplaceAll(
				tenant(`projects(nameStartsWith: "") { totalCount }`),
				"list: ",
				"",
			) + ` }`,
			code:     tracker.BadInput,
			argument: "nameStartsWith",
			says:     []string{"empty"},
		}})
}

// TestPagesOfAPrefix pages through the projects whose names begin with a prefix, in both directions.
func TestPagesOfAPrefix(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n := range 9 {
		s.data(
			t,
			`mutation($key: String!, $name: String!, $t: ID!) { createProject(input: {tenant: $t, key: $key,
			name: $name, states: [{name: "New", open: true}]}) { project { id } } }`,
			map[string]any{"t": w.tenant,
				"key": fmt.Sprint("P", n), "name": fmt.Sprint([]string{"a", "b", "c"}[n%3], n)},
			&struct{}{},
		)
	}
	for _, direction := range []string{"first: 2, after", "last: 2, before"} {
		var names []string
		for cursor, more := "", true; more; {
			arguments := strings.Fields(direction)[0] + " 2"
			if cursor != "" {
				arguments = fmt.Sprintf("%s: %q", direction, cursor)
			}
			var got struct {
				Tenant struct {
					Projects struct {
						Nodes    []struct{ Name string }
						PageInfo struct {
							HasNextPage, HasPreviousPage bool
							StartCursor, EndCursor       string
						}
					}
				}
			}
			s.data(
				t,
				fmt.Sprintf(`{ tenant(id: %q) { projects(nameStartsWith: "B", %s) { nodes { name } pageInfo {
				hasNextPage hasPreviousPage startCursor endCursor } } } }`, w.tenant, arguments),
				nil,
				&got,
			)
			p := got.Tenant.Projects
			var page []string
			for _, n := range p.Nodes {
				page = append(page, n.Name)
			}
			if strings.HasPrefix(direction, "first") {
				names, cursor, more = append(names, page...), p.PageInfo.EndCursor, p.PageInfo.HasNextPage
			} else {
				names, cursor, more = append(
					page,
					names...), p.PageInfo.StartCursor, p.PageInfo.HasPreviousPage
			}
		}
		same(t, direction, []string{"b1", "b4", "b7"}, names)
	}
}
