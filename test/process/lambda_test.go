//go:build unix

package process

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/lambda"
	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// runtimeAPI implements Lambda's runtime API (2018-06-01). A function gets the next event from it and posts
// the result.
type runtimeAPI struct {
	*httptest.Server
	t       *testing.T
	events  chan map[string]any
	results chan result
	end     chan struct{}
	asked   atomic.Int64
}

// result is what a function posted: a response or an error.
type result struct{ kind, id, body string }

func newRuntimeAPI(t *testing.T) *runtimeAPI {
	f := &runtimeAPI{t: t, events: make(chan map[string]any), results: make(chan result, 1),
		end: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case event := <-f.events:
			w.Header().Set("Lambda-Runtime-Aws-Request-Id", fmt.Sprint("invocation-", f.asked.Add(1)))
			w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(time.Minute).UnixMilli()))
			w.Header().Set("Lambda-Runtime-Invoked-Function-Arn",
				"arn:aws:lambda:eu-central-1:111122223333:function:issuegrid")
			w.Header().Set("Lambda-Runtime-Trace-Id",
				"Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1")
			json.NewEncoder(w).Encode(event)
		case <-f.end:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/{kind}", func(w http.ResponseWriter,
		r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.results <- result{r.PathValue("kind"), r.PathValue("id"), string(body)}
		w.WriteHeader(http.StatusAccepted)
	})
	f.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(f.end)
		f.Close()
	})
	return f
}

// invoke sends a request to the function as an event and returns its response.
func (f *runtimeAPI) invoke(p *harness.Process, method, path, query, body string,
	headers map[string]string) events.APIGatewayV2HTTPResponse {
	f.t.Helper()
	r := f.send(p, map[string]any{"version": "2.0", "rawPath": path, "rawQueryString": query,
		"headers": headers, "body": base64.StdEncoding.EncodeToString([]byte(body)), "isBase64Encoded": true,
		"requestContext": map[string]any{"domainName": "id.lambda-url.eu-central-1.on.aws",
			"stage": "$default", "http": map[string]any{"method": method, "path": path,
				"sourceIp": "192.0.2.1"}}})
	var response events.APIGatewayV2HTTPResponse
	if err := json.Unmarshal([]byte(r.body), &response); err != nil || r.kind != "response" ||
		r.id != fmt.Sprint("invocation-", f.asked.Load()) {
		f.t.Fatalf("%s %s: %+v, %v", method, path, r, err)
	}
	return response
}

func (f *runtimeAPI) send(p *harness.Process, event map[string]any) (r result) {
	f.t.Helper()
	for sent := false; ; {
		events := f.events
		if sent {
			events = nil
		}
		select {
		case events <- event:
			sent = true
		case r := <-f.results:
			return r
		case <-p.Ended:
			f.t.Fatal("the function ended early")
		case <-time.After(harness.Patience):
			f.t.Fatalf("no result within %s", harness.Patience)
		}
	}
}

// TestLambda runs the built program as a function, configured only by environment variables and the runtime
// API.
func TestLambda(t *testing.T) {
	t.Parallel()
	engine := harness.StartEngine(t)
	harness.Start(t, []string{"table", "create", "--endpoint", engine.URL()}).Wants(0)
	api, i := newRuntimeAPI(t), harness.NewIssuer(t)
	p := harness.Start(t, []string{"lambda", "--log-level", "debug"},
		harness.Env(lambda.Variable+"="+strings.TrimPrefix(api.URL, "http://"),
			"ISSUEGRID_ENDPOINT="+engine.URL(),
			"ISSUEGRID_AUTH_SECRET_FILE="+i.File, "ISSUEGRID_AUTH_ISSUER=https://id.test/",
			"ISSUEGRID_AUTH_AUDIENCE=grid"))

	for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n"} {
		if r := api.invoke(p, "GET", path, "", "", nil); r.StatusCode != http.StatusOK || r.Body != want {
			t.Errorf("%s: %+v", path, r)
		}
	}
	headers := map[string]string{"content-type": "application/json", "accept-encoding": "gzip",
		"host": "grid.example.com"}
	anonymous := api.invoke(p, "POST", "/graphql", "", `{"query": "{ viewer { user: userName } }"}`, headers)
	if anonymous.StatusCode != http.StatusUnauthorized ||
		!strings.Contains(anonymous.Body, string(tracker.Unauthenticated)) ||
		anonymous.Headers["Www-Authenticate"] == "" {
		t.Errorf("without a token: %+v", anonymous)
	}
	headers["authorization"], headers["x-request-id"] = "Bearer "+i.Token("operator", ""), "mine"
	made := api.invoke(p, "POST", "/graphql", "",
		`{"query": "mutation { createTenant(input: {name: \"Wörld\", claim: \"acme\"}) { tenant { name } } }"}`,
		headers)
	if made.StatusCode != http.StatusOK || !strings.Contains(made.Body, `"name":"Wörld"`) ||
		made.Headers["Cache-Control"] != "no-store" {
		t.Errorf("a mutation: %+v", made)
	}
	if id := anonymous.Headers["X-Request-Id"]; id == "" || id == "mine" ||
		made.Headers["X-Request-Id"] != "mine" {
		t.Errorf("the requests have the ids %q and %q", id, made.Headers["X-Request-Id"])
	}
	read := api.invoke(p, "GET", "/graphql", "query=%7B+tenants+%7B+nodes+%7B+name+%7D+%7D+%7D", "", headers)
	if read.StatusCode != http.StatusOK || !strings.Contains(read.Body, `"name":"Wörld"`) ||
		read.IsBase64Encoded {
		t.Errorf("a query by GET: %+v", read)
	}
	large := api.invoke(p, "POST", "/graphql", "",
		`{"query": "{ __schema { types { name description fields { name description } } } }"}`, headers)
	zipped, err := base64.StdEncoding.DecodeString(large.Body)
	if err != nil || large.Headers["Content-Encoding"] != "gzip" || !large.IsBase64Encoded ||
		!strings.Contains(harness.Unzip(t, string(zipped)), `"createTenant"`) {
		t.Errorf("a large response: %v, base64 %t, %v", large.Headers, large.IsBase64Encoded, err)
	}
	if r := api.send(p, map[string]any{"version": "0", "source": "aws.events"}); r.kind != "error" ||
		!strings.Contains(r.body, "payload format 2.0") {
		t.Errorf("an event of another kind: %+v", r)
	}
	if r := api.invoke(p, "GET", "/livez", "", "", nil); r.StatusCode != http.StatusOK {
		t.Errorf("after that: %+v", r)
	}
	if got := entries(t, p.Cmd.Dir); got != nil {
		t.Errorf("unexpected files: %v", got)
	}
	p.Signal(syscall.SIGTERM)
	p.Wants(0)
	if begun := p.Lines("Starting"); len(begun) != 1 || begun[0]["version"] == nil ||
		begun[0]["table"] != "the table issuegrid at "+engine.URL() {
		t.Errorf("the log has %v", begun)
	}
	got := map[string]int{}
	for _, l := range p.Lines("request") {
		got[fmt.Sprint(l["level"], " ", l["method"], " ", l["path"], " ", l["status"], " ", l["type"])]++
	}
	if diff := cmp.Diff(map[string]int{"DEBUG GET /livez 200 <nil>": 2, "DEBUG GET /readyz 200 <nil>": 1,
		"WARN POST /graphql 401 none": 1, "INFO POST /graphql 200 mutation": 1,
		"INFO GET /graphql 200 query": 1, "INFO POST /graphql 200 query": 1}, got); diff != "" {
		t.Errorf("the log has (-want +got):\n%s", diff)
	}
}
