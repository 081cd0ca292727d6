package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"issuegrid/internal/telemetry"
	"issuegrid/tracker"
)

// observed is a Telemetry with its log in memory.
type observed struct {
	*telemetry.Telemetry
	log bytes.Buffer
}

// newObserved returns a Telemetry with metrics. alter changes its settings.
func newObserved(t *testing.T, alter ...func(*telemetry.Settings)) *observed {
	t.Helper()
	o := &observed{}
	settings := telemetry.Settings{Log: &o.log, JSON: true, API: "/graphql", Paths: []string{"/livez"},
		Metrics: true}
	for _, f := range alter {
		f(&settings)
	}
	var err error
	if o.Telemetry, err = telemetry.New(t.Context(), settings); err != nil {
		t.Fatal(err)
	}
	return o
}

// serve handles one request with h, and returns the lines of the log.
func (o *observed) serve(t *testing.T, ctx context.Context, h http.HandlerFunc) (lines []map[string]any) {
	t.Helper()
	o.log.Reset()
	func() {
		defer func() { recover() }() // as net/http does
		o.Observe(h).ServeHTTP(httptest.NewRecorder(),
			httptest.NewRequestWithContext(ctx, http.MethodPost, "/graphql", nil))
	}()
	for text := range strings.Lines(o.log.String()) {
		var l map[string]any
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		lines = append(lines, l)
	}
	return lines
}

// metric returns the value of a metric, or "none".
func (o *observed) metric(name string) string {
	w := httptest.NewRecorder()
	o.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for l := range strings.Lines(w.Body.String()) {
		if rest, ok := strings.CutPrefix(l, name+" "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "none"
}

// TestOutcomes checks the log line and the metrics of requests, above all of those without a normal response.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(http.ResponseWriter, *http.Request) {}
	status := func(codes ...int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for _, code := range codes {
				w.WriteHeader(code)
			}
		}
	}
	response := func(operation string, status int, codes ...tracker.Code) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			telemetry.From(r.Context()).SetResponse(telemetry.Response{Operation: operation, Codes: codes})
			w.WriteHeader(status)
		}
	}
	for name, test := range map[string]struct {
		ctx    context.Context
		answer http.HandlerFunc
		status float64
		level  string
		code   tracker.Code // "" for none
		shed   string
	}{
		"an empty response": {t.Context(), nothing, 200, "INFO", "", "0"},
		"a panic": {t.Context(), func(http.ResponseWriter, *http.Request) {
			panic("hunter2")
		}, 500, "ERROR", tracker.InternalErr, "0"},
		"a panic after the status": {t.Context(), func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			panic(http.ErrAbortHandler)
		}, 202, "INFO", "", "0"},
		"a client that has gone": {gone, nothing, 499, "INFO", "", "0"},
		"an early status":        {t.Context(), status(103, 403), 403, "WARN", tracker.Forbidden, "0"},
		"rate limited":           {t.Context(), status(429), 429, "WARN", tracker.RateLimited, "0"},
		"unavailable":            {t.Context(), status(503), 503, "ERROR", tracker.Unavailable, "1"},
		"unavailable, of a known type": {t.Context(), response("query", 503, tracker.Unavailable), 503,
			"ERROR", tracker.Unavailable, "1"},
		"one code twice": {t.Context(),
			response("query", 200, tracker.NotFound, tracker.Conflict, tracker.NotFound), 200, "INFO",
			tracker.NotFound, "0"},
		"an unknown code": {t.Context(), response("subscription", 200, "HUNTER2"), 200, "INFO", "other", "0"},
		"an outage": {t.Context(), response("query", 200, tracker.NotFound, tracker.Unavailable), 200,
			"ERROR", tracker.Unavailable, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newObserved(t)
			lines := o.serve(t, test.ctx, test.answer)
			if len(lines) != 1 || lines[0]["status"] != test.status || lines[0]["level"] != test.level ||
				strings.Contains(strings.ToLower(o.log.String()), "hunter2") {
				t.Errorf("%v", lines)
			}
			if test.code == "" {
				if lines[0]["codes"] != nil {
					t.Errorf("%v", lines)
				}
			} else if n := o.metric(`issuegrid_errors_total{code="` + string(test.code) + `"}`); n != "1" {
				t.Errorf("%s errors %s", n, test.code)
			}
			if n := o.metric("issuegrid_requests_shed_total"); n != test.shed {
				t.Errorf("%s requests shed, want %s", n, test.shed)
			}
			if n := o.metric("issuegrid_requests_in_flight"); n != "0" {
				t.Errorf("%s requests in flight after the last", n)
			}
		})
	}
}

