package telemetry

import (
	"context"
	"net/http"
	"slices"

	"issuegrid/tracker"
)

// maxOperationName is the longest name of an operation that is told.
const maxOperationName = 100

// Request is what there is to tell of one HTTP request. Its methods are called by the goroutine that answers
// it, and do nothing to a nil one.
type Request struct {
	// ID is the client's own, or was made.
	ID string

	tenant   tracker.TenantID
	refused  string
	expected bool
	answer   Answer
}

// Answer is what GraphQL tells of its answer, as graph.Answer, without what is of no use here.
type Answer struct {
	Operation, Name string
	Codes           []tracker.Code
	Calls           int
	RCU, WCU        float64
}

type requestKey struct{}

// From returns the request whose context ctx is; nil outside of one.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// For notes the tenant of who asks.
func (r *Request) For(tenant tracker.TenantID) {
	if r != nil {
		r.tenant = tenant
	}
}

// Refused notes why who asks is not let in. The reason must be a sentence of the code's own, with nothing in
// it that was sent (O1).
func (r *Request) Refused(reason string) {
	if r != nil {
		r.refused = reason
	}
}

// Expected notes that nothing is wrong, whatever the status says.
func (r *Request) Expected() {
	if r != nil {
		r.expected = true
	}
}

// Answered notes the answer.
func (r *Request) Answered(a Answer) {
	if r == nil {
		return
	}
	if a.Operation != queryType && a.Operation != mutationType {
		a.Operation = ""
	}
	if !validName(a.Name) {
		a.Name = ""
	}
	for i, code := range a.Codes {
		if !slices.Contains(codes, code) {
			a.Codes[i] = otherCode
		}
	}
	r.answer = a
}

// validName tells that a name is one of GraphQL, and not too long.
func validName(s string) bool {
	if s == "" || len(s) > maxOperationName || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	for _, c := range []byte(s) {
		if !alphanumeric(c) && c != '_' {
			return false
		}
	}
	return true
}

// otherCode is that of an error whose code is none of the product's.
const otherCode tracker.Code = "other"

// codes are those that errors are counted by.
var codes = []tracker.Code{tracker.BadInput, tracker.NotFound, tracker.Conflict, tracker.Unauthenticated,
	tracker.Forbidden, tracker.RateLimited, tracker.Unavailable,
	tracker.InternalErr, "PERSISTED_QUERY_NOT_FOUND", otherCode}

// codeOf is the code of a request that was refused by its HTTP status alone, before GraphQL had looked at it.
func codeOf(status int) tracker.Code {
	switch {
	case status < http.StatusBadRequest || status == statusGone:
		return ""
	case status == http.StatusUnauthorized:
		return tracker.Unauthenticated
	case status == http.StatusForbidden:
		return tracker.Forbidden
	case status == http.StatusNotFound:
		return tracker.NotFound
	case status == http.StatusTooManyRequests:
		return tracker.RateLimited
	case status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout:
		return tracker.Unavailable
	case status >= http.StatusInternalServerError:
		return tracker.InternalErr
	}
	return tracker.BadInput
}
