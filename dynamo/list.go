package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

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
func (db *DB) ListTenants(ctx context.Context, q ListQuery) (page []Listed[tracker.TenantID], more bool, err error) {
	return list(ctx, db, tenantsPartition, q, parseTenant)
}

// ListProjects returns a page of the tenant's projects.
func (t *Tenant) ListProjects(ctx context.Context, q ListQuery) (page []Listed[tracker.ProjectID], more bool, err error) {
	return list(ctx, t.db, t.keys.projects(), q, t.keys.parseProject)
}

// list reads until the limit is reached or the range ends.
func list[ID any](ctx context.Context, db *DB, partition string, q ListQuery, parse func(pk string) (ID, bool)) (page []Listed[ID], more bool, err error) {
	if emptyRange(q.From, q.To) {
		return nil, false, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &db.table,
		IndexName:              aws.String(indexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ProjectionExpression:   aws.String(attrPK + "," + attrSS),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = keyCondition(partition, q.From, q.To)
	for {
		in.Limit = aws.Int32(int32(q.Limit - len(page) + 1)) // one more, because the bound To may come along
		out, err := db.client.Query(ctx, in)
		if err != nil {
			return nil, false, translate(err)
		}
		for _, m := range out.Items {
			position := getB(m, attrSS)
			if q.To != nil && string(position) == string(q.To) {
				continue
			}
			if len(page) == q.Limit {
				return page, true, nil
			}
			id, ok := parse(getS(m, attrPK))
			if !ok {
				return nil, false, tracker.Internal("the index has a key of another kind: "+getS(m, attrPK), nil)
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
	all := make([]Key, len(ids))
	for i, id := range ids {
		if tracker.ValidID(string(id)) {
			all[i] = keys{tenant: id}.tenantItem()
		}
	}
	return decodeAll(ctx, db, all, reading{}, decodeTenant)
}
