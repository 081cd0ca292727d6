package httpd

import (
	"context"
	"maps"
	"net/http"

	"issuegrid/graph"
	"issuegrid/grid"
	"issuegrid/internal/telemetry"
	"issuegrid/loaders"
)

// batches returns what receives the batches of loaders; nil where they are neither measured nor traced.
func batches(o *telemetry.Telemetry) func(context.Context, loaders.Batch) {
	batch := o.OnBatch()
	if batch == nil {
		return nil
	}
	return func(ctx context.Context, b loaders.Batch) { batch(ctx, telemetry.Batch(b)) }
}

// decisions returns what receives how grids are read; nil where that is not traced.
func decisions(o *telemetry.Telemetry) func(context.Context, grid.Decision) {
	decision := o.OnDecision()
	if decision == nil {
		return nil
	}
	return func(ctx context.Context, d grid.Decision) { decision(ctx, telemetry.Decision(d)) }
}

// observeResponses makes the API report its responses to telemetry.
func observeResponses(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := telemetry.From(r.Context())
		ctx := graph.WithObserver(r.Context(), func(a graph.Response) {
			record := telemetry.Response{Operation: a.Operation, Name: a.Name, Codes: a.Codes,
				RCU: a.Cost.RCU,
				WCU: a.Cost.WCU}
			for n := range maps.Values(a.Cost.Calls) {
				record.Calls += n
			}
			request.SetResponse(record)
		})
		api.ServeHTTP(w, r.WithContext(ctx))
	})
}
