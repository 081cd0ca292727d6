package client

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/internal/account"
)

type meterKey struct{}

// meterOf returns the meter of a call on items. It returns nil for other calls, which cost nothing.
func meterOf(ctx context.Context) *account.Meter {
	m, _ := ctx.Value(meterKey{}).(*account.Meter)
	return m
}

// used is what the response to a call reports.
type used struct {
	account.Capacity
	// items is the number of items read or written, unprocessed the number of a batch's items that were not
	// processed.
	items, unprocessed int
}

// usedBy extracts it from the response out to the request in.
func usedBy(in, out any) (u used) {
	switch out := out.(type) {
	case *dynamodb.QueryOutput:
		u.RCU, u.items = units(out.ConsumedCapacity), int(out.Count)
	case *dynamodb.ScanOutput:
		u.RCU, u.items = units(out.ConsumedCapacity), int(out.Count)
	case *dynamodb.BatchGetItemOutput:
		u.RCU = units(pointers(out.ConsumedCapacity)...)
		for _, found := range out.Responses {
			u.items += len(found)
		}
		for _, left := range out.UnprocessedKeys {
			u.unprocessed += len(left.Keys)
		}
	case *dynamodb.UpdateItemOutput:
		u.WCU, u.items = units(out.ConsumedCapacity), 1
	case *dynamodb.BatchWriteItemOutput:
		u.WCU = units(pointers(out.ConsumedCapacity)...)
		for _, left := range out.UnprocessedItems {
			u.unprocessed += len(left)
		}
		u.items = batchSize(in) - u.unprocessed
	case *dynamodb.TransactWriteItemsOutput:
		u.WCU, u.items = units(pointers(out.ConsumedCapacity)...), batchSize(in)
	}
	return u
}

func units(consumed ...*types.ConsumedCapacity) (sum float64) {
	for _, c := range consumed {
		if c != nil && c.CapacityUnits != nil {
			sum += *c.CapacityUnits
		}
	}
	return sum
}

// pointers converts the list type of batch calls to that of the others.
func pointers(consumed []types.ConsumedCapacity) []*types.ConsumedCapacity {
	out := make([]*types.ConsumedCapacity, len(consumed))
	for i := range consumed {
		out[i] = &consumed[i]
	}
	return out
}
