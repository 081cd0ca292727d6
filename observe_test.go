//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/loaders"
	"issuegrid/telemetry"
)

// line is a line of the log.
type line map[string]any

// lines are those of a log in JSON with a message. All of stderr must be JSON.
func (p *process) lines(msg string) (lines []line) {
	p.t.Helper()
	for text := range strings.Lines(p.stderr.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			p.t.Fatalf("%q is no line of the log: %v", text, err)
		}
		if l["msg"] == msg {
			lines = append(lines, l)
		}
	}
	return lines
}

// asked is a request of a test.
type asked struct {
	method, path, body string
	header             map[string]string
}

// send sends it to a server, and returns the status, the header and the body of the answer.
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

// operation is the body of a request.
func operation(t *testing.T, query, name string, variables map[string]any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "operationName": name, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// canaryTenant is the tenant of the tests, which the log does name.
const canaryTenant = "acme"

// signedInServer is a server with a tenant, and the header of somebody who may do everything.
func signedInServer(t *testing.T, flags ...string) (p *process, url string, header map[string]string, i *issuer) {
	t.Helper()
	i = newIssuer(t)
	p = start(t, append(append(serveArgs(t.TempDir(), "--no-sample"), i.flags()...), flags...))
	url, header = p.serving(), map[string]string{"Authorization": "Bearer " + i.token("operator", canaryTenant)}
	status, _, answer := asked{http.MethodPost, "/graphql", operation(t, `mutation {createTenant(input: {name: "Acme", claim: "acme"}) {tenant {id}}}`, "", nil), header}.send(t, url)
	if status != http.StatusOK || bytes.Contains(answer, []byte("errors")) {
		t.Fatalf("status %d, %s", status, answer)
	}
	return p, url, header, i
}

// with is a header and one more.
func with(header map[string]string, name, value string) map[string]string {
	out := map[string]string{name: value}
	for n, v := range header {
		out[n] = v
	}
	return out
}

// TestLog sends requests with a canary in everything that a client writes, and compares the lines of the log, which must have none.
func TestLog(t *testing.T) {
	t.Parallel()
	p, base, header, i := signedInServer(t, "--log-level", "debug")
	const canary = "CANARY0815"
	token := i.token("reader", canary) // the user is "Ada of CANARY0815", and so is the tenant
	long := strings.Repeat("L", 101)
	tests := []struct {
		name  string
		asked asked
		want  line
	}{
		{"a query", asked{http.MethodPost, "/graphql", operation(t, `query Viewer($v: String) {viewer {user} tenants(first: 1, after: $v) {nodes {name}}}`, "Viewer", nil), with(header, "X-Request-Id", "my.id_1-A")},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "query", "operation": "Viewer", "request_id": "my.id_1-A", "tenant": "acme", "calls": 2.0, "cost": true}},
		{"values", asked{http.MethodPost, "/graphql", operation(t, `query Q {__typename #`+canary+"\n}", "Q", map[string]any{canary: canary}), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "query", "operation": "Q", "tenant": "acme"}},
		{"a mutation with values", asked{http.MethodPost, "/graphql", operation(t, `mutation M($k: String!) {createProject(input: {tenant: "VGFjbWU", key: $k, name: "`+canary+`"}) {project {id}}}`, "M", map[string]any{"k": "KEY"}), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "mutation", "operation": "M", "tenant": "acme", "cost": true}},
		{"a cursor", asked{http.MethodPost, "/graphql", operation(t, `{tenants(after: "`+canary+`") {nodes {name}}}`, "", nil), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "query", "tenant": "acme", "codes": []any{"BAD_USER_INPUT"}}},
		{"an id", asked{http.MethodPost, "/graphql", operation(t, `{a: tenant(id: "`+canary+`") {name} b: tenant(id: "VG5vbmU") {name}}`, "", nil), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "query", "tenant": "acme", "codes": []any{"NOT_FOUND"}, "cost": true}},
		{"no such field", asked{http.MethodPost, "/graphql", operation(t, `query `+canary+` {`+canary+`}`, "", nil), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "none", "tenant": "acme", "codes": []any{"BAD_USER_INPUT"}}},
		{"no such operation", asked{http.MethodPost, "/graphql", operation(t, `{__typename}`, canary, nil), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "none", "tenant": "acme", "codes": []any{"BAD_USER_INPUT"}}},
		{"a syntax error", asked{http.MethodPost, "/graphql", operation(t, `{"`+canary, "", nil), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "none", "tenant": "acme", "codes": []any{"BAD_USER_INPUT"}}},
		{"no JSON", asked{http.MethodPost, "/graphql", canary, header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 400.0, "type": "none", "tenant": "acme", "codes": []any{"BAD_USER_INPUT"}}},
		{"a long name", asked{http.MethodPost, "/graphql", operation(t, `query `+long+` {__typename}`, "", nil), header},
			line{"level": "INFO", "path": "/graphql", "method": "POST", "status": 200.0, "type": "query", "tenant": "acme"}},
		{"a query in the URL", asked{http.MethodGet, "/graphql?query=" + url.QueryEscape("{__typename #"+canary+"\n}"), "", with(header, "User-Agent", canary)},
			line{"level": "INFO", "path": "/graphql", "method": "GET", "status": 200.0, "type": "query", "tenant": "acme"}},
		{"a method", asked{canary, "/graphql", "", header}, line{"level": "INFO", "path": "/graphql", "method": "other", "status": 405.0, "type": "none", "tenant": "acme", "codes": []any{"BAD_USER_INPUT"}}},
		{"a path", asked{http.MethodGet, "/" + canary, "", nil}, line{"level": "DEBUG", "path": "other", "method": "GET", "status": 404.0, "codes": []any{"NOT_FOUND"}}},
		{"health", asked{http.MethodGet, "/livez", "", nil}, line{"level": "DEBUG", "path": "/livez", "method": "GET", "status": 200.0}},
		{"a bad token", asked{http.MethodPost, "/graphql", operation(t, `{__typename}`, "", nil), map[string]string{"Authorization": "Bearer " + canary}},
			line{"level": "WARN", "path": "/graphql", "method": "POST", "status": 401.0, "type": "none", "codes": []any{"UNAUTHENTICATED"},
				"reason": "the token is not three parts of base64url with dots between them"}},
		{"a role", asked{http.MethodPost, "/graphql", operation(t, `query T {tenants {nodes {name}}}`, "", nil), map[string]string{"Authorization": "Bearer " + i.token("reader", "acme")}},
			line{"level": "WARN", "path": "/graphql", "method": "POST", "status": 200.0, "type": "query", "operation": "T", "tenant": "acme", "codes": []any{"FORBIDDEN"}}},
	}
	for _, id := range []string{"", "a b", strings.Repeat("x", 65), canary + "/"} {
		tests = append(tests, struct {
			name  string
			asked asked
			want  line
		}{"an id of a request that is none", asked{http.MethodGet, "/readyz", "", map[string]string{"X-Request-Id": id}}, line{"level": "DEBUG", "path": "/readyz", "method": "GET", "status": 200.0}})
	}
	docs, err := os.ReadFile("docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		_, answered, body := test.asked.send(t, base)
		id := answered.Get("X-Request-Id")
		if len(id) < 1 || len(id) > 64 || id == test.asked.header["X-Request-Id"] && id != test.want["request_id"] {
			t.Errorf("%s: the answer has the id %q", test.name, id)
		}
		var got []line
		eventually(t, "the log has "+id, func() bool {
			got = nil
			for _, l := range p.lines("request") {
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
	for what, text := range map[string]string{"the canary": canary, "a token": token[:20], "a user": "Ada of", "a long name": long, "a query": "typename", "a URL": "query="} {
		if strings.Contains(p.stderr.String(), text) {
			t.Errorf("the log has %s", what)
		}
	}
}

// TestReasons: the log says why a token does not count, by a sentence of docs/auth.md, in which nothing of the token is.
func TestReasons(t *testing.T) {
	t.Parallel()
	p, base, _, i := signedInServer(t)
	docs, err := os.ReadFile("docs/auth.md")
	if err != nil {
		t.Fatal(err)
	}
	const canary = "CANARY0815"
	stranger := &issuer{t: t, secret: bytes.Repeat([]byte("x"), 40)}
	tests := map[string]string{"": "", "Basic " + canary: "", "Bearer " + canary: "", "Bearer a.b." + canary: "", "Bearer " + strings.Repeat(canary, 1000): "",
		"Bearer " + stranger.signed(nil, map[string]any{"kid": canary}): ""}
	for _, claims := range []jwt.MapClaims{{"iss": canary}, {"aud": canary}, {"aud": []string{canary}}, {"sub": canary + "\n"}, {"role": canary}, {"role": []string{canary}}, {"tenant": canary + "/"},
		{"exp": canary}, {"exp": 1}, {"exp": nil}, {"nbf": canary}, {"nbf": 1e12}, {"iat": canary}, {"iss": []string{canary}}} {
		tests["Bearer "+i.signed(claims, nil)] = fmt.Sprint(claims)
	}
	for _, header := range []map[string]any{{"typ": canary}, {"crit": []string{canary}}, {"kid": strings.Repeat(canary, 30)}, {"alg": canary}} {
		tests["Bearer "+i.signed(nil, header)] = fmt.Sprint(header)
	}
	for authorization, about := range tests {
		status, answered, _ := asked{http.MethodPost, "/graphql", operation(t, `{__typename}`, "", nil), map[string]string{"Authorization": authorization}}.send(t, base)
		id := answered.Get("X-Request-Id")
		var got line
		eventually(t, "the log has "+id, func() bool {
			for _, l := range p.lines("request") {
				if l["request_id"] == id {
					got = l
				}
			}
			return got != nil
		})
		if reason, _ := got["reason"].(string); status != http.StatusUnauthorized || reason == "" || !bytes.Contains(docs, []byte("| `"+reason+"` |")) {
			t.Errorf("%.40s, %s: status %d, %v", authorization, about, status, got)
		}
	}
	if text := p.stderr.String(); strings.Contains(text, canary) || strings.Contains(text, "Bearer ") {
		t.Errorf("the log has what was sent: %s", text)
	}
}

// TestLogFormat: text for who tries the server out, and JSON for who runs it, with the notes in it; and no line of a request from a level that hides it.
func TestLogFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		flags []string
		json  bool
		says  bool
	}{
		{nil, false, true},
		{[]string{"--log-format", "json"}, true, true},
		{append(newIssuer(t).flags(), "--log-format", "text"), false, true},
		{newIssuer(t).flags(), true, true},
		{[]string{"--log-level", "error"}, false, false},
	} {
		t.Run(fmt.Sprint(test.flags), func(t *testing.T) {
			t.Parallel()
			p := start(t, append(serveArgs(t.TempDir(), "--no-sample"), test.flags...))
			asked{http.MethodPost, "/graphql", `{"query": "{__typename}"}`, nil}.send(t, p.serving())
			p.signal(syscall.SIGTERM)
			p.wants(0)
			if test.json {
				if n := len(p.lines("request")); n != 1 || p.stdout.String() != "" {
					t.Errorf("%d lines of requests, stdout %q", n, &p.stdout)
				}
				served := p.lines("serving")
				if len(served) != 1 || served[0]["url"] != p.url() || served[0]["grid"] != true || served[0]["playground"] != true {
					t.Errorf("%v", served)
				}
				begun := p.lines("Starting on " + p.url())
				if len(begun) != 1 || begun[0]["version"] == nil || !strings.HasPrefix(fmt.Sprint(begun[0]["table"]), "the embedded engine in ") || begun[0]["sign_in"] == nil {
					t.Errorf("%v", begun)
				}
			} else if says := strings.Contains(p.stderr.String(), " msg=request method=POST path=/graphql "); says != test.says {
				t.Errorf("a line of the request: %t, want %t", says, test.says)
			}
		})
	}
}

// TestJSONAlone: where the log is JSON, whatever stderr has is, from the first line to the end of a server that fails or loads its sample.
func TestJSONAlone(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	for _, test := range []struct {
		args []string
		env  []string
		code int
		says string
	}{
		{append([]string{"--addr", "127.0.0.1:0", "--endpoint", "http://127.0.0.1:1"}, i.flags()...), []string{"ISSUEGRID_TABEL=x"}, exitFailed, "can't be used"},
		{append([]string{"--page-budget", "0"}, i.flags()...), nil, exitUsage, "--page-budget"},
		{[]string{"--log-format", "json", "--timeout", "1ms"}, nil, exitUsage, "--timeout"},
		{[]string{"--no-such-flag"}, []string{"ISSUEGRID_LOG_FORMAT=json"}, exitUsage, "--no-such-flag"},
	} {
		p := start(t, test.args, env(test.env...))
		p.wants(test.code)
		p.sentence(test.says)
		if fatal := p.lines("fatal"); len(fatal) != 1 || fatal[0]["exit_code"] != float64(test.code) || fatal[0]["version"] == nil {
			t.Errorf("%v", fatal)
		}
	}
	p := start(t, append(serveArgs(t.TempDir()), "--log-format", "json"))
	p.serving()
	p.signal(syscall.SIGTERM)
	p.wants(0)
	if loaded := p.lines("Loading sample data: 2005 of 2005"); len(loaded) != 1 {
		t.Errorf("%v", loaded)
	}
}

// TestVersion: the program tells what it is, by the build's word or by Go's.
func TestVersion(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"--version"}, env("ISSUEGRID_VERSION=hunter2"))
	p.wants(0)
	told := p.stdout.String()
	if !regexp.MustCompile(`^(devel|v\d\S+)\n$`).MatchString(told) || p.stderr.String() != "" {
		t.Errorf("stdout %q, stderr %q", told, &p.stderr)
	}
	s := start(t, append(serveArgs(t.TempDir(), "--no-sample"), "--metrics-addr", "127.0.0.1:0"))
	s.serving()
	if !strings.Contains(s.stderr.String(), "\nissuegrid "+strings.TrimSpace(told)+", with the embedded engine in ") || !strings.Contains(s.stderr.String(), "; nobody has to sign in\n") {
		t.Errorf("stderr %q", &s.stderr)
	}
	if got := scrape(t, s.noted("Metrics on "))[`issuegrid_build_info{version="`+strings.TrimSpace(told)+`"}`]; got != 1 {
		t.Errorf("the metric of version %q is %v", told, got)
	}
}

