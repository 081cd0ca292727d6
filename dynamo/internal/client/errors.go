package client

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"issuegrid/tracker"
)

// Translate converts an error of the SDK to one of package tracker. It must be the only place that does.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*tracker.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable("the request was canceled or timed out", err)
	}
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		return notSetUp("the table does not exist; `table create` creates it", err)
	}
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return translateCancelled(cancelled)
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return Unavailable("the database did not respond", err)
	}
	switch api.ErrorCode() {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
		"InternalServerError", "ServiceUnavailable", "LimitExceededException":
		return Unavailable("the database is overloaded; try again", err)
	case "TransactionInProgressException": // an earlier attempt may still succeed
		return Unavailable("the database is still processing the same change; check it before you try "+
			"again",
			err)
	case "TransactionConflictException", "ReplicatedWriteConflictException":
		return &tracker.Error{Code: tracker.Conflict,
			Message: "another request is changing the same item; try again", Cause: err}
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException",
		"ExpiredTokenException":
		return notSetUp("the database refuses the server's credentials", err)
	}
	return tracker.Internal("the database refused a request", err)
}

// translateCancelled converts the error of a cancelled transaction.
func translateCancelled(cancelled *types.TransactionCanceledException) error {
	switch reasonOfCancelled(cancelled) {
	case throttled:
		return Unavailable("the database is overloaded; try again", cancelled)
	case contended:
		return &tracker.Error{Code: tracker.Conflict,
			Message: "too many requests are changing the same item; try again", Cause: cancelled}
	}
	return tracker.Internal("the database cancelled a transaction", cancelled)
}

// Unavailable returns an error for an operation that may succeed if repeated.
func Unavailable(message string, cause error) error {
	return &tracker.Error{Code: tracker.Unavailable, Message: message, Cause: cause}
}

// SetupError reports that the table cannot be used until the operator has corrected the setup. It is the
// cause of an error whose message gives clients no details; the log and the commands show them.
type SetupError struct {
	Message string
	Cause   error
}

func (e *SetupError) Error() string { return e.Message + ": " + e.Cause.Error() }

// Unwrap returns the SDK's error.
func (e *SetupError) Unwrap() error { return e.Cause }

func notSetUp(message string, cause error) error {
	return Unavailable("the database is unavailable; try again later",
		&SetupError{message, cause})
}

// ConditionFailed reports whether a write failed because of its condition, and for a transaction which of its
// items did.
func ConditionFailed(err error) (items []int, ok bool) {
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return []int{0}, true
	}
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return nil, false
	}
	for i, reason := range cancelled.CancellationReasons {
		if reason.Code != nil && *reason.Code == "ConditionalCheckFailed" {
			items = append(items, i)
		}
	}
	return items, len(items) > 0
}

// UnknownOperation reports whether the engine does not support an operation.
func UnknownOperation(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && (api.ErrorCode() == "UnknownOperationException" || api.ErrorCode() == "UnknownOperation")
}
