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

	"issuegrid/tracker"
)

// retries are the one policy by which requests are sent again, in the place of the SDK's own. That waits for up to a second before the first retry, does
// not send cancelled transactions again, begins pauses that end behind the caller's deadline, and lets a connection that hangs have all the
// time that there is.
//
// Every operation may be sent again after an attempt that may have acted, because nothing that package dynamo sends does harm the second time:
//
//   - A transaction has a token, by which the engine knows it again for 10 minutes.
//   - BatchWriteItem puts and deletes whole items without conditions.
//   - UpdateItem sets what it has set before, and where its condition fails then, that says that it is done. Only ReserveNums adds; numbers that
//     an attempt without an answer has taken are never used.
//   - Of a table that exists already, or is gone, the callers hear that it is so.
type retries struct {
	budget  budget
	observe func(context.Context, Call) // may be nil
}

const (
	// maxRetries bounds how often a request is sent again, and how often a change is made again because somebody else was faster. Where one attempt in
	// five fails, one call in two million is lost.
	maxRetries = 8
	// The pause before a retry is a random part (full jitter) of these, doubled for each retry before it, up to maxPause. After a failure, 10 ms would be
	// enough for single faults; with 25 ms nearly all calls outlast an engine that is away for a second, for 10 ms more of p99 where 5 % fail
	// (docs/benchmarks.md). An engine that throttles wants more time; one that was at another transaction is mostly free at once.
	pauseAfterFailure    = 25 * time.Millisecond
	pauseAfterThrottle   = 50 * time.Millisecond
	pauseAfterContention = 10 * time.Millisecond
	maxPause             = time.Second
)

// reason is why an attempt failed, as far as the next one depends on it.
type reason int

const (
	// refused: it would be again, for a condition, an input, or credentials.
	refused reason = iota
	// failed: there is no answer, or that the engine has failed. It may have acted.
	failed
	// throttled: it is too much for the engine, which has not acted; or an earlier attempt is still under way there.
	throttled
	// contended: another transaction is at the same items, and the engine has not acted.
	contended
	// partial: the engine has done a part of a batch.
	partial
)

// pause is the longest pause before the first retry.
func (why reason) pause() time.Duration {
	switch why {
	case throttled:
		return pauseAfterThrottle
	case contended, partial:
		return pauseAfterContention
	}
	return pauseAfterFailure
}

// attach makes a client's calls follow the policy.
func (r *retries) attach(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("OneRetryPolicy", r.call), middleware.After)
}

// call makes as many attempts as it takes. Its error is the last attempt's, or one of ours where that would not tell all.
func (r *retries) call(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
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
			m.add(did.Operation, u, b.unreported(in.Parameters, err == nil))
		}
		if r.observe != nil {
			r.observe(ctx, did.ended(ctx, in.Parameters, u, err))
		}
	}()
	for {
		did.Attempts++
		var sent bool
		if out, metadata, sent, err = attempt(ctx, in, next); err == nil {
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
				end = Unavailable("the change may have been made; look at it before you try again", err)
			}
			return out, metadata, end
		}
	}
}

// attempt sends a request once, and tells whether it did. Its time is bounded, so that a connection that hangs leaves some for another one.
func attempt(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, sent bool, err error,
) {
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
	out, metadata, err = next.HandleInitialize(context.WithValue(context.WithValue(limited, sentKey{}, &wrote), overKey{}, &over), in)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		err = Unavailable("the database did not answer", err)
	}
	return out, metadata, wrote.Load(), err
}

// sentKey leads to an atomic.Bool that becomes true when a request is sent.
type sentKey struct{}

// overKey leads to an atomic.Bool that becomes true when nobody waits for the call any more.
type overKey struct{}

// patience is how long a request that was cancelled may take to be answered.
const patience = time.Second

// hearOut ends an attempt whose caller's context has ended. At a deadline that is at once. Where somebody has gone away, the engine acts all the same, and
// tells what it took: that is waited for, because else whoever hangs up would pay for nothing but an estimate.
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
	// attemptBase is how long an attempt may take, and attemptPerItem how much longer for each key or item of a batch: many times of what
	// they take on a busy machine.
	attemptBase    = 5 * time.Second
	attemptPerItem = 50 * time.Millisecond
	// minAttempt is how long an attempt may take of what is left until the deadline, also where that is more than half of it.
	minAttempt = time.Second
)

// attemptTime is how long an attempt may take: not more than half of what is left, if that is enough for anything.
func attemptTime(ctx context.Context, in any) time.Duration {
	most := attemptBase + time.Duration(batchSize(in))*attemptPerItem
	if deadline, ok := ctx.Deadline(); ok {
		most = min(most, max(time.Until(deadline)/2, minAttempt))
	}
	return most
}

// again waits before the n-th retry, n from 1, of what failed with err. It returns an error if there is to be none: err itself when there were enough,
// or the budget of the process is spent; Unavailable when the time of ctx is over, or would be before the pause is.
func (r *retries) again(ctx context.Context, n int, why reason, err error) error {
	if n > maxRetries {
		return err
	}
	pause := rand.N(min(why.pause()<<(n-1), maxPause))
	if deadline, ok := ctx.Deadline(); ctx.Err() != nil || ok && time.Until(deadline) <= pause {
		return Unavailable("the request was cancelled or ran out of time", err)
	}
	// Where others are at the same items, or a part is done, the engine is well.
	if why != contended && why != partial && !r.budget.spend() {
		return err
	}
	return Wait(ctx, pause)
}

// rest waits before what an engine has left of a batch is sent again. done is how much it has done, and stuck counts the answers in a row
// with nothing done.
func (r *retries) rest(ctx context.Context, done int, stuck *int) error {
	overloaded := Unavailable("the database is overloaded; try again", nil)
	if done > 0 {
		*stuck = 0
		return r.again(ctx, 1, partial, overloaded)
	}
	*stuck++
	return r.again(ctx, *stuck, throttled, overloaded)
}

// Wait returns after d, or with Unavailable when ctx has ended before.
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

// transient are the failures that the SDK, too, would retry: connections, HTTP 500 to 504, and a clock that it has corrected; throttling is that of its
// codes for it.
var (
	transient  = retry.IsErrorRetryables(retry.DefaultRetryables)
	throttling = retry.IsErrorThrottles(retry.DefaultThrottles)
)

// reasonOf tells why an attempt failed.
func reasonOf(err error) reason {
	if _, ok := errors.AsType[*unreadError](err); ok {
		return refused // it would be too much again, or nobody waits for it
	}
	if _, ok := errors.AsType[*tracker.Error](err); ok { // by attempt
		return failed
	}
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return reasonOfCancelled(cancelled)
	}
	api, ok := errors.AsType[smithy.APIError](err)
	switch {
	case ok && (api.ErrorCode() == "TransactionConflictException" || api.ErrorCode() == "ReplicatedWriteConflictException"):
		return contended
	case throttling.IsErrorThrottle(err).Bool():
		return throttled
	case transient.IsErrorRetryable(err).Bool():
		return failed
	}
	return refused
}

// reasonOfCancelled is the gravest of the reasons that a transaction was cancelled for.
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
