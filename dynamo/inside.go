package dynamo

import (
	"context"
	"time"

	"issuegrid/columns"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// Inside is the table as the packages below dynamo need it: check, which reads and repairs items of any
// tenant as they are, and packages that store entities of their own. No other package may use it, which
// test/rooms_test.go enforces.
type Inside struct{ db *DB }

// Inside returns the table for the packages below dynamo.
func (db *DB) Inside() Inside { return Inside{db} }

// Client is the client of the table as a whole.
func (i Inside) Client() client.Client { return i.db.client }

// Table is the name of the table.
func (i Inside) Table() string { return i.db.table }

// Now is the time by the table's clock.
func (i Inside) Now() time.Time { return i.db.now() }

// Expired reports whether the time of an item has come, whether or not DynamoDB has removed it.
func (i Inside) Expired(m layout.Item) bool { return i.db.expired(m) }

// Get returns the items of keys in their order, nil where there is none.
func (i Inside) Get(ctx context.Context, all []layout.Key, consistent bool) ([]layout.Item, error) {
	return i.db.batchGet(ctx, all, consistent)
}

// Partition reads all items of a table partition consistently, in the order of the sort keys.
func (i Inside) Partition(ctx context.Context, pk string, each func(layout.Item) error) error {
	return i.db.partition(ctx, pk, "", each)
}

// Write makes the writes of a transaction (client.Transaction.Send).
func (i Inside) Write(ctx context.Context, x *client.Transaction) error { return i.db.write(ctx, x) }

// WriteGuarded sends writes without conditions in as many transactions as they need, each with what guard
// adds.
func (i Inside) WriteGuarded(ctx context.Context, all *client.Transaction,
	guard func(*client.Transaction)) error {
	return i.db.writeGuarded(ctx, all, guard)
}

// Tenant returns what there is inside of a tenant. An id that no tenant can have is NotFound.
func (i Inside) Tenant(id tracker.TenantID) (*InsideTenant, error) {
	t, err := i.db.Tenant(id)
	if err != nil {
		return nil, err
	}
	return &InsideTenant{Tenant: t, Keys: t.keys, Inside: Inside{t.db}}, nil
}

// InsideTenant is the data of one tenant as the packages below dynamo need it.
type InsideTenant struct {
	*Tenant
	Keys layout.Keys
	// Inside is the table, of which nothing but the tenant's items can be reached.
	Inside Inside
}

// StoredDefinition reads the definition of a project, also of one that was deleted and is being removed;
// NotFound if there is no such project.
func (t *InsideTenant) StoredDefinition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition,
	error) {
	d, _, err := reader(t.scope).readProject(ctx, p)
	return d, err
}

// WithNumber returns the keys of the issues that the index has under a number.
func (t *InsideTenant) WithNumber(ctx context.Context, p tracker.ProjectID, num int64) ([]columns.IndexKey,
	error) {
	return reader(t.scope).withNumber(ctx, p, num)
}

// RemoveEntries removes the entries of an issue that has no document, unless it has one again.
func (t *InsideTenant) RemoveEntries(ctx context.Context, id tracker.IssueID) error {
	return trash(t.scope).sweep(ctx, id, false, trash(t.scope).noDocument(id))
}

// JobsAgain is the item of the jobs of a project as it is written, made from what m says.
func (t *InsideTenant) JobsAgain(p tracker.ProjectID, m layout.Item) layout.Item {
	return encodeWork(t.keys, p, decodeWork(p, m))
}
