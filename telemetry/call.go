package telemetry

import (
	"context"
	"time"
)

// Call is a call of DynamoDB's API, as dynamo.Call, to which it can be converted.
type Call struct {
	Operation                      string
	Start                          time.Time
	Duration                       time.Duration
	Attempts, Throttled, Contended int
	Size, Unprocessed              int
	RCU, WCU                       float64
	Code                           string
}

// Batch is a batch of a loader, as loaders.Batch.
type Batch struct {
	Loader         string
	Size, Capacity int
	Start          time.Time
	Duration       time.Duration
}

// Decision is how a part of a grid is read, as grid.Decision.
type Decision struct {
	Start         time.Time
	Duration      time.Duration
	Method        string
	Ways          int
	Tail, Revised bool
}

// OnCall is to be told of the calls of DynamoDB's API; nil if nobody would listen.
func (t *Telemetry) OnCall() func(context.Context, Call) {
	if t.metrics == nil && t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, c Call) {
		t.metrics.called(&c)
		t.traceCall(ctx, &c)
	}
}

// OnBatch is to be told of the batches of loaders; nil if nobody would listen.
func (t *Telemetry) OnBatch() func(context.Context, Batch) {
	if t.metrics == nil && t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, b Batch) {
		t.metrics.batched(&b)
		t.traceBatch(ctx, &b)
	}
}

// OnDecision is to be told how grids are read; nil if nobody would listen.
func (t *Telemetry) OnDecision() func(context.Context, Decision) {
	if t.tracer == nil {
		return nil
	}
	return func(ctx context.Context, d Decision) { t.traceDecision(ctx, &d) }
}

// OnKeys is to be told of the readings of the JWK set; nil if nobody would listen.
func (t *Telemetry) OnKeys() func(error) {
	if t.metrics == nil || t.metrics.keys == nil {
		return nil
	}
	return t.metrics.read
}
