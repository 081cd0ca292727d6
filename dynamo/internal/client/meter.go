package client

import (
	"context"
	"maps"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Meter adds up the costs of calls. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	cost Cost
	late func(Cost) // nil until Settle
}

// Cost is the cost of a number of calls.
type Cost struct {
	// Calls counts requests by API operation, including failed ones. A request counts once however often it
	// is retried, and not at all if it was never sent.
	Calls map[string]int
	// Items is the number of items read or written. Keys of the index count as items.
	Items int
	// RCU and WCU are the read and write capacity units that the engine reports.
	RCU, WCU float64
	// Unreported is an estimate of the capacity consumed by calls whose response does not report it: a
	// condition failed, a transaction was cancelled, or the response was lost.
	Unreported Capacity
}

// Capacity is an amount of read and write capacity units.
type Capacity struct{ RCU, WCU float64 }

// All returns the total capacity consumed, reported or not.
func (c Cost) All() Capacity { return Capacity{c.RCU + c.Unreported.RCU, c.WCU + c.Unreported.WCU} }

// NewMeter returns a meter with no costs.
func NewMeter() *Meter { return &Meter{cost: Cost{Calls: map[string]int{}}} }

// Cost returns the costs so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.copied()
}

// Settle returns the costs so far. From then on, the cost of each call that ends is passed to late, in the
// call's goroutine. Calls can outlast their operation if its client has disconnected or if several operations
// share a read.
func (m *Meter) Settle(late func(Cost)) Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.late = late
	return m.copied()
}

func (m *Meter) copied() Cost {
	c := m.cost
	c.Calls = maps.Clone(c.Calls)
	return c
}

// add records a call.
func (m *Meter) add(call string, u used, unreported Capacity) {
	m.mu.Lock()
	m.cost.Calls[call]++
	m.cost.Items += u.items
	m.cost.RCU += u.RCU
	m.cost.WCU += u.WCU
	m.cost.Unreported.RCU += unreported.RCU
	m.cost.Unreported.WCU += unreported.WCU
	late := m.late
	m.mu.Unlock()
	if late != nil {
		late(Cost{Calls: map[string]int{call: 1}, Items: u.items, RCU: u.RCU, WCU: u.WCU,
			Unreported: unreported})
	}
}

type meterKey struct{}

// meterOf returns the meter of a call on items. It returns nil for other calls, which cost nothing.
func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// used is what the response to a call reports.
type used struct {
	Capacity
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
