package dynamo_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

func messageOf(err error) string {
	if e, ok := errors.AsType[*tracker.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// raw accesses the table through the plain SDK, without the production code and the fixture's wire.
type raw struct {
	t      testing.TB
	client *dynamodb.Client
	table  string
}

func newRaw(t testing.TB, table string) *raw {
	return &raw{t: t, table: table,
		client: dynamodb.New(dynamodb.Options{HTTPClient: dynamotest.PlainClient(),
			Region: "us-east-1", BaseEndpoint: aws.String(dynamotest.Endpoint()),
			Credentials: credentials.NewStaticCredentialsProvider("embedded", "embedded", ""),
		})}
}

// item is an item as Go values: string, number and binary (string types, quick to compare), bool, []any,
// map[string]any, and set.
type item = map[string]any

type (
	number string
	binary string
	set    []string // sorted
)

// key is a primary key.
type key struct{ PK, SK string }

func keyOf(m item) key { return key{m["PK"].(string), m["SK"].(string)} }

// items returns the items whose partition key begins with prefix, by key.
func (r *raw) items(prefix string) map[key]item {
	r.t.Helper()
	return itemsOf(r.scanned(""), prefix)
}

// itemsOf returns those of some items whose partition key begins with prefix, by key.
func itemsOf(all []map[string]types.AttributeValue, prefix string) map[key]item {
	out := map[key]item{}
	for _, stored := range all {
		m := plainItem(stored)
		if strings.HasPrefix(m["PK"].(string), prefix) {
			out[keyOf(m)] = m
		}
	}
	return out
}

// index returns the items of the index by partition, in the order of their sort strings.
func (r *raw) index() map[string][]item {
	r.t.Helper()
	out := map[string][]item{}
	for _, m := range r.scan("grid") {
		out[m["SK"].(string)] = append(out[m["SK"].(string)], m)
	}
	for _, rows := range out {
		slices.SortFunc(rows, func(a, b item) int {
			return cmp.Or(cmp.Compare(a["SS"].(binary), b["SS"].(binary)),
				cmp.Compare(a["PK"].(string), b["PK"].(string)))
		})
	}
	return out
}

// issues returns the documents of the issues of a project of the first tenant, in all shards, in the order of
// their numbers.
func (r *raw) issues(p tracker.ProjectID) (out []item) {
	r.t.Helper()
	partition := string(acme) + "/project-" + string(p)
	for sk, rows := range r.index() {
		if base, _, _ := strings.Cut(sk, "~"); base == partition {
			out = append(out, rows...)
		}
	}
	slices.SortFunc(out, func(a, b item) int { return cmp.Compare(a["SS"].(binary), b["SS"].(binary)) })
	return out
}

func (r *raw) scan(index string) (out []item) {
	r.t.Helper()
	for _, m := range r.scanned(index) {
		out = append(out, plainItem(m))
	}
	return out
}

// stored returns the items of the first tenant in the SDK's types, by key.
func (r *raw) stored() map[key]map[string]types.AttributeValue {
	r.t.Helper()
	out := map[key]map[string]types.AttributeValue{}
	for _, m := range r.scanned("") {
		k := key{m["PK"].(*types.AttributeValueMemberS).Value, m["SK"].(*types.AttributeValueMemberS).Value}
		if !strings.HasPrefix(k.PK, string(rival)+"/") {
			out[k] = m
		}
	}
	return out
}

func (r *raw) scanned(index string) (out []map[string]types.AttributeValue) {
	r.t.Helper()
	in := &dynamodb.ScanInput{TableName: &r.table}
	if index != "" {
		in.IndexName = &index
	}
	for {
		page, err := r.client.Scan(context.Background(), in)
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, page.Items...)
		if page.LastEvaluatedKey == nil {
			return out
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

// partition returns the items of one partition of the table, in the order of their sort keys.
func (r *raw) partition(pk string) []item {
	r.t.Helper()
	return r.query(&dynamodb.QueryInput{ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("PK = :key")}, pk)
}

// ordered returns the items of one partition of the index, in the order in which the engine returns them.
func (r *raw) ordered(sk string) []item {
	r.t.Helper()
	return r.query(&dynamodb.QueryInput{IndexName: aws.String("grid"),
		KeyConditionExpression: aws.String("SK = :key")}, sk)
}

func (r *raw) query(in *dynamodb.QueryInput, partition string) []item {
	r.t.Helper()
	in.TableName, in.ExpressionAttributeValues = &r.table, attributes(item{":key": partition})
	var out []item
	for {
		page, err := r.client.Query(context.Background(), in)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, m := range page.Items {
			out = append(out, plainItem(m))
		}
		if page.LastEvaluatedKey == nil {
			return out
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

// put writes an item unchanged.
func (r *raw) put(m map[string]types.AttributeValue) {
	r.t.Helper()
	if _, err := r.client.PutItem(context.Background(),
		&dynamodb.PutItemInput{TableName: &r.table, Item: m}); err != nil {
		r.t.Fatal(err)
	}
}

// putAll writes items unchanged.
func (r *raw) putAll(items []map[string]types.AttributeValue) {
	r.t.Helper()
	for batch := range slices.Chunk(items, 25) {
		var puts []types.WriteRequest
		for _, m := range batch {
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: m}})
		}
		out, err := r.client.BatchWriteItem(context.Background(),
			&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{r.table: puts}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			r.t.Fatalf("writing %d items: %v, %v", len(batch), out, err)
		}
	}
}

// get returns an item in the SDK's types, to be altered and put back. It returns nil if there is none.
func (r *raw) get(k key) map[string]types.AttributeValue {
	r.t.Helper()
	out, err := r.client.GetItem(context.Background(),
		&dynamodb.GetItemInput{TableName: &r.table, ConsistentRead: aws.Bool(true),
			Key: attributes(item{"PK": k.PK, "SK": k.SK})})
	if err != nil {
		r.t.Fatal(err)
	}
	return out.Item
}

func plainItem(m map[string]types.AttributeValue) item {
	out := make(item, len(m))
	for name, v := range m {
		out[name] = plain(v)
	}
	return out
}

func plain(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return number(v.Value)
	case *types.AttributeValueMemberB:
		return binary(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberSS:
		return set(slices.Sorted(slices.Values(v.Value)))
	case *types.AttributeValueMemberL:
		out := make([]any, len(v.Value))
		for i := range v.Value {
			out[i] = plain(v.Value[i])
		}
		return out
	case *types.AttributeValueMemberM:
		return plainItem(v.Value)
	}
	return v
}

// attributes converts an item to the SDK's types. It is the inverse of plainItem.
func attributes(m item) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(m))
	for name, v := range m {
		switch v := v.(type) {
		case string:
			out[name] = &types.AttributeValueMemberS{Value: v}
		case number:
			out[name] = &types.AttributeValueMemberN{Value: string(v)}
		case binary:
			out[name] = &types.AttributeValueMemberB{Value: []byte(v)}
		case bool:
			out[name] = &types.AttributeValueMemberBOOL{Value: v}
		case set:
			out[name] = &types.AttributeValueMemberSS{Value: v}
		case item:
			out[name] = &types.AttributeValueMemberM{Value: attributes(v)}
		default:
			panic(v)
		}
	}
	return out
}

// delete removes an item.
func (r *raw) delete(k key) {
	r.t.Helper()
	if _, err := r.client.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: &r.table,
		Key: attributes(item{"PK": k.PK, "SK": k.SK})}); err != nil {
		r.t.Fatal(err)
	}
}
