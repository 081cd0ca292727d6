package dynamo

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"issuegrid/tracker"
)

// translate turns what the SDK says into the product's error, once, here.
func translate(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*tracker.Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return unavailable("the request was cancelled or ran out of time", err)
	}
	if _, ok := errors.AsType[*types.ResourceNotFoundException](err); ok {
		return unavailable("the table does not exist; `table create` makes it", err)
	}
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return unavailable("the database did not answer", err)
	}
	switch api.ErrorCode() {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
		"InternalServerError", "ServiceUnavailable", "LimitExceededException":
		return unavailable("the database is overloaded; try again", err)
	case "TransactionInProgressException": // of an earlier attempt, which may yet succeed
		return unavailable("the database is still busy with the same change; look at it before you try again", err)
	case "TransactionConflictException", "ReplicatedWriteConflictException":
		return &tracker.Error{Code: tracker.Conflict, Message: "somebody else is changing the same thing; try again", Cause: err}
	case "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException":
		return unavailable("the database refuses the server's credentials", err)
	}
	return tracker.Internal("the database refused a request", err)
}

func unavailable(message string, cause error) error {
	return &tracker.Error{Code: tracker.Unavailable, Message: message, Cause: cause}
}

// conditionFailed tells whether a write was refused by its condition, and for a transaction which of its items were.
func conditionFailed(err error) (items []int, ok bool) {
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

// throttled tells whether a transaction was refused because some of it exceeds what the table can take at the moment.
func throttled(err error) bool {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	return ok && slices.ContainsFunc(cancelled.CancellationReasons, func(reason types.CancellationReason) bool {
		return reason.Code != nil && (*reason.Code == "ThrottlingError" || *reason.Code == "ProvisionedThroughputExceeded")
	})
}

// conflicting tells whether a transaction was refused because another one was touching the same items at the same moment, because it
// was throttled, or because an earlier attempt of it is still under way, so that sending it again may succeed. The SDK does not retry these.
func conflicting(err error) bool {
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
		for _, reason := range cancelled.CancellationReasons {
			if reason.Code == nil || *reason.Code == "None" {
				continue
			}
			switch *reason.Code {
			case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			default:
				return false
			}
		}
		return true
	}
	if _, ok := errors.AsType[*types.TransactionInProgressException](err); ok {
		return true
	}
	_, ok := errors.AsType[*types.TransactionConflictException](err)
	return ok
}

// unknownOperation tells whether an engine has never heard of an operation.
func unknownOperation(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && (api.ErrorCode() == "UnknownOperationException" || api.ErrorCode() == "UnknownOperation")
}
