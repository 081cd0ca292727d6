package client

import (
	"maps"
	"testing"

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
	index := func(condition string, more layout.Item) func(string) any {
		return func(pk string) any {
			values := layout.Item{":sk": layout.S(pk)}
			maps.Copy(values, more)
			return &dynamodb.QueryInput{KeyConditionExpression: &condition, ExpressionAttributeValues: values}
		}
	}
	batch := func(requests ...types.WriteRequest) any {
		return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"t": requests}}
	}
	transaction := func(w types.TransactWriteItem) any {
		return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{w}}
	}
	const own, foreign = "acme/issue-p.i", "acme2/issue-p.i"
	for name, request := range map[string]func(pk string) any{
		"Query":      index("SK = :sk AND SS > :from", layout.Item{":from": layout.S(own)}),
		"UpdateItem": func(pk string) any { return &dynamodb.UpdateItemInput{Key: k(pk, "x")} },
		"BatchGetItem": func(pk string) any {
			return &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				"t": {Keys: []layout.Item{k(own, "x"), k(pk, "x")}}}}
		},
		"BatchWriteItem, a put": func(pk string) any {
			return batch(putRequest(k(own, "acme/p", layout.AttrSS)), putRequest(k(pk, "x")))
		},
		"BatchWriteItem, a delete": func(pk string) any {
			return batch(deleteRequests([]layout.Key{{PK: pk, SK: "x"}})...)
		},
		"an index partition": func(pk string) any { return batch(putRequest(k(own, pk, layout.AttrSS))) },
		"a put of a transaction": func(pk string) any {
			return transaction(types.TransactWriteItem{Put: &types.Put{Item: k(pk, "*")}})
		},
		"a delete": func(pk string) any {
			return transaction(types.TransactWriteItem{Delete: &types.Delete{Key: k(pk, "*")}})
		},
		"an update": func(pk string) any {
			return transaction(types.TransactWriteItem{Update: &types.Update{Key: k(pk, "*")}})
		},
		"a check": func(pk string) any {
			check := &types.ConditionCheck{Key: k(pk, "*")}
			return transaction(types.TransactWriteItem{ConditionCheck: check})
		},
	} {
		if !within("acme", request(own)) {
			t.Errorf("%s: the tenant's own keys are rejected", name)
		}
		if within("acme", request(foreign)) {
			t.Errorf("%s: another tenant's key is accepted", name)
		}
	}
	for name, in := range map[string]any{"a list of tenants": index("SK = :sk", nil)(layout.TenantsPartition),
		"no partition key": index("SS = :sk", nil)(own), "what is not known": &dynamodb.ScanInput{}} {
		if within("acme", in) {
			t.Errorf("%s is accepted", name)
		}
	}
	for _, in := range []any{&dynamodb.DescribeTableInput{},
		batch(putRequest(k(own, layout.TenantsPartition, layout.AttrSS)))} {
		if !within("acme", in) {
			t.Errorf("%T is rejected", in)
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