// TestPreflights checks that metrics and the log at level INFO leave preflight requests out.
func TestPreflights(t *testing.T) {
	t.Parallel()
	o := newObserved(t)
	inside := ""
	h := o.Observe(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		inside = o.metric("issuegrid_requests_in_flight")
		w.WriteHeader(http.StatusNoContent)
	}))
	for method, want := range map[string]string{"": "1", http.MethodPost: "0"} {
		r := httptest.NewRequest(http.MethodOptions, "/graphql", nil)
		if method != "" {
			r.Header.Set("Access-Control-Request-Method", method)
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
		if inside != want {
			t.Errorf("asking for %q: %s in flight, want %s", method, inside, want)
		}
	}
	if n := o.metric(`issuegrid_request_duration_seconds_count{type="none"}`); n != "1" ||
		strings.Count(o.log.String(), "\n") != 1 {
		t.Errorf("%s requests are counted, and the log has %s", n, &o.log)
	}
}

// TestLoad checks that the gauges show the load at the moment of the scrape.
func TestLoad(t *testing.T) {
	t.Parallel()
	q := telemetry.Load{Slots: 8, MaxWaiting: 4, MemorySize: 6}
	o := newObserved(t, func(s *telemetry.Settings) { s.Load = func() telemetry.Load { return q } })
	q.Running, q.Waiting, q.MemoryUsed, q.MemoryWaiting, q.CPUWaiting = 7, 3, 5, 2, 1
	if got := o.metric("issuegrid_queue_places") + o.metric("issuegrid_queue_running") +
		o.metric("issuegrid_queue_room") + o.metric("issuegrid_queue_waiting"); got != "8743" {
		t.Errorf("%s", got)
	}
	if got := o.metric("issuegrid_memory_budget_bytes") + o.metric("issuegrid_memory_held_bytes") +
		o.metric("issuegrid_memory_waiting") + o.metric("issuegrid_cpu_waiting"); got != "6521" {
		t.Errorf("%s", got)
	}
}

// TestKeys checks that the metrics of the JWK set exist only if one is read.
func TestKeys(t *testing.T) {
	t.Parallel()
	const failures, last = "issuegrid_jwks_refresh_failures_total",
		"issuegrid_jwks_last_refresh_timestamp_seconds"
	o := newObserved(t)
	if o.OnKeys() != nil || o.metric(failures) != "none" || o.metric(last) != "none" {
		t.Error("there are metrics of a JWK set that is not read")
	}
	o = newObserved(t, func(s *telemetry.Settings) { s.Keys = true })
	o.OnKeys()(errors.New("hunter2"))
	if o.metric(failures) != "1" || o.metric(last) != "0" {
		t.Errorf("after a failure: %s, %s", o.metric(failures), o.metric(last))
	}
	o.OnKeys()(nil)
	if o.metric(failures) != "1" || o.metric(last) == "0" {
		t.Errorf("after a reading: %s, %s", o.metric(failures), o.metric(last))
	}
}

// TestLinesOfARequest checks that records with the context of a request have its id, also with attributes.
func TestLinesOfARequest(t *testing.T) {
	t.Parallel()
	o := newObserved(t)
	lines := o.serve(t, t.Context(), func(_ http.ResponseWriter, r *http.Request) {
		o.Log().With("a", 1).ErrorContext(r.Context(), "internal error", "error", errors.New("x"))
		o.Log().Error("without a request")
	})
	if len(lines) != 3 || lines[0]["request_id"] != lines[2]["request_id"] || lines[0]["request_id"] == nil ||
		lines[0]["a"] != 1.0 || lines[1]["request_id"] != nil {
		t.Errorf("%v", lines)
	}
}

