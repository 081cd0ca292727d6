package httpd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/internal/telemetry"
)

// noReads panics on any read.
type noReads struct{ graph.Reads }

func (noReads) LimitTexts(int64)   {}
func (noReads) ForgetDefinitions() {}

// TestInternalErrors checks that the log lines of a defect have the request id, and that the response
// contains no details.
func TestInternalErrors(t *testing.T) {
	var log bytes.Buffer
	tel, err := telemetry.New(t.Context(),
		telemetry.Settings{Log: &log, JSON: true, API: APIPath, Metrics: true})
	if err != nil {
		t.Fatal(err)
	}
	before := slog.Default()
	slog.SetDefault(tel.Log())
	defer slog.SetDefault(before)
	nothing := func(context.Context) *graph.Session { // a wiring defect: any read panics
		return &graph.Session{Principal: principal(t.Context()), Reads: noReads{}}
	}
	server := httptest.NewServer(tel.Observe(
		newAPI(nothing, NewControl(Bounds{Requests: 1, Operations: 1, Memory: 64 << 20}), graph.Options{},
			true, &imports{})))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/graphql",
		strings.NewReader(`{"query": "{tenants {nodes {name}}}"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Request-Id", "mine")
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	server.Close() // waits for the log line of the request
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"msg":"internal error"`) ||
		!strings.Contains(lines[1], `"level":"ERROR","msg":"request"`) ||
		!strings.Contains(lines[1], `"codes":["INTERNAL"]`) {
		t.Errorf("%s", &log)
	}
	if n := strings.Count(log.String(), `"request_id":"mine"`); n != 2 ||
		response.Header.Get("X-Request-Id") != "mine" {
		t.Errorf("%d lines have the request id, and the response has %q", n,
			response.Header.Get("X-Request-Id"))
	}
	if bytes.Contains(body, []byte("nil pointer")) || !bytes.Contains(body, []byte("INTERNAL")) {
		t.Errorf("%s", body)
	}
}

// TestProbes checks that a failed health check is an error in the log only if the table does not respond, not
// while the server starts or stops.
func TestProbes(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	tel, err := telemetry.New(t.Context(),
		telemetry.Settings{Log: &log, JSON: true, API: APIPath, Paths: OtherPaths, Level: slog.LevelDebug})
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	h := tel.Observe(newRoutes(g, nil, nil, nil, Pages{}, func(context.Context) error {
		return errors.New("it is down")
	}))
	for _, step := range []struct {
		level string
		next  func()
	}{{"DEBUG", func() {
		g.open(api)
	}}, {"ERROR", g.retire}, {"DEBUG", func() { g.drain() }}, {"DEBUG", nil}} {
		log.Reset()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if w.Code != http.StatusServiceUnavailable ||
			!strings.Contains(log.String(), `"level":"`+step.level+`","msg":"request"`) {
			t.Errorf("%d %s: %s", w.Code, w.Body, &log)
		}
		if step.next != nil {
			step.next()
		}
	}
}

// TestOff checks that nothing is observed when metrics and traces are off.
func TestOff(t *testing.T) {
	t.Parallel()
	for on, settings := range map[bool]telemetry.Settings{false: {Log: io.Discard},
		true: {Log: io.Discard, Metrics: true}} {
		tel, err := telemetry.New(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		if (batches(tel) != nil) != on || decisions(tel) != nil {
			t.Errorf("metrics %t: batches %t, plans %t", on, batches(tel) != nil, decisions(tel) != nil)
		}
	}
}
