package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"issuegrid/tracker"
)

// trace sets up the tracer. Spans are sent in the background, and dropped if the receiver is too slow.
func (t *Telemetry) trace(ctx context.Context) error {
	u, err := url.Parse(t.settings.TraceEndpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" {
		return tracker.Bad("TraceEndpoint",
			"not the URL of an OTLP/HTTP receiver, such as http://127.0.0.1:4318")
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.String()))
	if err != nil {
		return tracker.Internal("traces can't be set up", err)
	}
	// The library's default handler writes to stderr, including what the receiver has sent.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		t.log.Warn("traces can't be sent", "error", err)
	}))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter),
		sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", namespace),
			attribute.String("service.version", t.settings.Version))))
	t.tracer, t.stop = provider.Tracer(namespace), provider.Shutdown
	return nil
}

// traceRequest begins the span of a request, as a child of the client's span if the request names one.
func (t *Telemetry) traceRequest(ctx context.Context, r *http.Request) (context.Context, func(outcome)) {
	if t.tracer == nil {
		return ctx, func(outcome) {}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	ctx, span := t.tracer.Start(ctx, "request", trace.WithSpanKind(trace.SpanKindServer))
	return ctx, func(o outcome) {
		defer span.End()
		if !span.IsRecording() {
			return
		}
		span.SetAttributes(attribute.String("request.id", o.ID),
			attribute.String("http.request.method", o.method), attribute.String("url.path", o.path),
			attribute.Int("http.response.status_code", o.status),
			attribute.Int64("http.response.body.size", o.bytes),
			attribute.String("graphql.operation.type", o.kind()),
			attribute.Int("dynamodb.calls", o.answer.Calls), attribute.Float64("dynamodb.rcu", o.answer.RCU),
			attribute.Float64("dynamodb.wcu", o.answer.WCU))
		if o.answer.Name != "" {
			span.SetAttributes(attribute.String("graphql.operation.name", o.answer.Name))
		}
		if o.tenant != "" {
			span.SetAttributes(attribute.String("tenant", string(o.tenant)))
		}
		if len(o.codes) > 0 {
			span.SetAttributes(attribute.String("error.type", string(o.codes[0])))
		}
		if o.level() >= slog.LevelError {
			span.SetStatus(otelcodes.Error, "")
		}
	}
}

// ended records the span of an activity that has ended.
func (t *Telemetry) ended(ctx context.Context, name string, kind trace.SpanKind, start time.Time,
	took time.Duration, failed bool, attributes ...attribute.KeyValue) {
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(start), trace.WithSpanKind(kind),
		trace.WithAttributes(attributes...))
	if failed {
		span.SetStatus(otelcodes.Error, "")
	}
	span.End(trace.WithTimestamp(start.Add(took)))
}

// within reports whether ctx has a span that can be the parent of others. Activities outside of requests,
// such as the health check, are not traced.
func (t *Telemetry) within(ctx context.Context) bool {
	return t.tracer != nil && trace.SpanContextFromContext(ctx).IsSampled()
}

func (t *Telemetry) traceCall(ctx context.Context, c *Call) {
	if !t.within(ctx) {
		return
	}
	attributes := []attribute.KeyValue{attribute.String("db.system.name", "aws.dynamodb"),
		attribute.String("db.operation.name", c.Operation),
		attribute.Int("attempts", c.Attempts), attribute.Int("throttled", c.Throttled),
		attribute.Int("contended", c.Contended),
		attribute.Float64("rcu", c.RCU), attribute.Float64("wcu", c.WCU)}
	if c.Size > 0 {
		attributes = append(attributes, attribute.Int("db.operation.batch.size", c.Size),
			attribute.Int("unprocessed", c.Unprocessed))
	}
	if c.Code != "" {
		attributes = append(attributes, attribute.String("error.type", c.Code))
	}
	t.ended(ctx, fmt.Sprint("DynamoDB ", c.Operation), trace.SpanKindClient, c.Start, c.Duration,
		c.Code != "", attributes...)
}

func (t *Telemetry) traceBatch(ctx context.Context, b *Batch) {
	if t.within(ctx) {
		t.ended(ctx, "batch", trace.SpanKindInternal, b.Start, b.Duration, false,
			attribute.String("loader", b.Loader), attribute.Int("size", b.Size),
			attribute.Int("capacity", b.Capacity))
	}
}

func (t *Telemetry) traceDecision(ctx context.Context, d *Decision) {
	if t.within(ctx) {
		t.ended(ctx, "plan", trace.SpanKindInternal, d.Start, d.Duration, false,
			attribute.String("method", d.Method), attribute.Int("ways", d.Candidates),
			attribute.Bool("tail", d.Tail), attribute.Bool("revised", d.Revised))
	}
}