// TestCalls checks the sums of calls and batches.
func TestCalls(t *testing.T) {
	t.Parallel()
	o := newObserved(t)
	call, batch := o.OnCall(), o.OnBatch()
	call(t.Context(), telemetry.Call{Operation: "BatchGetItem", Attempts: 3, Throttled: 2, Contended: 1,
		Size: 75, Unprocessed: 4, RCU: 37.5, Duration: 20 * time.Millisecond})
	call(t.Context(), telemetry.Call{Operation: "BatchWriteItem", Attempts: 1, Size: 25, WCU: 50})
	call(t.Context(), telemetry.Call{Operation: "InventTable", Attempts: 1, Code: "ThrottlingException"})
	batch(t.Context(), telemetry.Batch{Loader: "issue", Size: 75, Capacity: 100})
	batch(t.Context(), telemetry.Batch{Loader: "hunter2", Size: 1, Capacity: 100})
	for name, want := range map[string]string{
		`issuegrid_dynamodb_retries_total{operation="BatchGetItem"}`:                           "2",
		`issuegrid_dynamodb_throttles_total{operation="BatchGetItem"}`:                         "2",
		`issuegrid_dynamodb_conflicts_total{operation="BatchGetItem"}`:                         "1",
		`issuegrid_dynamodb_unprocessed_total{operation="BatchGetItem"}`:                       "4",
		`issuegrid_dynamodb_batch_fill_ratio_sum{operation="BatchGetItem"}`:                    "0.75",
		`issuegrid_dynamodb_batch_fill_ratio_sum{operation="BatchWriteItem"}`:                  "1",
		`issuegrid_dynamodb_call_duration_seconds_sum{operation="BatchGetItem"}`:               "0.02",
		`issuegrid_dynamodb_call_duration_seconds_count{operation="other"}`:                    "1",
		`issuegrid_dynamodb_errors_total{operation="other"}`:                                   "1",
		`issuegrid_dynamodb_errors_total{operation="BatchGetItem"}`:                            "0",
		`issuegrid_dynamodb_consumed_capacity_units_total{kind="read"}`:                        "37.5",
		`issuegrid_dynamodb_consumed_capacity_units_total{kind="write"}`:                       "50",
		`issuegrid_loader_batch_keys_sum{loader="issue"}`:                                      "75",
		`issuegrid_loader_batch_keys_count{loader="other"}`:                                    "1",
		`issuegrid_dynamodb_call_duration_seconds_bucket{operation="BatchGetItem",le="0.025"}`: "1",
		`issuegrid_dynamodb_call_duration_seconds_bucket{operation="BatchGetItem",le="0.01"}`:  "0",
	} {
		if got := o.metric(name); got != want {
			t.Errorf("%s %s, want %s", name, got, want)
		}
	}
}

// TestOffCostsNothing checks that disabled telemetry returns no callbacks, and that recording a call in
// metrics allocates nothing.
func TestOffCostsNothing(t *testing.T) {
	off, err := telemetry.New(t.Context(),
		telemetry.Settings{Log: io.Discard, Level: slog.LevelError, API: "/graphql"})
	if err != nil {
		t.Fatal(err)
	}
	if off.OnCall() != nil || off.OnBatch() != nil || off.OnDecision() != nil || off.Metrics() != nil {
		t.Error("disabled telemetry returns a callback")
	}
	if err := off.Close(t.Context()); err != nil {
		t.Error(err)
	}
	o := newObserved(t)
	if o.OnDecision() != nil {
		t.Error("decisions are recorded without traces")
	}
	call, c := o.OnCall(), telemetry.Call{Operation: "BatchGetItem", Attempts: 2, Size: 75, RCU: 37.5}
	if n := testing.AllocsPerRun(1000, func() { call(context.Background(), c) }); n != 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// TestPaths checks that the log names only paths and folders that the server has.
func TestPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/": "/", "/livez": "/livez", "/assets/": "/assets/",
		"/assets/grid-1a2b.js": "/assets/", "/assets": "other", "/livez/more": "other", "/made-up": "other"} {
		seen := newObserved(t, func(s *telemetry.Settings) {
			s.Level, s.Paths = slog.LevelDebug, []string{"/", "/livez", "/assets/"}
		})
		seen.Observe(http.NotFoundHandler()).ServeHTTP(httptest.NewRecorder(),
			httptest.NewRequest(http.MethodGet, path, nil))
		if !strings.Contains(seen.log.String(), `"path":"`+want+`"`) {
			t.Errorf("%s: %s", path, &seen.log)
		}
	}
}
