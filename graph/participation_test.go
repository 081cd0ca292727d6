package graph_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

const oldestFirst = ", orderBy: {column: CREATED_AT, direction: ASC}"

// participationOf walks through a list of issues in which users and teams take part. It returns the names of
// the issues, with the ways in which each was found, and their number without the filter.
func participationOf(t testing.TB, s *server, in, arguments string) (lines string, count int) {
	t.Helper()
	type row struct {
		Node struct{ Name string }
		Ways []struct {
			Role        string
			Participant struct{ Name string }
		}
	}
	path := "node.issues"
	if strings.HasPrefix(in, "viewer") {
		path = "viewer.issues"
	}
	rows := walkPages(t, 2, func(paging string) (page connection[row]) {
		got := get[struct {
			Edges      []row
			PageInfo   pageInfo
			TotalCount int
		}](t, s, path, "{ "+fmt.Sprintf(in,
			fmt.Sprintf(`issues(%s, %s) { totalCount `+flags+` edges { node { name }
			ways { role participant { ... on User { name } ... on Team { name } } } } }`, arguments, paging))+" }", nil)
		count = got.TotalCount
		return connection[row]{Nodes: got.Edges, PageInfo: got.PageInfo}
	})
	var out []string
	for _, r := range rows {
		var ways []string
		for _, w := range r.Ways {
			ways = append(ways, w.Role[:2]+" "+w.Participant.Name)
		}
		slices.Sort(ways)
		out = append(out, r.Node.Name+": "+strings.Join(ways, ", "))
	}
	return strings.Join(out, "; "), count
}

// work creates issues in two projects, as users of a crew of three with two teams: u0 and u2 are in Team 0,
// and u1 is in Team 1.
func (c *crew) work(t testing.TB) (ids []string) {
	t.Helper()
	u, teams := c.users, c.teams
	for n, i := range []struct {
		name                string
		by, state           int
		assignees, watchers []string
	}{
		{"one", 0, 0, []string{u[0], teams[0]}, u[1:2]},
		{"two", 1, 0, u[1:2], []string{u[0], u[2]}},
		{"three", 0, 1, u[:1], nil},
		{"four", 2, 0, teams, nil},
		{"five", 1, 0, nil, teams[:1]},
	} {
		w := c.worlds[n%2]
		ids = append(ids, do(t, c.as[i.by], "createIssue.issue.id", "projectId", w.project, "issue",
			inputOf("name", i.name, "stateId", w.states[i.state], "assigneeIds", i.assignees,
				"watcherIds", i.watchers)))
	}
	return ids
}

// TestParticipation has the arguments of lists of the issues of users and teams. Package grid and test/e2e
// compare them with those in memory.
func TestParticipation(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 2, 3, 2)
	ids := c.work(t)
	user := fmt.Sprintf(`node(id: %q) { ... on User { %%s } }`, c.users[0])
	team := fmt.Sprintf(`node(id: %q) { ... on Team { %%s } }`, c.teams[1])
	const all, asc = "roles: [ASSIGNEE, WATCHER, AUTHOR, WATCHER], status: ALL", oldestFirst
	check := func(by *server, in, arguments, want string, count int) {
		t.Helper()
		got, n := participationOf(t, by, in, arguments)
		same(t, in+" "+arguments, want, got)
		same(t, "the count of "+arguments, count, n)
	}
	check(s, user, "roles: [ASSIGNEE], status: OPEN", "one: AS User 0", 1)
	check(s, user, "roles: [ASSIGNEE], status: CLOSED", "three: AS User 0", 1)
	check(s, user, all+asc,
		"one: AS User 0, AU User 0; two: WA User 0; three: AS User 0, AU User 0", 3)
	check(s, user, "teams: true, "+all+", orderBy: {column: CREATED_AT, direction: DESC}",
		"five: WA Team 0; four: AS Team 0; three: AS User 0, AU User 0; two: WA User 0; "+
			"one: AS Team 0, AS User 0, AU User 0", 5)
	check(s, user, "own: false, teams: true, roles: [ASSIGNEE]"+asc, "one: AS Team 0; four: AS Team 0", 2)
	check(s, team, "roles: [ASSIGNEE, AUTHOR]", "four: AS Team 1", 1)
	check(c.as[2], `viewer { %s }`, "roles: [WATCHER], own: true", "two: WA User 2", 1)
	check(s, user, all+`, where: {name: {eq: "TWO"}, num: {gte: 1}}`, "two: WA User 0", 3)
	check(c.as[0], `viewer { %s }`, all+asc+fmt.Sprintf(
		", where: {watchers: {isNull: true}, assignees: {hasMe: true, hasNoneIds: [%q]}}", c.teams[0]),
		"three: AS User 0, AU User 0", 3)
	s.mutate(t, mutation("updateIssue", "issue { id }"), inputOf("id", ids[1], "stateId",
		c.worlds[1].states[1],
		"watchers", inputOf("addIds", []any{c.teams[0]}, "removeIds", []any{c.users[0]})))
	check(s, user, "teams: true, "+all+
		", orderBy: {column: UPDATED_AT, direction: DESC}, where: {num: {lt: 2}}",
		"two: WA Team 0; one: AS Team 0, AS User 0, AU User 0", 5)
}

