package dynamotest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/columns"
	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// TestFaults injects each kind of fault and checks what the client receives and whether the engine has acted.
func TestFaults(t *testing.T) {
	f := setup(t)
	const lost = "connection lost"
	single := func(name string) object { return f.add(name) }
	transaction := func(name string) object { return f.adds(name, name+"2", name+"3") }
	for i, test := range []struct {
		fault     dynamotest.Fault
		faults    dynamotest.Faults
		operation string
		request   func(name string) object
		want      string
		acted     bool
	}{
		{dynamotest.DropBefore, dynamotest.Faults{DropBefore: 1}, "UpdateItem", single, lost, false},
		{dynamotest.DropAfter, dynamotest.Faults{DropAfter: 1}, "UpdateItem", single, lost, true},
		{dynamotest.DropBefore, dynamotest.Faults{DropBefore: 1}, "TransactWriteItems", transaction,
			lost, false},
		{dynamotest.DropAfter, dynamotest.Faults{DropAfter: 1}, "TransactWriteItems", transaction,
			lost, true},
		{dynamotest.ErrorBefore, dynamotest.Faults{ErrorBefore: 1}, "UpdateItem", single,
			"500 InternalServerError", false},
		{dynamotest.ErrorAfter, dynamotest.Faults{ErrorAfter: 1}, "UpdateItem", single,
			"500 InternalServerError", true},
		{dynamotest.Throttle, dynamotest.Faults{Throttle: 1}, "UpdateItem", single,
			"400 ProvisionedThroughputExceededException", false},
		{dynamotest.Throttle, dynamotest.Faults{Throttle: 1}, "TransactWriteItems", transaction,
			"400 ThrottlingException", false},
		{dynamotest.Conflict, dynamotest.Faults{Conflict: 1}, "UpdateItem", single,
			"400 TransactionConflictException", false},
		{dynamotest.Conflict, dynamotest.Faults{Conflict: 1}, "TransactWriteItems", transaction,
			"400 TransactionCanceledException", false},
		{dynamotest.Latency, dynamotest.Faults{Latency: time.Millisecond}, "UpdateItem", single, "200 ",
			true},
		{dynamotest.Latency, dynamotest.Faults{Latency: time.Millisecond, DropAfter: 1}, "UpdateItem", single,
			lost, true},
	} {
		t.Run(fmt.Sprintf("%s of %s", test.fault, test.operation), func(t *testing.T) {
			f.proxy.SetFaults(test.faults)
			defer f.proxy.SetFaults(dynamotest.Faults{})
			before := f.proxy.Injected()[test.fault]
			name := fmt.Sprint("row", i)
			a := f.front.ask(test.operation, test.request(name))
			if a.String() != test.want {
				t.Errorf("the client got %v: %v; want %s", a, a.body, test.want)
			}
			if n := f.proxy.Injected()[test.fault] - before; n != 1 {
				t.Errorf("%d faults counted", n)
			}
			if acted := slices.Contains(f.rows(f.table), name); acted != test.acted {
				t.Errorf("acted: %t, want %t", acted, test.acted)
			}
		})
	}
}

// TestConflictingItem checks that a transaction receives a reason for each item, and that the conflicting
// item varies.
func TestConflictingItem(t *testing.T) {
	f := setup(t)
	f.proxy.SetFaults(dynamotest.Faults{Conflict: 1})
	touched := map[int]bool{}
	for range 40 {
		reasons := f.front.ask("TransactWriteItems",
			f.adds("a", "b", "c")).body["CancellationReasons"].([]any)
		if len(reasons) != 3 {
			t.Fatalf("reasons %v, want 3", reasons)
		}
		conflicts := 0
		for i, reason := range reasons {
			switch code := reason.(object)["Code"]; code {
			case "TransactionConflict":
				conflicts++
				touched[i] = true
			case "None":
			default:
				t.Errorf("code %v", code)
			}
		}
		if conflicts != 1 {
			t.Errorf("reasons %v", reasons)
		}
	}
	if len(touched) != 3 {
		t.Errorf("only these items conflict: %v", touched)
	}
	if n := len(f.rows(f.table)); n > 0 {
		t.Errorf("%d items were written", n)
	}
}

