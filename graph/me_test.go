package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/tracker"
)

// TestFilterIsMe compares filters by the caller with those by the caller's name: in all places for users, by
// several users and without one, in grids, counts, groups and a shared view.
func TestFilterIsMe(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	users := []string{"ann", "Ann", "bob", ""}
	as := map[string]*server{}
	for n, user := range users {
		as[user] = w.user(t, user, tracker.Editor)
		other := *w
		other.server = as[user]
		for i := range n + 1 {
			var values []any
			if i > 0 {
				values = []any{w.given(tracker.TypeUser, []string{"ANN", "bob", "eve"}[(n+i)%3])}
			}
			other.createOf(t, map[string]any{"name": fmt.Sprint(user, i), "values": values})
		}
	}
	field := w.fields[tracker.TypeUser]
	ask := func(by *server, where string) grid {
		t.Helper()
		got := get[struct {
			Issues grid
			Groups struct{ Nodes []struct{ TotalCount int } }
		}](t, by, "project", fmt.Sprintf(`{ project(id: %q) { issues(first: 50, where: {%s}) { nodes { num } totalCount }
			groups(by: [{column: {builtin: STATE}}], where: {%[2]s}) { nodes { totalCount } } } }`, w.project,
			where), nil)
		sum := 0
		for _, g := range got.Groups.Nodes {
			sum += g.TotalCount
		}
		same(t, "the issues in the groups of "+where, got.Issues.TotalCount, sum)
		return got.Issues
	}
	for _, in := range []string{`createdBy: {%s}`, `updatedBy: {%s}`,
		fmt.Sprintf(`fields: [{fieldId: %q, user: {%%s}}]`, field)} {
		filter := func(operator string) string { return fmt.Sprintf(in, operator) }
		for _, user := range users {
			mine, others := fmt.Sprintf("eq: %q", user), fmt.Sprintf("neq: %q", user)
			if user == "" {
				mine, others = `in: []`, `notIn: []`
			}
			want := ask(s, filter(mine))
			same(t, user+": "+filter("isMe: true"), want, ask(as[user], filter("isMe: true")))
			same(t, user+": "+filter("isMe: false"), ask(s, filter(others)),
				ask(as[user], filter("isMe: false")))
			if user != "" && len(want.Nodes) == 0 {
				t.Errorf("%s has no issues by %s", user, in)
			}
		}
	}

	v := w.save(t, as["ann"], inputOf("name", "My issues", "shared", true,
		"filter", inputOf("createdBy", inputOf("isMe", true))))
	same(t, "the saved filter", `{"createdBy":{"isMe":true}}`, string(v.Filter))
	for user, want := range map[string]string{"ann": `eq: "ann"`, "bob": `eq: "bob"`, "": `in: []`} {
		same(t, "the view of "+user, append([]int{}, nums(ask(s, `createdBy: {`+want+`}`).Nodes)...),
			w.shown(t, as[user], v.ID, ""))
	}
}
