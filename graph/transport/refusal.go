package transport

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/tracker"
)

// refusal is the HTTP status of an operation that was not run.
type refusal struct {
	refused bool
	status  int // 0 for the usual status of a request error
	after   time.Duration
}

// busyBy returns the refusal of a request that the server has no capacity for, or nil if err is another
// error.
func busyBy(err error) *refusal {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.Unavailable {
		return nil
	}
	return &refusal{refused: true, status: http.StatusServiceUnavailable, after: e.RetryAfter}
}

type refusalKey struct{}

// NotRun records that the operation of the context is not run, the HTTP status if it is not 0, and the time
// after which the client should retry.
func NotRun(ctx context.Context, status int, after time.Duration) {
	if r, ok := ctx.Value(refusalKey{}).(*refusal); ok {
		*r = refusal{refused: true, status: status, after: after}
	}
}

// respond sends the error response.
func (r *refusal) respond(w http.ResponseWriter, usual int, errs gqlerror.List) {
	if r.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(r.after.Seconds()))))
	}
	status := r.status
	if status == 0 {
		status = usual
	}
	refuse(w, status, errs)
}
