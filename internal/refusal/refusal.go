// Package refusal writes the HTTP responses to requests that are not executed: one form, one table of
// statuses and one rule about Retry-After for GraphQL, files, sign-in, and a server that starts or stops.
package refusal

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/tracker"
)

// statuses are the HTTP statuses of error codes. That of any other code is 500.
var statuses = map[tracker.Code]int{tracker.BadInput: http.StatusBadRequest,
	tracker.Unauthenticated: http.StatusUnauthorized, tracker.Forbidden: http.StatusForbidden,
	tracker.NotFound: http.StatusNotFound, tracker.Conflict: http.StatusConflict,
	tracker.RateLimited: http.StatusTooManyRequests, tracker.Unavailable: http.StatusServiceUnavailable}

// Status returns the HTTP status of an error code.
func Status(code tracker.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Code returns the code of an error of a response.
func Code(e *gqlerror.Error) tracker.Code {
	code, _ := e.Extensions["code"].(tracker.Code)
	return code
}

// List returns an error as the errors of a response.
func List(e *tracker.Error) gqlerror.List {
	return gqlerror.List{{Message: e.Message, Extensions: map[string]any{"code": e.Code}}}
}

// Write sends errors with the status of the first of them. A positive time after which the client may retry
// becomes Retry-After, in seconds, rounded up.
func Write(w http.ResponseWriter, errs gqlerror.List, after time.Duration) {
	WriteStatus(w, Status(Code(errs[0])), errs, after)
}

// WriteError sends one error, with its status and its RetryAfter.
func WriteError(w http.ResponseWriter, e *tracker.Error) { Write(w, List(e), e.RetryAfter) }

// WriteStatus is Write with a given status. The body has the form of a GraphQL response without data, so that
// clients handle all errors in one way. Without a Content-Type in the headers, it is application/json.
func WriteStatus(w http.ResponseWriter, status int, errs gqlerror.List, after time.Duration) {
	body, err := json.Marshal(struct {
		Errors gqlerror.List `json:"errors"`
	}{errs})
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"errors":[{"message":"internal error"}]}`)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
	w.WriteHeader(status)
	w.Write(body)
}
