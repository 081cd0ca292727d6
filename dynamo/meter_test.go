package dynamo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// metered returns a handle of a tenant and its own meter.
func (f *fixture) metered(id tracker.TenantID) (*dynamo.Tenant, *account.Meter) {
	f.Helper()
	m := account.NewMeter()
	store, err := f.db.Metered(m).Tenant(id)
	f.must(err)
	return store, m
}

// TestMeterOfRefusals checks that a write whose condition fails counts as a call. DynamoDB bills it but its
// error response does not report the capacity, so the meter estimates it.
func TestMeterOfRefusals(t *testing.T) {
	f := setup(t)
	for name, c := range map[string]struct {
		do   func(*dynamo.Tenant) error
		call string
		wcu  float64
	}{
		"a condition": {func(store *dynamo.Tenant) error {
			return store.RaiseCounter(t.Context(), project, 0)
		}, "UpdateItem", 1},
		"a transaction of two guards, two items and the tenant": {func(store *dynamo.Tenant) error {
			_, err := store.CreateProject(t.Context(),
				tracker.Project{ID: project, Key: "PRJ", Name: "x", States: twoStates})
			return err
		}, "TransactWriteItems", 10},
	} {
		store, meter := f.metered(acme)
		err := c.do(store)
		if name != "a condition" {
			wantCode(t, err, tracker.Conflict)
		}
		cost := meter.Cost()
		if cost.Calls[c.call] != 1 || cost.WCU != 0 || cost.Unreported != (account.Capacity{WCU: c.wcu}) {
			t.Errorf("%s: %+v, want %g WCU unreported", name, cost, c.wcu)
		}
	}
}

// billed adds up the capacity that the engine reports, including in responses the client never receives.
type billed struct {
	mu       sync.Mutex
	rcu, wcu float64
}

func (a *billed) note(operation string, response *dynamotest.Response) {
	type capacity struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity capacity }
	var all struct{ ConsumedCapacity []capacity }
	if json.Unmarshal(response.Body, &one) == nil {
		all.ConsumedCapacity = []capacity{one.ConsumedCapacity}
	} else if err := json.Unmarshal(response.Body, &all); err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range all.ConsumedCapacity {
		if operation == "Query" || operation == "BatchGetItem" {
			a.rcu += c.CapacityUnits
		} else {
			a.wcu += c.CapacityUnits
		}
	}
}

// TestMeterOfCanceledCalls cancels calls after the engine has executed them. The meter has the capacity that
// the engine reports, or an estimate if its response is lost.
func TestMeterOfCanceledCalls(t *testing.T) {
	f := setup(t)
	ids := idsOf(f.rowsOf(30))
	values := fullValues()
	one := 0 // index of the next issue to change
	tests := []struct {
		name, last string
		call       func(context.Context, *dynamo.Tenant) error
	}{
		{"create", "TransactWriteItems", func(ctx context.Context, store *dynamo.Tenant) error {
			_, err := store.CreateIssue(ctx, f.d, tracker.Issue{Name: "x", State: "open", Values: values})
			return err
		}},
		{"update", "TransactWriteItems", func(ctx context.Context, store *dynamo.Tenant) error {
			one++
			_, err := store.UpdateIssue(ctx, f.d, ids[one], tracker.Change{Name: ptr("y"), Values: values})
			return err
		}},
		{"delete", "TransactWriteItems", func(ctx context.Context, store *dynamo.Tenant) error {
			one++
			return store.DeleteIssue(ctx, ids[one], nil)
		}},
		{"put", "BatchWriteItem", func(ctx context.Context, store *dynamo.Tenant) error {
			return store.PutIssues(ctx, f.d,
				[]tracker.Issue{{ID: tracker.IssueID{Project: project, Issue: "put"}, Num: 77, Name: "x",
					State: "open", Values: values}})
		}},
		{"number", "UpdateItem", func(ctx context.Context, store *dynamo.Tenant) error {
			_, err := store.ReserveNums(ctx, project, 1)
			return err
		}},
		{"read", "BatchGetItem", func(ctx context.Context, store *dynamo.Tenant) error {
			_, err := store.Issues(ctx, ids)
			return err
		}},
		{"keys", "Query", func(ctx context.Context, store *dynamo.Tenant) error {
			_, err := store.QueryKeys(ctx,
				columns.KeyQuery{Project: project, Column: tracker.ColumnName, Limit: 30})
			return err
		}},
	}
	for _, answered := range []bool{true, false} {
		for _, test := range tests {
			t.Run(fmt.Sprint(test.name, " answered ", answered), func(t *testing.T) {
				took := &billed{}
				ctx, hangUp := context.WithCancel(t.Context())
				f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
					a := send(r)
					took.note(r.Operation, a)
					if r.Operation != test.last {
						return a
					}
					hangUp()
					if !answered {
						<-r.Context().Done()
						a = &dynamotest.Response{Err: r.Context().Err()}
					}
					return a
				})
				defer f.wire.Intercept(nil)
				store, meter := f.metered(acme)
				_ = test.call(ctx, store)
				cost := meter.Cost()
				if answered && (cost.RCU != took.rcu || cost.WCU != took.wcu ||
					cost.Unreported != (account.Capacity{})) {
					t.Errorf("metered %+v, the engine consumed %+v", cost, took)
				}
				if all := cost.All(); farFrom(all.RCU, took.rcu) || farFrom(all.WCU, took.wcu) ||
					took.rcu+took.wcu == 0 || cost.Calls[test.last] == 0 {
					t.Errorf("metered %+v, the engine consumed %g RCU and %g WCU", cost, took.rcu, took.wcu)
				}
			})
		}
	}
}