// TestParticipationLeavesWithItsIssue checks that issues and projects in the trash are not found.
func TestParticipationLeavesWithItsIssue(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 2, 3, 2)
	ids := c.work(t)
	user := fmt.Sprintf(`node(id: %q) { ... on User { %%s } }`, c.users[1])
	check := func(what, want string) {
		t.Helper()
		got, _ := participationOf(t, s, user, "roles: [AUTHOR, WATCHER], status: ALL"+oldestFirst)
		same(t, what, want, got)
	}
	check("all", "one: WA User 1; two: AU User 1; five: AU User 1")
	s.mutate(t, deleteOne, map[string]any{"id": ids[0]})
	check("without an issue", "two: AU User 1; five: AU User 1")
	s.mutate(t, trashProject, map[string]any{"id": c.worlds[1].project})
	check("without a project", "five: AU User 1")
}

// history returns the names of the columns that the last two changes of an issue changed, and their values.
func (c *crew) history(t testing.TB, id string) string {
	t.Helper()
	return fmt.Sprint(get[[]struct {
		Columns []struct{ Name, Before, After string }
	}](t, c.server, "issue.history.nodes", fmt.Sprintf(
		`{ issue(id: %q) { history(first: 2) { nodes { columns { name before after } } } } }`, id), nil))
}

