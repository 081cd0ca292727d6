package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/columns"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Inside is the table as the packages below dynamo need it, such as check, which reads and repairs the items
// of any tenant. No other package may use it, which test/rooms_test.go enforces.
type Inside struct{ db *DB }

// Inside returns the table for the packages below dynamo.
func (db *DB) Inside() Inside { return Inside{db} }

// Client returns the client of the table. It is confined to a tenant only in an InsideTenant.
func (i Inside) Client() client.Client { return i.db.client }

// Table returns the name of the table.
func (i Inside) Table() string { return i.db.table }

// Now returns the time of the table's clock.
func (i Inside) Now() time.Time { return i.db.now() }

// Expired reports whether an item has expired, even if DynamoDB has not removed it.
func (i Inside) Expired(m layout.Item) bool { return i.db.expired(m) }

// Get returns the items with the keys all in their order, nil for those that do not exist.
func (i Inside) Get(ctx context.Context, all []layout.Key, consistent bool) ([]layout.Item, error) {
	return i.db.batchGet(ctx, all, consistent)
}

// Partition reads all items of a table partition consistently, in the order of the sort keys.
func (i Inside) Partition(ctx context.Context, pk string, each func(layout.Item) error) error {
	return i.db.partition(ctx, pk, "", each)
}

// Write sends a transaction (client.Transaction.Send).
func (i Inside) Write(ctx context.Context, x *client.Transaction) error { return i.db.write(ctx, x) }

// WriteGuarded sends unconditional writes in as many transactions as needed. guard adds conditions to each of
// them.
func (i Inside) WriteGuarded(ctx context.Context, all *client.Transaction,
	guard func(*client.Transaction)) error {
	return i.db.writeGuarded(ctx, all, guard)
}

// Put writes items in as many calls as needed. It is not atomic, and has no condition.
func (i Inside) Put(ctx context.Context, items ...layout.Item) error {
	requests := make([]types.WriteRequest, len(items))
	for n, m := range items {
		requests[n] = put(m)
	}
	return i.db.batchWrite(ctx, requests)
}

// Tenant returns access to the items of a tenant. It returns NotFound for an invalid id.
func (i Inside) Tenant(id tracker.TenantID) (*InsideTenant, error) {
	t, err := i.db.Tenant(id)
	if err != nil {
		return nil, err
	}
	return &InsideTenant{Tenant: t, Keys: t.keys, Inside: Inside{t.db}}, nil
}

// InsideTenant gives the packages below dynamo access to the data of one tenant.
type InsideTenant struct {
	*Tenant
	Keys layout.Keys
	// Inside is the table, confined to the tenant's items.
	Inside Inside
}

// StoredDefinition reads the definition of a project, also of a deleted one that is being removed. It returns
// NotFound if there is no such project.
func (t *InsideTenant) StoredDefinition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition,
	error) {
	d, _, err := reader(t.scope).readProject(ctx, p)
	return d, err
}

// WithNumber returns the keys of the index entries with a number.
func (t *InsideTenant) WithNumber(ctx context.Context, p *tracker.Project, num int64) ([]columns.IndexKey,
	error) {
	return reader(t.scope).withNumber(ctx, p, num)
}

// RemoveEntries removes the entries of an issue without a document, unless it has a document again.
func (t *InsideTenant) RemoveEntries(ctx context.Context, id tracker.IssueID) error {
	return trash(t.scope).sweep(ctx, id, false, trash(t.scope).noDocument(id))
}

// ReencodeJobs decodes the item of the jobs of a project and returns the item encoded again.
func (t *InsideTenant) ReencodeJobs(p tracker.ProjectID, m layout.Item) layout.Item {
	return encodeWork(t.keys, p, decodeWork(p, m))
}

// Background returns a handle whose cost is charged to the tenant's background work, as that of jobs is.
func (t *InsideTenant) Background() (*InsideTenant, error) {
	return Inside{t.db.background(t.scope).db}.Tenant(t.id)
}

// Pace waits until the tenant's background work may continue.
func (t *InsideTenant) Pace(ctx context.Context) error {
	if t.db.pace == nil {
		return nil
	}
	return client.Translate(t.db.pace(ctx, t.id))
}
