package dynamo

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"issuegrid/account"
	"issuegrid/traffic"
)

// TestNotDecodedForNobody: the items in the response to a call whose caller has gone are not decoded, and the call costs what the engine says; of any other call
// they are decoded.
func TestNotDecodedForNobody(t *testing.T) {
	items := `[` + strings.TrimSuffix(strings.Repeat(`{"a":{"S":"x"}},`, 20_000), ",") + `]`
	for _, gone := range []bool{false, true} {
		for member, body := range map[string]string{
			memberItems:     `{"Count":20000,"Items":` + items + `,"ConsumedCapacity":{"TableName":"t","CapacityUnits":31.5}}`,
			memberResponses: `{"Responses":{"t":` + items + `},"ConsumedCapacity":[{"TableName":"t","CapacityUnits":31.5}]}`,
		} {
			client := dynamodb.New(dynamodb.Options{Region: "r", BaseEndpoint: aws.String("http://127.0.0.1"), HTTPClient: &httpClient{canned{body, int64(len(body))}},
				Credentials: aws.AnonymousCredentials{}, APIOptions: []func(*middleware.Stack) error{decodeItems}})
			var over atomic.Bool
			over.Store(gone)
			ctx := context.WithValue(t.Context(), overKey{}, &over)
			var decoded int
			var err error
			if member == memberItems {
				var out *dynamodb.QueryOutput
				if out, err = client.Query(ctx, &dynamodb.QueryInput{TableName: aws.String("t")}); err == nil {
					decoded = len(out.Items)
				}
			} else {
				var out *dynamodb.BatchGetItemOutput
				in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"t": {Keys: []item{{"PK": avS("x")}}}}}
				if out, err = client.BatchGetItem(ctx, in); err == nil {
					decoded = len(out.Responses["t"])
				}
			}
			unread, refused := errors.AsType[*unreadError](err)
			switch {
			case gone && (!refused || unread.reported != Capacity{RCU: 31.5} || unread.bytes > 0):
				t.Errorf("%s, gone: %v, %+v", member, err, unread)
			case !gone && (err != nil || decoded != 20_000):
				t.Errorf("%s: %d items, %v", member, decoded, err)
			}
		}
	}
}

// TestCompleting: what completes a change goes on when its caller has gone and its operation has used all that it may, holds memory that all share, and gives it
// back.
func TestCompleting(t *testing.T) {
	m := traffic.NewMemory(100 << 20)
	a := account.New("acme", account.Limits{CPU: time.Millisecond, Memory: 10}, m, nil)
	a.Spend(time.Second)
	gone, leave := context.WithCancel(account.With(t.Context(), a))
	leave()
	ctx, end := completing(gone)
	of := account.From(ctx)
	if err := errors.Join(ctx.Err(), of.Check(ctx), of.Hold(ctx, 1<<20)); err != nil {
		t.Error(err)
	}
	if _, bounded := ctx.Deadline(); !bounded || m.State().Used != 1<<20 {
		t.Errorf("%+v", m.State())
	}
	end()
	if m.State().Used != 0 || ctx.Err() == nil {
		t.Errorf("in the end %+v, %v", m.State(), ctx.Err())
	}
}
