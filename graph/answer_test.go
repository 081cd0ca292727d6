package graph_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// limited returns a server over the same table with changed limits.
func (s *server) limited(t *testing.T, alter func(*guard.Limits)) *server {
	t.Helper()
	l := guard.DefaultLimits()
	alter(&l)
	return s.serving(t, guard.Options{Limits: l})
}

func wantAbandoned(t *testing.T, what string, a answer, limit string) {
	t.Helper()
	if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.BadInput) ||
		!strings.Contains(a.Errors[0].Message, "("+limit+") is ") || string(a.Data) != "null" {
		t.Errorf("%s: %.200s %+v", what, a.Data, a.Errors)
	}
}

// TestAnswerFields checks that the server abandons a response if definitions that refer to each other
// multiply with every level, which costs no reads.
func TestAnswerFields(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	nested := func(depth int) string {
		return `query { project(id: "` + w.project + `") {` +
			guardtest.Nest(depth, " fields { project {", " id", " } }") + ` } }`
	}
	small := s.limited(t, func(l *guard.Limits) { l.AnswerFields = 1000 })
	if a := small.ask(t, nested(2), nil); len(a.Errors) > 0 {
		t.Errorf("refused within the limit: %+v", a.Errors)
	}
	for depth := 3; depth < 14; depth += 5 {
		wantAbandoned(t, fmt.Sprint("depth ", depth), small.ask(t, nested(depth), nil), "AnswerFields")
	}
	wantAbandoned(t, "by default", s.ask(t, nested(13), nil), "AnswerFields")
}

// TestAnswerBytes checks that the server abandons a response if it repeats a string under many names, for
// compiled rows and for the executor.
func TestAnswerBytes(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.createOf(t, map[string]any{"name": "long", "description": strings.Repeat("\u0001\"long ", 10_000)})
	selected := guardtest.Times(50, " d~: description")
	small := s.limited(t, func(l *guard.Limits) { l.Answer = 2_000_000 })
	for name, query := range map[string]string{
		"rows": `query { project(id: "` + w.project + `") { issues(first: 10) { nodes { ` + selected +
			` } } } }`,
		"edges": `query { project(id: "` + w.project + `") { issues(first: 10) { edges { node { ` + selected +
			` } } } } }`,
		"nodes": `query { nodes(ids: ["` + i.ID + `"]) { ... on Issue { ` + selected + ` } } }`,
		"issue": `query { issue(id: "` + i.ID + `") { ` + selected + ` } }`,
	} {
		wantAbandoned(t, name, small.ask(t, query, nil), "Answer")
		a := s.post(t, query, nil)
		if got := len(a.body); got < 50*120_000 || strings.Contains(a.body, `"errors"`) {
			t.Errorf("%s: by default %d bytes: %.200s", name, got, a.body)
		}
	}
	wantAbandoned(t, "mutation", small.ask(t, `mutation { updateIssue(input: {issue: {id: "`+i.ID+
		`", name: "changed"}}) { issue { `+selected+` } } }`, nil), "Answer")
	if v := w.update(t, map[string]any{"id": i.ID, "name": "again"}).Version; v != 3 {
		t.Errorf("a mutation whose response was abandoned was not executed: version %d", v)
	}
}

// TestAnswerOfOneRow checks that the writer stops in the middle of a row that is too large.
func TestAnswerOfOneRow(t *testing.T) {
	s := alone(t)
	w := newWorld(t, s)
	w.createOf(t, map[string]any{"name": "long", "description": strings.Repeat("long ", 40_000)})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	wantAbandoned(t, "90 MB in one row",
		s.ask(t, `query { project(id: "`+w.project+`") { issues(first: 40) { nodes { `+
			guardtest.Times(450, " d~: description")+` } } } }`, nil), "Answer")
	runtime.ReadMemStats(&after)
	// A growing slice needs more than twice its size, several times.
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 160 {
		t.Errorf("%d MB were allocated for a response of at most 16", mb)
	}
}

// TestAnswerTypenames checks that __typename counts, which the executor writes without resolving a field.
func TestAnswerTypenames(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	names := guardtest.Times(450, " "+strings.Repeat("n", 240)+"~: __typename")
	small := s.limited(t, func(l *guard.Limits) { l.Answer, l.AnswerFields = 1_000_000, 2_000 })
	nested := func(of string) string {
		return `query { project(id: "` + w.project + `") { fields { project { fields {` + of + ` } } } } }`
	}
	wantAbandoned(t, "long names", small.ask(t, nested(names), nil), "Answer")
	wantAbandoned(t, "many objects", small.ask(t,
		nested("project { fields { project { fields { __typename } } } }"), nil), "AnswerFields")
	if a := small.ask(t, nested("__typename"), nil); len(a.Errors) > 0 {
		t.Errorf("%+v", a.Errors)
	}
}

