package client

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// Call is the result of one call of DynamoDB's API with all its attempts. A request for the unprocessed rest
// of a batch is a call of its own.
type Call struct {
	// Operation is the name of the API operation, such as BatchGetItem.
	Operation string
	// Start is the beginning of the first attempt. Duration is the time until the end of the last one,
	// including pauses.
	Start    time.Time
	Duration time.Duration
	// Attempts is the number of times the request was sent, at least 1.
	Attempts int
	// Throttled and Contended are the numbers of attempts that were rejected because of throttling and
	// because of another transaction.
	Throttled, Contended int
	// Size is the number of keys or items of a batch or transaction, 0 for other operations. Unprocessed is
	// the number of those that were not processed.
	Size, Unprocessed int
	// RCU and WCU are the capacity units that the engine reports. Failed attempts report none.
	RCU, WCU float64
	// Code is "" for a successful call. Otherwise it is the API's error code of the last attempt, such as
	// ThrottlingException, or CallCancelled or CallUnanswered. A failed condition counts as an error.
	Code string
}

// Codes of calls that end without a response.
const (
	CallCancelled = "Cancelled" // the context ended
	// the connection failed, the attempt timed out, or the response was not one of the API
	CallUnanswered = "Unanswered"
)

// count records why an attempt failed.
func (c *Call) count(why reason) {
	switch why {
	case throttled:
		c.Throttled++
	case contended:
		c.Contended++
	}
}

// ended returns the call completed with its result.
func (c Call) ended(ctx context.Context, in any, u used, err error) Call {
	c.Duration = time.Since(c.Start)
	c.Size = batchSize(in)
	c.RCU, c.WCU, c.Unprocessed = u.RCU, u.WCU, u.unprocessed
	if err != nil {
		c.Code = CallUnanswered
		if api, ok := errors.AsType[smithy.APIError](err); ok {
			c.Code = api.ErrorCode()
		} else if ctx.Err() != nil {
			c.Code = CallCancelled
		}
	}
	return c
}

// batchSize returns the number of keys or items of a batch or transaction, 0 for other operations.
func batchSize(in any) (n int) {
	switch in := in.(type) {
	case *dynamodb.BatchGetItemInput:
		for _, ask := range in.RequestItems {
			n += len(ask.Keys)
		}
	case *dynamodb.BatchWriteItemInput:
		for _, all := range in.RequestItems {
			n += len(all)
		}
	case *dynamodb.TransactWriteItemsInput:
		n = len(in.TransactItems)
	}
	return n
}
