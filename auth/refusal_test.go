package auth_test

import (
	"errors"
	"strings"
	"testing"

	"issuegrid/auth"
	"issuegrid/tracker"
)

// accepted checks that a token is valid and returns want.
func accepted(t *testing.T, v *auth.Verifier, token string, want tracker.Principal) {
	t.Helper()
	if got, err := v.Verify(t.Context(), token); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// refused checks that a token is rejected with a message, and that the error contains nothing else.
func refused(t *testing.T, v *auth.Verifier, token, want string) {
	t.Helper()
	got, err := v.Verify(t.Context(), token)
	if got != (tracker.Principal{}) {
		t.Errorf("an error with a principal: %+v", got)
	}
	checkRefusal(t, err, want)
}

func checkRefusal(t *testing.T, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.Unauthenticated || e.Message != want || e.Path != "" {
		t.Errorf("got %#v; want %q", err, want)
		return
	}
	if strings.Contains(err.Error(), canary) {
		t.Errorf("%q contains a part of the token", err)
	}
}

// The messages for rejected tokens.
const (
	saysForm       = "the token is not three base64url parts separated by dots"
	saysLong       = "the token is longer than 8192 bytes"
	saysHeader     = "the token's header is not a JSON object with unique names"
	saysHS         = "the token must be signed with HS256"
	saysAsymmetric = "the token must be signed with RS256 or ES256 or EdDSA"
	saysType       = "the token's type (typ) is neither JWT nor at+jwt"
	saysCritical   = "the token has critical parameters (crit), none of which is supported"
	saysKeyID      = "the token's key id (kid) is not a string of 1 to 256 bytes"
	saysNoKeyID    = "the token names no key (kid), and there are several keys"
	saysUnknownKey = "the token is signed with an unknown key"
	saysSignature  = "the token's signature is not valid"
	saysUnreadable = "the token can't be parsed"
	saysPayload    = "the token's payload is not a JSON object with unique claims"
	saysLacks      = "the token lacks one of the claims exp, iss and aud"
	saysWrongType  = "one of the token's claims exp, nbf, iat, iss and aud is of the wrong type"
	saysExpired    = "the token has expired"
	saysNotYet     = "the token is not valid yet"
	saysFuture     = "the token was issued in the future"
	saysIssuer     = "the token has another issuer"
	saysAudience   = "the token is for another audience"
	saysExp        = "the token's claim exp is not a number of seconds from 1970 to the year 9999"
	saysNbf        = "the token's claim nbf is not a number of seconds from 1970 to the year 9999"
	saysIat        = "the token's claim iat is not a number of seconds from 1970 to the year 9999"
	saysRole       = "the token's claim role is not one of reader, editor, admin and operator"
	saysUser       = "the token's claim sub is not a string of 1 to 200 visible characters"
	saysTenant     = "the token's claim tenant is not the id of a tenant, 1 to 32 characters of a-z and 0-9"
	saysSeveral    = "the request has more than one Authorization header"
	saysRequired   = "a bearer token is required"
)
