package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/internal/operation"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// TestOperationsThatMayCostTooMuch checks that operations with too high an estimate are refused before
// anything is read, and that the message names the argument to lower.
func TestOperationsThatMayCostTooMuch(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	s.wire.Reset()
	nested := func(n int) string {
		return fmt.Sprintf(
			`{ tenants(first: 100) { nodes { projects(first: 100) { nodes { issues(first: %d) { nodes { num } } } } } } }`,
			n)
	}
	for _, c := range []struct {
		name, query string
		variables   map[string]any
	}{
		{"pages in pages", nested(500), nil},
		{"by variables",
			`query($n: Int, $ids: [ID!]!) { nodes(ids: $ids) { ... on Project { issues(first: $n) { nodes { description } } } } }`,
			map[string]any{"n": 500, "ids": strings.Split(strings.Repeat(w.project+" ", 100), " ")[:100]}},
		{"by numbers with a fraction of zeros", `query($n: Int, $h: Int) { project(id: "` + w.project +
			`") { issues(first: $n) { nodes { history(first: $h) { nodes { version } } } } } }`,
			map[string]any{"n": json.Number("500.0"), "h": json.Number("1e2")}},
		{"below the results of a mutation",
			`mutation($all: [IssueUpdateInput!]!) { updateIssues(input: {issues: $all}) { results { issue { history(first: 100) { nodes { version } } project { issues(first: 400) { nodes { id } } } } } } }`,
			map[string]any{"all": changes(slices.Repeat([]string{w.project}, 100), nil)}},
		{"by fragments",
			`query { tenants(first: 100) { nodes { ...T } } } fragment T on Tenant { projects(first: 100) { edges { node { ... on Project { issues(last: 500) { edges { node { num } } } } } } } }`,
			nil},
	} {
		a := s.ask(t, c.query, c.variables)
		isAnswer(t, a, "", string(tracker.BadInput), "(Cost) is 20000")
		if calls := s.wire.Calls(); len(calls) > 0 {
			t.Errorf("%s: calls %v", c.name, calls)
		}
	}
	if a := s.ask(t, strings.ReplaceAll(nested(1), "100", "99"), nil); len(a.Errors) > 0 {
		t.Errorf("refused within the limit: %+v", a.Errors)
	}
}

