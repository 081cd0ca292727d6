package store

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

// HistoryQuery selects entries of the history of an issue or a project.
type HistoryQuery struct {
	// From and To are the range of versions, From <= version < To. A To of 0 means no limit.
	From, To int64
	// OldestFirst reverses the order, which is newest first.
	OldestFirst bool
	Limit       int
}

// Listed is a row of a list: an id and its position.
type Listed[ID any] struct {
	ID       ID
	Position []byte
}

// List is a list of the index: of tenants or projects by name, or of deleted issues.
type List[ID any] struct {
	DB        *DB
	Partition string
	Parse     func(pk string) (ID, bool)
	// End returns the position of the first row that has expired or was deleted, or nil. Rows from it on are
	// not counted.
	End func() []byte
	// Invalid is the error of all reads, or nil.
	Invalid error
}

// Page returns a page of the list. more reports whether there may be more in the range. It reads until the
// limit is reached or the range ends.
func (l List[ID]) Page(ctx context.Context, q ListQuery) (page []Listed[ID], more bool, err error) {
	if l.Invalid != nil {
		return nil, false, l.Invalid
	}
	if EmptyRange(q.From, q.To) {
		return nil, false, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &l.DB.Table,
		IndexName:              aws.String(layout.IndexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ProjectionExpression:   aws.String(layout.AttrPK + "," + layout.AttrSS),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = KeyCondition(l.Partition, q.From, q.To)
	for {
		in.Limit = aws.Int32(int32(q.Limit - len(page) + 1)) // one more, because the response may include To
		out, err := l.DB.Client.Query(ctx, in)
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
			id, ok := l.Parse(layout.GetS(m, layout.AttrPK))
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

// Each calls with for each page of the list, of up to limit rows, until it returns an error or the list ends.
func (l List[ID]) Each(ctx context.Context, limit int, with func(page []Listed[ID]) error) error {
	q := ListQuery{Limit: limit}
	for {
		page, more, err := l.Page(ctx, q)
		if err != nil {
			return err
		}
		if err := with(page); err != nil || !more {
			return err
		}
		q.From = sortkey.After(page[len(page)-1].Position)
	}
}

// Count returns the number of rows with From <= position < To; nil means no limit. With both limits, To must
// not be the position of a row. If exact is false, there are more, which would have taken more than
// MaxCountQueries.
func (l List[ID]) Count(ctx context.Context, from, to []byte) (n int, exact bool, err error) {
	if l.Invalid != nil {
		return 0, false, l.Invalid
	}
	if l.End != nil {
		if end := l.End(); to == nil || bytes.Compare(end, to) < 0 {
			to = end
		}
	}
	if EmptyRange(from, to) {
		return 0, true, nil
	}
	in := &dynamodb.QueryInput{
		TableName:              &l.DB.Table,
		IndexName:              aws.String(layout.IndexName),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	in.KeyConditionExpression, in.ExpressionAttributeValues = KeyCondition(l.Partition, from, to)
	return l.DB.Count(ctx, in)
}
