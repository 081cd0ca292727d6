package dynamo

import (
	"context"

	"issuegrid/dynamo/internal/definitions"
	"issuegrid/dynamo/internal/issues"
	"issuegrid/dynamo/internal/jobs"
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// Tenant is a handle on the data of one tenant. It cannot build a key of another tenant (I1). Its methods are
// those of the stores of projects, issues and jobs, which are packages of their own.
type Tenant struct {
	*projectStore
	*issueStore
	*jobStore
	db *DB
	in *store.Tenant
}

type (
	projectStore = definitions.Store
	issueStore   = issues.Store
	jobStore     = jobs.Store
)

// Tenant returns a handle on a tenant, which need not exist. It returns NotFound for an invalid id.
func (db *DB) Tenant(id tracker.TenantID) (*Tenant, error) {
	in, err := db.store.Tenant(id)
	if err != nil {
		return nil, err
	}
	return db.of(in), nil
}

func (db *DB) of(in *store.Tenant) *Tenant {
	d := definitions.Of(in, db.definitions)
	return &Tenant{d, issues.Of(in, d), db.jobs.Of(in), db, in}
}

// As returns a handle whose changes are shown in histories as made by an actor.
func (t *Tenant) As(by tracker.Actor) *Tenant {
	in := *t.in
	in.By = by
	return t.db.of(&in)
}

// Once returns a handle for one change that is made at most once: a second change under the same key within
// 24 hours returns the result of the first. Fingerprint identifies the change; a change returns BadInput if
// its key was used with another one.
func (t *Tenant) Once(o tracker.Once) *Tenant {
	in := *t.in
	in.Once = &o
	return t.db.of(&in)
}

// Applied reports for each idempotency key whether a change was made under it in the last 24 hours.
func (t *Tenant) Applied(ctx context.Context, keys []string) ([]bool, error) {
	return t.in.Applied(ctx, keys)
}

// Background returns a handle whose cost is charged to the tenant's background work, as that of jobs is.
func (t *Tenant) Background() *Tenant { return t.db.of(t.in.Background(tracker.Actor{})) }

// ID returns the id of the tenant.
func (t *Tenant) ID() tracker.TenantID { return t.in.ID }

// QueryKeys sends one Query to the index, or one to each shard in parallel. DynamoDB limits a response to
// 1 MB of keys.
func (t *Tenant) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	page, err := t.issueStore.QueryKeys(ctx, q)
	if err == nil {
		t.db.jobs.Observe(t.in, q, &page)
	}
	return page, err
}

// Inside returns the handle for the packages below dynamo (see DB.Inside).
func (t *Tenant) Inside() *store.Tenant { return t.in }
