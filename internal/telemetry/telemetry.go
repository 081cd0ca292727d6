// Package telemetry reports what the server does: one log line for each request, metrics for Prometheus, and
// traces through OpenTelemetry.
//
// Start here: [New] makes a [Telemetry] from [Settings]. [Telemetry.Observe] wraps all of HTTP and puts a
// [Request] into the context of each request, which collects what the log line says. The On functions return
// callbacks for other packages, or nil if nothing listens, so that disabled telemetry costs nothing. The
// manual is docs/observability.md.
//
// The laws that code and tests cite:
//
//	O1  Nothing that a client or a tenant has written leaves the server through telemetry: no query,
//	    variables, values, user names, tokens or cursors. The exceptions are the tenant's id, the request
//	    id, and the name of the operation, each of a bounded length and alphabet. The only error messages
//	    are those with which package auth rejects a token; its law A3 keeps the token's content out of them.
//	O2  Labels of metrics have values from sets that the code names; any other value becomes "other". So the
//	    number of series is bounded, and all of them exist from the start. The only label without such a
//	    set is the version, of which a program has one.
//
// This package must not contain rules of the product, calls of DynamoDB, GraphQL, flags or environment
// variables.
package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Settings configure telemetry.
type Settings struct {
	// Log receives the log, as JSON or as plain text, from Level on.
	Log   io.Writer
	JSON  bool
	Level slog.Level
	// API is the path of the requests that metrics and traces cover. Paths are the other paths that the log
	// names; one that ends in a slash stands for everything below it.
	API   string
	Paths []string
	// Version is the version of the program.
	Version string
	// Metrics turns metrics on; Telemetry.Metrics serves them.
	Metrics bool
	// Keys reports whether a JWK set is read, which adds its metrics.
	Keys bool
	// Load returns the current load; nil for no metrics of the load.
	Load func() Load
	// TraceEndpoint is the URL of an OTLP/HTTP receiver, such as http://127.0.0.1:4318. The default path is
	// /v1/traces. Empty means no traces.
	TraceEndpoint string
}

// Load is the load of a server at one moment.
type Load struct {
	// Slots is the number of slots, Running the number in use, MaxWaiting how many requests may wait for a
	// slot, and Waiting how many do.
	Slots, Running, MaxWaiting, Waiting int
	// MemorySize is how many bytes of data operations may hold, MemoryUsed how many they do, and
	// MemoryWaiting how many operations wait for memory.
	MemorySize, MemoryUsed int64
	MemoryWaiting          int
	// CPUWaiting is the number of operations that wait because their tenants have used more than their share
	// of the CPU.
	CPUWaiting int
}

// Telemetry observes one server. It is safe for concurrent use.
type Telemetry struct {
	settings Settings
	log      *slog.Logger
	registry *prometheus.Registry
	metrics  *metrics     // nil if they are off
	tracer   trace.Tracer // nil if traces are off
	stop     func(context.Context) error
}

// New makes a Telemetry. It opens no connection. It fails if the trace endpoint is not a URL.
func New(ctx context.Context, s Settings) (*Telemetry, error) {
	t := &Telemetry{settings: s, log: newLogger(s)}
	if s.Metrics {
		t.registry, t.metrics = newMetrics(s)
	}
	if s.TraceEndpoint != "" {
		if err := t.trace(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Log returns the logger. Records logged with the context of a request have the id of the request.
func (t *Telemetry) Log() *slog.Logger { return t.log }

// Close sends the remaining spans.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.stop == nil {
		return nil
	}
	if err := t.stop(ctx); err != nil {
		return errors.New("the last traces can't be sent")
	}
	return nil
}
