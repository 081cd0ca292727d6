package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// retries is the retry policy. It replaces the SDK's, which waits for up to a second before the first retry,
// does not retry cancelled transactions, begins pauses that end after the caller's deadline, and lets a
// connection that hangs use all the remaining time.
//
// Every operation may be retried even if an earlier attempt may have acted, because all requests of package
// dynamo can safely be repeated:
//
// - A transaction has a token by which the engine recognizes it for 10 minutes.
//   - BatchWriteItem puts and deletes whole items without conditions.
//   - UpdateItem sets the same values again; if its condition then fails, the update has already been made.
//     Only ReserveNums adds; numbers reserved by an attempt without a response are never used.
//   - Creating a table that exists, or deleting one that does not, returns an error that the callers handle.
type retries struct {
	budget  budget
	observe func(context.Context, Call)                                            // may be nil
	turn    func(ctx context.Context, t tracker.TenantID) (done func(), err error) // may be nil
}

const (
	// maxRetries limits how often a request is retried, and how often a change is repeated because of
	// concurrent changes. If one attempt in five fails, one call in two million fails.
	maxRetries = 8
	// The pause before a retry is random (full jitter) up to these durations, doubled for each previous
	// retry, and at most maxPause. After a failure, 10 ms would do for single faults; with 25 ms nearly all
	// calls survive an engine that is unavailable for a second, at the price of 10 ms more p99 if 5 % fail
	// (docs/benchmarks.md). A throttling engine needs more time. After a conflict the item is usually free at
	// once.
	pauseAfterFailure    = 25 * time.Millisecond
	pauseAfterThrottle   = 50 * time.Millisecond
	pauseAfterContention = 10 * time.Millisecond
	maxPause             = time.Second
)

// reason is why an attempt failed, as far as it matters for a retry.
type reason int

const (
	// refused: a retry would fail again, because of a condition, the input, or credentials.
	refused reason = iota
	// failed: there is no response, or the engine has failed. It may have acted.
	failed
	// throttled: the engine is overloaded and has not acted, or an earlier attempt is still in progress.
	throttled
	// contended: another transaction uses the same items, and the engine has not acted.
	contended
	// partial: the engine has processed part of a batch.
	partial
)

// pause returns the maximum pause before the first retry.
func (why reason) pause() time.Duration {
	switch why {
	case throttled:
		return pauseAfterThrottle
	case contended, partial:
		return pauseAfterContention
	}
	return pauseAfterFailure
}

// attach adds the policy to a client's middleware.
func (r *retries) attach(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("OneRetryPolicy", r.call),
		middleware.After)
}

// call makes the necessary attempts. It returns the error of the last attempt, or one of its own if that
// would be incomplete.
func (r *retries) call(ctx context.Context, in middleware.InitializeInput,
	next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	did := Call{Operation: middleware.GetOperationName(ctx)}
	if r.observe != nil {
		did.Start = time.Now()
	}
	var b bill
	defer func() {
		var u used
		if err == nil {
			u = usedBy(in.Parameters, out.Result)
		} else if unread, ok := errors.AsType[*unreadError](err); ok {
			u.Capacity = unread.reported
		}
		if m := meterOf(ctx); m != nil && b.sent {
			m.Add(account.Cost{Calls: map[string]int{did.Operation: 1}, Items: u.items,
				RCU: u.RCU, WCU: u.WCU, Unreported: b.unreported(in.Parameters, err == nil)})
		}
		if r.observe != nil {
			r.observe(ctx, did.ended(ctx, in.Parameters, u, err))
		}
	}()
	for {
		if end := checked(ctx, did.Operation, b.unsure); end != nil {
			err = end
			return out, metadata, err
		}
		done, end := r.begin(ctx, b.unsure)
		if end != nil {
			return out, metadata, end
		}
		did.Attempts++
		var sent bool
		if out, metadata, sent, err = attempt(ctx, in, next, done); err == nil {
			b.sent = true
			r.budget.earn()
			return out, metadata, nil
		}
		why := reasonOf(err)
		did.count(why)
		b.attempt(sent, why, err)
		if why == refused {
			return out, metadata, err
		}
		if end := r.again(ctx, did.Attempts, why, err); end != nil {
			if b.unsure && why == contended {
				end = Unavailable("the change may have been written; check it before you try again", err)
			}
			return out, metadata, end
		}
	}
}

// beforeKey is the context key of the function given to BeforeWrites.
type beforeKey struct{}

// BeforeWrites returns a context in which check is called before each attempt of a TransactWriteItems or
// BatchWriteItem call. If check returns an error, there are no more attempts, and the call returns the error,
// or Unavailable if an earlier attempt may have acted. A nil check cancels an earlier BeforeWrites.
func BeforeWrites(ctx context.Context, check func(context.Context) error) context.Context {
	return context.WithValue(ctx, beforeKey{}, check)
}

// checked calls the function given to BeforeWrites, if the operation writes items.
func checked(ctx context.Context, operation string, unsure bool) error {
	check, _ := ctx.Value(beforeKey{}).(func(context.Context) error)
	if check == nil || operation != "TransactWriteItems" && operation != "BatchWriteItem" {
		return nil
	}
	err := check(ctx)
	if err != nil && unsure {
		return Unavailable("the change may have been written; check it before you try again", err)
	}
	return err
}

