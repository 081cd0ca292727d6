package dynamo

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// QueryKeys sends one Query to the index, or one to each shard in parallel. DynamoDB limits a response to
// 1 MB of keys.
func (t *Tenant) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	page, err := reader(t.scope).queryKeys(ctx, q)
	if err == nil {
		jobs(t.scope).observeEmpties(q, &page)
	}
	return page, err
}

// maxQueryKeys is the limit of a Query that needs none, because a response has at most 1 MB, which are about
// 9,000 keys: the embedded engine reads the rest of the partition before it cuts the response, which takes
// more than 30 s for a million keys.
const maxQueryKeys = 15_000

func (t reader) queryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	shards := q.Split()
	if len(shards) == 1 {
		return t.queryShard(ctx, shards[0])
	}
	pages := make([]columns.KeyPage, len(shards))
	group, ctx := errgroup.WithContext(ctx)
	for i, shard := range shards {
		group.Go(func() (err error) {
			pages[i], err = t.queryShard(ctx, shard)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return columns.KeyPage{}, err
	}
	return q.Join(pages), nil
}

// queryShard sends one Query to the index.
func (t reader) queryShard(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	partition, err := t.partitionOf(q)
	if err != nil {
		return columns.KeyPage{}, err
	}
	from, to := sortBounds(q)
	if emptyRange(from, to) {
		return columns.KeyPage{}, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &t.db.table,
		IndexName:              aws.String(layout.IndexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	limit := q.Limit
	in.KeyConditionExpression, in.ExpressionAttributeValues = keyCondition(partition, from, to)
	// With both bounds, To may be among the keys.
	both := q.To != nil && (q.From != nil || q.Empties) && !q.ToIsNoKey
	if both && limit > 0 && q.Descending {
		limit++ // To may be read, and is dropped below
	}
	if limit == 0 {
		limit = maxQueryKeys
	}
	in.Limit = aws.Int32(int32(limit))
	if q.CountOnly && !both {
		in.Select = types.SelectCount
	} else {
		in.ProjectionExpression = aws.String(layout.AttrPK + "," + layout.AttrSS)
	}
	in.FilterExpression = hasCondition(q, in.ExpressionAttributeValues)
	out, err := t.db.client.Query(ctx, in)
	if err != nil {
		return columns.KeyPage{}, client.Translate(err)
	}
	return t.keyPage(q, out)
}

// partitionOf returns the index partition of a query.
func (t reader) partitionOf(q columns.KeyQuery) (string, error) {
	if q.Way != (columns.Way{}) {
		if !q.Way.Participant.Valid() || !slices.Contains(columns.WayOrders, q.Way.By) ||
			!slices.Contains(tracker.ParticipantRoles, q.Way.Role) {
			return "", tracker.Missing("participant")
		}
		return layout.Participation(t.keys, q.Way), nil
	}
	if !tracker.ValidID(string(q.Project)) || !tracker.ValidID(string(q.Column)) {
		return "", tracker.Missing("column")
	}
	partition := layout.Generation(t.keys.Column(q.Project, q.Shard, q.Column), q.Gen)
	if q.Member != "" {
		partition += "." + q.Member
	}
	return partition, nil
}

// sortBounds returns the bounds of the sort strings in the partition. The entries of empty values follow
// those of the values, so that no key of a range equals a bound that is added.
func sortBounds(q columns.KeyQuery) (from, to []byte) {
	toAll := q.To == nil || bytes.Compare(q.To, sortkey.Empties()) > 0
	switch {
	case q.Empties:
		from = slices.Concat(sortkey.Empties(), q.From)
		if q.To != nil {
			to = slices.Concat(sortkey.Empties(), q.To)
		}
		return from, to
	case toAll && q.Member == "" && q.Column.Nullable():
		return q.From, sortkey.Empties()
	}
	return q.From, q.To
}

// emptyRange reports whether no position satisfies From <= position < To. DynamoDB rejects a lower bound
// above the upper bound.
func emptyRange(from, to []byte) bool {
	return from != nil && to != nil && bytes.Compare(from, to) >= 0
}

// keyCondition returns the key condition of a range of sort strings. DynamoDB allows one condition on the
// sort key, and only BETWEEN, which includes both bounds, has two bounds. So with both bounds the response
// may include To.
func keyCondition(partition string, from, to []byte) (*string, map[string]types.AttributeValue) {
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

// hasCondition returns the filter on the columns in which issues have or do not have a value, nil if there is
// none.
func hasCondition(q columns.KeyQuery, values map[string]types.AttributeValue) *string {
	var all []string
	add := func(condition string, has []tracker.Column) {
		for _, c := range has {
			name := ":has" + strconv.Itoa(len(all))
			values[name] = layout.S(string(c))
			all = append(all, condition+"("+layout.AttrHas+", "+name+")")
		}
	}
	add("contains", q.With)
	add("NOT contains", q.Without)
	if len(all) == 0 {
		return nil
	}
	return aws.String(strings.Join(all, " AND "))
}

func (t reader) keyPage(q columns.KeyQuery, out *dynamodb.QueryOutput) (columns.KeyPage, error) {
	page := columns.KeyPage{Count: int(out.Count), Examined: int(out.ScannedCount), Queries: 1}
	if c := out.ConsumedCapacity; c != nil && c.CapacityUnits != nil {
		page.RCU = *c.CapacityUnits
	}
	before := 0 // the part of the sort strings before that of the page
	if q.Empties {
		before = len(sortkey.Empties())
	}
	if out.LastEvaluatedKey != nil {
		page.Last = layout.GetB(out.LastEvaluatedKey, layout.AttrSS)[before:]
		page.LastIssue, _ = t.keys.ParseIssue(layout.GetS(out.LastEvaluatedKey, layout.AttrPK))
	}
	page.Keys = make([]columns.IndexKey, 0, len(out.Items))
	for _, item := range out.Items {
		id, ok := t.keys.ParseIssue(layout.GetS(item, layout.AttrPK))
		if !ok {
			return columns.KeyPage{}, tracker.Internal("the index has a key that is not an issue's: "+
				layout.GetS(item, layout.AttrPK), nil)
		}
		ss := layout.GetB(item, layout.AttrSS)[before:]
		if q.To != nil && bytes.Equal(ss, q.To) {
			if page.Count--; !q.Descending {
				page.Last = nil // the range ends here
			}
			continue
		}
		page.Keys = append(page.Keys, columns.IndexKey{Issue: id, SS: ss})
	}
	if q.Limit > 0 && len(page.Keys) > q.Limit {
		page.Keys = page.Keys[:q.Limit]
		page.Count = q.Limit
		page.Last, page.LastIssue = page.Keys[q.Limit-1].SS, page.Keys[q.Limit-1].Issue
	}
	if q.CountOnly {
		page.Keys = nil
	}
	return page, nil
}

// partition reads all items of a table partition consistently. A non-empty projection selects their
// attributes.
func (db *DB) partition(ctx context.Context, pk, projection string, each func(layout.Item) error) error {
	return db.queryPrefix(ctx, pk, "", projection, each)
}

// queryPrefix is partition for the items whose sort keys begin with prefix.
func (db *DB) queryPrefix(ctx context.Context, pk, prefix, projection string,
	each func(layout.Item) error) error {
	in := db.queryOf(pk)
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

// queryBefore is partition for the items whose sort keys are less than end.
func (db *DB) queryBefore(ctx context.Context, pk, end string, each func(layout.Item) error) error {
	in := db.queryOf(pk)
	*in.KeyConditionExpression += " AND " + layout.AttrSK + " < :end"
	in.ExpressionAttributeValues[":end"] = layout.S(end)
	return db.queryAll(ctx, in, each)
}

// queryOf returns a consistent query of a table partition.
func (db *DB) queryOf(pk string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName:                 &db.table,
		KeyConditionExpression:    aws.String(layout.AttrPK + " = :pk"),
		ExpressionAttributeValues: layout.Item{":pk": layout.S(pk)},
		ConsistentRead:            aws.Bool(true),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
}

// queryAll calls each for all items of a query.
func (db *DB) queryAll(ctx context.Context, in *dynamodb.QueryInput, each func(layout.Item) error) error {
	for {
		out, err := db.client.Query(ctx, in)
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