// farFrom reports whether an estimate is less than half or more than five times the reported capacity. The
// margin is wide because one engine does not report the capacity of index writes.
func farFrom(estimate, reported float64) bool { return estimate < reported/2 || estimate > 5*reported }

// TestMeterOfFaults checks that a failed call counts once, however many attempts it makes, and that the
// capacity billed for it is estimated: for a transaction that puts a tenant, which is in the index, and the
// guard of its name, and for an update.
func TestMeterOfFaults(t *testing.T) {
	for _, test := range []struct {
		name           string
		fault          dynamotest.Interceptor
		create, update float64 // WCU
	}{
		{"throttled", says("ThrottlingException"), 0, 0},
		{"a throttled transaction", cancelled("ThrottlingError"), 0, 0},
		{"refused", says("ValidationException"), 0, 0},
		{"no table", says("ResourceNotFoundException"), 0, 0},
		{"a condition", says("ConditionalCheckFailedException"), 4, 1},
		{"a cancelled transaction", cancelled("ConditionalCheckFailed"), 4, 1},
		{"a transaction conflict, in every attempt", cancelled("TransactionConflict"), 4 * mostAttempts,
			mostAttempts},
		{"the engine fails", says("InternalServerError"), 5, 1},
		{"no response", lost, 5, 1},
		{"no response in time", hanging, 5, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScripted(t)
			synctest.Test(t, func(t *testing.T) {
				for call, want := range map[string]float64{"TransactWriteItems": test.create,
					"UpdateItem": test.update} {
					meter := account.NewMeter()
					m := &scripted{T: s.T, db: s.db.Metered(meter)}
					var err error
					if m.store, err = m.db.Tenant(acme); err != nil {
						t.Fatal(err)
					}
					s.always = test.fault
					if call == "UpdateItem" {
						err = m.reserve(t.Context())
					} else {
						err = m.create(t.Context())
					}
					if err == nil {
						t.Errorf("%s: no error", call)
					}
					if diff := cmp.Diff(account.Cost{Calls: map[string]int{call: 1},
						Unreported: account.Capacity{WCU: want}}, meter.Cost()); diff != "" {
						t.Errorf("%s (-want +got):\n%s", call, diff)
					}
				}
			})
		})
	}
}

// TestNotSent checks that a request that is never sent costs nothing and does not count as a call.
func TestNotSent(t *testing.T) {
	f := setup(t)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	f.must(err)
	closed.Close()
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, never answers a TLS handshake
	f.must(err)
	defer mute.Close()
	secret := newDB(t, func(s *dynamo.Settings) {
		s.Endpoint, s.Transport = "https://"+mute.Addr().String(), nil
	})
	late, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	away := newDB(t, func(s *dynamo.Settings) {
		s.Endpoint, s.Transport = "http://"+closed.Addr().String(), nil
	})
	for name, c := range map[string]struct {
		db  *dynamo.DB
		ctx context.Context
	}{"canceled before": {f.db, gone}, "another tenant's": {f.db, dynamo.Confine(t.Context(), rival)},
		"connection refused": {away, t.Context()}, "no TLS": {secret, late}} {
		meter := account.NewMeter()
		store, err := c.db.Metered(meter).Tenant(acme)
		f.must(err)
		_, err = store.ReserveNums(c.ctx, project, 1)
		if away == c.db {
			wantCode(t, err, tracker.Unavailable, "did not respond")
		} else if err == nil {
			t.Errorf("%s: no error", name)
		}
		if diff := cmp.Diff(account.Cost{Calls: map[string]int{}}, meter.Cost()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if calls := f.wire.Calls(); len(calls) > 0 {
		t.Errorf("got calls %v, want none", calls)
	}
}

// TestLateCalls checks that calls made after a meter is settled are reported one by one.
func TestLateCalls(t *testing.T) {
	f := setup(t)
	store, meter := f.metered(acme)
	_, err := store.ReserveNums(t.Context(), project, 1)
	f.must(err)
	var late []account.Cost
	if before := meter.Settle(func(c account.Cost) {
		late = append(late, c)
	}); before.Calls["UpdateItem"] != 1 || before.WCU != 1 {
		t.Errorf("before: %+v", before)
	}
	_, err = store.ReserveNums(t.Context(), project, 1)
	f.must(err)
	f.must(store.RaiseCounter(t.Context(), project, 0))
	call := map[string]int{"UpdateItem": 1}
	if diff := cmp.Diff([]account.Cost{{Calls: call, Items: 1, WCU: 1},
		{Calls: call, Unreported: account.Capacity{WCU: 1}}}, late); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
