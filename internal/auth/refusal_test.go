package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/auth"
	"issuegrid/tracker"
)

// checkAccepted checks that a token is valid and that Verify returns want.
func checkAccepted(t *testing.T, v *auth.Verifier, token string, want tracker.Principal) {
	t.Helper()
	if got, err := v.Verify(t.Context(), token); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// checkToken checks that a token of ann is accepted if want is empty, and otherwise rejected with want.
func checkToken(t *testing.T, v *auth.Verifier, token, want string) {
	t.Helper()
	if want == "" {
		checkAccepted(t, v, token, ann)
		return
	}
	checkRejected(t, v, token, want)
}

// checkRejected checks that a token is rejected with a message, and that the error contains nothing else.
func checkRejected(t *testing.T, v *auth.Verifier, token, want string) {
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

// noStart returns the reason why a verifier cannot start with a JWK set.
func noStart(t *testing.T, set []byte) string {
	t.Helper()
	s := settings()
	s.JWKS = file(t, set)
	_, err := auth.New(t.Context(), s)
	why, ok := strings.CutPrefix(fmt.Sprint(err), "the JWK set of "+s.JWKS+" can't be used: ")
	if !ok || tracker.CodeOf(err) != tracker.Unavailable {
		t.Errorf("started with %.300s: %v", set, err)
	}
	return why
}

// The messages for rejected tokens.
const (
	msgForm       = "the token is not three base64url parts separated by dots"
	msgLong       = "the token is longer than 8192 bytes"
	msgHeader     = "the token's header is not a JSON object with unique names"
	msgHS         = "the token must be signed with HS256"
	msgAsymmetric = "the token must be signed with RS256 or ES256 or EdDSA"
	msgType       = "the token's type (typ) is neither JWT nor at+jwt"
	msgCritical   = "the token has critical parameters (crit), none of which is supported"
	msgKeyID      = "the token's key id (kid) is not a string of 1 to 256 bytes"
	msgNoKeyID    = "the token names no key (kid), and there are several keys"
	msgUnknownKey = "the token is signed with an unknown key"
	msgSignature  = "the token's signature is not valid"
	msgUnreadable = "the token can't be parsed"
	msgPayload    = "the token's payload is not a JSON object with unique claims"
	msgLacks      = "the token lacks one of the claims exp, iss and aud"
	msgWrongType  = "one of the token's claims exp, nbf, iat, iss and aud is of the wrong type"
	msgExpired    = "the token has expired"
	msgNotYet     = "the token is not valid yet"
	msgFuture     = "the token was issued in the future"
	msgIssuer     = "the token has another issuer"
	msgAudience   = "the token is for another audience"
	msgExp        = "the token's claim exp is not a number of seconds from 1970 to the year 9999"
	msgNbf        = "the token's claim nbf is not a number of seconds from 1970 to the year 9999"
	msgIat        = "the token's claim iat is not a number of seconds from 1970 to the year 9999"
	msgRole       = "the token's claim role is not one of reader, editor, admin and operator"
	msgUser       = "the token's claim sub is not a string of 1 to 200 visible characters"
	msgTenant     = "the token's claim tenant is not the id of a tenant, 1 to 32 characters of a-z and 0-9"
	msgSeveral    = "the request has more than one Authorization header"
	msgRequired   = "a bearer token is required"
)
