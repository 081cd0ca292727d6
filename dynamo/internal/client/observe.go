package client

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// Call is what became of one call of DynamoDB's API, all its attempts together. Asking for what a batch has left is a call of its own.
type Call struct {
	// Operation is the API's name, such as BatchGetItem.
	Operation string
	// Start is when the first attempt began, and Duration the time until the last one ended, with the pauses between them.
	Start    time.Time
	Duration time.Duration
	// Attempts is how often the request was sent, at least 1; all but the first are retries.
	Attempts int
	// Throttled and Contended are how many attempts the engine refused because there were too many, and because of another transaction.
	Throttled, Contended int
	// Size is the number of keys or items of a batch or transaction, 0 for other operations. Unprocessed is how many of them the engine has left.
	Size, Unprocessed int
	// RCU and WCU are the read and write capacity units that the engine says it took; of attempts that failed it says nothing.
	RCU, WCU float64
	// Code is "" for a call that succeeded. Else it is the API's error code, such as ThrottlingException, of the last attempt; or CallCancelled, or
	// CallUnanswered. That a condition failed is an error here.
	Code string
}

// The codes of calls that end without an answer.
const (
	CallCancelled  = "Cancelled"  // the context ended
	CallUnanswered = "Unanswered" // the connection failed, the attempt took too long, or the answer was none of the API
)

// count notes why an attempt failed.
func (c *Call) count(why reason) {
	switch why {
	case throttled:
		c.Throttled++
	case contended:
		c.Contended++
	}
}

// ended is the call with what its result says.
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

// batchSize is the number of keys or items of a batch or transaction, 0 for other operations.
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
