package dynamotest_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
