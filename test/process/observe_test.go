//go:build unix

package process

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/test/harness"
)

// asked is a request of a test.
type asked struct {
	method, path, body string
	header             map[string]string
}

// send sends the request and returns the status, the header and the body of the response.
func (a asked) send(t *testing.T, url string) (int, http.Header, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), a.method, url+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	if a.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, body
}

// operation returns the body of a GraphQL request.
func operation(t *testing.T, query, name string, variables map[string]any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "operationName": name, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// canaryTenant is the tenant of the tests. The log contains its name.
const canaryTenant = "acme"

// signedInServer starts a server with a tenant and returns the header of a user with all rights.
func signedInServer(t *testing.T, flags ...string) (p *harness.Process, url string, header map[string]string,
	i *harness.Issuer) {
	t.Helper()
	i = harness.NewIssuer(t)
	p = harness.Start(t, append(append(harness.ServeArgs(t.TempDir(), "--no-sample"), i.Flags()...),
		flags...))
	url, header = p.Serving(), map[string]string{"Authorization": "Bearer " +
		i.Token("operator", canaryTenant)}
	status, _, answer := asked{http.MethodPost, "/graphql",
		operation(t, `mutation {createTenant(input: {name: "Acme", claim: "acme"}) {tenant {id}}}`, "", nil),
		header}.send(t, url)
	if status != http.StatusOK || bytes.Contains(answer, []byte("errors")) {
		t.Fatalf("status %d, %s", status, answer)
	}
	return p, url, header, i
}

// with returns a copy of header with one more entry.
func with(header map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for n, v := range header {
		out[n] = v
	}
	return out
}

// TestLog sends requests with a canary in every part that a client writes. It compares the lines of the log,
// which must not contain the canary.
func TestLog(t *testing.T) {
	t.Parallel()
	p, base, header, i := signedInServer(t, "--log-level", "debug")
	const canary = "CANARY0815"
	token := i.Token("reader", canary) // both the user, "Ada of CANARY0815", and the tenant contain it
	long := strings.Repeat("L", 101)
	type row struct {
		name  string
		asked asked
		want  harness.Line
	}
	// line is an operation in the log, of the tenant acme unless more says otherwise.
	line := func(kind string, more harness.Line) harness.Line {
		l := harness.Line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0,
			"type": kind, "tenant": "acme"}
		maps.Copy(l, more)
		maps.DeleteFunc(l, func(_ string, v any) bool { return v == nil })
		return l
	}
	post := func(query, name string, variables map[string]any, header map[string]string) asked {
		return asked{http.MethodPost, "/graphql", operation(t, query, name, variables), header}
	}
	bad := harness.Line{"codes": []any{"BAD_USER_INPUT"}}
	tests := []row{
		{"a query", post(`query Viewer($v: String) {viewer {userName} tenants(first: 1, after: $v) {nodes {name}}}`,
			"Viewer", nil, with(header, "X-Request-Id", "my.id_1-A")),
			line("query", harness.Line{"operation": "Viewer", "request_id": "my.id_1-A", "calls": 2.0,
				"cost": true})},
		{"values", post(`query Q {__typename #`+canary+"\n}", "Q", map[string]any{canary: canary}, header),
			line("query", harness.Line{"operation": "Q"})},
		{"a mutation with values", post(`mutation M($k: String!) {createProject(input: {tenantId: "VGFjbWU",
			key: $k, name: "`+canary+`"}) {project {id}}}`, "M", map[string]any{"k": "KEY"}, header),
			line("mutation", harness.Line{"operation": "M", "cost": true})},
		{"a cursor", post(`{tenants(after: "`+canary+`") {nodes {name}}}`, "", nil, header), line("query", bad)},
		{"an id", post(`{a: tenant(id: "`+canary+`") {name} b: tenant(id: "VG5vbmU") {name}}`, "", nil, header),
			line("query", harness.Line{"codes": []any{"NOT_FOUND"}, "cost": true})},
		{"no such field", post(`query `+canary+` {`+canary+`}`, "", nil, header), line("none", bad)},
		{"no such operation", post(`{__typename}`, canary, nil, header), line("none", bad)},
		{"a syntax error", post(`{"`+canary, "", nil, header), line("none", bad)},
		{"no JSON", asked{http.MethodPost, "/graphql", canary, header},
			line("none", harness.Line{"status": 400.0, "codes": bad["codes"]})},
		{"a long name", post(`query `+long+` {__typename}`, "", nil, header), line("query", nil)},
		{"a query in the URL", asked{http.MethodGet, "/graphql?query=" +
			url.QueryEscape("{__typename #"+canary+"\n}"), "", with(header, "User-Agent", canary)},
			line("query", harness.Line{"method": "GET"})},
		{"a method", asked{canary, "/graphql", "", header},
			line("none", harness.Line{"method": "other", "status": 405.0, "codes": bad["codes"]})},
		{"a path", asked{http.MethodGet, "/" + canary, "", nil},
			harness.Line{"level": "DEBUG", "path": "other", "method": "GET", "status": 404.0,
				"codes": []any{"NOT_FOUND"}}},
		{"health", asked{http.MethodGet, "/livez", "", nil},
			harness.Line{"level": "DEBUG", "path": "/livez", "method": "GET", "status": 200.0}},
		{"a bad token", post(`{__typename}`, "", nil, map[string]string{"Authorization": "Bearer " + canary}),
			line("none", harness.Line{"level": "WARN", "status": 401.0, "tenant": nil,
				"codes":  []any{"UNAUTHENTICATED"},
				"reason": "the token is not three base64url parts separated by dots"})},
		{"a role", post(`query T {tenants {nodes {name}}}`, "", nil,
			map[string]string{"Authorization": "Bearer " + i.Token("reader", "acme")}),
			line("query", harness.Line{"level": "WARN", "operation": "T", "codes": []any{"FORBIDDEN"}})},
	}
	for _, id := range []string{"", "a b", strings.Repeat("x", 65), canary + "/"} {
		tests = append(tests, row{"an id of a request that is none",
			asked{http.MethodGet, "/readyz", "", map[string]string{"X-Request-Id": id}},
			harness.Line{"level": "DEBUG", "path": "/readyz", "method": "GET", "status": 200.0}})
	}
	docs, err := os.ReadFile("docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		_, answered, body := test.asked.send(t, base)
		id := answered.Get("X-Request-Id")
		if len(id) < 1 || len(id) > 64 || id == test.asked.header["X-Request-Id"] &&
			id != test.want["request_id"] {
			t.Errorf("%s: the response has the id %q", test.name, id)
		}
		var got []harness.Line
		harness.Eventually(t, "the log has "+id, func() bool {
			got = nil
			for _, l := range p.Lines("request") {
				if l["request_id"] == id {
					got = append(got, l)
				}
			}
			return len(got) > 0
		})
		if len(got) != 1 {
			t.Errorf("%s: %d lines, %v", test.name, len(got), got)
		}
		l := got[0]
		if d, ok := l["duration_ms"].(float64); !ok || d <= 0 || l["bytes"] != float64(len(body)) {
			t.Errorf("%s: %v for %d bytes", test.name, l, len(body))
		}
		for name := range l {
			if !regexp.MustCompile("(?m)^\\|[^|]*`" + name + "`[^|]*\\|").Match(docs) {
				t.Errorf("docs/observability.md has no field %s", name)
			}
		}
		for _, name := range []string{"time", "msg", "duration_ms", "bytes"} {
			delete(l, name)
		}
		if _, ok := test.want["request_id"]; !ok {
			delete(l, "request_id")
		}
		units, _ := l["rcu"].(float64)
		if more, _ := l["wcu"].(float64); units+more > 0 {
			l["cost"] = true
		}
		delete(l, "rcu")
		delete(l, "wcu")
		if test.want["calls"] == nil {
			delete(l, "calls")
		}
		if diff := cmp.Diff(test.want, l); diff != "" {
			t.Errorf("%s (-want +got): %s\n%s", test.name, diff, body)
		}
	}
	for what, text := range map[string]string{"the canary": canary, "a token": token[:20], "a user": "Ada of",
		"a long name": long, "a query": "typename", "a URL": "query="} {
		if strings.Contains(p.Stderr.String(), text) {
			t.Errorf("the log contains %s", what)
		}
	}
}
