package telemetry

import (
	"context"
	"time"
)

// Call describes one call of DynamoDB's API. A dynamo.Call can be converted to it.
type Call struct {
	Operation                      string
	Start                          time.Time
	Duration                       time.Duration
	Attempts, Throttled, Contended int
	Size, Unprocessed              int
	RCU, WCU                       float64
	Code                           string
}

// Batch describes one batch of a loader. A loaders.Batch can be converted to it.
type Batch struct {
	Loader         string
	Size, Capacity int
	Start          time.Time
	Duration       time.Duration
}

// Decision describes how a part of a grid is read. A grid.Decision can be converted to it.
type Decision struct {
	Start         time.Time
	Duration      time.Duration
	Method        string
	Candidates    int
	Tail, Revised bool
}

// OnCall returns a function that records calls of DynamoDB's API. It returns nil if metrics and traces are
// off.
func (t *Telemetry) OnCall() func(context.Context, Call) {
	if t.metrics == nil && t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, c Call) {
		t.metrics.called(&c)
		t.traceCall(ctx, &c)
	}
}

// OnBatch returns a function that records batches of loaders. It returns nil if metrics and traces are off.
func (t *Telemetry) OnBatch() func(context.Context, Batch) {
	if t.metrics == nil && t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, b Batch) {
		t.metrics.batched(&b)
		t.traceBatch(ctx, &b)
	}
}

// OnDecision returns a function that records how grids are read. It returns nil if traces are off.
func (t *Telemetry) OnDecision() func(context.Context, Decision) {
	if t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, d Decision) { t.traceDecision(ctx, &d) }
}

// OnKeys returns a function that records each attempt to read the JWK set. It returns nil if metrics are off
// or no set is read.
func (t *Telemetry) OnKeys() func(error) {
	if t.metrics == nil || t.metrics.keys == nil {
		return nil
	}
	return t.metrics.read
}
