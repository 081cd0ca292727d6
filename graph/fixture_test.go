package graph_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// load creates a table with the projects and serves it. Method cold serves the same table with an empty
// cache.
func load(t testing.TB, projects ...sample.Project) *server {
	t.Helper()
	return newServer(t, grouped).load(t, projects...)
}

// grouped makes a table where several issues are written in one transaction.
func grouped(s *dynamo.Settings) { s.GroupWrites = true }

// load adds projects to the table.
func (s *server) load(t testing.TB, projects ...sample.Project) *server {
	t.Helper()
	if err := sample.Load(context.Background(), s.db, projects, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	s.wire.Reset()
	return s
}

// cold returns a server over the same table and wire that has no definition in its cache.
func (s *server) cold(t testing.TB) *server {
	t.Helper()
	db, err := dynamo.Open(context.Background(), s.settings)
	if err != nil {
		t.Fatal(err)
	}
	return (&server{db: db, wire: s.wire, settings: s.settings}).over(t, handler(db))
}

// over returns a server over the same table and wire with another handler.
func (s *server) over(t testing.TB, h http.Handler) *server {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return &server{Server: web, db: s.db, wire: s.wire, settings: s.settings}
}

// frugal returns a server over the same table that reads few documents for a page.
func (s *server) frugal(t testing.TB, budget int) *server {
	t.Helper()
	return s.over(t, graph.NewHandler(sessions(s.db), graph.Options{PageBudget: budget}))
}

// serving returns a server over the same table with other options.
func (s *server) serving(t testing.TB, options guard.Options) *server {
	t.Helper()
	return s.over(t, graph.NewHandler(sessions(s.db), graph.Options{Options: options}))
}

// projectID, fieldID and issueID return the opaque IDs of the things in a sample.
func projectID(p *sample.Project) string { return model.ProjectNodeID(p.Tenant.ID, p.Project.ID) }

func fieldID(p *sample.Project, f string) string {
	return model.FieldNodeID(p.Tenant.ID, p.Project.ID, tracker.FieldID(f))
}

// stateID and optionID return the opaque IDs of states and options in a sample.
func stateID(p *sample.Project, s string) string {
	return model.StateID(p.Tenant.ID, p.Project.ID, tracker.OptionID(s))
}

func optionID(p *sample.Project, f, o string) string {
	return model.OptionID(p.Tenant.ID, p.Project.ID, tracker.FieldID(f), tracker.OptionID(o))
}

func issueID(p *sample.Project, i int) string { return model.IssueNodeID(p.Tenant.ID, p.Issues[i].ID) }

// plain is an undecoded HTTP response.
type plain struct {
	status int
	header http.Header
	body   string
}

// send sends an HTTP request and returns the response. Headers are pairs of name and value.
func (s *server) send(t testing.TB, method, url, body string, headers ...string) plain {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := s.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return plain{response.StatusCode, response.Header, string(text)}
}

// post sends an operation and returns the response undecoded. Headers are pairs of name and value.
func (s *server) post(t testing.TB, query string, variables map[string]any, headers ...string) plain {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": nested(query, variables)})
	if err != nil {
		t.Fatal(err)
	}
	headers = append(headers, "Content-Type", "application/json")
	return s.send(t, http.MethodPost, "", string(body), headers...)
}

// nested moves the members of the variable i, if it is the input of updateIssue or deleteIssue, to its member
// `issue`. So tests write them like the members of the inputs of other mutations.
func nested(query string, variables map[string]any) map[string]any {
	in, _ := variables["i"].(map[string]any)
	_, done := in["issue"]
	if in == nil || done || !strings.Contains(query, "$i: UpdateIssueInput!") &&
		!strings.Contains(query, "$i: DeleteIssueInput!") {
		return variables
	}
	issue, whole := map[string]any{}, map[string]any{}
	for name, v := range in {
		if name == "idempotencyKey" || name == "permanently" {
			whole[name] = v
		} else {
			issue[name] = v
		}
	}
	whole["issue"] = issue
	out := maps.Clone(variables)
	out["i"] = whole
	return out
}

// batches records the numbers of keys of BatchGetItem requests.
type batches struct {
	mu   sync.Mutex
	keys []int
}

// watch starts to record BatchGetItem requests.
func (s *server) watch(t testing.TB) *batches {
	b := &batches{}
	s.wire.Intercept(func(r *dynamotest.Request,
		send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
		if r.Operation == "BatchGetItem" {
			var request struct {
				RequestItems map[string]struct{ Keys []json.RawMessage }
			}
			if err := json.Unmarshal(r.Body, &request); err != nil {
				t.Error(err)
			}
			b.mu.Lock()
			for _, table := range request.RequestItems {
				b.keys = append(b.keys, len(table.Keys))
			}
			b.mu.Unlock()
		}
		return send(r)
	})
	t.Cleanup(func() { s.wire.Intercept(nil) })
	return b
}

// since returns the numbers recorded since its last call, in descending order.
func (b *batches) since() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.keys
	b.keys = nil
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// reads returns the calls of the given numbers of Query and BatchGetItem requests.
func reads(queries, gets int) map[string]int {
	calls := map[string]int{"Query": queries, "BatchGetItem": gets}
	maps.DeleteFunc(calls, func(_ string, n int) bool { return n == 0 })
	return calls
}

// decode decodes JSON into a T.
func decode[T any](t testing.TB, from []byte) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(from, &v); err != nil {
		t.Fatalf("%v: %.300s", err, from)
	}
	return v
}

// encoded encodes a string as IDs and cursors are encoded.
func encoded(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
