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

	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
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
			`mutation($all: [IssueChangeInput!]!) { updateIssues(input: {issues: $all}) { results { issue { history(first: 100) { nodes { version } } project { issues(first: 400) { nodes { id } } } } } } }`,
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
		{issues(500, aliases(400, fmt.Sprintf("value(field: %q) { display ... on TextValue { text } }",
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
		busy := s.over(t, graph.NewHandler(func(ctx context.Context) *graph.Session {
			out := sessions(s.db)(ctx)
			out.Admit = func(context.Context, graph.Estimate) (func(), error) { return nil, c.err }
			return out
		}))
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
// response is sent. A request that gets no slot is refused with the status of the error.
func TestEnter(t *testing.T) {
	s := newServer(t)
	p, entered, full := &slotUse{}, 0, error(nil)
	enter := func(ctx context.Context) (guard.Slot, error) {
		if full != nil {
			return nil, full
		}
		entered++
		*p = slotUse{entered: true}
		return p, nil
	}
	handler := graph.NewHandler(sessions(s.db), graph.Options{Options: guard.Options{Enter: enter}})
	gated := s.over(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(sending{w, p}, r)
	}))
	const get, well = "?query=%7Btenants%7Bnodes%7Bid%7D%7D%7D", `{"query": "{ tenants { nodes { id } } }"}`
	for n, c := range []struct {
		body    string
		entered int
	}{{"", 1}, {well, 2}, {`{"query": "{ nonsense"}`, 3}, {`{"query": "{ nonsense }"}`, 4},
		{`{"query": ""}`, 4}, {`{`, 4}} {
		if c.body == "" {
			gated.send(t, http.MethodGet, "?query=mutation%7B__typename%7D", "")
		} else {
			gated.send(t, http.MethodPost, "", c.body, "Content-Type", jsonType)
		}
		if entered != c.entered || p.entered || p.early {
			t.Errorf("request %d: %d requests entered, and its slot was %+v", n, entered, *p)
		}
		if data := strings.Contains(c.body, "tenants"); entered == c.entered && data != (p.answered > 0) {
			t.Errorf("request %d: %+v", n, *p)
		}
		if p.deadline.Before(time.Now().Add(time.Second)) || p.deadline.After(time.Now().Add(time.Minute)) {
			t.Errorf("request %d: the client has until %s to read a small response", n, p.deadline)
		}
	}
	s.wire.Reset()
	for code, status := range map[tracker.Code]int{tracker.Unavailable: http.StatusServiceUnavailable,
		tracker.RateLimited: http.StatusTooManyRequests} {
		full = &tracker.Error{Code: code, Message: "too busy", RetryAfter: time.Second}
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

// slotUse records what a request did with its slot.
type slotUse struct {
	entered, early bool // early: the response was sent before release
	answered       int
	deadline       time.Time
}

func (p *slotUse) ResponseReady(bytes int) { p.entered, p.answered = false, bytes }
func (p *slotUse) Leave()                  { p.entered = false }

// sending is a response that checks the slot when it is written.
type sending struct {
	http.ResponseWriter
	slot *slotUse
}

func (s sending) Write(p []byte) (int, error) {
	s.slot.early = s.slot.early || s.slot.entered
	return s.ResponseWriter.Write(p)
}

func (s sending) SetWriteDeadline(t time.Time) error {
	s.slot.deadline = t
	return http.NewResponseController(s.ResponseWriter).SetWriteDeadline(t)
}

// TestAdmission checks that the session is notified when an operation begins and when its response is ready,
// and whether the operation writes.
func TestAdmission(t *testing.T) {
	s := newServer(t)
	var log []string
	watched := s.over(t, graph.NewHandler(func(ctx context.Context) *graph.Session {
		out := sessions(s.db)(ctx)
		out.Admit = func(_ context.Context, e graph.Estimate) (func(), error) {
			log = append(log, fmt.Sprint("write ", e.Write, " ", e.RCU, " ", e.WCU))
			return func() {
				log = append(log, fmt.Sprint("cost ", out.Cost().WCU > 0, out.Cost().RCU > 0))
			}, nil
		}
		out.Capacity = func() (reads, writes graph.Capacity) {
			return graph.Capacity{Limit: 10, Remaining: 2.5, Reset: 1500 * time.Millisecond}, graph.Capacity{}
		}
		return out
	}))
	watched.data(t, `mutation { createTenant(input: {name: "x"}) { tenant { id } } }`, nil, &struct{}{})
	watched.data(t, `{ tenants { nodes { id } } }`, nil, &struct{}{})
	same(t, "notifications of the session",
		[]string{"write true 0 4", "cost true false", "write false 26 0", "cost false true"}, log)
	type capacity struct{ Limit, Remaining, Reset float64 }
	var got struct {
		Viewer struct{ ReadCapacity, WriteCapacity *capacity }
	}
	watched.data(t, `{ viewer { readCapacity { limit remaining reset } writeCapacity { limit } } }`, nil,
		&got)
	if got.Viewer.WriteCapacity != nil || got.Viewer.ReadCapacity == nil ||
		*got.Viewer.ReadCapacity != (capacity{10, 2.5, 1.5}) {
		t.Errorf("%+v", got.Viewer)
	}
}