// TestPartialBatches checks that an item is either processed or returned as unprocessed.
func TestPartialBatches(t *testing.T) {
	f := setup(t)
	done, sizes := []string{}, map[int]bool{}
	f.proxy.SetFaults(dynamotest.Faults{Partial: 1})
	for i := range 20 {
		names := []string{}
		for j := range 5 {
			names = append(names, fmt.Sprintf("row%02d%d", i, j))
		}
		left := f.front.do("BatchWriteItem", f.puts(names...))["UnprocessedItems"].(object)[f.table].([]any)
		for _, w := range left {
			name := nameOf(w.(object)["PutRequest"].(object)["Item"])
			names = slices.DeleteFunc(names, func(n string) bool { return n == name })
		}
		if len(names)+len(left) != 5 || len(left) == 0 || len(names) == 0 {
			t.Fatalf("%d of 5 were processed and %d returned", len(names), len(left))
		}
		sizes[len(names)] = true
		done = append(done, names...)
	}
	if diff := cmp.Diff(done, f.rows(f.table)); diff != "" {
		t.Errorf("rows (-done +there):\n%s", diff)
	}
	if len(sizes) != 4 {
		t.Errorf("the processed parts have only these sizes: %v", sizes)
	}

	keys := []any{key(done[0]), key(done[1]), key(done[2])}
	for range 6 {
		a := f.front.do("BatchGetItem",
			object{"RequestItems": object{f.table: object{"Keys": keys, "ConsistentRead": true}}})
		found := a["Responses"].(object)[f.table].([]any)
		left := a["UnprocessedKeys"].(object)[f.table].(object)
		if len(found) == 0 || len(found)+len(left["Keys"].([]any)) != 3 || left["ConsistentRead"] != true {
			t.Errorf("found %v, left %v", found, left)
		}
	}
}

// TestUnaffected checks that operations have no faults that they cannot have.
func TestUnaffected(t *testing.T) {
	f := setup(t)
	for _, test := range []struct {
		operation string
		request   object
		faults    dynamotest.Faults
	}{
		{"DescribeTable", object{"TableName": f.table},
			dynamotest.Faults{DropBefore: 0.5, ErrorAfter: 0.5, Latency: 1000 * time.Hour}},
		{"GetItem", object{"TableName": f.table, "Key": key("a")}, dynamotest.Faults{Conflict: 1}},
		{"Query", f.index(), dynamotest.Faults{Conflict: 0.5, Partial: 0.5}},
		{"BatchWriteItem", f.puts("a"), dynamotest.Faults{Conflict: 1}},
		{"BatchWriteItem", f.puts("a"), dynamotest.Faults{Partial: 1}},
		{"PutItem", f.put("a"), dynamotest.Faults{Partial: 1}},
		{"TransactWriteItems", f.adds("a"), dynamotest.Faults{Partial: 1}},
	} {
		f.proxy.SetFaults(test.faults)
		f.front.do(test.operation, test.request)
	}
	f.proxy.SetFaults(dynamotest.Faults{})
	if diff := cmp.Diff(map[dynamotest.Fault]int{}, f.proxy.Injected()); diff != "" {
		t.Errorf("injected (-want +got):\n%s", diff)
	}
}

