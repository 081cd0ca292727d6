// Package session joins GraphQL with the table: it makes what one request works with. It holds no rules of
// its own.
package session

import (
	"context"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// Traffic bounds what is taken on.
type Traffic interface {
	// Admit is called before an operation of a principal runs, with what it may come to; done is called with
	// what it has cost.
	Admit(ctx context.Context, p tracker.Principal, e graph.Estimate) (done func(dynamo.Cost), err error)
	// Late is told what calls have cost that an operation of a principal made and that ended behind it, in
	// any goroutine.
	Late(p tracker.Principal, cost dynamo.Cost)
	// Capacity tells how the principal's tenant stands, the limits 0 where there are none.
	Capacity(p tracker.Principal) (reads, writes graph.Capacity)
}

// On begins the operations on a table, each with loaders and a meter of its own. Who returns the principal of
// an operation. Without traffic, all operations are admitted; observe receives the batches of the loaders,
// and may be nil.
func On(db *dynamo.DB, who func(context.Context) tracker.Principal, traffic Traffic,
	observe func(context.Context, loaders.Batch)) func(context.Context) *graph.Session {
	return func(ctx context.Context) *graph.Session {
		meter := dynamo.NewMeter()
		metered := db.Metered(meter)
		p := who(ctx)
		set := loaders.New(ctx, metered)
		set.Observe = observe
		s := &graph.Session{
			Principal: p,
			Reads:     reads{set},
			Writes:    writes{metered, p.User},
			Cost:      func() graph.Cost { return shown(meter.Cost()) },
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

// reads are the loaders of a request as graph reads through them.
type reads struct{ *loaders.Set }

// Tenant returns the loaders of a tenant.
func (r reads) Tenant(id tracker.TenantID) (model.Reads, error) {
	t, err := r.Set.Tenant(id)
	if err != nil {
		return nil, err // and not a nil pointer, which would be a reader
	}
	return t, nil
}

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
