// Package session connects GraphQL with the table: it creates the session of each operation. It contains no
// rules of the product.
package session

import (
	"context"

	"issuegrid/dynamo"
	"issuegrid/dynamo/comments"
	"issuegrid/dynamo/people"
	"issuegrid/dynamo/views"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/operation"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// NewFactory returns a function that starts a session for an operation on a table, with its own loaders. The
// meter of the operation counts its calls. principal returns the caller of the operation. observe receives
// the batches of the loaders and may be nil.
func NewFactory(db *dynamo.DB, principal func(context.Context) tracker.Principal,
	observe func(context.Context, loaders.Batch)) func(context.Context) *graph.Session {
	return func(ctx context.Context) *graph.Session {
		ctx, o := operation.Of(ctx)
		metered := db.Metered(o.Meter)
		p := principal(ctx)
		set := loaders.New(ctx, metered)
		set.Observe, set.Caller = observe, p
		return &graph.Session{Principal: p, Reads: reads{set}, Writes: writes{metered, p}}
	}
}

// Anonymous returns the caller on a server without authentication: an operator without a name.
func Anonymous(context.Context) tracker.Principal { return tracker.Principal{Role: tracker.Operator} }

// reads adapts the loaders of a request to the interface of package graph.
type reads struct{ *loaders.Set }

// Tenant returns the loaders of a tenant.
func (r reads) Tenant(id tracker.TenantID) (model.Reads, error) {
	t, err := r.Set.Tenant(id)
	if err != nil {
		return nil, err // not t: a nil *Tenant would be a non-nil interface
	}
	return t, nil
}

// writes adapts the table to the interface of package graph, for changes by one principal.
type writes struct {
	db *dynamo.DB
	by tracker.Principal
}

// AllTenants returns the handle for a change of the list of tenants. If once is not nil, the change is
// idempotent.
func (w writes) AllTenants(once *tracker.Once) graph.TenantsWrites {
	if once != nil {
		return w.db.Once(*once)
	}
	return w.db
}

// Tenant returns the tenant's handle for a change by the principal. If once is not nil, the change is
// idempotent.
func (w writes) Tenant(id tracker.TenantID, once *tracker.Once) (graph.TenantWrites, error) {
	t, err := w.db.Tenant(id)
	if err != nil {
		return nil, err
	}
	by := tracker.Actor{Kind: tracker.ActorUser, Name: w.by.User, User: w.by.UserIn(id)}
	if t = t.As(by); once != nil {
		t = t.Once(*once)
	}
	if t, err = t.Starting(); err != nil {
		return nil, err
	}
	return tenantWrites{t, views.Of(t, w.by), people.Of(t), comments.Of(t)}, nil
}

// tenantWrites are the writes of one change.
type tenantWrites struct {
	*dynamo.Tenant
	viewWrites
	peopleWrites
	commentWrites
}

type (
	viewWrites    = *views.Store
	peopleWrites  = *people.Store
	commentWrites = *comments.Store
)