// TestSameSeed checks that equal seeds inject equal faults, whatever happens to tables in between, that other
// seeds inject others, and that each fault is about as frequent as its probability.
func TestSameSeed(t *testing.T) {
	f := setup(t)
	const requests, p = 240, 0.125
	run := func(seed uint64, disturb bool) (outcomes []string, injected map[dynamotest.Fault]int) {
		proxy := dynamotest.NewProxy(t, dynamotest.Endpoint(), seed)
		front := newClient(t, proxy.URL())
		proxy.SetFaults(dynamotest.Faults{Latency: 10 * time.Microsecond,
			DropBefore: p, DropAfter: p, ErrorBefore: p, ErrorAfter: p, Throttle: p, Conflict: p, Partial: p})
		for i := range requests {
			if disturb && i%3 == 0 {
				front.do("DescribeTable", object{"TableName": f.table})
			}
			var a answer
			switch i % 3 {
			case 0:
				a = front.ask("BatchWriteItem", f.puts("a", "b", "c", "d"))
			case 1:
				a = front.ask("TransactWriteItems", f.adds("a", "b", "c"))
			case 2:
				a = front.ask("UpdateItem", f.add("a"))
			}
			outcomes = append(outcomes, fmt.Sprint(a, a.body))
		}
		return outcomes, proxy.Injected()
	}
	first, injected := run(7, false)
	again, injectedAgain := run(7, true)
	other, _ := run(8, false)
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the same seed (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(injected, injectedAgain); diff != "" {
		t.Errorf("injected with the same seed (-first +again):\n%s", diff)
	}
	if cmp.Equal(first, other) {
		t.Error("another seed made the same faults")
	}
	t.Log(injected)
	if injected[dynamotest.Latency] != requests {
		t.Errorf("%d of %d requests were delayed", injected[dynamotest.Latency], requests)
	}
	for fault, can := range map[dynamotest.Fault]float64{dynamotest.DropBefore: 1, dynamotest.DropAfter: 1,
		dynamotest.ErrorBefore: 1, dynamotest.ErrorAfter: 1,
		dynamotest.Throttle: 1, dynamotest.Conflict: 2. / 3, dynamotest.Partial: 1. / 3} {
		if n, want := float64(injected[fault]), requests*p*can; n < want/2 || n > want*2 {
			t.Errorf("%s: %v times, want about %v", fault, n, want)
		}
	}
}

// TestInvalidFaults checks that SetFaults panics.
func TestInvalidFaults(t *testing.T) {
	for _, faults := range []dynamotest.Faults{{DropBefore: 0.6, DropAfter: 0.6}, {Conflict: -0.1},
		{Latency: -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("SetFaults(%+v) did not panic", faults)
				}
			}()
			dynamotest.NewChaos(1).SetFaults(faults)
		}()
	}
}

// TestHeldUp checks a request whose client gives up before it reaches the engine.
func TestHeldUp(t *testing.T) {
	f := setup(t)
	f.proxy.SetFaults(dynamotest.Faults{Latency: 1000 * time.Hour})
	came := arrival(f.proxy)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan answer)
	go func() { got <- f.front.send(f.front.request("PutItem", f.put("a")).WithContext(ctx)) }()
	<-came
	cancel()
	if a := <-got; !errors.Is(a.err, context.Canceled) {
		t.Errorf("got %v %v", a, a.err)
	}
	f.proxy.Down() // waits for requests in flight
	f.proxy.Up()
	if rows := f.rows(f.table); len(rows) > 0 {
		t.Errorf("the engine acted: %v", rows)
	}
}

// arrival returns a channel that is closed when the next request reaches the proxy.
func arrival(p *dynamotest.Proxy) <-chan struct{} {
	came := make(chan struct{})
	p.Intercept(dynamotest.Before("", func(*dynamotest.Request) {
		p.Intercept(nil)
		close(came)
	}))
	return came
}

// TestChaosOnAWire injects faults for a client in the test's process.
func TestChaosOnAWire(t *testing.T) {
	t.Parallel()
	settings, wire := dynamotest.Settings(t)
	c := newClient(t, dynamotest.Endpoint())
	c.http.Transport = settings.Transport(c.http.Transport)
	chaos := dynamotest.NewChaos(1)
	wire.Intercept(chaos.Inject)
	get := object{"TableName": "there.is.none", "Key": key("a")}
	for _, test := range []struct {
		faults dynamotest.Faults
		want   string
	}{{dynamotest.Faults{}, "400 ResourceNotFoundException"},
		{dynamotest.Faults{DropAfter: 1}, "connection lost"},
		{dynamotest.Faults{ErrorBefore: 1}, "500 InternalServerError"}} {
		chaos.SetFaults(test.faults)
		if a := c.ask("GetItem", get); a.String() != test.want {
			t.Errorf("with %+v the client got %v, want %s", test.faults, a, test.want)
		}
	}
	if diff := cmp.Diff(map[dynamotest.Fault]int{dynamotest.DropAfter: 1, dynamotest.ErrorBefore: 1},
		chaos.Injected()); diff != "" {
		t.Errorf("injected (-want +got):\n%s", diff)
	}
}

