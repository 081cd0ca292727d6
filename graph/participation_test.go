package graph_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestParticipation compares lists of the issues of users and teams with the changes that were made.
func TestParticipation(t *testing.T) {
	c := newCrew(t, newServer(t), 3, 3, 4)
	nonempty := 0
	for n := range 120 {
		switch p := c.random.IntN(10); {
		case p < 6 || n < 20:
			c.add(t)
		default:
			c.change(t, c.issues[c.random.IntN(len(c.issues))])
		}
		q := c.search()
		if want, _ := c.want(t, q); len(want) > 0 {
			nonempty++
		}
		c.check(t, q)
	}
	if nonempty < 60 {
		t.Errorf("only %d searches found anything", nonempty)
	}
}

// TestParticipationLeavesWithItsIssue checks that issues and projects in the trash are not found, and that
// they are after they were restored.
func TestParticipationLeavesWithItsIssue(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 2, 1, 1)
	for range 12 {
		c.add(t)
	}
	q := &search{by: s, field: fmt.Sprintf(`list: node(id: %q) { ... on User { list: issues(ARGS) BODY } }`,
		c.users[0]), arguments: "status: ALL, roles: [AUTHOR]", roles: []string{"AUTHOR"}, status: "ALL",
		participants: c.users, column: "UPDATED_AT", descending: true}
	c.check(t, q)
	all := c.issues
	s.mutate(t, deleteOne, map[string]any{"id": all[0].ID})
	c.issues = all[1:]
	c.check(t, q)
	s.mutate(t, trashProject, map[string]any{"id": c.worlds[1].project})
	page := q.page(t, "first: 50")
	for _, n := range page.Nodes {
		i := slices.IndexFunc(all, func(p *piece) bool { return p.ID == n.ID })
		if all[i].Project.ID != c.worlds[0].project {
			t.Errorf("an issue of a project in the trash is found: %+v", all[i].issue)
		}
	}
	if len(page.Nodes) == 0 || len(page.Nodes) >= 11 {
		t.Errorf("%d issues are found", len(page.Nodes))
	}
}

// TestParticipantsOfAnIssue checks what an issue has, its history, and the errors of changes.
func TestParticipantsOfAnIssue(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 1)
	const fields = `version assigneeCount watcherCount author { name }
		assignees { __typename ... on User { name } ... on Team { name } } first: assignees(first: 1) { __typename }
		watchers { ... on User { name } }`
	id := "" // of the last issue
	ask := func(by *server, mutation string, input map[string]any) string {
		t.Helper()
		a := by.ask(t, fmt.Sprintf(`mutation($i: %s%sInput!) { %s(input: $i) { issue { id %s } } }`,
			strings.ToUpper(mutation[:1]), mutation[1:], mutation, fields), map[string]any{"i": input})
		for _, e := range a.Errors {
			return fmt.Sprint(e.Extensions["code"], " ", e.Extensions["argument"], " ", e.Message)
		}
		var got map[string]struct{ Issue map[string]json.RawMessage }
		if err := json.Unmarshal(a.Data, &got); err != nil {
			t.Fatal(err)
		}
		id = string(bytes.Trim(got[mutation].Issue["id"], `"`))
		delete(got[mutation].Issue, "id")
		text, err := json.Marshal(got[mutation].Issue)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	made := ask(c.as[1], "createIssue", inputOf("project", c.project, "issue", inputOf("name", "one",
		"assignees", []any{c.teams[0], c.users[0], c.teams[0]})))
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
			change(inputOf("add", []any{c.users[0]}), inputOf("add", []any{c.users[2], c.users[1]})))
	}
	change(inputOf("add", []any{c.teams[0]}, "remove", []any{c.users[0], c.users[1]}), inputOf())
	same(t, "the history", `[{[{assignees User 0 Team 0}]} {[{assignees  User 0} {watchers  User 2, User 1}]}]`,
		c.history(t, one))

	stale := inputOf("issues", []any{inputOf("id", one, "expectedVersion", 1, "assignees",
		inputOf("add", []any{c.users[1]}))})
	var conflict struct {
		UpdateIssues struct {
			Results []struct {
				Errors []struct {
					Code     string
					Conflict struct {
						Columns []struct{ Name, Before, After string }
					}
				}
			}
		}
	}
	s.data(t, `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { results { errors { code
		conflict { columns { name before after } } } } } }`, map[string]any{"i": stale}, &conflict)
	same(t, "the conflict", `[{[{CONFLICT {[{assignees  Team 0}]}}]}]`, fmt.Sprint(conflict.UpdateIssues.Results))

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
		{inputOf("add", []any{c.users[0], c.users[2]}),
			`BAD_USER_INPUT input.assignees.add[1] input.assignees.add[1]: the user "User 2" is deactivated`},
		{inputOf("add", []any{c.teams[0]}),
			`BAD_USER_INPUT input.assignees.add[0] input.assignees.add[0]: the team "Team 0" is deactivated`},
		{inputOf("add", many), `BAD_USER_INPUT input.assignees.add input.assignees.add: the issue would have ` +
			`101 participants in this role; the limit is 100`},
		{inputOf("add", []any{c.project}), `BAD_USER_INPUT input.assignees.add[0] input.assignees.add[0]: ` +
			`the tenant has no such user or team`},
	} {
		same(t, fmt.Sprint(test.assignees), test.want, change(test.assignees, inputOf()))
	}
	left := change(inputOf("remove", []any{c.teams[0]}), inputOf("remove", []any{c.users[2]}))
	if !strings.Contains(left, `"watchers":[{"name":"User 1"}]`) {
		t.Errorf("after deactivated ones were removed: %s", left)
	}
}

// TestParticipationCosts counts the calls of pages, in tenants with few and with many projects and teams.
func TestParticipationCosts(t *testing.T) {
	for _, projects := range []int{1, 10, 40} {
		t.Run(fmt.Sprint(projects), func(t *testing.T) {
			s := newServer(t)
			c := newCrew(t, s, projects, 1, 1)
			for n := range 40 {
				c.worlds[n%projects].createOf(t, inputOf("name", fmt.Sprint(n), "assignees", []any{c.users[0],
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
					var got struct {
						Node struct{ List participationPage }
					}
					s.data(t, query, nil, &got)
					// The user, the issues, and the team that is an assignee as the user is.
					want := map[string]int{"Query": test.queries, "BatchGetItem": 3}
					same(t, fmt.Sprintf("page %d of %s in %d projects", page, test.arguments, projects), want,
						s.wire.Calls())
					after = fmt.Sprintf(", after: %q", got.Node.List.PageInfo.EndCursor)
				}
			}
		})
	}
}
