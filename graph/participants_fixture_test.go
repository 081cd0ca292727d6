package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// assign creates users and teams, and lets them take part in the issues of a project: those with even numbers
// have up to 8 assignees, every third one has watchers, and half of them have a user in the USER field.
func (s *server) assign(t testing.TB, p *sample.Project) {
	t.Helper()
	w := &world{server: s, tenant: model.TenantNodeID(p.Tenant.ID)}
	var all []any
	names := []string{`Ada "the" \\ O'Neil`, "Ärger <b>", "שלום \"x\"", "名前", "👩‍👩‍👧"}
	for n, name := range names {
		all = append(all, w.addUser(t, s, "name", name, "claim", fmt.Sprint("user", n)).ID,
			w.addTeam(t, s, "name", name, "description", name).ID)
	}
	w.changed(t, s, "updateUser", map[string]any{"id": all[0], "avatarUrl": "https://example.com/?a=%22&b"})
	var changes []any
	for n := range p.Issues {
		change := map[string]any{"id": issueID(p, n)}
		if n%2 == 0 {
			change["assignees"] = map[string]any{"addIds": all[:n/2%9]}
		}
		if n%4 < 2 {
			for _, f := range p.Fields {
				if f.Type == tracker.TypeUser {
					id := all[n%5*2].(string)
					change["values"] = []any{inputOf("fieldId", fieldID(p, string(f.ID)),
						"value", inputOf("userId", id))}
					p.Issues[n].Values[f.ID] = tracker.UserValue(names[n%5], userID(t, id))
				}
			}
		}
		if n%3 == 0 {
			change["watchers"] = map[string]any{"addIds": all[n%len(all):]}
		}
		changes = append(changes, change)
	}
	a := s.ask(t, `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { `+resultErrors+` } }`,
		map[string]any{"i": map[string]any{"issues": changes}})
	if errs := a.refusals(); len(errs) > 0 {
		t.Fatal(errs)
	}
	w.changed(t, s, "updateUser", map[string]any{"id": all[2], "active": false})
}

// crew is a tenant with several projects, users and teams.
type crew struct {
	*world
	worlds       []*world // one for each project
	users, teams []string
	as           []*server // each user
}

func newCrew(t testing.TB, s *server, projects, users, teams int) *crew {
	t.Helper()
	c := &crew{world: newWorld(t, s)}
	c.worlds = []*world{c.world}
	for n := range projects - 1 {
		c.worlds = append(c.worlds, s.worldOf(t, c.tenant, fmt.Sprint("CREW", n)))
	}
	for n := range users {
		id := c.addUser(t, s, "name", fmt.Sprint("User ", n)).ID
		c.users = append(c.users, id)
		c.as = append(c.as, s.as(t, tracker.Principal{Tenant: tenantID(t, c.tenant), User: fmt.Sprint("u", n),
			Role: tracker.Editor, UserID: userID(t, id)}))
	}
	for n := range teams { // with every second user
		id := c.addTeam(t, s, "name", fmt.Sprint("Team ", n)).ID
		c.teams = append(c.teams, id)
		for i := n % 2; i < users; i += 2 {
			c.changed(t, s, "addTeamMembers", inputOf("teamId", id, "userIds", []any{c.users[i]}))
		}
	}
	return c
}
