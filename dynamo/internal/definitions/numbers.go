package definitions

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// ReserveNums takes n numbers from the project's counter and returns the first. Unused numbers are not
// reused.
func (s *Store) ReserveNums(ctx context.Context, p tracker.ProjectID, n int) (first int64, err error) {
	out, err := s.t.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:           &s.t.Table,
		Key:                 layout.KeyItem(s.t.Keys.Counter(p)),
		UpdateExpression:    aws.String("ADD n :n SET reserved = :now"),
		ConditionExpression: aws.String("attribute_exists(" + layout.AttrPK + ") AND n <= :most"),
		ExpressionAttributeValues: layout.Item{":n": layout.N(int64(n)), ":now": layout.N(s.t.Now().Unix()),
			":most": layout.N(tracker.MaxNum - int64(n))},
		ReturnValues:           types.ReturnValueUpdatedNew,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return 0, tracker.Missing("project with numbers left")
	}
	if err != nil {
		return 0, client.Translate(err)
	}
	return layout.GetN(out.Attributes, "n") - int64(n) + 1, nil
}

// NoteAdded records in the counter that issues are about to be added under numbers that were reserved
// earlier, by an import or from the trash. Jobs then wait until the index has them.
func (s *Store) NoteAdded(ctx context.Context, p tracker.ProjectID) error {
	_, err := s.t.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.t.Table,
		Key:                       layout.KeyItem(s.t.Keys.Counter(p)),
		UpdateExpression:          aws.String("SET added = :now"),
		ConditionExpression:       aws.String("attribute_exists(" + layout.AttrPK + ")"),
		ExpressionAttributeValues: layout.Item{":now": layout.N(s.t.Now().Unix())},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return tracker.Missing("project")
	}
	return client.Translate(err)
}

// RaiseCounter makes the project's next number larger than num.
func (s *Store) RaiseCounter(ctx context.Context, p tracker.ProjectID, num int64) error {
	defer s.forget(p) // the cached highest number is outdated
	_, err := s.t.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.t.Table,
		Key:                       layout.KeyItem(s.t.Keys.Counter(p)),
		UpdateExpression:          aws.String("SET n = :num"),
		ConditionExpression:       aws.String("n < :num"),
		ExpressionAttributeValues: layout.Item{":num": layout.N(num)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	})
	if _, ok := client.ConditionFailed(err); ok {
		return nil
	}
	return client.Translate(err)
}

// Counter returns the highest number that the project has assigned to an issue. It returns NotFound if there
// is no such project.
func (s *Store) Counter(ctx context.Context, p tracker.ProjectID) (int64, error) {
	items, err := s.t.Get(ctx, []layout.Key{s.t.Keys.Counter(p)}, true)
	if err != nil {
		return 0, err
	}
	if items[0] == nil {
		return 0, tracker.Missing("project")
	}
	return layout.GetN(items[0], "n"), nil
}
