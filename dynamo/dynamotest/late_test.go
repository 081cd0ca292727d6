package dynamotest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
)

// lagging returns an option that makes the indexes of a fixture lag.
func lagging(n int) func(*dynamotest.Proxy) {
	return func(p *dynamotest.Proxy) { p.Lag(n) }
}

// same checks that a table and its late copy have equal items and indexes.
func (f *fixture) same() {
	f.Helper()
	sorted := func(items []any) []any {
		return slices.SortedFunc(slices.Values(items), func(a, b any) int {
			return strings.Compare(nameOf(a), nameOf(b))
		})
	}
	for _, index := range []string{"", "grid"} {
		table, late := object{"TableName": f.table}, object{"TableName": f.table + dynamotest.LateSuffix}
		if index != "" {
			table["IndexName"], late["IndexName"] = index, index
		}
		if diff := cmp.Diff(sorted(f.scan(table)), sorted(f.scan(late))); diff != "" {
			f.Errorf("index %q (-table +late copy):\n%s", index, diff)
		}
	}
}

func (f *fixture) wantSeen(want ...string) {
	f.Helper()
	if diff := cmp.Diff(want, f.seen(), cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("the index shows (-want +got):\n%s", diff)
	}
}

// TestLagCountsWrites checks that all but the last n write requests are visible.
func TestLagCountsWrites(t *testing.T) {
	f := setup(t, lagging(2))
	f.wantSeen()
	f.front.do("PutItem", f.put("a"))
	f.front.do("PutItem", f.put("b"))
	f.wantSeen()
	f.front.do("BatchWriteItem", f.puts("c", "d"))
	f.wantSeen("a")
	refused := f.put("x")
	refused["ConditionExpression"] = "attribute_exists(PK)"
	if a := f.front.ask("PutItem", refused); a.code() != "ConditionalCheckFailedException" {
		t.Errorf("got %v", a)
	}
	f.wantSeen("a") // a rejected request does not count as a write
	f.front.do("TransactWriteItems", f.adds("e", "f"))
	f.wantSeen("a", "b")
	f.front.do("DeleteItem", object{"TableName": f.table, "Key": key("a")})
	f.wantSeen("a", "b", "c", "d")
	if diff := cmp.Diff([]string{"b", "c", "d", "e", "f"}, f.rows(f.table)); diff != "" {
		t.Errorf("the table has (-want +got):\n%s", diff)
	}
	f.proxy.Lag(4)
	f.wantSeen("a", "b", "c", "d") // what was visible remains visible
	f.proxy.Lag(1)
	f.wantSeen("a", "b", "c", "d", "e", "f")
	f.proxy.Lag(math.MaxInt)
	f.front.do("PutItem", f.put("g"))
	f.wantSeen("a", "b", "c", "d", "e", "f")
	f.proxy.CatchUp()
	f.wantSeen("b", "c", "d", "e", "f", "g")
	f.same()
	f.front.do("PutItem", f.put("h"))
	f.wantSeen("b", "c", "d", "e", "f", "g")
	f.proxy.Lag(0)
	f.wantSeen("b", "c", "d", "e", "f", "g", "h")
	f.same()
}

// TestOnlyTheIndexLags reads the same row with every operation.
func TestOnlyTheIndexLags(t *testing.T) {
	f := setup(t, lagging(math.MaxInt))
	f.front.do("PutItem", f.put("a"))
	for _, test := range []struct {
		operation string
		request   object
		sees      bool
	}{
		{"GetItem", object{"TableName": f.table, "Key": key("a")}, true},
		{"BatchGetItem", object{"RequestItems": object{f.table: object{"Keys": []any{key("a")}}}}, true},
		{"TransactGetItems", object{"TransactItems": []any{
			object{"Get": object{"TableName": f.table, "Key": key("a")}}}}, true},
		{"Query", object{"TableName": f.table, "KeyConditionExpression": "PK = :a",
			"ExpressionAttributeValues": object{":a": object{"S": "a"}}}, true},
		{"Scan", object{"TableName": f.table}, true},
		{"Query", f.index(), false},
		{"Scan", object{"TableName": f.table, "IndexName": "grid"}, false},
	} {
		answer := f.front.do(test.operation, test.request)
		if sees := strings.Contains(fmt.Sprint(answer), "PK:"); sees != test.sees {
			t.Errorf("%s of %v sees the row: %t; %v", test.operation, test.request, sees, answer)
		}
	}
	if consumed := f.front.do("Query", f.index())["ConsumedCapacity"].(object); consumed["TableName"] !=
		f.table {
		t.Errorf("ConsumedCapacity %v", consumed)
	}
}

