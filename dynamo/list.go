package dynamo

import (
	"bytes"
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// ListQuery selects a page of a list sorted by name and then by id.
type ListQuery struct {
	// From and To are the range of positions, From <= position < To. nil means no limit.
	From, To   []byte
	Descending bool
	Limit      int
}

// Listed is a row of a list: an id and its position.
type Listed[ID any] struct {
	ID       ID
	Position []byte
}

// List is a list of the index: of tenants or projects by name, or of deleted issues.
type List[ID any] struct {
	db        *DB
	partition string
	parse     func(pk string) (ID, bool)
	// end returns the position of the first row that has expired or was deleted, or nil. Rows from it on are
	// not counted.
	end func() []byte
	// invalid is the error of all reads, or nil.
	invalid error
}

// TenantList returns the list of all tenants. At its end, it also has those that were deleted, until all of
// their items are removed; Tenants returns nil for them.
func (db *DB) TenantList() List[tracker.TenantID] {
	return List[tracker.TenantID]{db: db, partition: layout.TenantsPartition, parse: layout.ParseTenant,
		end: layout.DeletedTenants}
}

// ProjectList returns the list of the tenant's projects.
func (t *Tenant) ProjectList() List[tracker.ProjectID] {
	return List[tracker.ProjectID]{db: t.db, partition: t.keys.Projects(), parse: t.keys.ParseProject}
}

// TrashList returns the list of a project's deleted issues, the most recently deleted first.
func (t *Tenant) TrashList(p tracker.ProjectID) List[tracker.IssueID] {
	return reader(t.scope).trashList(p)
}

func (t reader) trashList(p tracker.ProjectID) List[tracker.IssueID] {
	l := List[tracker.IssueID]{db: t.db, partition: t.keys.TrashOf(p), parse: t.keys.ParseIssue,
		end: func() []byte { return layout.TrashSort(t.db.now().Add(-t.db.keepTrash), 0) }}
	if !tracker.ValidID(string(p)) {
		l.invalid = tracker.Missing("project")
	}
	return l
}

// Page returns a page of the list. more reports whether there may be more in the range. It reads until the
// limit is reached or the range ends.
func (l List[ID]) Page(ctx context.Context, q ListQuery) (page []Listed[ID], more bool, err error) {
	if l.invalid != nil {
		return nil, false, l.invalid
	}
	if emptyRange(q.From, q.To) {
		return nil, false, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &l.db.table,
		IndexName:              aws.String(layout.IndexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ProjectionExpression:   aws.String(layout.AttrPK + "," + layout.AttrSS),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = keyCondition(l.partition, q.From, q.To)
	for {
		in.Limit = aws.Int32(int32(q.Limit - len(page) + 1)) // one more, because the response may include To
		out, err := l.db.client.Query(ctx, in)
		if err != nil {
			return nil, false, client.Translate(err)
		}
		for _, m := range out.Items {
			position := layout.GetB(m, layout.AttrSS)
			if q.To != nil && string(position) == string(q.To) {
				continue
			}
			if len(page) == q.Limit {
				return page, true, nil
			}
			id, ok := l.parse(layout.GetS(m, layout.AttrPK))
			if !ok {
				return nil, false, tracker.Internal("the index has a key of another kind: "+
					layout.GetS(m, layout.AttrPK), nil)
			}
			page = append(page, Listed[ID]{ID: id, Position: position})
		}
		if out.LastEvaluatedKey == nil {
			return page, false, nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// MaxCountQueries is the maximum number of Queries of Count, of 1 MB of keys each: about 70,000 rows.
const MaxCountQueries = 10

// Count returns the number of rows with From <= position < To; nil means no limit. With both limits, To must
// not be the position of a row. If exact is false, there are more, which would have taken more than
// MaxCountQueries.
func (l List[ID]) Count(ctx context.Context, from, to []byte) (n int, exact bool, err error) {
	if l.invalid != nil {
		return 0, false, l.invalid
	}
	if l.end != nil {
		if end := l.end(); to == nil || bytes.Compare(end, to) < 0 {
			to = end
		}
	}
	if emptyRange(from, to) {
		return 0, true, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &l.db.table,
		IndexName:              aws.String(layout.IndexName),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = keyCondition(l.partition, from, to)
	return l.db.count(ctx, in)
}

// count returns the number of items that a query finds. If exact is false, there are more, which would have
// taken more than MaxCountQueries.
func (db *DB) count(ctx context.Context, in *dynamodb.QueryInput) (n int, exact bool, err error) {
	in.Select = types.SelectCount
	for range MaxCountQueries {
		out, err := db.client.Query(ctx, in)
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

// EachTenant calls each with the ids of all tenants, also of deleted ones, until it returns an error.
func (db *DB) EachTenant(ctx context.Context, each func(id tracker.TenantID, deleted bool) error) error {
	q := ListQuery{Limit: 100}
	for {
		page, more, err := db.TenantList().Page(ctx, q)
		if err != nil {
			return err
		}
		for _, found := range page {
			q.From = sortkey.After(found.Position)
			if err := each(found.ID, bytes.HasPrefix(found.Position, layout.DeletedTenants())); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

// Tenants returns tenants in the order of ids, nil for those that do not exist.
func (db *DB) Tenants(ctx context.Context, ids []tracker.TenantID) ([]*tracker.Tenant, error) {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = layout.Keys{Tenant: id}.TenantItem()
		}
	}
	return decodeAll(ctx, db, all, reading{}, layout.DecodeActiveTenant)
}
