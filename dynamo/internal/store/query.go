package store

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
)

// Partition reads all items of a table partition consistently, in the order of the sort keys.
func (db *DB) Partition(ctx context.Context, pk string, each func(layout.Item) error) error {
	return db.Select(ctx, pk, "", "", each)
}

// Prefix reads the items of a table partition whose sort keys begin with prefix, as Partition does.
func (db *DB) Prefix(ctx context.Context, pk, prefix string, each func(layout.Item) error) error {
	return db.Select(ctx, pk, prefix, "", each)
}

// KeysOf reads the keys of the items of a table partition whose sort keys begin with prefix.
func (db *DB) KeysOf(ctx context.Context, pk, prefix string, each func(layout.Key) error) error {
	return db.Select(ctx, pk, prefix, layout.AttrPK+","+layout.AttrSK, func(m layout.Item) error {
		return each(layout.KeyOf(m))
	})
}

// Select is Prefix for some attributes, which are separated by commas; "" is all.
func (db *DB) Select(ctx context.Context, pk, prefix, projection string,
	each func(layout.Item) error) error {
	in := db.QueryOf(pk)
	if prefix != "" {
		*in.KeyConditionExpression += " AND begins_with(" + layout.AttrSK + ", :prefix)"
		in.ExpressionAttributeValues[":prefix"] = layout.S(prefix)
	}
	if projection != "" {
		in.ExpressionAttributeNames = map[string]string{}
		var aliases []string // because names such as `at` are reserved words
		for n, name := range strings.Split(projection, ",") {
			alias := "#" + strconv.Itoa(n)
			aliases, in.ExpressionAttributeNames[alias] = append(aliases, alias), name
		}
		in.ProjectionExpression = aws.String(strings.Join(aliases, ","))
	}
	return db.queryAll(ctx, in, each)
}

// Before is Partition for the items whose sort keys are less than end.
func (db *DB) Before(ctx context.Context, pk, end string, each func(layout.Item) error) error {
	in := db.QueryOf(pk)
	*in.KeyConditionExpression += " AND " + layout.AttrSK + " < :end"
	in.ExpressionAttributeValues[":end"] = layout.S(end)
	return db.queryAll(ctx, in, each)
}

// QueryOf returns a consistent query of a table partition.
func (db *DB) QueryOf(pk string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 &db.Table,
		KeyConditionExpression:    aws.String(layout.AttrPK + " = :pk"),
		ExpressionAttributeValues: layout.Item{":pk": layout.S(pk)},
		ConsistentRead:            aws.Bool(true),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
}

// queryAll calls each for all items of a query.
func (db *DB) queryAll(ctx context.Context, in *dynamodb.QueryInput, each func(layout.Item) error) error {
	for {
		out, err := db.Client.Query(ctx, in)
		if err != nil {
			return client.Translate(err)
		}
		for _, m := range out.Items {
			if err := each(m); err != nil {
				return err
			}
		}
		if out.LastEvaluatedKey == nil {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// Between reads at most limit items of a table partition with sort keys from first to last, consistently and
// in one direction. more reports whether there are others.
func (db *DB) Between(ctx context.Context, pk, first, last string, descending bool, limit int) (
	found []layout.Item, more bool, err error) {
	in := db.between(pk, first, last)
	in.ScanIndexForward = aws.Bool(!descending)
	for {
		in.Limit = aws.Int32(int32(limit - len(found) + 1))
		out, err := db.Client.Query(ctx, in)
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
func (db *DB) between(pk, first, last string) *dynamodb.QueryInput {
	in := db.QueryOf(pk)
	*in.KeyConditionExpression += " AND " + layout.AttrSK + " BETWEEN :first AND :last"
	in.ExpressionAttributeValues[":first"], in.ExpressionAttributeValues[":last"] = layout.S(first),
		layout.S(last)
	return in
}

// MaxCountQueries is the maximum number of Queries of Count, of 1 MB of keys each: about 70,000 rows.
const MaxCountQueries = 10

// CountBetween counts the items that Between reads. If exact is false, there are more, which would have taken
// more than MaxCountQueries.
func (db *DB) CountBetween(ctx context.Context, pk, first, last string) (n int, exact bool, err error) {
	return db.Count(ctx, db.between(pk, first, last))
}

// Count returns the number of items that a query finds. If exact is false, there are more, which would have
// taken more than MaxCountQueries.
func (db *DB) Count(ctx context.Context, in *dynamodb.QueryInput) (n int, exact bool, err error) {
	in.Select = types.SelectCount
	for range MaxCountQueries {
		out, err := db.Client.Query(ctx, in)
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

// EmptyRange reports whether no position satisfies From <= position < To. DynamoDB rejects a lower bound
// above the upper bound.
func EmptyRange(from, to []byte) bool {
	return from != nil && to != nil && bytes.Compare(from, to) >= 0
}

// KeyCondition returns the key condition of a range of sort strings. DynamoDB allows one condition on the
// sort key, and only BETWEEN, which includes both bounds, has two bounds. So with both bounds the response
// may include To.
func KeyCondition(partition string, from, to []byte) (*string, map[string]types.AttributeValue) {
	condition := layout.AttrSK + " = :partition"
	values := map[string]types.AttributeValue{":partition": layout.S(partition)}
	if from != nil {
		values[":from"] = layout.B(from)
	}
	if to != nil {
		values[":to"] = layout.B(to)
	}
	switch {
	case from != nil && to != nil:
		condition += " AND " + layout.AttrSS + " BETWEEN :from AND :to"
	case from != nil:
		condition += " AND " + layout.AttrSS + " >= :from"
	case to != nil:
		condition += " AND " + layout.AttrSS + " < :to"
	}
	return &condition, values
}
