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

// ListQuery asks for a page of things that are listed by name, ties by id.
type ListQuery struct {
	// From and To bound the positions, half-open: From <= position < To. Nil is no bound.
	From, To   []byte
	Descending bool
	Limit      int
}

// Listed is one row of a list: what it is, and its position.
type Listed[ID any] struct {
	ID       ID
	Position []byte
}

// ListTenants returns a page of all tenants. More tells whether there may be more behind it.
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
		in.Limit = aws.Int32(int32(q.Limit - len(page) + 1)) // one more, because the bound To may come along
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

// Tenants returns tenants in the order of ids, nil where there is none.
func (db *DB) Tenants(ctx context.Context, ids []tracker.TenantID) ([]*tracker.Tenant, error) {
	all := make([]layout.Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = layout.Keys{Tenant: id}.TenantItem()
		}
	}
	return decodeAll(ctx, db, all, reading{}, layout.DecodeTenant)
}
