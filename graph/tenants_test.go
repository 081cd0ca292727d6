package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

const deleteTenant = `mutation($i: DeleteTenantInput!) { deleteTenant(input: $i) { deletedTenantId } }`

// TestDeleteTenant deletes a tenant, which only an operator may who gives its name, and checks that nothing
// of it is found and that its name is free.
func TestDeleteTenant(t *testing.T) {
	s := newServer(t)
	w, kept := newWorld(t, s), newWorld(t, s)
	name := get[string](t, s, "tenant.name", `query($t: ID!) { tenant(id: $t) { name } }`, map[string]any{"t": w.tenant})
	claim := get[string](t, s, "tenant.claim", `query($t: ID!) { tenant(id: $t) { claim } }`,
		map[string]any{"t": w.tenant})
	input := map[string]any{"id": w.tenant, "confirm": name}
	for _, role := range []tracker.Role{tracker.Reader, tracker.Admin} {
		same(t, role.String(), "FORBIDDEN", w.user(t, "Ada", role).ask(t, deleteTenant,
			map[string]any{"i": input}).outcome())
	}
	for _, wrong := range []string{"", "x", name + " ", strings.ToUpper(name)} {
		a := s.ask(t, deleteTenant, map[string]any{"i": map[string]any{"id": w.tenant, "confirm": wrong}})
		if a.outcome() != "BAD_USER_INPUT input.confirm" || !strings.Contains(a.Errors[0].Message, name) {
			t.Errorf("confirmed by %q: %+v", wrong, a)
		}
	}
	same(t, "the payload", map[string]any{"deletedTenantId": w.tenant}, s.mutate(t, deleteTenant, input))
	same(t, "deleted again", "NOT_FOUND", s.ask(t, deleteTenant, map[string]any{"i": input}).outcome())
	for _, field := range []string{"tenant", "node"} {
		a := s.ask(t, fmt.Sprintf(`{ %s(id: %q) { id } }`, field, w.tenant), nil)
		same(t, field, "NOT_FOUND", a.outcome())
	}
	left := get[connection[struct{ ID string }]](t, s, "tenants", `{ tenants { totalCount nodes { id } } }`, nil)
	has := func(id string) bool { return slices.Contains(left.Nodes, struct{ ID string }{id}) }
	if left.TotalCount != len(left.Nodes) || !has(kept.tenant) || has(w.tenant) {
		t.Errorf("the tenants are %+v", left)
	}
	do(t, s, "createTenant.tenant.id", "name", name) // its name is free
	a := s.ask(t, `mutation($i: CreateTenantInput!) { createTenant(input: $i) { tenant { id } } }`,
		map[string]any{"i": map[string]any{"name": "An heir", "claim": claim}})
	same(t, "its claim", "CONFLICT input.claim", a.outcome())
}
