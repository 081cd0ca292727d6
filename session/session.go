// Package session joins GraphQL with the table: it makes what one request works with. It holds no rules of its own.
package session

import (
	"context"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// Traffic bounds what is taken on.
type Traffic interface {
	// Admit is called before an operation of a principal runs, with what it may come to; done is called with what it has cost.
	Admit(ctx context.Context, p tracker.Principal, e graph.Estimate) (done func(dynamo.Cost), err error)
	// Late is told what calls have cost that an operation of a principal made and that ended behind it, in any goroutine.
	Late(p tracker.Principal, cost dynamo.Cost)
	// Capacity tells how the principal's tenant stands, the limits 0 where there are none.
	Capacity(p tracker.Principal) (reads, writes graph.Capacity)
}

// On begins the operations on a table, each with loaders and a meter of its own. Who tells who is asking; pageBudget is as in graph.Session; without
// traffic, all are taken on.
func On(db *dynamo.DB, who func(context.Context) tracker.Principal, pageBudget int, traffic Traffic) func(context.Context) *graph.Session {
	return func(ctx context.Context) *graph.Session {
		meter := dynamo.NewMeter()
		metered := db.Metered(meter)
		p := who(ctx)
		s := &graph.Session{
			Principal:  p,
			Loaders:    loaders.New(ctx, metered),
			Writes:     writes{metered, p.User},
			Cost:       func() graph.Cost { return shown(meter.Cost()) },
			PageBudget: pageBudget,
		}
		if traffic == nil {
			return s
		}
		s.Admit = func(ctx context.Context, e graph.Estimate) (func(), error) {
			done, err := traffic.Admit(ctx, p, e)
			if err != nil {
				return nil, err
			}
			return func() { done(meter.Settle(func(c dynamo.Cost) { traffic.Late(p, c) })) }, nil
		}
		s.Capacity = func() (reads, writes graph.Capacity) { return traffic.Capacity(p) }
		return s
	}
}

// shown is a cost as clients see it: as the engine reports it, without estimates.
func shown(c dynamo.Cost) graph.Cost {
	return graph.Cost{Calls: c.Calls, Items: c.Items, RCU: c.RCU, WCU: c.WCU}
}

// Anyone is who asks a server that asks nobody: an operator without a name.
func Anyone(context.Context) tracker.Principal { return tracker.Principal{Role: tracker.Operator} }

// writes is the table as graph writes to it, for somebody.
type writes struct {
	*dynamo.DB
	user string
}

// Tenant is the tenant's handle in the name of the user, for one change that is made once if it has a key.
func (w writes) Tenant(id tracker.TenantID, once *tracker.Once) (graph.TenantWrites, error) {
	t, err := w.DB.Tenant(id)
	if err != nil {
		return nil, err
	}
	if t = t.As(w.user); once != nil {
		t = t.Once(*once)
	}
	return t, nil
}
