package telemetry

import (
	"crypto/rand"
	"net/http"
)

const (
	// RequestIDHeader is the header with the request id, in requests and in all responses.
	RequestIDHeader = "X-Request-Id"
	// maxRequestID is the maximum length of a client's request id.
	maxRequestID = 64
)

// requestID returns the client's request id if it is 1 to 64 characters of [A-Za-z0-9._-], and else a new one
// of 26 characters.
func requestID(r *http.Request) string {
	given := r.Header.Values(RequestIDHeader)
	if len(given) == 1 && validRequestID(given[0]) {
		return given[0]
	}
	return rand.Text()
}

func validRequestID(s string) bool {
	if len(s) < 1 || len(s) > maxRequestID {
		return false
	}
	for _, c := range []byte(s) {
		if !alphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