// project creates a tenant with a project and returns the tenant's handle and the definition.
func (f *fixture) project() (*dynamo.Tenant, *tracker.Definition) {
	f.Helper()
	f.must(f.db.CreateTenant(f.Context(), tracker.Tenant{ID: "acme", Name: "Acme"}))
	store, err := f.db.Tenant("acme")
	f.must(err)
	_, err = store.CreateProject(f.Context(),
		tracker.Project{ID: "p1", Key: "PRJ", Name: "The Project",
			States: []tracker.State{{ID: "open", Name: "Open", Open: true}}})
	f.must(err)
	_, err = store.CreateField(f.Context(), "p1",
		tracker.Field{ID: "f1", Name: "Text", Type: tracker.TypeText})
	f.must(err)
	d, err := store.Definition(f.Context(), "p1")
	f.must(err)
	return store, d
}

// TestNothingIsLost checks that package dynamo writes and reads everything if batches are processed only in
// part.
func TestNothingIsLost(t *testing.T) {
	f := setup(t)
	store, d := f.project()
	var issues []tracker.Issue
	var ids []tracker.IssueID
	for n := range 60 {
		id := tracker.IssueID{Project: "p1", Issue: fmt.Sprintf("i%02d", n)}
		ids = append(ids, id)
		issues = append(issues, tracker.Issue{ID: id, Num: int64(n + 1), Name: "An issue", State: "open",
			Values: map[tracker.FieldID]tracker.Value{"f1": tracker.Text(fmt.Sprint("value ", n))}})
	}
	f.proxy.SetFaults(dynamotest.Faults{Partial: 1, Latency: time.Millisecond})
	f.must(store.PutIssues(t.Context(), d, issues))
	written := f.proxy.Injected()[dynamotest.Partial]
	found, err := store.IssuesConsistent(t.Context(), ids)
	f.must(err)
	for i, issue := range found {
		if issue == nil || issue.Num != issues[i].Num ||
			issue.Values["f1"].Text() != issues[i].Values["f1"].Text() {
			t.Errorf("issue %v is %+v", ids[i], issue)
		}
	}
	for _, column := range []tracker.Column{tracker.ColumnNum, "f1", "state", "created"} {
		page, err := store.QueryKeys(t.Context(), columns.KeyQuery{Project: "p1", Column: column})
		f.must(err)
		if len(page.Keys) != len(issues) {
			t.Errorf("%d keys of %s, want %d", len(page.Keys), column, len(issues))
		}
	}
	if read := f.proxy.Injected()[dynamotest.Partial] - written; written < 10 || read < 2 {
		t.Errorf("only %d write batches and %d read batches were processed in part", written, read)
	}
}

// TestLostResponse checks that a write whose response was lost is sent again and applied once.
func TestLostResponse(t *testing.T) {
	f := setup(t)
	store, d := f.project()
	issue, err := store.CreateIssue(t.Context(), d, tracker.Issue{Name: "An issue", State: "open"})
	f.must(err)
	f.proxy.Reset()
	f.proxy.SetFaults(dynamotest.Faults{DropAfter: 1})
	f.proxy.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		if r.Operation != "TransactWriteItems" || f.proxy.Calls()["TransactWriteItems"] > 1 {
			f.proxy.SetFaults(dynamotest.Faults{})
			defer f.proxy.SetFaults(dynamotest.Faults{DropAfter: 1})
		}
	}))
	changed, err := store.UpdateIssue(t.Context(), d, issue.ID,
		tracker.Change{Values: map[tracker.FieldID]tracker.Value{"f1": tracker.Text("new")}})
	f.must(err)
	if calls := f.proxy.Calls()["TransactWriteItems"]; calls != 2 || changed.Version != 2 {
		t.Errorf("version %d after %d calls, want 2 after 2", changed.Version, calls)
	}
	if diff := cmp.Diff(map[dynamotest.Fault]int{dynamotest.DropAfter: 1}, f.proxy.Injected()); diff != "" {
		t.Errorf("injected (-want +got):\n%s", diff)
	}
	f.proxy.SetFaults(dynamotest.Faults{})
}
