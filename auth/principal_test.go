package auth_test

import (
	"testing"

	"issuegrid/auth"
)

func TestRoles(t *testing.T) {
	roles := []auth.Role{auth.RoleNone, auth.Reader, auth.Editor, auth.Admin, auth.Operator}
	names := []string{"none", "reader", "editor", "admin", "operator"}
	for i, role := range roles {
		if role.String() != names[i] {
			t.Errorf("%s instead of %s", role, names[i])
		}
		for j, needed := range roles {
			if may := (auth.Principal{Role: role}).May(needed); may != (i >= j) {
				t.Errorf("may %s what needs %s: %t", role, needed, may)
			}
		}
	}
	for _, role := range []auth.Role{-1, auth.Operator + 1} {
		if role.String() != "none" {
			t.Errorf("%d is %s", int(role), role)
		}
	}
}

func TestContext(t *testing.T) {
	if p, ok := auth.From(t.Context()); ok || p != (auth.Principal{}) {
		t.Errorf("%+v, %t of a context without one", p, ok)
	}
	ctx := auth.With(auth.With(t.Context(), auth.Principal{User: "eve"}), ann)
	if p, ok := auth.From(ctx); !ok || p != ann {
		t.Errorf("%+v, %t", p, ok)
	}
}