// TestCopyFollows makes many writes of all kinds in parallel while the index is read. Some are rejected,
// processed in part, lost, or repeated with the same token. In the end the copy must equal the table.
func TestCopyFollows(t *testing.T) {
	f := setup(t, lagging(3))
	f.proxy.SetFaults(dynamotest.Faults{Latency: time.Millisecond, DropBefore: 0.05, DropAfter: 0.1,
		ErrorAfter: 0.05, Conflict: 0.05, Partial: 0.3})
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			name := func() string { return fmt.Sprint("row", random.IntN(8)) }
			for n := range 60 {
				switch random.IntN(7) {
				case 0:
					f.front.ask("PutItem", f.put(name()))
				case 1:
					refused := f.put(name())
					refused["ConditionExpression"] = "attribute_not_exists(PK)"
					f.front.ask("PutItem", refused)
				case 2:
					f.front.ask("DeleteItem", object{"TableName": f.table, "Key": key(name())})
				case 3:
					f.front.ask("BatchWriteItem", f.puts("row1", "row5", "row7"))
				case 4:
					transaction := f.adds("row0", "row1", "row2")
					transaction["ClientRequestToken"] = fmt.Sprintf("%d.%d.%s", worker, n,
						f.table[len(f.table)-20:])
					f.front.ask("TransactWriteItems", transaction)
					f.front.ask("UpdateItem", f.add("row1"))
					f.front.ask("TransactWriteItems", transaction)
				case 5:
					f.front.ask("UpdateItem", f.add(name()))
				case 6:
					f.front.ask("Query", f.index())
				}
			}
		})
	}
	all.Wait()
	f.proxy.SetFaults(dynamotest.Faults{})
	injected := f.proxy.Injected()
	for _, fault := range []dynamotest.Fault{dynamotest.DropBefore, dynamotest.DropAfter,
		dynamotest.ErrorAfter, dynamotest.Conflict, dynamotest.Partial} {
		if injected[fault] == 0 {
			t.Errorf("no %s", fault)
		}
	}
	f.proxy.CatchUp()
	f.same()
	if rows := f.rows(f.table); len(rows) < 4 {
		t.Errorf("only the rows %v remain to compare", rows)
	}
}

// TestCopyOfPartialBatch checks that the copy does not receive items that the engine itself returns as
// unprocessed. The engine is another proxy.
func TestCopyOfPartialBatch(t *testing.T) {
	t.Parallel()
	engine := dynamotest.NewProxy(t, dynamotest.Endpoint(), 1)
	proxy := dynamotest.NewProxy(t, engine.URL(), 1)
	proxy.Lag(0)
	f := behind(t, proxy)
	half := dynamotest.Unprocessed(func(n int) int { return n / 2 })
	engine.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		if strings.Contains(string(r.Body), dynamotest.LateSuffix) {
			return send(r)
		}
		return half(r, send)
	})
	f.front.do("BatchWriteItem", f.puts("a", "b", "c", "d"))
	f.wantSeen("a", "b")
	f.front.do("BatchWriteItem", f.puts("e")) // none of it is processed
	f.wantSeen("a", "b")
	f.same()
}