// TestInternalErrors: what the log has of a defect names the request, and the client is told neither why nor where.
func TestInternalErrors(t *testing.T) {
	var log bytes.Buffer
	told, err := telemetry.New(t.Context(), telemetry.Settings{Log: &log, JSON: true, API: apiPath, Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	before := slog.Default()
	slog.SetDefault(told.Log())
	defer slog.SetDefault(before)
	o := &observed{Telemetry: told}
	nothing := func(context.Context) *graph.Session { // a defect of the wiring: whatever reads panics
		return &graph.Session{Principal: principal(t.Context()), Loaders: &loaders.Set{}, Cost: func() graph.Cost { return graph.Cost{} }}
	}
	server := httptest.NewServer(o.Observe(o.answers(newAPI(o.sessions(nothing), (&trafficFlags{}).control(), time.Minute, guard.Options{}))))
	defer server.Close()
	_, answered, body := asked{http.MethodPost, "/graphql", operation(t, `{tenants {nodes {name}}}`, "", nil), map[string]string{"X-Request-Id": "mine"}}.send(t, server.URL)
	server.Close() // which waits for the line of the request
	said := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(said) != 2 || !strings.Contains(said[0], `"msg":"internal error"`) || !strings.Contains(said[1], `"level":"ERROR","msg":"request"`) || !strings.Contains(said[1], `"codes":["INTERNAL"]`) {
		t.Errorf("%s", &log)
	}
	if n := strings.Count(log.String(), `"request_id":"mine"`); n != 2 || answered.Get("X-Request-Id") != "mine" {
		t.Errorf("%d lines name the request, and the answer %q", n, answered.Get("X-Request-Id"))
	}
	if bytes.Contains(body, []byte("nil pointer")) || !bytes.Contains(body, []byte("INTERNAL")) {
		t.Errorf("%s", body)
	}
}

// TestMessagesDocs: whatever the program logs by a fixed message is in docs/observability.md.
func TestMessagesDocs(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	logs := regexp.MustCompile(`\b(?:slog|log)\.(?:Debug|Info|Warn|Error)(?:Context)?\((?:ctx, )?"([^"]+)"`)
	found := 0
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, message := range logs.FindAllSubmatch(text, -1) {
			if found++; !bytes.Contains(docs, append([]byte("`"), message[1]...)) {
				t.Errorf("%s logs %q, which docs/observability.md does not explain", name, message[1])
			}
		}
		return err
	})
	if err != nil || found < 10 {
		t.Errorf("%d messages, %v", found, err)
	}
}

