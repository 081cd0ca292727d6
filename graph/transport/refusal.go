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

// refusal is what HTTP has to know of an operation that was not run.
type refusal struct {
	refused bool
	status  int // 0 is that of any request that can't be executed
	after   time.Duration
}

// busyBy is the refusal of a request for which the server has no room at the moment; nil for another error.
func busyBy(err error) *refusal {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code != tracker.Unavailable {
		return nil
	}
	return &refusal{refused: true, status: http.StatusServiceUnavailable, after: e.RetryAfter}
}

type refusalKey struct{}

// NotRun tells the transport that the operation of the context does not run, with an HTTP status if it is not 0, and
// after how long it is worth trying again.
func NotRun(ctx context.Context, status int, after time.Duration) {
	if r, ok := ctx.Value(refusalKey{}).(*refusal); ok {
		*r = refusal{refused: true, status: status, after: after}
	}
}

// answer refuses the request.
func (r *refusal) answer(w http.ResponseWriter, usual int, errs gqlerror.List) {
	if r.after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(r.after.Seconds()))))
	}
	status := r.status
	if status == 0 {
		status = usual
	}
	refuse(w, status, errs)
}
