package transport

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/internal/refusal"
	"issuegrid/tracker"
)

// notRun is the HTTP status of an operation that was not run.
type notRun struct {
	refused bool
	status  int // 0 for the usual status of a request error
	after   time.Duration
}

// busyBy returns the status of a request that the server has no capacity for, or nil if err is another
// error.
func busyBy(err error) *notRun {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.Unavailable {
		return nil
	}
	return &notRun{refused: true, status: http.StatusServiceUnavailable, after: e.RetryAfter}
}

type notRunKey struct{}

// NotRun records that the operation of the context is not run, the HTTP status if it is not 0, and the time
// after which the client should retry.
func NotRun(ctx context.Context, status int, after time.Duration) {
	if r, ok := ctx.Value(notRunKey{}).(*notRun); ok {
		*r = notRun{refused: true, status: status, after: after}
	}
}

// respond sends the error response.
func (r *notRun) respond(w http.ResponseWriter, usual int, errs gqlerror.List) {
	refusal.WriteStatus(w, cmp.Or(r.status, usual), errs, r.after)
}