// begin waits for the turn of the tenant of a call.
func (r *retries) begin(ctx context.Context, unsure bool) (done func(), err error) {
	t, confined := ctx.Value(confinedKey{}).(tracker.TenantID)
	if r.turn == nil || !confined {
		return func() {}, nil
	}
	if done, err = r.turn(ctx, t); err != nil && unsure {
		err = Unavailable("the change may have been written; check it before you try again", err)
	}
	return done, err
}

// attempt sends a request once and reports whether it was sent. Its time is limited so that a connection that
// hangs leaves time for another attempt. It calls done at its end.
func attempt(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	done func()) (out middleware.InitializeOutput, metadata middleware.Metadata, sent bool, err error) {
	defer done()
	if ctx.Err() != nil {
		return out, metadata, false, &smithy.CanceledError{Err: ctx.Err()}
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), attemptTime(ctx, in.Parameters))
	defer cancel()
	var wrote, over atomic.Bool
	defer context.AfterFunc(ctx, func() {
		over.Store(true)
		hearOut(ctx, limited, cancel)
	})()
	out, metadata, err = next.HandleInitialize(
		context.WithValue(context.WithValue(limited, sentKey{}, &wrote), overKey{}, &over), in)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = Unavailable("the database did not respond", err)
	}
	return out, metadata, wrote.Load(), err
}

// sentKey is the context key of an atomic.Bool that becomes true when a request is sent.
type sentKey struct{}

// overKey is the context key of an atomic.Bool that becomes true when the caller no longer waits for the
// call.
type overKey struct{}

// patience is how long to wait for the response to a cancelled request.
const patience = time.Second

// hearOut ends an attempt after the caller's context has ended: immediately at a deadline, but if the caller
// has cancelled, only after patience. The engine acts anyway, and its response reports the consumed capacity,
// so that clients that disconnect are charged exactly.
func hearOut(ctx, attempt context.Context, end context.CancelFunc) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-attempt.Done():
		case <-timer.C:
		}
	}
	end()
}

const (
	// attemptBase is the time limit of an attempt, and attemptPerItem is added for each key or item of a
	// batch. They are many times the usual durations on a busy machine.
	attemptBase    = 5 * time.Second
	attemptPerItem = 50 * time.Millisecond
	// minAttempt is the minimum time limit of an attempt, even if it is more than half of the time until the
	// deadline.
	minAttempt = time.Second
)

// attemptTime returns the time limit of an attempt: at most half of the remaining time, but at least
// minAttempt.
func attemptTime(ctx context.Context, in any) time.Duration {
	most := attemptBase + time.Duration(batchSize(in))*attemptPerItem
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, max(time.Until(deadline)/2, minAttempt))
	}
	return most
}

// again waits before the nth retry, n from 1, after err. It returns an error if there must be no retry: err
// if the maximum is reached or the process's budget is spent, Unavailable if ctx has ended or would end
// during the pause.
func (r *retries) again(ctx context.Context, n int, why reason, err error) error {
	if n > maxRetries {
		return err
	}
	pause := rand.N(min(why.pause()<<(n-1), maxPause))
	if deadline, ok := ctx.Deadline(); ctx.Err() != nil || ok && time.Until(deadline) <= pause {
		return Unavailable("the request was canceled or timed out", err)
	}
	// After a conflict or a partial batch, the engine is healthy.
	if why != contended && why != partial && !r.budget.spend() {
		return err
	}
	return Wait(ctx, pause)
}

// rest waits before the unprocessed rest of a batch is sent again. done is the number of items processed, and
// stuck counts consecutive responses without any.
func (r *retries) rest(ctx context.Context, done int, stuck *int) error {
	overloaded := Unavailable("the database is overloaded; try again", nil)
	if done > 0 {
		*stuck = 0
		return r.again(ctx, 1, partial, overloaded)
	}
	*stuck++
	return r.again(ctx, *stuck, throttled, overloaded)
}

// Wait waits for d. It returns Unavailable if ctx ends first.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return Translate(ctx.Err())
	case <-timer.C:
		return nil
	}
}

// transient are the failures that the SDK also retries: failed connections, HTTP status 500 to 504, and a
// corrected clock skew. The codes for throttling are the SDK's.
var (
	transient  = retry.IsErrorRetryables(retry.DefaultRetryables)
	throttling = retry.IsErrorThrottles(retry.DefaultThrottles)
)

// reasonOf returns why an attempt failed.
func reasonOf(err error) reason {
	if _, ok := errors.AsType[*unreadError](err); ok {
		return refused // it would be too large again, or the caller no longer waits
	}
	if _, ok := errors.AsType[*tracker.Error](err); ok { // made by attempt
		return failed
	}
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return reasonOfCancelled(cancelled)
	}
	api, ok := errors.AsType[smithy.APIError](err)
	switch {
	case ok && (api.ErrorCode() == "TransactionConflictException" ||
		api.ErrorCode() == "ReplicatedWriteConflictException"):
		return contended
	case throttling.IsErrorThrottle(err).Bool():
		return throttled
	case transient.IsErrorRetryable(err).Bool():
		return failed
	}
	return refused
}

// reasonOfCancelled returns the most severe reason for which a transaction was cancelled.
func reasonOfCancelled(cancelled *types.TransactionCanceledException) reason {
	why := refused
	for _, reason := range cancelled.CancellationReasons {
		code := "None"
		if reason.Code != nil {
			code = *reason.Code
		}
		switch code {
		case "None":
		case "TransactionConflict":
			if why != throttled {
				why = contended
			}
		case "ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded":
			why = throttled
		default:
			return refused
		}
	}
	return why
}
