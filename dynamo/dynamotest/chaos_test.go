package dynamotest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
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

// arrival returns a channel that is closed when the next request reaches the proxy.
func arrival(p *dynamotest.Proxy) <-chan struct{} {
	came := make(chan struct{})
	p.Intercept(dynamotest.Before("", func(*dynamotest.Request) {
		p.Intercept(nil)
		close(came)
	}))
	return came
}
