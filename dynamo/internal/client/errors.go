package client

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"issuegrid/tracker"
)

// Translate turns what the SDK says into the product's error, once, here.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*tracker.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unavailable("the request was cancelled or ran out of time", err)
	}
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		return notSetUp("the table does not exist; `table create` makes it", err)
	}
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		return translateCancelled(cancelled)
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return Unavailable("the database did not answer", err)
	}
	switch api.ErrorCode() {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
		"InternalServerError", "ServiceUnavailable", "LimitExceededException":
		return Unavailable("the database is overloaded; try again", err)
	case "TransactionInProgressException": // of an earlier attempt, which may yet succeed
		return Unavailable("the database is still busy with the same change; look at it before you try again", err)
	case "TransactionConflictException", "ReplicatedWriteConflictException":
		return &tracker.Error{Code: tracker.Conflict, Message: "somebody else is changing the same thing; try again", Cause: err}
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException":
		return notSetUp("the database refuses the server's credentials", err)
	}
	return tracker.Internal("the database refused a request", err)
}

// translateCancelled does so with a transaction that was not made.
func translateCancelled(cancelled *types.TransactionCanceledException) error {
	switch reasonOfCancelled(cancelled) {
	case throttled:
		return Unavailable("the database is overloaded; try again", cancelled)
	case contended:
		return &tracker.Error{Code: tracker.Conflict, Message: "too many others are changing the same thing; try again", Cause: cancelled}
	}
	return tracker.Internal("the database cancelled a transaction", cancelled)
}

// Unavailable is the error of what may succeed when it is tried again.
func Unavailable(message string, cause error) error {
	return &tracker.Error{Code: tracker.Unavailable, Message: message, Cause: cause}
}

// SetupError is why the table can't be used before whoever runs the server has mended something. It is the cause of an error that tells clients no more
// than that it can't; the log and the commands tell why.
type SetupError struct {
	Message string
	Cause   error
}

func (e *SetupError) Error() string { return e.Message + ": " + e.Cause.Error() }

// Unwrap returns what the SDK has said.
func (e *SetupError) Unwrap() error { return e.Cause }

func notSetUp(message string, cause error) error {
	return Unavailable("the database can't be used at the moment; try again later", &SetupError{message, cause})
}

// ConditionFailed reports whether a write was refused by its condition, and for a transaction which of its items were.
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

// UnknownOperation reports whether an engine has never heard of an operation.
func UnknownOperation(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && (api.ErrorCode() == "UnknownOperationException" || api.ErrorCode() == "UnknownOperation")
}
