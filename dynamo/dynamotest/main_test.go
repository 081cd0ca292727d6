package dynamotest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/tier"
)

func TestMain(m *testing.M) {
	tier.Parallel()
	dynamotest.Main(m)
}

// object is a JSON object.
type object = map[string]any

// client sends requests once and unmodified, without the SDK.
type client struct {
	t    testing.TB
	url  string
	http *http.Client
}

func newClient(t testing.TB, url string) *client {
	c := &client{t: t, url: url, http: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// answer is the result of a request: an error of the connection, or a status and a body.
type answer struct {
	err    error
	status int
	header http.Header
	body   object
}

// code returns the name of the API's error, such as ValidationException, or "".
func (a answer) code() string {
	name, _ := a.body["__type"].(string)
	return name[strings.LastIndex(name, "#")+1:]
}

func (a answer) String() string {
	if a.err != nil {
		return "connection lost"
	}
	return fmt.Sprint(a.status, " ", a.code())
}

func (c *client) request(operation string, body object) *http.Request {
	c.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(b))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("X-Amz-Date", "20260101T000000Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request, "+
		"SignedHeaders=host, Signature=x")
	return r
}

// ask sends a request. The test fails if the response is not JSON.
func (c *client) ask(operation string, body object) answer {
	c.t.Helper()
	return c.send(c.request(operation, body))
}

func (c *client) send(r *http.Request) answer {
	c.t.Helper()
	response, err := c.http.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{err: err}
	}
	a := answer{status: response.StatusCode, header: response.Header}
	if err := json.Unmarshal(b, &a.body); err != nil {
		c.t.Errorf("response %d %q is not JSON: %v", a.status, b, err)
	}
	return a
}

// do is ask for a request that must succeed.
func (c *client) do(operation string, body object) object {
	c.t.Helper()
	a := c.ask(operation, body)
	if a.err != nil || a.status != http.StatusOK {
		c.t.Fatalf("%s: %v %v %v", operation, a, a.err, a.body)
	}
	return a.body
}

// fixture is a table with a proxy.
type fixture struct {
	*testing.T
	proxy *dynamotest.Proxy
	db    *dynamo.DB // through the proxy
	table string
	// front sends requests to the proxy, engine to the engine itself.
	front, engine *client
}

// setup makes a fixture; prepare may configure the proxy before the table is created.
func setup(t *testing.T, prepare ...func(*dynamotest.Proxy)) *fixture {
	t.Helper()
	t.Parallel()
	proxy := dynamotest.NewProxy(t, dynamotest.Endpoint(), 1)
	for _, f := range prepare {
		f(proxy)
	}
	return behind(t, proxy)
}

func behind(t *testing.T, proxy *dynamotest.Proxy) *fixture {
	t.Helper()
	db, _ := dynamotest.Open(t, func(s *dynamo.Settings) { s.Endpoint = proxy.URL() })
	proxy.Reset()
	return &fixture{T: t, proxy: proxy, db: db, table: db.Table(), front: newClient(t, proxy.URL()),
		engine: newClient(t, dynamotest.Endpoint())}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// key returns the primary key of an item. All items are in the index partition "rows".
func key(name string) object { return object{"PK": object{"S": name}, "SK": object{"S": "rows"}} }

// row returns an item.
func row(name string) object {
	item := key(name)
	item["SS"] = object{"B": []byte(name)}
	return item
}

func (f *fixture) put(name string) object { return object{"TableName": f.table, "Item": row(name)} }

// add returns an update that counts how often it is applied.
func (f *fixture) add(name string) object {
	return object{"TableName": f.table, "Key": key(name), "UpdateExpression": "SET SS = :ss ADD n :one",
		"ExpressionAttributeValues": object{":ss": object{"B": []byte(name)}, ":one": object{"N": "1"}}}
}

// puts returns a BatchWriteItem request.
func (f *fixture) puts(names ...string) object {
	var writes []any
	for _, name := range names {
		writes = append(writes, object{"PutRequest": object{"Item": row(name)}})
	}
	return object{"RequestItems": object{f.table: writes}}
}

// adds returns a TransactWriteItems request.
func (f *fixture) adds(names ...string) object {
	var items []any
	for _, name := range names {
		items = append(items, object{"Update": f.add(name)})
	}
	return object{"TransactItems": items}
}

// rows returns the sorted names of the items in a table, read from the engine directly.
func (f *fixture) rows(table string) []string {
	f.Helper()
	names := []string{}
	for _, item := range f.scan(object{"TableName": table}) {
		names = append(names, nameOf(item))
	}
	slices.Sort(names)
	return names
}

func nameOf(item any) string { return item.(object)["PK"].(object)["S"].(string) }

// scan returns all items of a Scan request, read from the engine directly.
func (f *fixture) scan(request object) []any {
	f.Helper()
	var items []any
	for {
		a := f.engine.do("Scan", request)
		items = append(items, a["Items"].([]any)...)
		if a["LastEvaluatedKey"] == nil {
			return items
		}
		request["ExclusiveStartKey"] = a["LastEvaluatedKey"]
	}
}

// seen returns the names of the rows in the index, as read through the proxy.
func (f *fixture) seen() []string {
	f.Helper()
	names := []string{}
	for _, item := range f.front.do("Query", f.index())["Items"].([]any) {
		names = append(names, nameOf(item))
	}
	return names
}

// index returns a Query request on the index.
func (f *fixture) index() object {
	return object{"TableName": f.table, "IndexName": "grid", "KeyConditionExpression": "SK = :rows",
		"ExpressionAttributeValues": object{":rows": object{"S": "rows"}}, "ReturnConsumedCapacity": "TOTAL"}
}
