// Package auth tells who is asking: it turns a bearer token into a principal, which is a tenant, a user and a role.
//
// Start here: [New] makes a [Verifier] of [Settings]; [Verifier.FromHeader] reads a request, [With] and [From] carry the [tracker.Principal] in a context.
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

// parseRole reads a claim, which gives a role exactly as its String does.
func parseRole(s string) (tracker.Role, bool) {
	for _, r := range tracker.Roles {
		if r.String() == s {
			return r, true
		}
	}
	return tracker.NoRole, false
}

type principalKey struct{}

// With returns a context that carries p.
func With(ctx context.Context, p tracker.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the principal that ctx carries; false if it carries none.
func From(ctx context.Context) (tracker.Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(tracker.Principal)
	return p, ok
}
