package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestAuthors creates and changes issues as several users, and without one. It compares orders and filters by
// the users, and a cursor, with the expected rows.
func TestAuthors(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	as := func(user string) *world {
		other := *w
		other.server = w.user(t, user, tracker.Editor)
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
		query := fmt.Sprintf(`{ project(id: %q) { issues(%s) { nodes { createdBy: createdByName updatedBy: updatedByName } } } }`, w.project,
			arguments)
		type row struct{ CreatedBy, UpdatedBy *string }
		for _, row := range get[[]row](t, s, "project.issues.nodes", query, nil) {
			got = append(got, shown(row.CreatedBy)+" "+shown(row.UpdatedBy))
		}
		return got
	}
	for _, test := range []struct {
		arguments string
		want      string
	}{
		{`first: 10`, "Zoë bob, ann Ann, - ann, Ann -, bob bob, - -"},
		{`first: 10, orderBy: [{column: {builtin: CREATED_BY}}]`,
			"ann Ann, Ann -, bob bob, Zoë bob, - ann, - -"},
		{`first: 10, orderBy: [{column: {builtin: CREATED_BY}, direction: DESC}]`,
			"Zoë bob, bob bob, Ann -, ann Ann, - -, - ann"},
		{`first: 10, orderBy: [{column: {builtin: UPDATED_BY}, nulls: FIRST}]`,
			"Ann -, - -, ann Ann, - ann, Zoë bob, bob bob"},
		{`last: 2, orderBy: [{column: {builtin: UPDATED_BY}}]`, "Ann -, - -"},
		{`first: 10, where: {createdBy: {eq: "ANN"}}`, "ann Ann, Ann -"},
		{`first: 10, where: {createdBy: {neq: "zoe"}}`,
			"ann Ann, - ann, Ann -, bob bob, - -"},
		{`first: 10, where: {updatedBy: {isNull: true}}`, "Ann -, - -"},
		{`first: 10, where: {updatedBy: {isNull: false}, createdBy: {isNull: true}}`, "- ann"},
		{`first: 10, where: {createdBy: {contains: "o"}}`, "Zoë bob, bob bob"},
		{`first: 10, where: {updatedBy: {startsWith: "B"}}, orderBy: [{column: {builtin: CREATED_BY}}]`,
			"bob bob, Zoë bob"},
	} {
		same(t, test.arguments, test.want, strings.Join(rows(t, test.arguments), ", "))
	}

	const order = `orderBy: [{column: {builtin: CREATED_BY}}]`
	at := get[string](t, s, "project.cursorAt", fmt.Sprintf(
		`{ project(id: %q) { cursorAt(%s, value: {user: "b"}) } }`, w.project, order), nil)
	same(t, "after the cursor at b", []string{"bob bob", "Zoë bob"},
		rows(t, fmt.Sprintf(`first: 2, %s, after: %q`, order, at)))
}
