package auth_test

import (
	"testing"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// TestRoles checks the names of roles, and that each role includes the ones below it.
func TestRoles(t *testing.T) {
	roles := []tracker.Role{tracker.NoRole, tracker.Reader, tracker.Editor, tracker.Admin, tracker.Operator}
	names := []string{"none", "reader", "editor", "admin", "operator"}
	for i, role := range roles {
		if role.String() != names[i] {
			t.Errorf("role %s, want %s", role, names[i])
		}
		for j, needed := range roles {
			if may := (tracker.Principal{Role: role}).May(needed); may != (i >= j) {
				t.Errorf("%s.May(%s) = %t", role, needed, may)
			}
		}
	}
}

// TestContext checks that From returns the principal of the innermost With.
func TestContext(t *testing.T) {
	if p, ok := auth.From(t.Context()); ok || p != (tracker.Principal{}) {
		t.Errorf("From a context without a principal: %+v, %t", p, ok)
	}
	ctx := auth.With(auth.With(t.Context(), tracker.Principal{User: "eve"}), ann)
	if p, ok := auth.From(ctx); !ok || p != ann {
		t.Errorf("From: %+v, %t", p, ok)
	}
}
