package dynamo

import (
	"maps"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Meter adds up what calls cost, by the engine's own ConsumedCapacity. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	cost Cost
}

// Cost is what a number of calls cost.
type Cost struct {
	// Calls counts requests by the name of the API's operation. An attempt that failed and was sent again counts once.
	Calls map[string]int
	// Items that were read or written. Keys of the index count as items.
	Items int
	// RCU and WCU are consumed read and write capacity units.
	RCU, WCU float64
}

// NewMeter returns a meter that stands at zero.
func NewMeter() *Meter { return &Meter{cost: Cost{Calls: map[string]int{}}} }

// Cost returns what was added up so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.cost
	c.Calls = maps.Clone(c.Calls)
	return c
}

func (m *Meter) read(call string, items int, consumed ...*types.ConsumedCapacity) {
	m.add(call, items, &m.cost.RCU, consumed)
}

func (m *Meter) write(call string, items int, consumed ...*types.ConsumedCapacity) {
	m.add(call, items, &m.cost.WCU, consumed)
}

func (m *Meter) add(call string, items int, sum *float64, consumed []*types.ConsumedCapacity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.Calls[call]++
	m.cost.Items += items
	*sum += units(consumed...)
}

// pointers turns the batch calls' list into that of the others.
func pointers(consumed []types.ConsumedCapacity) []*types.ConsumedCapacity {
	out := make([]*types.ConsumedCapacity, len(consumed))
	for i := range consumed {
		out[i] = &consumed[i]
	}
	return out
}
