package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestEveryConnectionCounts checks that the pages of each list show all of it in both directions, and its
// count, which is the same for every page and costs one Query, or that of issues one in each shard.
func TestEveryConnectionCounts(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n, name := range []string{"Äpfel", "apfelmus", "Apfel B", "Birne", "x"} {
		s.worldOf(t, w.tenant, fmt.Sprint("K", n))
		do(t, s, "createProject.project.id", "tenantId", w.tenant, "key", fmt.Sprint("P", n), "name", name)
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
	ada := w.user(t, "ada", tracker.Reader)
	view := w.save(t, ada, inputOf("name", "mine",
		"groupBy", []any{map[string]any{"column": map[string]any{"builtin": "NAME"}}})).ID
	w.save(t, ada, inputOf("name", "mine too"))
	w.save(t, s, inputOf("name", "ours", "shared", true))
	for i, name := range []string{"Ann", "Bea", "Cy", "Dan", "Eve"} {
		u := w.addUser(t, s, "name", name)
		if i > 2 {
			w.changed(t, s, "updateUser", inputOf("id", u.ID, "active", false))
		} else if i > 0 {
			w.addTeam(t, s, "name", name)
		}
	}
	core, own := w.addTeam(t, s, "name", "The core").ID, w.addUser(t, s, "name", "Zoe").ID
	w.changed(t, s, "addTeamMembers", inputOf("teamId", core, "userIds", []any{own}))
	for n := range 4 {
		w.createOf(t, inputOf("name", fmt.Sprint("work ", n), "assigneeIds", []any{core, own}[n/3:]))
	}
	zoe := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "zoe", Role: tracker.Reader,
		UserID: userID(t, own)})
	comment := ""
	for n := range 5 {
		comment = wrote(t, s, "createComment", "issueId", first, "body", fmt.Sprint(n), "rating", 4+n%2).ID
	}
	for range 3 {
		wrote(t, s, "createComment", "issueId", first, "replyToId", comment, "body", "reply")
	}
	node := func(id, kind, list string) string {
		return fmt.Sprintf(`node(id: %q) { ... on %s { list: %s } }`, id, kind, list)
	}
	project := func(list string) string { return fmt.Sprintf(`project(id: %q) { list: %s }`, w.project, list) }
	tenant := func(list string) string { return fmt.Sprintf(`tenant(id: %q) { list: %s }`, w.tenant, list) }
	group := func(list string) string {
		return strings.Replace(project(list), "list: "+list, "groups(by: [{column: {builtin: STATE}}, "+
			"{column: {builtin: NAME}}]) { nodes { list: "+list+" } }", 1)
	}
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
		{"Tenant.users", tenant(`users(ARGS) BODY`), 4},
		{"Tenant.users", tenant(`users(nameStartsWith: "be", ARGS) BODY`), 1},
		{"Tenant.users", tenant(`users(active: false, ARGS) BODY`), 2},
		{"Tenant.teams", tenant(`teams(ARGS) BODY`), 3},
		{"Team.issues", node(core, "Team", `issues(ARGS) BODY`), 3},
		{"User.issues", node(own, "User", `issues(own: false, teams: true, ARGS) BODY`), 3},
		{"Viewer.issues", `viewer { list: issues(ARGS) BODY }`, 4},
		{"Tenant.deletedProjects", tenant(`deletedProjects(ARGS) BODY`), 2},
		{"Project.issues", project(`issues(ARGS) BODY`), 8},
		{"Project.deletedIssues", project(`deletedIssues(ARGS) BODY`), 3},
		{"Issue.history", fmt.Sprintf(`issue(id: %q) { list: history(ARGS) BODY }`, first), 4},
		{"Issue.comments", fmt.Sprintf(`issue(id: %q) { list: comments(ARGS) BODY }`, first), 5},
		{"Issue.comments", fmt.Sprintf(`issue(id: %q) { list: comments(where: {ratings: [3, 4]}, ARGS) BODY }`,
			first), 3},
		{"Comment.replies", node(comment, "Comment", `replies(ARGS) BODY`), 3},
		{"Project.history", project(`history(ARGS) BODY`), 1 + len(w.fields)},
		{"Project.activity", project(`activity(ARGS) BODY`), 25},
		{"Project.groups", project(`groups(by: [{column: {builtin: NAME}}], ARGS) BODY`), 8},
		{"IssueGroup.issues", group(`issues(ARGS) BODY`), 8},
		{"IssueGroup.groups", group(`groups(ARGS) BODY`), 8},
		{"Project.views", project(`views(ARGS) BODY`), 3},
		{"Viewer.views", `viewer { list: views(ARGS) BODY }`, 2},
		{"View.issues", fmt.Sprintf(`node(id: %q) { ... on View { list: issues(ARGS) BODY } }`, view), 8},
		{"View.groups", fmt.Sprintf(`node(id: %q) { ... on View { list: groups(ARGS) BODY } }`, view), 8},
	} {
		lists[test.connection] = true
		body := map[string]string{"Issue.history": "kind version",
			"Project.history": "version", "Issue.comments": "version", "Project.activity": "issueId kind at",
			"Comment.replies": "version"}[test.connection]
		if body == "" {
			body = "name"
		}
		by := s
		if strings.Contains(test.connection, "View") || test.connection == "Project.views" {
			by = ada
		}
		if test.connection == "Viewer.issues" {
			by = zoe
		}
		parent, _, _ := strings.Cut(test.query, "(")
		path := strings.Fields(parent)[0] + ".list"
		if strings.HasPrefix(path, "list:") {
			path = "list"
		}
		read := func(arguments, selection string) connection[any] {
			t.Helper()
			query := "{ " + strings.NewReplacer("ARGS", arguments, "BODY", selection).Replace(test.query) +
				" }"
			if strings.HasPrefix(test.connection, "IssueGroup.") {
				type group struct{ List connection[any] }
				return get[[]group](t, by, "project.groups.nodes", query, nil)[0].List
			}
			return get[connection[any]](t, by, path, query, nil)
		}
		const count = ` totalCount totalCountPrecision`
		all := read("first: 100", "{ nodes { "+body+" }"+count+" }")
		if len(all.Nodes) != test.want || all.TotalCount != test.want || all.TotalCountPrecision != "EXACT" {
			t.Errorf("%s: %d rows, counted %d, %s; want %d", test.query, len(all.Nodes), all.TotalCount,
				all.TotalCountPrecision, test.want)
		}
		rows := walkPages(t, 3, func(arguments string) connection[any] {
			return read(arguments, "{ nodes { "+body+" } edges { cursor node { "+body+" } }"+flags+"}")
		})
		same(t, test.query+", in pages", all.Nodes, append([]any{}, rows...))
		for _, arguments := range []string{"first: 1", "last: 2", "first: 0"} {
			page := read(arguments, "{ nodes { "+body+" }"+count+" }")
			same(t, test.query+" with "+arguments, test.want, page.TotalCount)
		}
		s.wire.Reset()
		read("first: 1", "{ nodes { "+body+" } }")
		without := s.wire.Calls()["Query"]
		s.wire.Reset()
		read("first: 1", "{ nodes { "+body+" }"+count+" }")
		more := 1
		switch test.connection {
		case "Project.issues", "IssueGroup.issues", "View.issues", "Project.activity":
			more = shardsIn(t)
		case "IssueGroup.groups":
			more = 2 // for the plan of the filter of the group
		case "Project.views", "Issue.comments", "Comment.replies", "Project.groups", "View.groups":
			// all are read for any page, or have stored counts
			more = 0
		}
		if with := s.wire.Calls()["Query"]; with != without+more {
			t.Errorf("%s: %d Queries, and %d with the count", test.query, without, with)
		}
	}
	for _, d := range ofOurs(schemaFile(t)) {
		for _, f := range d.Fields {
			if name := d.Name + "." + f.Name; strings.HasSuffix(f.Type.Name(), "Connection") && !lists[name] {
				t.Errorf("%s is not tested: add it with the number of its items", name)
			}
		}
	}
	s.refuses(t, []refusal{{name: "an empty prefix", code: tracker.BadInput, argument: "nameStartsWith",
		query: fmt.Sprintf(`{ tenant(id: %q) { projects(nameStartsWith: "") { totalCount } } }`, w.tenant),
		says:  []string{"empty"}}})
}

// TestPagesOfAPrefix pages through the projects whose names begin with a prefix, in both directions.
func TestPagesOfAPrefix(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n := range 9 {
		do(t, s, "createProject.project.id", "tenantId", w.tenant, "key", fmt.Sprint("P", n),
			"name", fmt.Sprint([]string{"a", "b", "c"}[n%3], n))
	}
	same(t, "pages", []struct{ Name string }{{"b1"}, {"b4"}, {"b7"}}, walkPages(t, 2,
		func(paging string) connection[struct{ Name string }] {
			return get[connection[struct{ Name string }]](t, s, "tenant.projects", fmt.Sprintf(
				`{ tenant(id: %q) { projects(nameStartsWith: "B", %s) { nodes { name } `+flags+` } } }`, w.tenant, paging), nil)
		}))
}
