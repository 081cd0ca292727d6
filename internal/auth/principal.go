// Package auth identifies the caller: it verifies a bearer token and returns a principal, which is a tenant,
// a user and a role.
//
// Start here: [New] returns a [Verifier] for [Settings]. [Verifier.FromHeader] verifies the token of a
// request; [With] and [From] carry the [tracker.Principal] in a context. The error for a rejected token is a
// *tracker.Error with the code Unauthenticated; [Challenge] returns the HTTP header for it. The manual is
// docs/auth.md.
//
// The laws that code and tests cite:
//
//	A1  Only the settings determine the algorithm and the keys that verify a token. A header may name one of
//	    the configured keys. Nothing else that it contains or refers to is used as a key, or fetched.
//	A2  Ambiguous input is rejected: duplicate names, characters that a decoder skips, claims of the wrong
//	    type.
//	A3  No message contains any part of a token.
//	A4  A token with a known key never waits for keys to be fetched, and unknown keys cause a fetch only at
//	    a limited rate.
//
// This package must not contain the permissions of roles, tables, GraphQL, flags or environment variables.
package auth

import (
	"context"

	"issuegrid/tracker"
)

// parseRole parses a claim, which must be the String of a role.
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

// From returns the principal that ctx carries, and whether it carries one.
func From(ctx context.Context) (tracker.Principal, bool) {
	p, ok := ctx.Value(principalKey{}).(tracker.Principal)
	return p, ok
}
