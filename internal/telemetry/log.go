package telemetry

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

func newLogger(s Settings) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.Level}
	if s.JSON {
		return slog.New(&contextHandler{slog.NewJSONHandler(s.Log, options)})
	}
	return slog.New(&contextHandler{slog.NewTextHandler(s.Log, options)})
}

// contextHandler adds the request id and the trace id of the context to each record.
type contextHandler struct{ slog.Handler }

// Handle adds the ids and writes the record.
func (h *contextHandler) Handle(ctx context.Context, r slog.Record) error {
	if request := From(ctx); request != nil {
		r.AddAttrs(slog.String("request_id", request.ID))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsSampled() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler that adds attrs and the ids.
func (h *contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &contextHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup returns a handler that opens a group and adds the ids.
func (h *contextHandler) WithGroup(name string) slog.Handler {
	return &contextHandler{h.Handler.WithGroup(name)}
}
