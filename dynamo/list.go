package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
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

// ListTenants returns a page of all tenants. more reports whether there may be more in the range.
func (db *DB) ListTenants(ctx context.Context, q ListQuery) (page []Listed[tracker.TenantID], more bool,
	err error) {
	return list(ctx, db, layout.TenantsPartition, q, layout.ParseTenant)
}

// ListProjects returns a page of the tenant's projects.
func (t *Tenant) ListProjects(ctx context.Context, q ListQuery) (page []Listed[tracker.ProjectID], more bool,
	err error) {
	return list(ctx, t.db, t.keys.Projects(), q, t.keys.ParseProject)
}

// list reads until the limit is reached or the range ends.
func list[ID any](ctx context.Context, db *DB, partition string, q ListQuery,
	parse func(pk string) (ID, bool)) (page []Listed[ID], more bool, err error) {
	if emptyRange(q.From, q.To) {
		return nil, false, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &db.table,
		IndexName:              aws.String(layout.IndexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ProjectionExpression:   aws.String(layout.AttrPK + "," + layout.AttrSS),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = keyCondition(partition, q.From, q.To)
	for {
		in.Limit = aws.Int32(int32(q.Limit - len(page) + 1)) // one more, because the response may include To
		out, err := db.client.Query(ctx, in)
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
			id, ok := parse(layout.GetS(m, layout.AttrPK))
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

// Tenants returns tenants in the order of ids, nil for those that do not exist.
func (db *DB) Tenants(ctx context.Context, ids []tracker.TenantID) ([]*tracker.Tenant, error) {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = layout.Keys{Tenant: id}.TenantItem()
		}
	}
	return decodeAll(ctx, db, all, reading{}, layout.DecodeTenant)
}
