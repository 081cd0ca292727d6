package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestAuthors creates and changes issues as several users, and without one. It compares orders and filters by
// the users, and a cursor, with the expected rows.
func TestAuthors(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	tenant := tenantID(t, w.tenant)
	as := func(user string) *world {
		other := *w
		other.server = s.as(t, tracker.Principal{Tenant: tenant, User: user, Role: tracker.Editor})
		return &other
	}
	// By number, the users that created and last changed each issue.
	users := [][2]string{{"Zoë", "bob"}, {"ann", "Ann"}, {"", "ann"}, {"Ann", ""}, {"bob", "bob"}, {"", ""}}
	for n, by := range users {
		i := as(by[0]).createOf(t, map[string]any{"name": fmt.Sprint("issue ", n)})
		if by[1] != by[0] {
			as(by[1]).update(t, map[string]any{"id": i.ID, "name": fmt.Sprint("changed ", n)})
		}
	}
	rows := func(t *testing.T, arguments string) (got []string) {
		t.Helper()
		var page struct {
			Project struct {
				Issues struct {
					Nodes []struct{ CreatedBy, UpdatedBy *string }
				}
			}
		}
		s.data(
			t,
			`query ($p: ID!) { project(id: $p) { issues(`+arguments+`) { nodes { createdBy updatedBy } } } }`,
			map[string]any{"p": w.project},
			&page,
		)
		text := func(s *string) string {
			if s == nil {
				return "null"
			}
			return *s
		}
		for _, row := range page.Project.Issues.Nodes {
			got = append(got, text(row.CreatedBy)+" "+text(row.UpdatedBy))
		}
		return got
	}
	for _, test := range []struct {
		arguments string
		want      string
	}{
		{`first: 10`, "Zoë bob, ann Ann, null ann, Ann null, bob bob, null null"},
		{`first: 10, orderBy: [{column: {builtin: CREATED_BY}}]`,
			"ann Ann, Ann null, bob bob, Zoë bob, null ann, null null"},
		{`first: 10, orderBy: [{column: {builtin: CREATED_BY}, direction: DESC}]`,
			"Zoë bob, bob bob, Ann null, ann Ann, null null, null ann"},
		{`first: 10, orderBy: [{column: {builtin: UPDATED_BY}, nulls: FIRST}]`,
			"Ann null, null null, ann Ann, null ann, Zoë bob, bob bob"},
		{`last: 2, orderBy: [{column: {builtin: UPDATED_BY}}]`, "Ann null, null null"},
		{`first: 10, where: {createdBy: {eq: "ANN"}}`, "ann Ann, Ann null"},
		{`first: 10, where: {createdBy: {neq: "zoe"}}`,
			"ann Ann, null ann, Ann null, bob bob, null null"},
		{`first: 10, where: {updatedBy: {isNull: true}}`, "Ann null, null null"},
		{`first: 10, where: {updatedBy: {isNull: false}, createdBy: {isNull: true}}`, "null ann"},
		{`first: 10, where: {createdBy: {contains: "o"}}`, "Zoë bob, bob bob"},
		{`first: 10, where: {updatedBy: {startsWith: "B"}}, orderBy: [{column: {builtin: CREATED_BY}}]`,
			"bob bob, Zoë bob"},
	} {
		if got := strings.Join(rows(t, test.arguments), ", "); got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.arguments, got, test.want)
		}
	}

	var at struct{ Project struct{ CursorAt string } }
	order := `orderBy: [{column: {builtin: CREATED_BY}}]`
	s.data(t, `query ($p: ID!) { project(id: $p) { cursorAt(`+order+`, value: {user: "b"}) } }`,
		map[string]any{"p": w.project}, &at)
	got := rows(t, fmt.Sprintf(`first: 2, %s, after: %q`, order, at.Project.CursorAt))
	if !slices.Equal(got, []string{"bob bob", "Zoë bob"}) {
		t.Errorf("after the cursor at b: %v", got)
	}
}
