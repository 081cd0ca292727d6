package client

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
)

// TestWithin puts a key of another tenant in each position of each request.
func TestWithin(t *testing.T) {
	k := func(pk, sk string, more ...string) layout.Item {
		m := layout.KeyItem(layout.Key{PK: pk, SK: sk})
		for _, name := range more {
			m[name] = layout.B([]byte("x"))
		}
		return m
	}
	const pk, foreign = "acme/issue-p.i", "acme2/issue-p.i"
	for _, c := range []struct {
		name   string
		own    any
		beyond any
	}{
		{"Query", &dynamodb.QueryInput{KeyConditionExpression: aws.String("SK = :sk AND SS > :from"),
			ExpressionAttributeValues: layout.Item{":sk": layout.S(pk)}},
			&dynamodb.QueryInput{KeyConditionExpression: aws.String("SK = :sk AND SS > :from"),
				ExpressionAttributeValues: layout.Item{":sk": layout.S(foreign), ":from": layout.S(pk)}}},
		{"a list of tenants", &dynamodb.DescribeTableInput{},
			&dynamodb.QueryInput{KeyConditionExpression: aws.String("SK = :sk"),
				ExpressionAttributeValues: layout.Item{":sk": layout.S(layout.TenantsPartition)}}},
		{"no partition key", &dynamodb.DescribeTableInput{},
			&dynamodb.QueryInput{KeyConditionExpression: aws.String("SS = :sk"),
				ExpressionAttributeValues: layout.Item{":sk": layout.S(pk)}}},
		{"UpdateItem", &dynamodb.UpdateItemInput{Key: k(pk, "x")},
			&dynamodb.UpdateItemInput{Key: k(foreign, "x")}},
		{"BatchGetItem", &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{"t": {Keys: []layout.Item{k(pk, "x")}}}},
			&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				"t": {Keys: []layout.Item{k(pk, "x"), k(foreign, "x")}}}}},
		{"BatchWriteItem, a put", &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{"t": {putRequest(k(pk, "acme/p", layout.AttrSS))}}},
			&dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{
					"t": {putRequest(k(pk, "acme/p", layout.AttrSS)), putRequest(k(foreign, "x"))}}}},
		{"a foreign index partition", &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{
				"t": {putRequest(k(pk, layout.TenantsPartition, layout.AttrSS))}}},
			&dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{
					"t": {putRequest(k(pk, "acme2/p", layout.AttrSS))}}}},
		{"BatchWriteItem, a delete", &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{
				"t": deleteRequests([]layout.Key{{PK: pk, SK: "x"}})}},
			&dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{
					"t": deleteRequests([]layout.Key{{PK: foreign, SK: "x"}})}}},
		{"a put of a transaction", &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{{Put: &types.Put{Item: k(pk, "*")}}}},
			&dynamodb.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{{Put: &types.Put{Item: k(foreign, "*")}}}}},
		{"a delete", &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{Key: k(pk, "*")}}}},
			&dynamodb.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{{Delete: &types.Delete{Key: k(foreign, "*")}}}}},
		{"an update", &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{{Update: &types.Update{Key: k(pk, "*")}}}},
			&dynamodb.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{{Update: &types.Update{Key: k(foreign, "*")}}}}},
		{"a check", &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{
				{ConditionCheck: &types.ConditionCheck{Key: k(pk, "*")}}}},
			&dynamodb.TransactWriteItemsInput{
				TransactItems: []types.TransactWriteItem{
					{ConditionCheck: &types.ConditionCheck{Key: k(foreign, "*")}}}}},
		{"what is not known", &dynamodb.DescribeTableInput{}, &dynamodb.ScanInput{}},
	} {
		if !within("acme", c.own) {
			t.Errorf("%s: the tenant's own keys are rejected", c.name)
		}
		if within("acme", c.beyond) {
			t.Errorf("%s: another tenant's key is accepted", c.name)
		}
	}
}

func putRequest(m layout.Item) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: m}}
}

func deleteRequests(all []layout.Key) []types.WriteRequest {
	out := make([]types.WriteRequest, len(all))
	for i, k := range all {
		out[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: layout.KeyItem(k)}}
	}
	return out
}
