package dynamo

import (
	"bytes"
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/tracker"
)

// KeyQuery asks for ordered keys of one index partition: the rows of a project that have a value in a column, in the order
// of the column.
type KeyQuery struct {
	Project tracker.ProjectID
	Column  tracker.Column
	// Member picks the index partition of one member of a set column: an option's id, or a folded tag.
	Member string
	// From and To bound the sort strings, half-open: From <= SS < To. Nil is no bound.
	From, To []byte
	// Descending reads from the end of the range.
	Descending bool
	// Limit is how many keys are examined at the most; 0 is as many as 1 MB holds.
	Limit int
	// Without keeps only the keys of issues that have no value of this field. Keys left out count towards Limit, because DynamoDB
	// filters after it has read. Only for ColumnNum, whose index items carry what an issue has.
	Without tracker.FieldID
	// CountOnly returns the number of keys and not the keys.
	CountOnly bool
}

// KeyPage is the answer to one Query request.
type KeyPage struct {
	Keys []IndexKey
	// Count is the number of keys that match, also where they are not returned.
	Count int
	// Last is the sort string of the last key examined, from which reading goes on, exclusive; nil when the range is exhausted.
	// An empty page is not the end; a nil Last is.
	Last []byte
}

// IndexKey is one row of an index partition.
type IndexKey struct {
	Issue tracker.IssueID
	SS    []byte
}

// QueryKeys sends one Query to the index. One answer holds at most 1 MB of keys, because DynamoDB ends it there.
func (t *Tenant) QueryKeys(ctx context.Context, q KeyQuery) (KeyPage, error) {
	if !tracker.ValidID(string(q.Project)) || !tracker.ValidID(string(q.Column)) {
		return KeyPage{}, tracker.Missing("column")
	}
	if emptyRange(q.From, q.To) {
		return KeyPage{}, nil
	}
	partition := t.keys.column(q.Project, q.Column)
	if q.Member != "" {
		partition += "." + q.Member
	}
	in := &dynamodb.QueryInput{
		TableName:              &t.db.table,
		IndexName:              aws.String(indexName),
		ScanIndexForward:       aws.Bool(!q.Descending),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	limit := q.Limit
	in.KeyConditionExpression, in.ExpressionAttributeValues = keyCondition(partition, q.From, q.To)
	if q.From != nil && q.To != nil && limit > 0 && q.Descending {
		limit++ // the bound To itself may be read and is dropped below
	}
	if limit > 0 {
		in.Limit = aws.Int32(int32(limit))
	}
	if q.CountOnly && (q.From == nil || q.To == nil) { // with both bounds, To may be among the keys that are counted
		in.Select = types.SelectCount
	} else {
		in.ProjectionExpression = aws.String(attrPK + "," + attrSS)
	}
	if q.Without != "" {
		in.FilterExpression = aws.String("NOT contains(" + attrHas + ", :without)")
		in.ExpressionAttributeValues[":without"] = avS(string(q.Without))
	}
	out, err := t.db.client.Query(ctx, in)
	if err != nil {
		return KeyPage{}, translate(err)
	}
	t.db.meter.read("Query", int(out.Count), out.ConsumedCapacity)
	return t.keyPage(q, out)
}

// emptyRange tells that nothing is From <= position < To. DynamoDB refuses a lower bound above the upper one.
func emptyRange(from, to []byte) bool {
	return from != nil && to != nil && bytes.Compare(from, to) >= 0
}

// keyCondition bounds the sort string. DynamoDB takes one condition on the sort key, and only BETWEEN has two bounds, both
// inclusive; so with both bounds the key To may come along.
func keyCondition(partition string, from, to []byte) (*string, map[string]types.AttributeValue) {
	condition := attrSK + " = :partition"
	values := map[string]types.AttributeValue{":partition": avS(partition)}
	if from != nil {
		values[":from"] = avB(from)
	}
	if to != nil {
		values[":to"] = avB(to)
	}
	switch {
	case from != nil && to != nil:
		condition += " AND " + attrSS + " BETWEEN :from AND :to"
	case from != nil:
		condition += " AND " + attrSS + " >= :from"
	case to != nil:
		condition += " AND " + attrSS + " < :to"
	}
	return &condition, values
}

func (t *Tenant) keyPage(q KeyQuery, out *dynamodb.QueryOutput) (KeyPage, error) {
	page := KeyPage{Count: int(out.Count)}
	if out.LastEvaluatedKey != nil {
		page.Last = getB(out.LastEvaluatedKey, attrSS)
	}
	page.Keys = make([]IndexKey, 0, len(out.Items))
	for _, item := range out.Items {
		id, ok := t.keys.parseIssue(getS(item, attrPK))
		if !ok {
			return KeyPage{}, tracker.Internal("the index has a key that is not an issue's: "+getS(item, attrPK), nil)
		}
		ss := getB(item, attrSS)
		if q.To != nil && bytes.Equal(ss, q.To) {
			if page.Count--; !q.Descending {
				page.Last = nil // nothing of the range is behind it
			}
			continue
		}
		page.Keys = append(page.Keys, IndexKey{Issue: id, SS: ss})
	}
	if q.Limit > 0 && len(page.Keys) > q.Limit {
		page.Keys = page.Keys[:q.Limit]
		page.Count = q.Limit
		page.Last = page.Keys[q.Limit-1].SS
	}
	if q.CountOnly {
		page.Keys = nil
	}
	return page, nil
}
