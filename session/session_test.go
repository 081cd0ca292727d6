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
	"issuegrid/session"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	dynamotest.Main(m)
}

const acme = tracker.TenantID("acme")

// traffic lets all run, and adds up what it is told.
type traffic struct {
	mu         sync.Mutex
	done, late dynamo.Capacity
	// ended and told have one for each operation that has ended, and for each cost that was told behind that.
	ended, told chan struct{}
}

func (x *traffic) Admit(context.Context, tracker.Principal, graph.Estimate) (func(dynamo.Cost), error) {
	return func(c dynamo.Cost) {
		add(&x.mu, &x.done, c.All())
		x.ended <- struct{}{}
	}, nil
}

func (x *traffic) Late(p tracker.Principal, c dynamo.Cost) {
	if p.Tenant == acme {
		add(&x.mu, &x.late, c.All())
		x.told <- struct{}{}
	}
}

func (x *traffic) Capacity(tracker.Principal) (reads, writes graph.Capacity) { return reads, writes }

func add(mu *sync.Mutex, sum *dynamo.Capacity, c dynamo.Capacity) {
	mu.Lock()
	defer mu.Unlock()
	sum.RCU, sum.WCU = sum.RCU+c.RCU, sum.WCU+c.WCU
}

// engine is what the engine says that it took.
type engine struct {
	mu  sync.Mutex
	sum dynamo.Capacity
}

func (e *engine) note(operation string, answer []byte) {
	type capacity struct{ CapacityUnits float64 }
	var one struct{ ConsumedCapacity capacity }
	var all struct{ ConsumedCapacity []capacity }
	if json.Unmarshal(answer, &one) == nil {
		all.ConsumedCapacity = []capacity{one.ConsumedCapacity}
	} else if err := json.Unmarshal(answer, &all); err != nil {
		panic(err)
	}
	for _, c := range all.ConsumedCapacity {
		took := dynamo.Capacity{WCU: c.CapacityUnits}
		if operation == "Query" || operation == "BatchGetItem" {
			took = dynamo.Capacity{RCU: c.CapacityUnits}
		}
		add(&e.mu, &e.sum, took)
	}
}

func (e *engine) took() dynamo.Capacity {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sum
}

// world is a server with a project of a tenant, and what it is told and what the engine says.
type world struct {
	*httptest.Server
	wire    *dynamotest.Wire
	traffic *traffic
	engine  *engine
	project string
	// of each request that has come, for who wants to know when its client has gone
	asking chan context.Context
}

func newWorld(t *testing.T) *world {
	t.Helper()
	var ahead atomic.Int64
	db, wire := dynamotest.Open(t, func(s *dynamo.Settings) {
		s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	w := &world{wire: wire, traffic: &traffic{ended: make(chan struct{}, 100),
		told: make(chan struct{}, 100)}, engine: &engine{}, asking: make(chan context.Context, 100)}
	begin := session.On(db, func(context.Context) tracker.Principal {
		return tracker.Principal{Role: tracker.Admin, Tenant: acme, User: "Ada"}
	}, w.traffic, nil)
	handler := graph.NewHandler(begin, graph.Options{PageBudget: 2000})
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body) // else it is not noticed that the client goes
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.asking <- r.Context()
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
	ahead.Store(int64(time.Minute)) // so that nobody remembers the definition
	w.project = model.ProjectNodeID(acme, p.ID)
	return w
}

// ask sends an operation, and expects to have hung up before there was an answer.
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
		t.Fatalf("there is an answer: %s", text)
	}
}

// told is all that was charged, and late whether some of it was behind the end of its operation.
func (w *world) told() (sum dynamo.Capacity, late bool) {
	w.traffic.mu.Lock()
	defer w.traffic.mu.Unlock()
	done, behind := w.traffic.done, w.traffic.late
	return dynamo.Capacity{RCU: done.RCU + behind.RCU, WCU: done.WCU + behind.WCU},
		behind != dynamo.Capacity{}
}

// TestHangingUp: clients that have gone when the engine answers pay what it took, in calls side by side, and
// in one that goes on behind the operation.
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
		{"a definition that others may wait for", "Query", grid, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			ctx, hangUp := context.WithCancel(t.Context())
			gone := sync.OnceFunc(func() {
				hangUp()
				<-(<-w.asking).Done()
				if c.late {
					<-w.traffic.ended
				}
			})
			w.wire.Intercept(func(r *dynamotest.Request,
				send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
				a := send(r)
				w.engine.note(r.Operation, a.Body)
				if r.Operation == c.operation && !strings.Contains(string(r.Body), "IndexName") {
					gone()
				}
				return a
			})
			w.ask(t, ctx, fmt.Sprintf(c.query, w.project))
			if c.late {
				<-w.traffic.told
			} else {
				<-w.traffic.ended
			}
			if sum, late := w.told(); sum != w.engine.took() || late != c.late || sum == (dynamo.Capacity{}) {
				t.Errorf("charged are %+v, late %t; the engine took %+v", sum, late, w.engine.took())
			}
		})
	}
}