// TestAnswerOfFailedRows checks that rows in which one value can't be read have an error at that value, and
// that many such rows are not refused.
func TestAnswerOfFailedRows(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n := range 30 {
		w.createOf(t, map[string]any{"name": fmt.Sprint(n), "description": strings.Repeat("x", 300*(n/29))})
	}
	query := `query { project(id: "` + w.project +
		`") { issues(first: 30) { nodes { id num name version createdAt updatedAt state { id name open } description } } } }`
	small := s.limited(t, func(l *guard.Limits) { l.AnswerFields = 150 })
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "BatchGetItem" && strings.Contains(string(r.Body), "xtext") {
			return dynamotest.Refusal("ResourceNotFoundException", "no")
		}
		return send(r)
	})
	a := small.ask(t, query, nil)
	if len(a.Errors) != 1 || len(a.Errors[0].Path) == 0 || !strings.Contains(string(a.Data), `"num":30`) {
		t.Errorf("%.300s %+v", a.Data, a.Errors)
	}
}

// TestAnswerMeasured compares the measured size of a response with its length. A limit of a tenth more must
// accept it, and a limit of 7 tenths must refuse it.
func TestAnswerMeasured(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n := range 30 {
		w.create(t, fmt.Sprint("issue \"", n, "\" é"), []any{w.given(tracker.TypeText, "\"é\u0007")})
	}
	for _, query := range []string{
		`query { project(id: "` + w.project +
			`") { issues(first: 30) { nodes { id num name createdAt values { display field { id name } } } } } }`,
		`query { project(id: "` + w.project +
			`") { fields { id name description type options { id name color } } states { id name } issues(first: 30) { edges { cursor node { project { name } name history(first: 3) { nodes { version columns { name field { id name } after } } } } } } } }`,
	} {
		length := len(s.post(t, query, nil).body)
		above := s.limited(t, func(l *guard.Limits) { l.Answer = length * 11 / 10 })
		if a := above.ask(t, query, nil); len(a.Errors) > 0 {
			t.Errorf("%d bytes with a limit of a tenth more: %+v", length, a.Errors)
		}
		below := s.limited(t, func(l *guard.Limits) { l.Answer = length * 7 / 10 })
		wantAbandoned(t, "below", below.ask(t, query, nil), "Answer")
	}
}

// TestTexts checks that a response has no more long texts than allowed, and an error in place of each other
// one.
func TestTexts(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for n := range 6 {
		w.createOf(t, map[string]any{"name": fmt.Sprint(n), "description": strings.Repeat("x", 30_000)})
	}
	small := s.limited(t, func(l *guard.Limits) { l.Texts = 100_000 })
	a := small.ask(t, `query { project(id: "`+w.project+
		`") { issues(first: 10) { nodes { num description } } } }`, nil)
	rows, read := strings.Count(string(a.Data), `"num"`), strings.Count(string(a.Data), `"description":"xxx`)
	if rows != 6 || read != 3 || len(a.Errors) != 3 ||
		a.Errors[0].Extensions["code"] != string(tracker.BadInput) ||
		!strings.Contains(a.Errors[0].Message, "(Texts) is 100000") {
		t.Errorf("%d rows, %d texts, %+v", rows, read, a.Errors)
	}
}

// TestGone checks that the server stops writing a response when its client has disconnected, and logs little
// about it.
func TestGone(t *testing.T) {
	s := alone(t)
	w := newWorld(t, s)
	i := w.create(t, "x", nil)
	log := logged(t)
	b := &buckets{}
	ctx, o := b.begin(t.Context())
	ctx, leave := context.WithCancel(ctx)
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		a := send(r)
		leave()
		return a
	})
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql",
		strings.NewReader(`{"query": "{ issue(id: \"`+i.ID+`\") { project {`+
			guardtest.Nest(12, " fields { project {", " id", " } }")+` } } }"}`))
	request.Header.Set("Content-Type", jsonType)
	recorder := httptest.NewRecorder()
	handler(s.db).ServeHTTP(recorder, request)
	if n := recorder.Body.Len(); n > 0 || log.text.Len() > 0 || o.Response.Type != "query" ||
		len(o.Response.Codes) > 0 || !slices.Equal(b.log, []string{"write false 13 0", "cost false true"}) {
		t.Errorf("a response of %d bytes: %.300s\nthe log: %.300s\nthe operation has %+v; charged %q", n,
			recorder.Body, log.text.String(), o.Response, b.log)
	}
}
