package httpd

import (
	"context"
	"maps"

	"issuegrid/graph"
	"issuegrid/grid"
	"issuegrid/internal/operation"
	"issuegrid/internal/refusal"
	"issuegrid/internal/telemetry"
	"issuegrid/loaders"
	"issuegrid/tracker"
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

// report reports an operation that has ended to telemetry.
func report(ctx context.Context, o *operation.Operation) {
	cost := o.Cost()
	record := telemetry.Response{Operation: o.Response.Type, Name: o.Response.Name, Codes: o.Response.Codes,
		RCU: cost.RCU, WCU: cost.WCU}
	for n := range maps.Values(cost.Calls) {
		record.Calls += n
	}
	telemetry.From(ctx).SetResponse(record)
}

// codes returns the codes of the errors of a response.
func codes(shown graph.Errors) (all []tracker.Code) {
	for _, e := range shown {
		all = append(all, refusal.Code(e))
	}
	return all
}
