//go:build unix

package process

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"issuegrid/test/tier"
)

// receiver receives traces by OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*trace.Span
	bodies bytes.Buffer
	failed error
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		var data trace.TracesData // has the same members as the export request
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if q.URL.Path != "/v1/traces" {
			err = fmt.Errorf("sent to %s", q.URL.Path)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			r.failed = err
		}
		r.bodies.Write(body)
		for _, resource := range data.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// attributes returns the attributes of a span as strings.
func attributes(s *trace.Span) map[string]string {
	out := map[string]string{}
	for _, a := range s.Attributes {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.Key] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			out[a.Key] = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_BoolValue:
			out[a.Key] = fmt.Sprint(v.BoolValue)
		default:
			out[a.Key] = "?"
		}
	}
	return out
}

// TestTraces compares the spans of a grid, a change and a refused request with the requests, and checks that
// they contain nothing that users have written.
func TestTraces(t *testing.T) {
	tier.Verify(t, "definitions that expire during the test are read in batches of their own")
	t.Parallel()
	receiver := newReceiver(t)
	p, url, header, _ := signedInServer(t, "--trace-endpoint", receiver.URL)
	const canary = "CANARY0815"
	ask := func(query string, header map[string]string) string {
		_, _, body := asked{http.MethodPost, "/graphql", operation(t, query, "", nil), header}.send(t, url)
		return string(body)
	}
	project := idIn(t, ask(`mutation {createProject(input: {tenantId: "VGFjbWU", key: "K", name: "`+canary+
		`", states: [{name: "New", open: true}]}) {project {id}}}`, header))
	for range 3 {
		ask(fmt.Sprintf(`mutation Add {createIssue(input: {projectId: %q, issue: {name: %q}}) {issue {id}}}`,
			project, canary), with(header, "X-Request-Id", "add"))
	}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	ask(
		fmt.Sprintf(
			`query Grid {project(id: %q) {issues(first: 10, where: {name: {contains: %q}}) {nodes {num name}}}}`,
			project, canary),
		with(with(header, "X-Request-Id", "grid"), "Traceparent", parent))
	ask(`{tenants(after: "`+canary+`") {nodes {name}}}`, with(header, "X-Request-Id", "refused"))
	asked{http.MethodGet, "/readyz", "", nil}.send(t, url)
	asked{http.MethodPost, "/graphql", canary,
		map[string]string{"Authorization": canary, "X-Request-Id": "nobody"}}.send(t, url)
	p.Signal(syscall.SIGTERM) // flushes the traces
	p.Wants(0)

	receiver.mu.Lock()
	defer receiver.mu.Unlock()
	if receiver.failed != nil {
		t.Error(receiver.failed)
	}
	// requests is keyed by the request's ID, parts by the parent's span ID.
	requests, parts := map[string]*trace.Span{}, map[string][]*trace.Span{}
	for _, s := range receiver.spans {
		if s.Name == "request" {
			requests[attributes(s)["request.id"]] = s
		}
		parts[string(s.ParentSpanId)] = append(parts[string(s.ParentSpanId)], s)
	}
	names := func(id string) (names []string) {
		r := requests[id]
		if r == nil {
			t.Fatalf("no span for the request %s", id)
		}
		for _, s := range parts[string(r.SpanId)] {
			if !bytes.Equal(s.TraceId, r.TraceId) || s.StartTimeUnixNano < r.StartTimeUnixNano ||
				s.EndTimeUnixNano > r.EndTimeUnixNano || s.EndTimeUnixNano < s.StartTimeUnixNano {
				t.Errorf("%s is not within its request: %v, %v", s.Name, s, r)
			}
			names = append(names, s.Name)
		}
		slices.Sort(names)
		return names
	}
	for id, want := range map[string][]string{
		"grid":    {"DynamoDB BatchGetItem", "DynamoDB Query", "batch", "plan"},
		"refused": nil,
		"nobody":  nil,
	} {
		if diff := cmp.Diff(want, slices.Compact(names(id))); diff != "" {
			t.Errorf("parts of %s (-want +got):\n%s", id, diff)
		}
	}
	if got := names("add"); !slices.Contains(got, "DynamoDB TransactWriteItems") {
		t.Errorf("parts of a change: %v", got)
	}
	grid := requests["grid"]
	if got := fmt.Sprintf("00-%x-%x-01", grid.TraceId, grid.ParentSpanId); got != parent {
		t.Errorf("the request's parent is %s, want %s", got, parent)
	}
	calls := 0
	for _, s := range parts[string(grid.SpanId)] {
		got := attributes(s)
		if strings.HasPrefix(s.Name, "DynamoDB ") {
			calls++
		}
		for name, want := range map[string]map[string]string{
			"batch": {"loader": "issue_head", "size": "3", "capacity": "100"},
			"plan":  {"method": "list", "ways": "3", "tail": "false", "revised": "false"},
			"DynamoDB BatchGetItem": {"db.system.name": "aws.dynamodb", "db.operation.name": "BatchGetItem",
				"db.operation.batch.size": "3", "unprocessed": "0", "attempts": "1", "throttled": "0",
				"contended": "0", "rcu": "1.5", "wcu": "0"},
		} {
			if diff := cmp.Diff(want, got); s.Name == name && diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
	got := attributes(grid)
	if got["dynamodb.calls"] != fmt.Sprint(calls) || got["dynamodb.rcu"] == "0" {
		t.Errorf("%d calls, and the request has %v", calls, got)
	}
	for _, name := range []string{"dynamodb.calls", "dynamodb.rcu", "http.response.body.size"} {
		delete(got, name)
	}
	want := map[string]string{"request.id": "grid", "http.request.method": "POST", "url.path": "/graphql",
		"http.response.status_code": "200", "graphql.operation.type": "query",
		"graphql.operation.name": "Grid", "tenant": "acme", "dynamodb.wcu": "0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the request (-want +got):\n%s", diff)
	}
	if got := attributes(requests["nobody"])["error.type"]; got != "UNAUTHENTICATED" {
		t.Errorf("error.type %q of a request without a token", got)
	}
	for _, text := range []string{canary, "Ada of", "createIssue", header["Authorization"][7:30], project} {
		if bytes.Contains(receiver.bodies.Bytes(), []byte(text)) {
			t.Errorf("the spans contain %q", text)
		}
	}
}

// TestTraceReceiverDown checks that requests do not wait for an unreachable receiver of traces, and that the
// server's shutdown waits only briefly.
func TestTraceReceiverDown(t *testing.T) {
	t.Parallel()
	p, url, header, _ := signedInServer(t, "--trace-endpoint", "http://127.0.0.1:1")
	status, answered, body := asked{http.MethodPost, "/graphql", operation(t, `{viewer {userName}}`, "", nil),
		header}.send(t, url)
	if status != http.StatusOK || answered.Get("X-Request-Id") == "" ||
		bytes.Contains(body, []byte("errors")) {
		t.Errorf("status %d, %s", status, body)
	}
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	if len(p.Lines("traces can't be sent")) == 0 {
		t.Error("no line reports that traces were lost")
	}
}
