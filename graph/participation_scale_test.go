package graph_test

import (
	"fmt"
	"testing"
	"time"

	"issuegrid/graph/model"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestParticipationInManyProjects checks the calls of a page of the issues of a user in 50 teams that are in
// 1,000 projects: one Query for each way, at any depth.
func TestParticipationInManyProjects(t *testing.T) {
	tier.Verify(t, "it makes a thousand projects")
	const projects = 1000
	s := newServer(t)
	c := newCrew(t, s, 1, 1, 0)
	user := c.users[0]
	var all []tracker.Participant
	for n := range tracker.MaxTeams {
		id := c.addTeam(t, s, "name", fmt.Sprint("Team ", n)).ID
		c.changed(t, s, "addTeamMembers", inputOf("team", id, "users", []any{user}))
		team, err := model.ParseTeamID(id)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tracker.TeamParticipant(team.Team))
	}
	tenant, err := s.db.Tenant(tenantID(t, c.tenant))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range projects {
		p, err := tenant.CreateProject(t.Context(), tracker.Project{ID: tracker.ProjectID(fmt.Sprint("m", n)),
			Key: fmt.Sprint("M", n), Name: fmt.Sprint("Many ", n),
			States: []tracker.State{{ID: "open", Name: "Open", Open: true}}})
		if err != nil {
			t.Fatal(err)
		}
		d := tracker.NewDefinition(*p, nil)
		i := tracker.Issue{ID: p.IssueID("one"), Num: 1, Name: fmt.Sprint(n), State: "open", Created: at,
			Updated: at.Add(time.Duration(n) * time.Second), Assignees: []tracker.Participant{
				tracker.UserParticipant(userID(t, user)), all[n%len(all)]}}
		if err := tenant.PutIssues(t.Context(), d, []tracker.Issue{i}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		arguments string
		queries   int
	}{{"first: 10", 1}, {"first: 10, teams: true", 1 + tracker.MaxTeams},
		{"first: 10, own: false, teams: true, orderBy: {column: UPDATED_AT, direction: ASC}",
			tracker.MaxTeams}} {
		after := ""
		for page := range 4 {
			query := fmt.Sprintf(`{ node(id: %q) { ... on User { list: issues(%s%s) { nodes { name }
				pageInfo { endCursor } } } } }`, user, test.arguments, after)
			s.data(t, query, nil, &struct{}{}) // reads the definitions
			s.wire.Reset()
			list := get[connection[struct{ Name string }]](t, s, "node.list", query, nil)
			// The user with the teams, and the issues.
			same(t, fmt.Sprintf("page %d of %s", page, test.arguments),
				map[string]int{"Query": test.queries, "BatchGetItem": 2}, s.wire.Calls())
			if len(list.Nodes) != 10 {
				t.Errorf("page %d of %s has %d issues", page, test.arguments, len(list.Nodes))
			}
			after = fmt.Sprintf(", after: %q", *list.PageInfo.EndCursor)
		}
	}
}
