package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/graph"
	"issuegrid/tracker"
)

// TestActorsAreUsers lets users, one without an account, an operator of another tenant and a job change an
// issue, and reads who did it in all places that say so.
func TestActorsAreUsers(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	tenant, other := tenantID(t, c.tenant), tenantID(t, s.newTenant(t, "Other"))
	admin := s.as(t, tracker.Principal{Tenant: tenant, User: "u1", Role: tracker.Admin,
		UserID: userID(t, c.users[1])})
	operator := s.as(t, tracker.Principal{Tenant: other, User: "oz", Role: tracker.Operator,
		UserID: userID(t, c.users[0])})

	id := do(t, c.as[0], "createIssue.issue.id", "projectId", c.project, "issue", inputOf("name", "one",
		"stateId", c.states[1]))
	type user struct{ ID string }
	type actor struct {
		Kind string
		User *user
	}
	shown := func(u *user) string {
		switch {
		case u == nil:
			return "-"
		case u.ID == c.users[0]:
			return "u0"
		case u.ID == c.users[1]:
			return "u1"
		}
		return u.ID
	}
	lines := func(all []struct{ By *actor }) (out []string) {
		for _, n := range all {
			out = append(out, n.By.Kind+" "+shown(n.By.User))
		}
		return out
	}
	editors := func(author, editor string) {
		t.Helper()
		for _, as := range []*server{s, s.over(t, graph.NewPlainHandler(sessions(s.db)))} {
			got := get[struct {
				Nodes []struct{ Author, LastEditor *user }
			}](t, as, "project.issues", fmt.Sprintf(
				`{ project(id: %q) { issues { nodes { author { id } lastEditor { id } } } } }`, c.project), nil)
			same(t, "author and last editor", author+" "+editor,
				shown(got.Nodes[0].Author)+" "+shown(got.Nodes[0].LastEditor))
		}
	}
	rename := func(by *server, name string) {
		t.Helper()
		do(t, by, "updateIssue.issue.id", "issue", inputOf("id", id, "name", name))
	}
	editors("u0", "u0")
	rename(c.as[1], "two")
	editors("u0", "u1")
	rename(operator, "three")
	editors("u0", "-")
	do(t, c.as[0], "deleteIssue.deletedIssueId", "issue", inputOf("id", id))
	trash := get[[]struct{ DeletedBy actor }](t, s, "project.deletedIssues.nodes", fmt.Sprintf(
		`{ project(id: %q) { deletedIssues { nodes { deletedBy { kind user { id } } } } } }`, c.project), nil)
	same(t, "who deleted the issue", "USER u0", trash[0].DeletedBy.Kind+" "+shown(trash[0].DeletedBy.User))
	do(t, c.as[1], "restoreIssue.issue.id", "id", id)
	editors("u0", "u1")
	rename(c.as[0], "four")
	do(t, admin, "mergeStates.project.id", "projectId", c.project, "fromIds", c.states[1:], "intoId",
		c.states[0])
	s.runJobs(t, c.project)
	editors("u0", "u1")

	const by = `nodes { by { kind user { id } } }`
	ofIssue := fmt.Sprintf(`{ node(id: %q) { ... on Issue { history { `+by+` } } } }`, id)
	history := get[[]struct{ By *actor }](t, s, "node.history.nodes", ofIssue, nil)
	want := []string{"JOB u1", "USER u0", "USER u1", "USER u0", "USER -", "USER u1", "USER u0"}
	same(t, "the history", want, lines(history))
	s.costs(t, ofIssue, map[string]int{"Query": 1, "BatchGetItem": 2}) // the issue, and the users
	ofProject := get[struct {
		History, Activity struct{ Nodes []struct{ By *actor } }
	}](t, s, "project", fmt.Sprintf(`{ project(id: %q) { history(first: 1) { `+by+` } activity(first: 2) { `+by+` } } }`,
		c.project), nil)
	same(t, "the history of the project", []string{"USER u1"}, lines(ofProject.History.Nodes))
	same(t, "the activity, which has no changes of jobs", want[1:3], lines(ofProject.Activity.Nodes))

	conflict := s.ask(t, mutation("updateIssue", `errors { conflict { changedBy { kind user { id } } } }`),
		input(nil, "issue", inputOf("id", id, "name", "five", "expectedVersion", 1)))
	same(t, "the conflict", fmt.Sprintf(
		`{"updateIssue":{"errors":[{"conflict":{"changedBy":{"kind":"JOB","user":{"id":%q}}}}]}}`, c.users[1]),
		string(conflict.Data))
	do(t, admin, "deleteProject.deletedProjectId", "id", c.project)
	projects := get[[]struct{ DeletedBy actor }](t, s, "tenant.deletedProjects.nodes", fmt.Sprintf(
		`{ tenant(id: %q) { deletedProjects { nodes { deletedBy { kind user { id } } } } } }`, c.tenant), nil)
	same(t, "who deleted the project", "USER u1",
		projects[0].DeletedBy.Kind+" "+shown(projects[0].DeletedBy.User))
}
