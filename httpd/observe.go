package httpd

import (
	"context"
	"maps"
	"net/http"

	"issuegrid/graph"
	"issuegrid/grid"
	"issuegrid/loaders"
	"issuegrid/telemetry"
)

// observeSessions makes sessions report batches and plans to telemetry.
func observeSessions(o *telemetry.Telemetry,
	begin func(context.Context) *graph.Session) func(context.Context) *graph.Session {
	batch, decision := o.OnBatch(), o.OnDecision()
	return func(ctx context.Context) *graph.Session {
		s := begin(ctx)
		if batch != nil {
			s.Loaders.Observe = func(ctx context.Context, b loaders.Batch) { batch(ctx, telemetry.Batch(b)) }
		}
		if decision != nil {
			s.Planned = func(ctx context.Context, d grid.Decision) { decision(ctx, telemetry.Decision(d)) }
		}
		return s
	}
}

// observeResponses makes the API report its responses to telemetry.
func observeResponses(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := telemetry.From(r.Context())
		ctx := graph.WithObserver(r.Context(), func(a graph.Answer) {
			record := telemetry.Answer{Operation: a.Operation, Name: a.Name, Codes: a.Codes, RCU: a.Cost.RCU,
				WCU: a.Cost.WCU}
			for n := range maps.Values(a.Cost.Calls) {
				record.Calls += n
			}
			request.Answered(record)
		})
		api.ServeHTTP(w, r.WithContext(ctx))
	})
}
