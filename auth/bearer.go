package auth

import (
	"errors"
	"net/http"
	"strings"

	"issuegrid/tracker"
)

// errNoToken is the cause of the error when a request has no token, of which Challenge tells less.
var errNoToken = errors.New("there is no header Authorization with a bearer token")

// FromHeader tells who makes a request, by its header "Authorization: Bearer TOKEN" and nothing else: a token in the URL would end up in logs. Errors
// are those of Verify; a request without a bearer token has one of its own, and so has one with several Authorization headers, of which a proxy may
// have looked at another.
func (v *Verifier) FromHeader(r *http.Request) (tracker.Principal, error) {
	if len(r.Header.Values("Authorization")) > 1 {
		return tracker.Principal{}, refuse("the request has more than one Authorization header")
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") { // RFC 9110 (11.1): in any case
		return tracker.Principal{}, &tracker.Error{Code: tracker.Unauthenticated, Message: "a bearer token is required", Cause: errNoToken}
	}
	return v.Verify(r.Context(), strings.TrimLeft(token, " ")) // RFC 6750 (2.1): one space; RFC 9110 (11.4): one or more
}

// Challenge is the header WWW-Authenticate of a response with the status 401 (RFC 6750, 3). It has a reason only when a token was sent: to whoever
// sent none there is nothing to say.
func Challenge(err error) string {
	const challenge = `Bearer realm="issuegrid"`
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.Unauthenticated || errors.Is(err, errNoToken) {
		return challenge
	}
	return challenge + `, error="invalid_token", error_description="` + strings.Map(describable, e.Message) + `"`
}

// describable replaces what may not stand in an error_description.
func describable(r rune) rune {
	if r < ' ' || r > '~' || r == '"' || r == '\\' {
		return '?'
	}
	return r
}
