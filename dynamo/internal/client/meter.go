package client

import (
	"context"
	"maps"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Meter adds up what calls cost. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	cost Cost
	late func(Cost) // nil until Settle
}

// Cost is what a number of calls cost.
type Cost struct {
	// Calls counts requests by the name of the API's operation, whether or not they succeeded. A request that was sent again after a failed attempt counts once;
	// one that was never sent does not.
	Calls map[string]int
	// Items that were read or written. Keys of the index count as items.
	Items int
	// RCU and WCU are consumed read and write capacity units, as the engine reports them.
	RCU, WCU float64
	// Unreported is an estimate of what the engine took besides, for calls whose answer does not tell: a condition failed, a transaction was cancelled, or
	// there was no answer.
	Unreported Capacity
}

// Capacity is an amount of read and write capacity units.
type Capacity struct{ RCU, WCU float64 }

// All is what the engine took, reported or not.
func (c Cost) All() Capacity { return Capacity{c.RCU + c.Unreported.RCU, c.WCU + c.Unreported.WCU} }

// NewMeter returns a meter that stands at zero.
func NewMeter() *Meter { return &Meter{cost: Cost{Calls: map[string]int{}}} }

// Cost returns what was added up so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.copied()
}

// Settle returns what was added up so far, and calls late with what each call cost that ends after it, in the call's goroutine: where a client has gone, or
// several wait for one read, calls outlast what they were made for.
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

// add counts a call.
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
		late(Cost{Calls: map[string]int{call: 1}, Items: u.items, RCU: u.RCU, WCU: u.WCU, Unreported: unreported})
	}
}

type meterKey struct{}

// meterOf is the meter of a call on items; nil of others, which cost nothing.
func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// used is what the answer to a call tells.
type used struct {
	Capacity
	// items were read or written; unprocessed is how many of a batch the engine has left.
	items, unprocessed int
}

// usedBy reads it from the answer out to the request in.
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

// pointers turns the batch calls' list into that of the others.
func pointers(consumed []types.ConsumedCapacity) []*types.ConsumedCapacity {
	out := make([]*types.ConsumedCapacity, len(consumed))
	for i := range consumed {
		out[i] = &consumed[i]
	}
	return out
}
