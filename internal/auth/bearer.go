package auth

import (
	"errors"
	"net/http"
	"strings"

	"issuegrid/tracker"
)

// errNoToken is the cause of the error for a request without a token. Challenge then gives no reason.
var errNoToken = errors.New("the request has no Authorization header with a bearer token")

// FromHeader returns the caller of a request from its header "Authorization: Bearer TOKEN". It ignores tokens
// elsewhere, because a token in a URL would end up in logs. Errors are those of Verify, and two more: for a
// request without a bearer token, and for one with several Authorization headers, because a proxy may have
// read a different one.
func (v *Verifier) FromHeader(r *http.Request) (tracker.Principal, error) {
	if len(r.Header.Values("Authorization")) > 1 {
		return tracker.Principal{}, refuse("the request has more than one Authorization header")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") { // RFC 9110 (11.1): case-insensitive
		return tracker.Principal{}, &tracker.Error{Code: tracker.Unauthenticated,
			Message: "a bearer token is required", Cause: errNoToken}
	}
	// RFC 6750 (2.1): one space; RFC 9110 (11.4): one or more
	return v.Verify(r.Context(), strings.TrimLeft(token, " "))
}

// Challenge returns the WWW-Authenticate header of a response with status 401 (RFC 6750, 3). It contains a
// reason only if the request had a token.
func Challenge(err error) string {
	const challenge = `Bearer realm="issuegrid"`
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.Unauthenticated || errors.Is(err, errNoToken) {
		return challenge
	}
	return challenge + `, error="invalid_token", error_description="` + strings.Map(describable, e.Message) +
		`"`
}

// describable replaces characters that an error_description must not contain.
func describable(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return '?'
	}
	return r
}
