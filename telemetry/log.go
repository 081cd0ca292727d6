package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

func newLogger(s Settings) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.Level}
	if s.JSON {
		return slog.New(&named{slog.NewJSONHandler(s.Log, options)})
	}
	return slog.New(&named{slog.NewTextHandler(s.Log, options)})
}

// named adds to a record the id of the request that it is about, and of its trace.
type named struct{ slog.Handler }

// Handle writes a record.
func (n *named) Handle(ctx context.Context, r slog.Record) error {
	if request := From(ctx); request != nil {
		r.AddAttrs(slog.String("request_id", request.ID))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return n.Handler.Handle(ctx, r)
}

// WithAttrs keeps the names.
func (n *named) WithAttrs(attrs []slog.Attr) slog.Handler { return &named{n.Handler.WithAttrs(attrs)} }

// WithGroup keeps the names.
func (n *named) WithGroup(name string) slog.Handler { return &named{n.Handler.WithGroup(name)} }
