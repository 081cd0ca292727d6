// Package auth tells who is asking: it turns a bearer token into a principal, which is a tenant, a user and a role.
//
// Start here: [New] makes a [Verifier] of [Settings]; [Verifier.FromHeader] reads a request, [With] and [From] carry the [Principal] in a context.
// A refused token is a *tracker.Error with the code Unauthenticated; [Challenge] is what HTTP says to it. docs/auth.md is the manual.
//
// The laws that the code and its tests cite:
//
//	A1  The settings alone decide with which algorithm and which key a token is verified. A header may name one of the configured keys, and
//	    nothing that it carries or points to is ever used as a key, or fetched.
//	A2  What could be read in two ways is refused: a name given twice, characters that a decoder skips, a claim of another type.
//	A3  No text repeats anything of a token.
//	A4  Who has a known key never waits for keys to be fetched, and strangers can't make the server fetch them often.
//
// What may never be in here: what a role may do in detail, tables, GraphQL, flags and environment variables.
package auth

import (
	"context"

	"issuegrid/tracker"
)

// Role is what a principal may do. Each role may do what the ones before it may.
type Role int

// The roles, from the least to the most.
const (
	RoleNone Role = iota // nothing
	Reader               // queries
	Editor               // changes of issues
	Admin                // changes of projects and their fields
	Operator             // changes of tenants, and any tenant
)

var roleNames = [...]string{"none", "reader", "editor", "admin", "operator"}

// String is the role as a token's claim gives it; "none" for RoleNone, and for what is no role.
func (r Role) String() string {
	if r < RoleNone || r > Operator {
		return roleNames[RoleNone]
	}
	return roleNames[r]
}

// parseRole reads a claim, which gives a role exactly as String does.
func parseRole(s string) (Role, bool) {
	for r := Reader; r <= Operator; r++ {
		if roleNames[r] == s {
			return r, true
		}
	}
	return RoleNone, false
}

// Principal is who asks.
type Principal struct {
	Tenant tracker.TenantID // empty for an operator whose token names none: all tenants
	User   string           // 1 to 200 visible characters
	Role   Role
}

// May tells whether the principal has role r, or one that is more.
func (p Principal) May(r Role) bool { return p.Role >= r }

type principalKey struct{}

// With returns a context that carries p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the principal that ctx carries; false if it carries none.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(Principal)
	return p, ok
}
