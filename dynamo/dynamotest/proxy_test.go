package dynamotest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
)

// TestTransparent compares responses of the proxy and of the engine.
func TestTransparent(t *testing.T) {
	f := setup(t)
	names := []string{}
	for i := range 12 {
		names = append(names, fmt.Sprintf("row%02d", i))
	}
	f.front.do("BatchWriteItem", f.puts(names...))
	f.front.do("TransactWriteItems", f.adds("row03", "row04"))
	f.front.do("DeleteItem", object{"TableName": f.table, "Key": key("row07")})
	refused := f.put("row01")
	refused["ConditionExpression"] = "attribute_not_exists(PK)"
	for _, test := range []struct {
		operation string
		request   object
		status    int
	}{
		{"Query", f.index(), 200},
		{"GetItem", object{"TableName": f.table, "Key": key("row03")}, 200},
		{"GetItem", object{"TableName": f.table, "Key": key("row07")}, 200},
		{"PutItem", refused, 400},
		{"TransactWriteItems", object{"TransactItems": []any{object{"Put": refused}}}, 400},
		{"Query", object{"TableName": "there.is.none", "KeyConditionExpression": "x"}, 400},
		{"NoSuchOperation", object{}, 400},
	} {
		through, direct := f.front.ask(test.operation, test.request),
			f.engine.ask(test.operation, test.request)
		if diff := cmp.Diff(direct.body, through.body); diff != "" || through.status != test.status ||
			direct.status != test.status {
			t.Errorf("%s: %v, the engine %v (-engine +proxy):\n%s", test.operation, through, direct, diff)
		}
		for _, name := range []string{"Content-Type", "Content-Length"} {
			if got, want := through.header.Get(name), direct.header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", test.operation, name, got, want)
			}
		}
	}
	want := map[string]int{"BatchWriteItem": 1, "TransactWriteItems": 2, "DeleteItem": 1, "Query": 2,
		"GetItem": 2, "PutItem": 1, "NoSuchOperation": 1}
	if diff := cmp.Diff(want, f.proxy.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestDown checks an engine that dies and comes back.
func TestDown(t *testing.T) {
	f := setup(t)
	f.front.do("PutItem", f.put("before"))
	f.proxy.Down()
	for range 3 { // on the existing connection and on new ones
		if a := f.front.ask("PutItem", f.put("down")); a.err == nil {
			t.Errorf("got %v", a)
		}
	}
	f.proxy.Up()
	f.front.do("PutItem", f.put("after"))
	if diff := cmp.Diff([]string{"after", "before"}, f.rows(f.table)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestHeldUp checks that a delayed request does not reach the engine when its client gives up, or the proxy
// goes down.
func TestHeldUp(t *testing.T) {
	for name, down := range map[string]bool{"given up": false, "down": true} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			f.proxy.SetFaults(dynamotest.Faults{Latency: 1000 * time.Hour})
			came, got := arrival(f.proxy), make(chan answer, 1)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { got <- f.front.send(f.front.request("PutItem", f.put("a")).WithContext(ctx)) }()
			<-came
			end := f.proxy.Down // waits for requests in flight
			if !down {
				end = cancel // the client has given up before the proxy closes its connection
			}
			end()
			if a := <-got; a.err == nil || errors.Is(a.err, context.Canceled) == down {
				t.Errorf("got %v %v", a, a.err)
			}
			f.proxy.Down()
			f.proxy.Up()
			if rows := f.rows(f.table); len(rows) > 0 {
				t.Errorf("the engine acted: %v", rows)
			}
		})
	}
}

// TestDownWaits checks that Down waits for an engine that is working on a request.
func TestDownWaits(t *testing.T) {
	t.Parallel()
	atWork, goOn := make(chan bool), make(chan bool)
	acted := false
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadAll(r.Body)
		atWork <- true
		<-goOn
		acted = r.Context().Err() == nil // nothing has cancelled the request
		io.WriteString(w, "{}")
	}))
	defer engine.Close()
	proxy := dynamotest.NewProxy(t, engine.URL, 1)
	front := newClient(t, proxy.URL())
	got, down := make(chan answer), make(chan bool)
	go func() { got <- front.ask("PutItem", object{}) }()
	<-atWork
	go func() {
		proxy.Down()
		close(down)
	}()
	if a := <-got; a.err == nil {
		t.Errorf("got %v", a)
	}
	select {
	case <-down:
		t.Error("Down returned while the engine was working")
	default:
	}
	close(goOn)
	<-down
	if !acted {
		t.Error("the engine did not act")
	}
}

// TestClose checks that Close ends requests in flight, also at an engine that does not respond, and leaves no
// goroutines.
func TestClose(t *testing.T) {
	stuck := make(chan bool)
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadAll(r.Body)
		stuck <- true
		<-r.Context().Done()
	}))
	defer engine.Close()
	for _, test := range []struct {
		name   string
		faults dynamotest.Faults
	}{{"held up", dynamotest.Faults{Latency: 1000 * time.Hour}}, {"at the engine", dynamotest.Faults{}}} {
		t.Run(test.name, func(t *testing.T) {
			proxy := dynamotest.NewProxy(t, engine.URL, 1)
			proxy.SetFaults(test.faults)
			came, front, got := arrival(proxy), newClient(t, proxy.URL()), make(chan answer)
			go func() { got <- front.ask("PutItem", object{}) }()
			<-came
			if test.faults.Latency == 0 {
				<-stuck
			}
			proxy.Close()
			if a := <-got; a.err == nil {
				t.Errorf("got %v", a)
			}
			if a := newClient(t, proxy.URL()).ask("PutItem", object{}); !errors.Is(a.err,
				syscall.ECONNREFUSED) {
				t.Errorf("a closed proxy responds %v %v", a, a.err)
			}
			// A goroutine of net/http may still be returning after the server has counted it as ended.
			for deadline := time.Now().Add(time.Minute); running() != ""; runtime.Gosched() {
				if time.Now().After(deadline) {
					t.Fatalf("goroutine still running:\n%s", running())
				}
			}
			proxy.Close()
		})
	}
}

// running returns the stack of a goroutine of a proxy, or "" if there is none.
func running() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, "/dynamotest.NewProxy") || strings.Contains(stack, "/dynamotest.(*") {
			return stack
		}
	}
	return ""
}