// TestParticipantsOfAnIssue checks what an issue has, its history, and the errors of changes.
func TestParticipantsOfAnIssue(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 1)
	const fields = `version assigneeCount watcherCount author { name }
		assignees { __typename ... on User { name } ... on Team { name } } first: assignees(first: 1) { __typename }
		watchers { ... on User { name } }`
	id := "" // of the last issue
	ask := func(by *server, name string, input map[string]any) string {
		t.Helper()
		a := by.ask(t, mutation(name, "issue { id "+fields+" }"), map[string]any{"i": input})
		for _, e := range a.Errors {
			return fmt.Sprint(e.Extensions["code"], " ", e.Extensions["argument"], " ", e.Message)
		}
		got := decode[map[string]struct{ Issue map[string]json.RawMessage }](t, a.Data)[name].Issue
		id = string(bytes.Trim(got["id"], `"`))
		delete(got, "id")
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	made := ask(c.as[1], "createIssue", inputOf("projectId", c.project, "issue", inputOf("name", "one",
		"assigneeIds", []any{c.teams[0], c.users[0], c.teams[0]})))
	same(t, "a new issue", `{"assigneeCount":2,"assignees":[{"__typename":"Team","name":"Team 0"},`+
		`{"__typename":"User","name":"User 0"}],"author":{"name":"User 1"},"first":[{"__typename":"Team"}],`+
		`"version":1,"watcherCount":0,"watchers":[]}`, made)
	same(t, "the history of a new issue", `[{[{assignees  Team 0, User 0} {name  one} {state  New}]}]`,
		c.history(t, id))
	one := c.create(t, "two", nil).ID
	change := func(assignees, watchers map[string]any) string {
		return ask(s, "updateIssue", inputOf("id", one, "assignees", assignees, "watchers", watchers))
	}
	for range 2 { // the second changes nothing
		same(t, "a changed issue", `{"assigneeCount":1,"assignees":[{"__typename":"User","name":"User 0"}],`+
			`"author":null,"first":[{"__typename":"User"}],"version":2,"watcherCount":2,`+
			`"watchers":[{"name":"User 2"},{"name":"User 1"}]}`,
			change(inputOf("addIds", []any{c.users[0]}), inputOf("addIds", []any{c.users[2], c.users[1]})))
	}
	change(inputOf("addIds", []any{c.teams[0]}, "removeIds", []any{c.users[0], c.users[1]}), inputOf())
	same(t, "the history",
		`[{[{assignees User 0 Team 0}]} {[{assignees  User 0} {watchers  User 2, User 1}]}]`,
		c.history(t, one))

	stale := inputOf("issues", []any{inputOf("id", one, "expectedVersion", 1, "assignees",
		inputOf("addIds", []any{c.users[1]}))})
	conflict := get[[]struct {
		Errors []struct {
			Code     string
			Conflict struct {
				Columns []struct{ Name, Before, After string }
			}
		}
	}](t, s, "updateIssues.results", mutation("updateIssues",
		`results { errors { code conflict { columns { name
		before after } } } }`), map[string]any{"i": stale})
	same(t, "the conflict", `[{[{CONFLICT {[{assignees  Team 0}]}}]}]`, fmt.Sprint(conflict))

	c.changed(t, s, "updateUser", inputOf("id", c.users[2], "active", false))
	c.changed(t, s, "updateTeam", inputOf("id", c.teams[0], "active", false))
	many := make([]any, tracker.MaxParticipants)
	for i := range many {
		many[i] = c.addUser(t, s, "name", "Many").ID
	}
	for _, test := range []struct {
		assignees map[string]any
		want      string
	}{
		{inputOf("addIds", []any{c.users[0], c.users[2]}),
			`BAD_USER_INPUT input.issue.assignees.addIds[1] the user "User 2" is deactivated`},
		{inputOf("addIds", []any{c.teams[0]}),
			`BAD_USER_INPUT input.issue.assignees.addIds[0] the team "Team 0" is deactivated`},
		{inputOf("addIds", many), `BAD_USER_INPUT input.issue.assignees.addIds the issue would have ` +
			`101 participants in this role; the limit is 100`},
		{inputOf("addIds", []any{c.project}), `BAD_USER_INPUT input.issue.assignees.addIds[0] ` +
			`the tenant has no such user or team`},
	} {
		same(t, fmt.Sprint(test.assignees), test.want, change(test.assignees, inputOf()))
	}
	left := change(inputOf("removeIds", []any{c.teams[0]}), inputOf("removeIds", []any{c.users[2]}))
	if !strings.Contains(left, `"watchers":[{"name":"User 1"}]`) {
		t.Errorf("after deactivated ones were removed: %s", left)
	}
}

// TestParticipationCosts counts the calls of pages, in tenants with few and with many projects and teams.
func TestParticipationCosts(t *testing.T) {
	for _, projects := range []int{1, 10, tier.Cases(40, 1000)} {
		t.Run(fmt.Sprint(projects), func(t *testing.T) {
			s := newServer(t)
			c := newCrew(t, s, projects, 1, 1)
			for n := range max(40, projects) {
				c.worlds[n%projects].createOf(t, inputOf("name", fmt.Sprint(n), "assigneeIds",
					[]any{c.users[0],
						c.teams[0]}))
			}
			for _, test := range []struct {
				arguments string
				queries   int
			}{{"first: 10", 1}, {"first: 10, teams: true", 2},
				{"first: 10, status: ALL, roles: [ASSIGNEE, WATCHER]", 4}} {
				after := ""
				for page := range 3 {
					query := fmt.Sprintf(`{ node(id: %q) { ... on User { list: issues(%s%s) { pageInfo { endCursor }
						nodes { name assignees { ... on User { name } ... on Team { name } } } } } } }`, c.users[0],
						test.arguments, after)
					s.data(t, query, nil, &struct{}{}) // reads the definitions
					s.wire.Reset()
					end := get[string](t, s, "node.list.pageInfo.endCursor", query, nil)
					// The user, the issues, and the team that is an assignee as the user is.
					want := map[string]int{"Query": test.queries, "BatchGetItem": 3}
					same(t, fmt.Sprintf("page %d of %s in %d projects", page, test.arguments, projects), want,
						s.wire.Calls())
					after = fmt.Sprintf(", after: %q", end)
				}
			}
		})
	}
}
