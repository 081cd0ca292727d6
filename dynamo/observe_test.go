package dynamo_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// TestObserve checks the calls that are passed to Settings.Observe.
func TestObserve(t *testing.T) {
	batch := func(responses, left string) dynamotest.Interceptor {
		return func(*dynamotest.Request, dynamotest.Send) *dynamotest.Response {
			body := fmt.Sprintf(
				`{"Responses":%s,"UnprocessedKeys":%s,"ConsumedCapacity":[{"CapacityUnits":1.5}]}`, responses,
				left)
			return &dynamotest.Response{Status: http.StatusOK, Body: []byte(body)}
		}
	}
	written := func(*dynamotest.Request, dynamotest.Send) *dynamotest.Response {
		return &dynamotest.Response{Status: http.StatusOK,
			Body: []byte(`{"Attributes":{"n":{"N":"7"}},"ConsumedCapacity":{"CapacityUnits":2}}`)}
	}
	type key struct{}
	for _, test := range []struct {
		name   string
		script []dynamotest.Interceptor
		call   func(*scripted, context.Context) error
		want   []dynamo.Call
	}{
		{"at once", []dynamotest.Interceptor{written}, (*scripted).reserve,
			[]dynamo.Call{{Operation: "UpdateItem", Attempts: 1, WCU: 2}}},
		{"at last", []dynamotest.Interceptor{lost, says("ThrottlingException"),
			says("TransactionConflictException"), says("RequestLimitExceeded"), written}, (*scripted).reserve,
			[]dynamo.Call{{Operation: "UpdateItem", Attempts: 5, Throttled: 2, Contended: 1, WCU: 2}}},
		{"refused", []dynamotest.Interceptor{lost, says("ValidationException")}, (*scripted).reserve,
			[]dynamo.Call{{Operation: "UpdateItem", Attempts: 2, Code: "ValidationException"}}},
		{"cancelled transaction", []dynamotest.Interceptor{cancelled("ConditionalCheckFailed")},
			(*scripted).create,
			[]dynamo.Call{{Operation: "TransactWriteItems", Attempts: 1, Size: 2,
				Code: "TransactionCanceledException"}}},
		{"unanswered", slices.Repeat([]dynamotest.Interceptor{lost}, mostAttempts), (*scripted).reserve,
			[]dynamo.Call{{Operation: "UpdateItem", Attempts: mostAttempts, Code: dynamo.CallUnanswered}}},
		{"hanging", slices.Repeat([]dynamotest.Interceptor{hanging}, mostAttempts), (*scripted).reserve,
			[]dynamo.Call{{Operation: "UpdateItem", Attempts: mostAttempts, Code: dynamo.CallUnanswered,
				Duration: mostAttempts * 5 * time.Second}}},
		{"given up by the caller", []dynamotest.Interceptor{hanging}, func(s *scripted,
			ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, 800*time.Millisecond)
			defer cancel()
			return s.reserve(ctx)
		}, []dynamo.Call{{Operation: "UpdateItem", Attempts: 1, Code: dynamo.CallCancelled,
			Duration: 800 * time.Millisecond}}},
		{"unprocessed", []dynamotest.Interceptor{batch(`{}`,
			`{"TABLE":{"Keys":[{"PK":{"S":"acme/a"}},{"PK":{"S":"acme/b"}}]}}`), batch(`{}`,
			`{}`)}, func(s *scripted, ctx context.Context) error {
			_, err := s.store.Issues(ctx, []tracker.IssueID{{Project: project, Issue: "i1"},
				{Project: project, Issue: "i2"}, {Project: project, Issue: "i3"}})
			return err
		}, []dynamo.Call{{Operation: "BatchGetItem", Attempts: 1, Size: 3, Unprocessed: 2, RCU: 1.5},
			{Operation: "BatchGetItem", Attempts: 1, Size: 2, RCU: 1.5}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []dynamo.Call
			s := newScripted(t, func(set *dynamo.Settings) {
				set.Table = "TABLE"
				set.Observe = func(ctx context.Context, c dynamo.Call) {
					if ctx.Value(key{}) != test.name {
						t.Error("Observe did not receive the context of the call")
					}
					got = append(got, c)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				s.script = test.script
				meter := account.NewMeter()
				s.db = s.db.Metered(meter)
				var err error
				if s.store, err = s.db.Tenant(acme); err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				err = test.call(s, context.WithValue(t.Context(), key{}, test.name))
				if wantErr := test.want[len(test.want)-1].Code != ""; (err != nil) != wantErr {
					t.Error(err)
				}
				sum, took := time.Duration(0), account.Cost{}
				for n := range got {
					if got[n].Start.Before(begun) || got[n].Start.Sub(begun) < sum {
						t.Errorf("the call began at %v", got[n].Start)
					}
					sum += got[n].Duration
					took.RCU, took.WCU = took.RCU+got[n].RCU, took.WCU+got[n].WCU
					// Pauses between attempts add up to less than 4 s.
					if n < len(test.want) && got[n].Duration >= test.want[n].Duration &&
						got[n].Duration < test.want[n].Duration+4*time.Second {
						got[n].Duration = test.want[n].Duration
					}
					got[n].Start = time.Time{}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("calls (-want +got):\n%s", diff)
				}
				if cost := meter.Cost(); cost.RCU != took.RCU || cost.WCU != took.WCU {
					t.Errorf("the meter has %v RCU and %v WCU, the calls have %v and %v", cost.RCU, cost.WCU,
						took.RCU, took.WCU)
				}
			})
		})
	}
}
