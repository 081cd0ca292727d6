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
	"issuegrid/internal/session"
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
	total dynamo.Capacity
}

func (s *sum) add(c dynamo.Capacity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total.RCU, s.total.WCU = s.total.RCU+c.RCU, s.total.WCU+c.WCU
}

func (s *sum) get() dynamo.Capacity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// traffic admits all operations and sums their costs.
type traffic struct {
	all, late sum
	// ended receives a value for each operation that has ended; lateCosts one for each cost reported after
	// it.
	ended, lateCosts chan struct{}
}

func (x *traffic) Admit(context.Context, tracker.Principal, graph.Estimate) (func(dynamo.Cost), error) {
	return func(c dynamo.Cost) {
		x.all.add(c.All())
		x.ended <- struct{}{}
	}, nil
}

func (x *traffic) ChargeLate(p tracker.Principal, c dynamo.Cost) {
	if p.Tenant == acme {
		x.all.add(c.All())
		x.late.add(c.All())
		x.lateCosts <- struct{}{}
	}
}

func (x *traffic) Capacity(tracker.Principal) (reads, writes graph.Capacity) { return reads, writes }

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
		consumed := dynamo.Capacity{WCU: c.CapacityUnits}
		if operation == "Query" || operation == "BatchGetItem" {
			consumed = dynamo.Capacity{RCU: c.CapacityUnits}
		}
		s.add(consumed)
	}
}

// world is a server with one project of a tenant, the costs charged and the capacity consumed.
type world struct {
	*httptest.Server
	wire     *dynamotest.Wire
	traffic  *traffic
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
	w := &world{wire: wire, traffic: &traffic{ended: make(chan struct{}, 100),
		lateCosts: make(chan struct{}, 100)}, requests: make(chan context.Context, 100)}
	begin := session.NewFactory(db, func(context.Context) tracker.Principal {
		return tracker.Principal{Role: tracker.Admin, Tenant: acme, User: "Ada"}
	}, w.traffic, nil)
	handler := graph.NewHandler(begin, graph.Options{PageBudget: 2000})
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // required to notice that the client disconnects
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.requests <- r.Context()
		handler.ServeHTTP(rw, r)
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
			`mutation { createIssue(input: {project: %q, issue: {name: "x"}}) { issue { id } } }`, false},
		{"many", "TransactWriteItems", `mutation { createIssues(input: {project: %q, issues: [` +
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
					<-w.traffic.ended
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
				<-w.traffic.lateCosts
			} else {
				<-w.traffic.ended
			}
			charged, late, consumed := w.traffic.all.get(), w.traffic.late.get(), w.consumed.get()
			none := dynamo.Capacity{}
			if charged != consumed || charged == none || (late != none) != c.late {
				t.Errorf("charged %+v, late %+v; the engine consumed %+v", charged, late, consumed)
			}
		})
	}
}
