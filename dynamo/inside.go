package dynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
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

// DecodeAll returns decoded items in the order of their keys all, nil for those that do not exist.
func DecodeAll[T any](ctx context.Context, i Inside, all []layout.Key, consistent bool,
	decode func(layout.Item) (*T, error)) ([]*T, error) {
	return decodeAll(ctx, i.db, all, reading{consistent: consistent}, decode)
}

// Partition reads all items of a table partition consistently, in the order of the sort keys.
func (i Inside) Partition(ctx context.Context, pk string, each func(layout.Item) error) error {
	return i.db.partition(ctx, pk, "", each)
}

// Texts is Get for items with compressed texts, which have a number of bytes together. It reserves memory
// for them before they are read.
func (i Inside) Texts(ctx context.Context, all []layout.Key, bytes int) ([]layout.Item, error) {
	a := account.From(ctx)
	if err := a.Hold(ctx, int64(bytes)); err != nil {
		return nil, err
	}
	items, err := i.db.batchGet(ctx, all, true)
	if err == nil {
		err = client.Translate(a.Check(ctx))
	}
	if err != nil {
		a.Release(int64(bytes))
	}
	return items, err
}

// Keys reads the keys of the items of a table partition whose sort keys begin with prefix.
func (i Inside) Keys(ctx context.Context, pk, prefix string, each func(layout.Key) error) error {
	return i.db.queryPrefix(ctx, pk, prefix, layout.AttrPK+","+layout.AttrSK, func(m layout.Item) error {
		return each(layout.KeyOf(m))
	})
}

// Prefix reads the items of a table partition whose sort keys begin with prefix, as Partition does.
func (i Inside) Prefix(ctx context.Context, pk, prefix string, each func(layout.Item) error) error {
	return i.db.queryPrefix(ctx, pk, prefix, "", each)
}

// Between reads at most limit items of a table partition with sort keys from first to last, consistently and
// in one direction. more reports whether there are others.
func (i Inside) Between(ctx context.Context, pk, first, last string, descending bool, limit int) (
	found []layout.Item, more bool, err error) {
	in := i.between(pk, first, last)
	in.ScanIndexForward = aws.Bool(!descending)
	for {
		in.Limit = aws.Int32(int32(limit - len(found) + 1))
		out, err := i.db.client.Query(ctx, in)
		if err != nil {
			return nil, false, client.Translate(err)
		}
		found = append(found, out.Items...)
		if len(found) > limit {
			return found[:limit], true, nil
		}
		if out.LastEvaluatedKey == nil {
			return found, false, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// between returns a query of the items of a table partition with sort keys from first to last.
func (i Inside) between(pk, first, last string) *dynamodb.QueryInput {
	in := i.db.queryOf(pk)
	*in.KeyConditionExpression += " AND " + layout.AttrSK + " BETWEEN :first AND :last"
	in.ExpressionAttributeValues[":first"], in.ExpressionAttributeValues[":last"] = layout.S(first),
		layout.S(last)
	return in
}

// CountBetween counts the items that Between reads. If exact is false, there are more, which would have taken
// more than MaxCountQueries.
func (i Inside) CountBetween(ctx context.Context, pk, first, last string) (n int, exact bool, err error) {
	in := i.between(pk, first, last)
	in.Select = types.SelectCount
	for range MaxCountQueries {
		out, err := i.db.client.Query(ctx, in)
		if err != nil {
			return 0, false, client.Translate(err)
		}
		n += int(out.Count)
		if out.LastEvaluatedKey == nil {
			return n, true, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
	return n, false, nil
}

// Completing returns a context for the steps that complete a visible change, and a function that ends it. It
// is not canceled when the client disconnects.
func (Inside) Completing(ctx context.Context) (context.Context, context.CancelFunc) {
	return completing(ctx)
}

// Write sends a transaction (client.Transaction.Send).
func (i Inside) Write(ctx context.Context, x *client.Transaction) error { return i.db.write(ctx, x) }

// Again makes a change, and makes it again while it returns stale, because another one was made meanwhile.
func (i Inside) Again(ctx context.Context, stale error, make func() error) error {
	for try := 1; ; try++ {
		err := make()
		if !errors.Is(err, stale) {
			return err
		}
		if err := i.db.client.AfterConflict(ctx, try, stale); err != nil {
			return err
		}
	}
}

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
	return i.Of(t), nil
}

// Of returns access to the items of a tenant with its handle, which may be one for a single change.
func (Inside) Of(t *Tenant) *InsideTenant {
	return &InsideTenant{Tenant: t, Keys: t.keys, Inside: Inside{t.db}}
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

// ListIn returns the list of an index partition. parse returns the id in the partition key of an item.
func ListIn[ID any](t *InsideTenant, partition string, parse func(pk string) (ID, bool)) List[ID] {
	return List[ID]{db: t.db, partition: partition, parse: parse}
}

// NewID returns an id for a new object of the tenant.
func (t *InsideTenant) NewID() (string, error) { return tracker.NewID(t.db.random) }

// NewCommentID returns an id for a comment that is made now.
func (t *InsideTenant) NewCommentID() (tracker.CommentID, error) {
	return tracker.NewCommentID(t.db.time(), t.db.random)
}

// CheckIssue adds to a transaction the condition that an issue exists. It costs write units for the size of
// the document.
func (t *InsideTenant) CheckIssue(x *client.Transaction, id tracker.IssueID) {
	x.Check(t.db.table, t.keys.IssueItem(id), client.MustExist(tracker.Missing("issue")))
}

// CheckProject adds to a transaction the condition that a project exists and is not in the trash.
func (t *InsideTenant) CheckProject(x *client.Transaction, p tracker.ProjectID) {
	x.Check(t.db.table, t.keys.ProjectItem(p), client.Condition{
		Expression: "attribute_exists(" + layout.AttrPK + ") AND attribute_not_exists(deleted) AND " +
			"attribute_not_exists(trash)",
		Otherwise: tracker.Missing("project")})
}

// AddOnce adds to a transaction the item that prevents the change of the handle from being repeated. id is
// the id of the object changed.
func (t *InsideTenant) AddOnce(x *client.Transaction, id string) { idempotency(t.scope).addTo(x, id) }

// ApplyOnce makes the change of a handle, or loads its result if it was already made under the handle's key.
// load receives the id that was passed to AddOnce.
func ApplyOnce[T any](ctx context.Context, t *InsideTenant, load func(id string) (*T, error),
	change func() (*T, error)) (*T, error) {
	return applyOnce(ctx, t.scope, load, change)
}

// AddActivity adds to a transaction an entry of the activity of a project.
func (t *InsideTenant) AddActivity(x *client.Transaction, e tracker.Activity) {
	committer(t.scope).addActivity(x, e)
}

// HistoryStart returns the time before which histories and activity have expired.
func (t *InsideTenant) HistoryStart() time.Time { return t.db.time().Add(-t.db.keepHistory) }

// Now returns the time of the table's clock with the precision of stored times.
func (t *InsideTenant) Now() time.Time { return t.db.time() }

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
