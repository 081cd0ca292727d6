package telemetry

import (
	"context"
	"net/http"
	"slices"

	"issuegrid/tracker"
)

// maxOperationName is the longest operation name that is recorded, in bytes.
const maxOperationName = 100

// Request collects what is recorded about one HTTP request. Its methods are called by the goroutine that
// handles the request. On a nil *Request they do nothing.
type Request struct {
	// ID is the client's own request id, or a generated one.
	ID string

	tenant   tracker.TenantID
	refused  string
	expected bool
	answer   Response
}

// Response summarizes the response of an operation.
type Response struct {
	Operation, Name string
	Codes           []tracker.Code
	Calls           int
	RCU, WCU        float64
}

type requestKey struct{}

// From returns the request that ctx belongs to, or nil.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// SetTenant records the tenant of the caller.
func (r *Request) SetTenant(tenant tracker.TenantID) {
	if r != nil {
		r.tenant = tenant
	}
}

// SetRefusal records why the caller was not authenticated. The reason must be a constant of the program,
// without anything that was sent (O1).
func (r *Request) SetRefusal(reason string) {
	if r != nil {
		r.refused = reason
	}
}

// SetExpected records that the outcome is normal, whatever its status.
func (r *Request) SetExpected() {
	if r != nil {
		r.expected = true
	}
}

// SetResponse records the response.
func (r *Request) SetResponse(a Response) {
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

// validName reports whether s is a GraphQL name of at most maxOperationName bytes.
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

// otherCode stands for codes that the product does not define.
const otherCode tracker.Code = "other"

// codes are the codes by which errors are counted.
var codes = []tracker.Code{tracker.BadInput, tracker.NotFound, tracker.Conflict, tracker.Unauthenticated,
	tracker.Forbidden, tracker.RateLimited, tracker.Unavailable,
	tracker.InternalErr, "PERSISTED_QUERY_NOT_FOUND", otherCode}

// codeOf returns the code of a request that was rejected with an HTTP status before GraphQL saw it.
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
