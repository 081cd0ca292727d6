package graph_test

import (
	"encoding/json"
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
	var named struct{ Tenant struct{ Name string } }
	s.data(t, `query($t: ID!) { tenant(id: $t) { name } }`, map[string]any{"t": w.tenant}, &named)
	name := named.Tenant.Name
	input := map[string]any{"id": w.tenant, "confirmName": name}
	for role, code := range map[tracker.Role]tracker.Code{tracker.Reader: tracker.Forbidden,
		tracker.Admin: tracker.Forbidden} {
		a := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "Ada", Role: role}).
			ask(t, deleteTenant,
				map[string]any{"i": input})
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(code) {
			t.Errorf("%v: %+v", role, a)
		}
	}
	for _, wrong := range []string{"", "x", name + " ", strings.ToUpper(name)} {
		if wrong == name {
			continue
		}
		a := s.ask(t, deleteTenant, map[string]any{"i": map[string]any{"id": w.tenant, "confirmName": wrong}})
		if len(a.Errors) != 1 || a.Errors[0].Extensions["argument"] != "input.confirmName" ||
			!strings.Contains(a.Errors[0].Message, name) {
			t.Errorf("confirmed by %q: %+v", wrong, a)
		}
	}
	var got struct {
		DeleteTenant struct{ DeletedTenantID string }
	}
	s.data(t, deleteTenant, map[string]any{"i": input}, &got)
	if got.DeleteTenant.DeletedTenantID != w.tenant {
		t.Errorf("the payload is %+v", got)
	}
	if a := s.ask(t, deleteTenant, map[string]any{"i": input}); len(a.Errors) != 1 ||
		a.Errors[0].Extensions["code"] != string(tracker.NotFound) {
		t.Errorf("deleted again: %+v", a)
	}
	var left struct {
		Tenant, Node *struct{ ID string }
		Tenants      struct {
			TotalCount int
			Nodes      []struct{ ID string }
		}
	}
	a := s.ask(
		t,
		`query($t: ID!) { tenant(id: $t) { id } node(id: $t) { id } tenants { totalCount nodes { id } } }`,
		map[string]any{"t": w.tenant},
	)
	if err := json.Unmarshal(a.Data, &left); err != nil {
		t.Fatal(err)
	}
	if left.Tenant != nil || left.Node != nil || left.Tenants.TotalCount != len(left.Tenants.Nodes) {
		t.Errorf("%+v", left)
	}
	found := false
	for _, n := range left.Tenants.Nodes {
		found = found || n.ID == kept.tenant
		if n.ID == w.tenant {
			t.Error("the tenant is in the list")
		}
	}
	if !found {
		t.Error("another tenant is not in the list")
	}
	s.data(t, `mutation($n: String!) { createTenant(input: {name: $n}) { tenant { id } } }`,
		map[string]any{"n": name}, &struct{}{})
}
