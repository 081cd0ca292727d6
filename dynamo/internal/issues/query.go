package issues

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
	"issuegrid/dynamo/internal/store"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// maxQueryKeys is the limit of a Query that needs none, because a response has at most 1 MB, which are about
// 9,000 keys: the embedded engine reads the rest of the partition before it cuts the response, which takes
// more than 30 s for a million keys.
const maxQueryKeys = 15_000

// QueryKeys sends one Query to the index, or one to each shard in parallel. DynamoDB limits a response to
// 1 MB of keys.
func (s *Store) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	shards := q.Split()
	if len(shards) == 1 {
		return s.queryShard(ctx, shards[0])
	}
	pages := make([]columns.KeyPage, len(shards))
	group, ctx := errgroup.WithContext(ctx)
	for i, shard := range shards {
		group.Go(func() (err error) {
			pages[i], err = s.queryShard(ctx, shard)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return columns.KeyPage{}, err
	}
	return q.Join(pages), nil
}

// queryShard sends one Query to the index.
func (s *Store) queryShard(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	partition, err := s.partitionOf(q)
	if err != nil {
		return columns.KeyPage{}, err
	}
	from, to := sortBounds(q)
	if store.EmptyRange(from, to) {
		return columns.KeyPage{}, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &s.t.Table,
		IndexName:              aws.String(layout.IndexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	limit := q.Limit
	in.KeyConditionExpression, in.ExpressionAttributeValues = store.KeyCondition(partition, from, to)
	// With both bounds, To may be among the keys.
	both := q.To != nil && (q.From != nil || sortPrefix(q) != nil) && !q.ToIsNoKey
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
	out, err := s.t.Client.Query(ctx, in)
	if err != nil {
		return columns.KeyPage{}, client.Translate(err)
	}
	return s.keyPage(q, out)
}

// partitionOf returns the index partition of a query.
func (s *Store) partitionOf(q columns.KeyQuery) (string, error) {
	if q.Way != (columns.Way{}) {
		if !q.Way.Participant.Valid() || !slices.Contains(columns.WayOrders, q.Way.By) ||
			!slices.Contains(tracker.ParticipantRoles, q.Way.Role) {
			return "", tracker.Missing("participant")
		}
		if q.Project != "" && (q.Way.By != tracker.ColumnNum || !tracker.ValidID(string(q.Project))) {
			return "", tracker.Missing("project")
		}
		return layout.Participation(s.t.Keys, q.Way), nil
	}
	if !tracker.ValidID(string(q.Project)) || !tracker.ValidID(string(q.Column)) {
		return "", tracker.Missing("column")
	}
	partition := layout.Generation(s.t.Keys.Column(q.Project, q.Shard, q.Column), q.Gen)
	if q.Member != "" {
		partition += "." + q.Member
	}
	return partition, nil
}

// sortPrefix returns what the sort strings in the partition have before those of the keys of a query.
func sortPrefix(q columns.KeyQuery) []byte {
	switch {
	case q.Empties:
		return sortkey.Empties()
	case q.Way != columns.Way{} && q.Project != "":
		return columns.WayPrefix(q.Project)
	}
	return nil
}

// sortBounds returns the bounds of the sort strings in the partition. The entries of empty values follow
// those of the values, and those of a project in a way are followed by those of others, so that no key of a
// range equals a bound that is added.
func sortBounds(q columns.KeyQuery) (from, to []byte) {
	toAll := q.To == nil || bytes.Compare(q.To, sortkey.Empties()) > 0
	prefix := sortPrefix(q)
	switch {
	case prefix != nil:
		from = slices.Concat(prefix, q.From)
		if q.To != nil {
			to = slices.Concat(prefix, q.To)
		} else if !q.Empties {
			to = slices.Concat(prefix, sortkey.Empties()) // which is after all numbers
		}
		return from, to
	case toAll && q.Member == "" && q.Column.Nullable():
		return q.From, sortkey.Empties()
	}
	return q.From, q.To
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

func (s *Store) keyPage(q columns.KeyQuery, out *dynamodb.QueryOutput) (columns.KeyPage, error) {
	page := columns.KeyPage{Count: int(out.Count), Examined: int(out.ScannedCount), Queries: 1}
	if c := out.ConsumedCapacity; c != nil && c.CapacityUnits != nil {
		page.RCU = *c.CapacityUnits
	}
	before := len(sortPrefix(q))
	if out.LastEvaluatedKey != nil {
		page.Last = layout.GetB(out.LastEvaluatedKey, layout.AttrSS)[before:]
		page.LastIssue, _ = s.t.Keys.ParseIssue(layout.GetS(out.LastEvaluatedKey, layout.AttrPK))
	}
	page.Keys = make([]columns.IndexKey, 0, len(out.Items))
	for _, item := range out.Items {
		id, ok := s.t.Keys.ParseIssue(layout.GetS(item, layout.AttrPK))
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