// TestParallel checks that an operation with too many fields that are resolved in parallel is refused before
// anything is read, for all products of aliases, rows and fields.
func TestParallel(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	issues := func(size int, of string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(first: %d) { nodes { %s } } } }`, w.project, size, of)
	}
	aliases := func(n int, of string) string { return guardtest.Times(n, " a~: "+of) }
	for _, c := range []struct {
		query   string
		refused bool
	}{
		{issues(500, "project { id }"+aliases(400, "values { field { id } }")), true},
		{issues(500, "project { id }"+aliases(30, "values { field { id } }")), false},
		// resolved sequentially
		{issues(500, aliases(400, fmt.Sprintf("value(fieldId: %q) { display ... on TextValue { text } }",
			w.fields[tracker.TypeText]))), false},
		{issues(20, "values { "+aliases(490, "field { project { id } } ")+"}"), false},
		{issues(50, "values { ... on LongTextValue { "+aliases(450, "text")+" } }"), true},
		{fmt.Sprintf(`{ project(id: %q) { %s } }`, w.project,
			aliases(40, "fields { project { "+aliases(1, "fields { id }")+" } }")), false},
	} {
		s.wire.Reset()
		a := s.ask(t, c.query, nil)
		refused := len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == string(tracker.BadInput) &&
			strings.Contains(a.Errors[0].Message, "(Parallel) is 20000")
		if refused != c.refused || !refused && len(a.Errors) > 0 || refused && len(s.wire.Calls()) > 0 {
			t.Errorf("%.200s: refused %t, %.300v, calls %v", c.query, refused, a.Errors, s.wire.Calls())
		}
	}
}

// TestRefusedOperations checks that refused operations have their own HTTP status, for every media type that
// the client accepts, and a Retry-After header.
func TestRefusedOperations(t *testing.T) {
	s := newServer(t)
	for _, c := range []struct {
		err    error
		status int
		code   tracker.Code
	}{
		{&tracker.Error{Code: tracker.RateLimited, Message: "too much", RetryAfter: 1500 * time.Millisecond},
			http.StatusTooManyRequests, tracker.RateLimited},
		{&tracker.Error{Code: tracker.Unavailable, Message: "too busy", RetryAfter: time.Second},
			http.StatusServiceUnavailable, tracker.Unavailable},
	} {
		busy := s.over(t, (&buckets{refusal: c.err}).around(handler(s.db)))
		s.wire.Reset()
		for _, accept := range []string{jsonType, responseType} {
			a := busy.send(t, http.MethodPost, "", `{"query": "{ tenants { nodes { name } } }"}`,
				"Content-Type", jsonType, "Accept", accept)
			want := map[bool]string{true: "2", false: "1"}[c.code == tracker.RateLimited]
			if a.status != c.status || a.header.Get("Retry-After") != want ||
				strings.Contains(a.body, `"data"`) ||
				!strings.Contains(a.body, string(c.code)) || !strings.Contains(a.body, `"retryAfter":`+want) {
				t.Errorf("%s: status %d, %v, %s", accept, a.status, a.header, a.body)
			}
		}
		if calls := s.wire.Calls(); len(calls) > 0 {
			t.Errorf("calls %v", calls)
		}
	}
}

// TestEnter checks that a request gets a slot before anything else is done and releases it before the
// response is sent, whose memory it holds until then. A request that gets no slot is refused with the status
// of the error.
func TestEnter(t *testing.T) {
	s := newServer(t)
	const base = 1 << 20 // memory of an operation that has entered
	p := &slotUse{queue: traffic.NewQueue(1, 0), memory: traffic.NewMemory(256 << 20)}
	b := &buckets{server: operation.Server{Queue: p.queue, Memory: p.memory}}
	api := handler(s.db)
	entering := b.around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(sending{w, p}, r)
	}))
	ended := make(chan struct{}, 10)
	gated := s.over(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { ended <- struct{}{} }()
		entering.ServeHTTP(w, r)
	}))
	const get, well = "?query=%7Btenants%7Bnodes%7Bid%7D%7D%7D", `{"query": "{ tenants { nodes { id } } }"}`
	for n, c := range []struct {
		body    string
		entered bool
	}{{"", true}, {well, true}, {`{"query": "{ nonsense"}`, true}, {`{"query": "{ nonsense }"}`, true},
		{`{"query": ""}`, false}, {`{`, false}} {
		*p = slotUse{queue: p.queue, memory: p.memory}
		if c.body == "" {
			gated.send(t, http.MethodGet, "?query=mutation%7B__typename%7D", "")
		} else {
			gated.send(t, http.MethodPost, "", c.body, "Content-Type", jsonType)
		}
		<-ended
		if held := p.held > 0; held != c.entered || p.running > 0 || p.memory.State().Used > 0 {
			t.Errorf("request %d held %d bytes and %d slots while its response was sent, and %d bytes after",
				n, p.held, p.running, p.memory.State().Used)
		}
		if data := strings.Contains(c.body, "tenants"); data != (p.held > base) {
			t.Errorf("request %d held %d bytes", n, p.held)
		}
		if end := time.Until(p.deadline); c.entered && (end < time.Second || end > time.Minute) {
			t.Errorf("request %d: the client has until %s to read a small response", n, p.deadline)
		}
	}
	s.wire.Reset()
	for code, status := range map[tracker.Code]int{tracker.Unavailable: http.StatusServiceUnavailable,
		tracker.RateLimited: http.StatusTooManyRequests} {
		b.full = &tracker.Error{Code: code, Message: "too busy", RetryAfter: time.Second}
		for name, a := range map[string]plain{
			"POST":     gated.send(t, http.MethodPost, "", well, "Content-Type", jsonType),
			"nonsense": gated.send(t, http.MethodPost, "", `{"query": "{ nonsense"}`, "Content-Type", jsonType),
			"GET":      gated.send(t, http.MethodGet, get, "")} {
			if a.status != status || a.header.Get("Retry-After") != "1" ||
				!strings.Contains(a.body, `"code":"`+string(code)+`"`) ||
				!strings.Contains(a.body, "too busy") || strings.Contains(a.body, "data") {
				t.Errorf("%s, %s: status %d, %v, %s", code, name, a.status, a.header, a.body)
			}
		}
	}
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v", calls)
	}
}

// slotUse records what a request has while its response is sent: slots, and bytes of memory.
type slotUse struct {
	queue    *traffic.Queue
	memory   *traffic.Memory
	running  int
	held     int64
	deadline time.Time
}

// sending is a response that looks at the slots when it is written.
type sending struct {
	http.ResponseWriter
	slot *slotUse
}

func (s sending) Write(p []byte) (int, error) {
	s.slot.running, _ = s.slot.queue.Load()
	s.slot.held = s.slot.memory.State().Used
	return s.ResponseWriter.Write(p)
}

func (s sending) SetWriteDeadline(t time.Time) error {
	s.slot.deadline = t
	return http.NewResponseController(s.ResponseWriter).SetWriteDeadline(t)
}

// TestAdmission checks that the estimate of an operation is reserved when it begins, that its cost is charged
// when its response is ready, and what a client sees of its capacity.
func TestAdmission(t *testing.T) {
	s := newServer(t)
	b := &buckets{}
	watched := s.over(t, b.around(handler(s.db)))
	watched.data(t, `mutation { createTenant(input: {name: "x"}) { tenant { id } } }`, nil, &struct{}{})
	watched.data(t, `{ tenants { nodes { id } } }`, nil, &struct{}{})
	same(t, "what was reserved and charged",
		[]string{"write true 0 4", "cost true false", "write false 26 0", "cost false true"}, b.log)
	type capacity struct{ Limit, Remaining, SecondsToFull float64 }
	var got struct {
		Viewer struct{ ReadCapacity, WriteCapacity *capacity }
	}
	watched.data(t, `{ viewer { readCapacity { limit remaining secondsToFull } writeCapacity { limit } } }`, nil,
		&got)
	if got.Viewer.WriteCapacity != nil || got.Viewer.ReadCapacity == nil ||
		*got.Viewer.ReadCapacity != (capacity{10, 2.5, 1.5}) {
		t.Errorf("%+v", got.Viewer)
	}
}

// buckets record what is reserved and charged for the requests of a tenant.
type buckets struct {
	server        operation.Server
	full, refusal error // of Left and of Admit
	log           []string
}

func (b *buckets) begin(ctx context.Context) (context.Context, *operation.Operation) {
	b.server.Buckets = b
	return b.server.Begin(ctx, tracker.Principal{Role: tracker.Admin, Tenant: "acme"})
}

// around makes each request an operation.
func (b *buckets) around(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, o := b.begin(r.Context())
		defer o.Close()
		api.ServeHTTP(w, r.WithContext(ctx))
	})
}

func (b *buckets) Left(tracker.TenantID, bool) error { return b.full }

func (b *buckets) Admit(_ tracker.TenantID, e traffic.Rates, write bool) (func(rcu, wcu float64), error) {
	if b.refusal != nil {
		return nil, b.refusal
	}
	b.log = append(b.log, fmt.Sprint("write ", write, " ", e.RCU, " ", e.WCU))
	return func(rcu, wcu float64) { b.log = append(b.log, fmt.Sprint("cost ", wcu > 0, rcu > 0)) }, nil
}

func (*buckets) Charge(tracker.TenantID, float64, float64) {}

func (*buckets) Read(tracker.TenantID) (reads, writes traffic.State) {
	return traffic.State{Limit: 10, Remaining: 2.5, Reset: 1500 * time.Millisecond}, traffic.State{}
}