// TestCopyComesAndGoes checks that the copy is created and deleted with its table, and has no stream.
func TestCopyComesAndGoes(t *testing.T) {
	f := setup(t, lagging(5))
	db, _ := dynamotest.Settings(t)
	db.Endpoint, db.NoStream = f.proxy.URL(), false
	second, err := dynamo.Open(t.Context(), db)
	f.must(err)
	_, err = second.CreateTable(t.Context())
	f.must(err)
	late := object{"TableName": second.Table() + dynamotest.LateSuffix}
	description := f.engine.do("DescribeTable", late)["Table"].(object)
	if description["StreamSpecification"] != nil || description["GlobalSecondaryIndexes"] == nil {
		t.Errorf("the copy is %v", description)
	}
	// A transaction on two tables, of which one has been deleted before it is applied to the copies.
	f.front.do("TransactWriteItems",
		object{"TransactItems": []any{object{"Put": f.put("a")},
			object{"Put": object{"TableName": second.Table(), "Item": row("a")}}}})
	f.must(second.DeleteTable(t.Context()))
	if a := f.engine.ask("DescribeTable", late); a.code() != "ResourceNotFoundException" {
		t.Errorf("the copy of a deleted table is %v", a)
	}
	f.proxy.CatchUp()
	f.wantSeen("a")
	f.same()
	if a := f.front.ask("DeleteTable", object{"TableName": "there.is.none"}); a.code() !=
		"ResourceNotFoundException" {
		t.Errorf("got %v", a)
	}
	if a := f.front.ask("CreateTable",
		object{"TableName": f.table, "BillingMode": "PAY_PER_REQUEST",
			"KeySchema":            []any{object{"AttributeName": "PK", "KeyType": "HASH"}},
			"AttributeDefinitions": []any{object{"AttributeName": "PK", "AttributeType": "S"}}}); a.
		code() != "ResourceInUseException" {
		t.Errorf("got %v", a)
	}
}

// TestOthersHaveNoCopy checks tables that were not created through the proxy.
func TestOthersHaveNoCopy(t *testing.T) {
	f := setup(t, lagging(0))
	other := f.table[:len(f.table)-1]
	f.engine.do("CreateTable", object{"TableName": other, "BillingMode": "PAY_PER_REQUEST",
		"KeySchema":            []any{object{"AttributeName": "PK", "KeyType": "HASH"}},
		"AttributeDefinitions": []any{object{"AttributeName": "PK", "AttributeType": "S"}}})
	write := object{"PutRequest": object{"Item": row("a")}}
	f.front.do("BatchWriteItem", object{"RequestItems": object{f.table: []any{write}, other: []any{write}}})
	put := object{"Put": object{"TableName": other, "Item": row("b")}}
	f.front.do("TransactWriteItems", object{"TransactItems": []any{put, object{"Put": f.put("b")}}})
	f.front.do("TransactWriteItems", object{"TransactItems": []any{put}})
	f.front.do("PutItem", object{"TableName": other, "Item": row("c")})
	f.proxy.CatchUp()
	f.same()
	if diff := cmp.Diff([]string{"a", "b", "c"}, f.rows(other)); diff != "" {
		t.Errorf("the other table has (-want +got):\n%s", diff)
	}
	f.front.do("DeleteTable", object{"TableName": other})
	f.wantSeen("a", "b")
}

// TestTokens checks that a transaction repeated with the same ClientRequestToken is applied once. The late
// index and the SDK's retries depend on it.
func TestTokens(t *testing.T) {
	f := setup(t)
	transaction := f.adds("a")
	transaction["ClientRequestToken"] = "token of " + f.table[len(f.table)-20:]
	f.front.do("TransactWriteItems", transaction)
	f.front.do("TransactWriteItems", transaction)
	if n := f.scan(object{"TableName": f.table})[0].(object)["n"]; !cmp.Equal(n, any(object{"N": "1"})) {
		t.Errorf("applied %v times, want once", n)
	}
	other := f.adds("b")
	other["ClientRequestToken"] = transaction["ClientRequestToken"]
	a := f.front.ask("TransactWriteItems", other)
	if a.status != http.StatusBadRequest || a.code() != "IdempotentParameterMismatchException" {
		t.Errorf("another transaction with the token got %v", a)
	}
}
