package client

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// leaving is a transport whose caller goes away before the response arrives.
type leaving struct {
	canned
	leave context.CancelFunc
}

func (l leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	l.leave()
	for over := r.Context().Value(overKey{}).(*atomic.Bool); !over.Load(); {
		runtime.Gosched()
	}
	return l.canned.RoundTrip(r)
}

// TestCancelledIsNotDecoded checks that a call whose caller has gone costs the capacity that the response
// reports, or else that of its size.
func TestCancelledIsNotDecoded(t *testing.T) {
	items := `[` + strings.TrimSuffix(strings.Repeat(`{"a":{"S":"x"}},`, 20_000), ",") + `]`
	silent := `{"Items":` + items + `}`
	for _, test := range []struct {
		body string
		want account.Cost
	}{
		{`{"Count":20000,"Items":` + items + `,"ConsumedCapacity":{"TableName":"t","CapacityUnits":31.5}}`,
			account.Cost{Calls: map[string]int{"Query": 1}, RCU: 31.5}},
		{`{"Responses":{"t":` + items + `},"ConsumedCapacity":[{"TableName":"t","CapacityUnits":7}]}`,
			account.Cost{Calls: map[string]int{"BatchGetItem": 1}, RCU: 7}},
		{silent, account.Cost{Calls: map[string]int{"Query": 1},
			Unreported: account.Capacity{RCU: readUnits(len(silent), nil)}}},
	} {
		meter := account.NewMeter()
		ctx, leave := context.WithCancel(context.WithValue(t.Context(), meterKey{}, meter))
		client := dynamodb.New(dynamodb.Options{Region: "r", BaseEndpoint: aws.String("http://127.0.0.1"),
			Credentials: aws.AnonymousCredentials{},
			Retryer:     aws.NopRetryer{}, HTTPClient: &httpClient{
				leaving{canned{test.body, int64(len(test.body))}, leave}},
			APIOptions: []func(*middleware.Stack) error{decodeItems, (&retries{}).attach}})
		var err error
		if test.want.Calls["Query"] > 0 {
			_, err = client.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("t")})
		} else {
			_, err = client.BatchGetItem(ctx,
				&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
					"t": {Keys: []layout.Item{{"PK": layout.S("x")}}}}})
		}
		if code := tracker.CodeOf(Translate(err)); code != tracker.Unavailable {
			t.Errorf("the error is %v", err)
		}
		if diff := cmp.Diff(test.want, meter.Cost()); diff != "" {
			t.Errorf("%.60s: the cost (-want +got):\n%s", test.body, diff)
		}
	}
}
