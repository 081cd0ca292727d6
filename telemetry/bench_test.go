package telemetry_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"issuegrid/telemetry"
)

// BenchmarkRequest measures what telemetry adds to a request: its log line, with and without metrics.
func BenchmarkRequest(b *testing.B) {
	for name, metrics := range map[string]bool{"log": false, "log and metrics": true} {
		b.Run(name, func(b *testing.B) {
			o, err := telemetry.New(b.Context(),
				telemetry.Settings{Log: io.Discard, JSON: true, API: "/graphql", Metrics: metrics})
			if err != nil {
				b.Fatal(err)
			}
			h := o.Observe(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				telemetry.From(r.Context()).SetResponse(telemetry.Response{Operation: "query", Name: "Grid",
					Calls: 2, RCU: 51.5})
			}))
			r := httptest.NewRequest(http.MethodPost, "/graphql", nil)
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}

// BenchmarkCall measures what it costs to record a call of DynamoDB when metrics are on.
func BenchmarkCall(b *testing.B) {
	o, err := telemetry.New(b.Context(), telemetry.Settings{Log: io.Discard, Metrics: true})
	if err != nil {
		b.Fatal(err)
	}
	record, c := o.OnCall(), telemetry.Call{Operation: "BatchGetItem", Attempts: 1, Size: 100, RCU: 50,
		Duration: 3 * time.Millisecond}
	b.ReportAllocs()
	for b.Loop() {
		record(b.Context(), c)
	}
}
