package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/internal/operation"
	"issuegrid/internal/session"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dynamotest.Main(m)
}

const acme = tracker.TenantID("acme")

// sum is a sum of capacity.
type sum struct {
	mu    sync.Mutex
	total account.Capacity
}

func (s *sum) add(c account.Capacity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.RCU, s.total.WCU = s.total.RCU+c.RCU, s.total.WCU+c.WCU
}

func (s *sum) get() account.Capacity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// buckets admit all operations and sum their costs.
type buckets struct {
	all, late sum
	// ended receives a value for each operation that has ended; lateCosts one for each cost reported after
	// it.
	ended, lateCosts chan struct{}
}

func (x *buckets) Left(tracker.TenantID, bool) error { return nil }

func (x *buckets) Admit(tracker.TenantID, traffic.Rates, bool) (func(rcu, wcu float64), error) {
	return func(rcu, wcu float64) {
		x.all.add(account.Capacity{RCU: rcu, WCU: wcu})
		x.ended <- struct{}{}
	}, nil
}

func (x *buckets) Charge(t tracker.TenantID, rcu, wcu float64) {
	if t == acme && rcu+wcu >= 0.5 { // less is CPU time; a call consumes half a unit at least
		x.all.add(account.Capacity{RCU: rcu, WCU: wcu})
		x.late.add(account.Capacity{RCU: rcu, WCU: wcu})
		x.lateCosts <- struct{}{}
	}
}

func (x *buckets) Read(tracker.TenantID) (reads, writes traffic.State) { return reads, writes }

// note adds the consumed capacity that DynamoDB reports.
func (s *sum) note(operation string, response []byte) {
	type capacity struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity capacity }
	var all struct{ ConsumedCapacity []capacity }
	if json.Unmarshal(response, &one) == nil {
		all.ConsumedCapacity = []capacity{one.ConsumedCapacity}
	} else if err := json.Unmarshal(response, &all); err != nil {
		panic(err)
	}
	for _, c := range all.ConsumedCapacity {
		consumed := account.Capacity{WCU: c.CapacityUnits}
		if operation == "Query" || operation == "BatchGetItem" {
			consumed = account.Capacity{RCU: c.CapacityUnits}
		}
		s.add(consumed)
	}
}

// world is a server with one project of a tenant, the costs charged and the capacity consumed.
type world struct {
	*httptest.Server
	wire     *dynamotest.Wire
	buckets  *buckets
	consumed sum
	project  string
	// the context of each request received, which ends when the client disconnects
	requests chan context.Context
}

func newWorld(t *testing.T) *world {
	t.Helper()
	var ahead atomic.Int64
	db, wire := dynamotest.Open(t, func(s *dynamo.Settings) {
		s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	w := &world{wire: wire, buckets: &buckets{ended: make(chan struct{}, 100),
		lateCosts: make(chan struct{}, 100)}, requests: make(chan context.Context, 100)}
	begin := session.NewFactory(db, func(context.Context) tracker.Principal {
		return tracker.Principal{Role: tracker.Admin, Tenant: acme, User: "Ada"}
	}, nil)
	handler := graph.NewHandler(begin, graph.Options{PageBudget: 2000})
	server := operation.Server{Buckets: w.buckets}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // required to notice that the client disconnects
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.requests <- r.Context()
		ctx, o := server.Begin(r.Context(), tracker.Principal{Role: tracker.Admin, Tenant: acme})
		defer o.Close()
		handler.ServeHTTP(rw, r.WithContext(ctx))
	}))
	t.Cleanup(w.Close)
	if err := db.CreateTenant(t.Context(), tracker.Tenant{ID: acme, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	store, err := db.Tenant(acme)
	if err != nil {
		t.Fatal(err)
	}
	p := tracker.Project{ID: "p1", Key: "P", Name: "The Project",
		States: []tracker.State{{ID: "open", Name: "Open", Open: true}}}
	if _, err := store.CreateProject(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	d, err := store.Definition(t.Context(), p.ID)
	if err == nil {
		_, err = store.CreateIssue(t.Context(), d, tracker.Issue{Name: "First", State: "open"})
	}
	if err != nil {
		t.Fatal(err)
	}
	ahead.Store(int64(time.Minute)) // expires the cached definition
	w.project = model.ProjectNodeID(acme, p.ID)
	return w
}

// ask sends an operation whose client disconnects before the response.
func (w *world) ask(t *testing.T, ctx context.Context, query string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if response, err := http.DefaultClient.Do(request); err == nil {
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		t.Fatalf("got a response: %s", text)
	}
}

// TestHangingUp checks that a client that disconnects before the engine responds pays what was consumed, in
// parallel calls and in a call that outlasts the operation.
func TestHangingUp(t *testing.T) {
	grid := `{ project(id: %q) { issues(first: 10) { nodes { name } } } }`
	for _, c := range []struct {
		name, operation, query string
		late                   bool
	}{
		{"a change", "TransactWriteItems",
			`mutation { createIssue(input: {projectId: %q, issue: {name: "x"}}) { issue { id } } }`, false},
		{"many", "TransactWriteItems", `mutation { createIssues(input: {projectId: %q, issues: [` +
			strings.Repeat(`{name: "x"}, `, 20) + `]}) { results { issue { id } } } }`, false},
		{"rows", "BatchGetItem", grid, false},
		{"a definition read that others may share", "Query", grid, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			ctx, cancel := context.WithCancel(t.Context())
			disconnect := sync.OnceFunc(func() {
				cancel()
				<-(<-w.requests).Done()
				if c.late {
					<-w.buckets.ended
				}
			})
			w.wire.Intercept(func(r *dynamotest.Request,
				send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
				a := send(r)
				w.consumed.note(r.Operation, a.Body)
				if r.Operation == c.operation && !strings.Contains(string(r.Body), "IndexName") {
					disconnect()
				}
				return a
			})
			w.ask(t, ctx, fmt.Sprintf(c.query, w.project))
			if c.late {
				<-w.buckets.lateCosts
			} else {
				<-w.buckets.ended
			}
			charged, late, consumed := w.buckets.all.get(), w.buckets.late.get(), w.consumed.get()
			none := account.Capacity{}
			if charged != consumed || charged == none || (late != none) != c.late {
				t.Errorf("charged %+v, late %+v; the engine consumed %+v", charged, late, consumed)
			}
		})
	}
}
