package account

import (
	"maps"
	"sync"
)

// Meter adds up the costs of calls. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	cost Cost
	late func(Cost) // nil until Settle
}

// Cost is the cost of a number of calls of DynamoDB. Its JSON is extensions.cost of a response.
type Cost struct {
	// Calls counts requests by API operation, including failed ones. A request counts once however often it
	// is retried, and not at all if it was never sent.
	Calls map[string]int `json:"calls"`
	// Items is the number of items read or written. Keys of the index count as items.
	Items int `json:"items"`
	// RCU and WCU are the read and write capacity units that the engine reports.
	RCU float64 `json:"rcu"`
	WCU float64 `json:"wcu"`
	// Unreported is an estimate of the capacity consumed by calls whose response does not report it: a
	// condition failed, a transaction was cancelled, or the response was lost.
	Unreported Capacity `json:"-"`
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

// Add counts the cost of calls.
func (m *Meter) Add(c Cost) {
	m.mu.Lock()
	m.cost.Add(c)
	late := m.late
	m.mu.Unlock()
	if late != nil {
		late(c)
	}
}

// Add adds another cost to c, which has Calls.
func (c *Cost) Add(other Cost) {
	for call, n := range other.Calls {
		c.Calls[call] += n
	}
	c.Items += other.Items
	c.RCU += other.RCU
	c.WCU += other.WCU
	c.Unreported.RCU += other.Unreported.RCU
	c.Unreported.WCU += other.Unreported.WCU
}