// TestProbes: a server that starts or stops is no error, and one whose table does not answer is.
func TestProbes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	told, err := telemetry.New(t.Context(), telemetry.Settings{Log: &log, JSON: true, API: apiPath, Paths: otherPaths, Level: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	h := told.Observe(newRoutes(g, nil, nil, nil, pageFlags{}, func(context.Context) error { return errors.New("it is down") }))
	for _, step := range []struct {
		level string
		next  func()
	}{{"DEBUG", func() { g.open(api) }}, {"ERROR", g.retire}, {"DEBUG", func() { g.drain() }}, {"DEBUG", nil}} {
		log.Reset()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(log.String(), `"level":"`+step.level+`","msg":"request"`) {
			t.Errorf("%d %s: %s", w.Code, w.Body, &log)
		}
		if step.next != nil {
			step.next()
		}
	}
}

// TestOff: where metrics and traces are off, nothing of the product calls anybody.
func TestOff(t *testing.T) {
	t.Parallel()
	for on, settings := range map[bool]telemetry.Settings{false: {Log: io.Discard}, true: {Log: io.Discard, Metrics: true}} {
		told, err := telemetry.New(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		o, table := &observed{Telemetry: told}, dynamo.Settings{}
		o.calls(&table)
		s := o.sessions(func(context.Context) *graph.Session { return &graph.Session{Loaders: &loaders.Set{}} })(t.Context())
		if (table.Observe != nil) != on || (s.Loaders.Observe != nil) != on || s.Planned != nil {
			t.Errorf("metrics %t: calls %t, batches %t, plans %t", on, table.Observe != nil, s.Loaders.Observe != nil, s.Planned != nil)
		}
	}
}
