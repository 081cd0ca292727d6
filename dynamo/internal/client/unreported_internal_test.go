package client

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
)

// TestEstimates checks the estimates for requests of each kind that are denied and that are made.
func TestEstimates(t *testing.T) {
	sized := func(n int) layout.Item {
		return layout.Item{layout.AttrPK: layout.S(strings.Repeat("x", n-len(layout.AttrPK)))}
	}
	entry := layout.Item{layout.AttrPK: layout.S("T/issue-P.I"), layout.AttrSK: layout.S("T/xvalue-P.F"),
		layout.AttrSS: layout.B([]byte{1})}
	key := layout.KeyItem(layout.Key{PK: "T/issue-P.I", SK: "T/xvalue-P.F"})
	batch := func(writes ...types.WriteRequest) *dynamodb.BatchWriteItemInput {
		return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"t": writes}}
	}
	get := func(n int, consistent *bool) *dynamodb.BatchGetItemInput {
		return &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{
				"t": {Keys: make([]layout.Item, n), ConsistentRead: consistent}}}
	}
	index := aws.String(layout.IndexName)
	for _, test := range []struct {
		name         string
		in           any
		denied, done account.Capacity
	}{
		{"the worked example", &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{
				{Put: &types.Put{Item: layout.Item{layout.AttrSS: layout.B([]byte{1}),
					"v": layout.S(strings.Repeat("x", 1500))}}},
				{Put: &types.Put{Item: entry}},
				{Delete: &types.Delete{Key: key}}}}, account.Capacity{WCU: 8}, account.Capacity{WCU: 11}},
		{"checks and updates", &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{Key: key}},
				{Update: &types.Update{Key: key}}}},
			account.Capacity{WCU: 4}, account.Capacity{WCU: 4}},
		{"1 KB", batch(putRequest(sized(1024))), account.Capacity{WCU: 1}, account.Capacity{WCU: 1}},
		{"1 KB and a byte", batch(putRequest(sized(1025))), account.Capacity{WCU: 2},
			account.Capacity{WCU: 2}},
		{"entries that come and go", batch(putRequest(entry),
			types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}), account.Capacity{WCU: 2},
			account.Capacity{WCU: 4}},
		{"an update", &dynamodb.UpdateItemInput{}, account.Capacity{WCU: 1}, account.Capacity{WCU: 1}},
		{"documents", get(100, aws.Bool(false)), account.Capacity{RCU: 50}, account.Capacity{RCU: 50}},
		{"documents, consistently", get(3, aws.Bool(true)), account.Capacity{RCU: 3},
			account.Capacity{RCU: 3}},
		{"a key", &dynamodb.QueryInput{IndexName: index, Limit: aws.Int32(1)}, account.Capacity{RCU: 0.5},
			account.Capacity{RCU: 0.5}},
		{"100 keys", &dynamodb.QueryInput{IndexName: index, Limit: aws.Int32(100)},
			account.Capacity{RCU: 1.5}, account.Capacity{RCU: 1.5}},
		{"10 rows, consistently", &dynamodb.QueryInput{Limit: aws.Int32(10), ConsistentRead: aws.Bool(true)},
			account.Capacity{RCU: 3}, account.Capacity{RCU: 3}},
		{"a whole partition", &dynamodb.QueryInput{}, account.Capacity{RCU: 8}, account.Capacity{RCU: 8}},
		{"a scan", &dynamodb.ScanInput{}, account.Capacity{RCU: 128}, account.Capacity{RCU: 128}},
		{"the table", &dynamodb.DescribeTableInput{}, account.Capacity{}, account.Capacity{}},
	} {
		if denied, done := estimate(test.in, false), estimate(test.in, true); denied != test.denied ||
			done != test.done {
			t.Errorf("%s: denied %+v, done %+v; want %+v, %+v", test.name, denied, done, test.denied,
				test.done)
		}
	}
}
