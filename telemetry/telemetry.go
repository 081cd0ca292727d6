// Package telemetry tells who runs the server what it does: one log line for each request, metrics for
// Prometheus, and traces by OpenTelemetry.
//
// Start here: [New] makes a [Telemetry] of [Settings]; [Telemetry.Observe] goes around all of HTTP and gives
// each request a [Request], which rides in its context and collects what the log line says. The On functions
// return what other rooms call, or nil where nobody would listen, so that what is off costs nothing.
// docs/observability.md is the manual.
//
// The laws that the code and its tests cite:
//
//	O1  Nothing that a client or a tenant has written leaves the server by here: no query text, variables,
//	    values, names of users, tokens or cursors. The exceptions are a tenant's id, a request id, and the
//	    name of an operation, each of a bounded length and alphabet. Of texts of errors there are only those
//	    by which package auth refuses a token, as its law A3 keeps everything of the token out of them.
//	O2  The labels of metrics are from sets that the code names. What is in none of them is "other". So the
//	    number of series is bounded, and it is the same after the start as after a year: every series that
//	    there can be is there from the start. The one that is not named is the version, of which a program
//	    has one.
//
// What may never be in here: rules of the product, DynamoDB, GraphQL, flags and environment variables.
package telemetry

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Settings say what is told.
type Settings struct {
	// Log is where the log goes, as JSON or as text, from Level on.
	Log   io.Writer
	JSON  bool
	Level slog.Level
	// API is the path of the requests that metrics and traces are about, and Paths are the others that the
	// log names; one that ends in a slash stands for all below it.
	API   string
	Paths []string
	// Version is the program's.
	Version string
	// Metrics are kept if this is set; Telemetry.Metrics serves them.
	Metrics bool
	// Keys tells that a JWK set is read, of which OnKeys is told.
	Keys bool
	// Load returns what the server is busy with; nil if nobody knows.
	Load func() Load
	// TraceEndpoint is the URL of an OTLP/HTTP receiver, such as http://127.0.0.1:4318; without a path it is
	// /v1/traces. Empty for no traces.
	TraceEndpoint string
}

// Load is what a server is busy with.
type Load struct {
	// Places is how many requests may run, Running how many do, Room how many may wait for a place, and
	// Waiting how many do.
	Places, Running, Room, Waiting int
	// MemorySize is how many bytes of data operations may hold, MemoryUsed how many they do, and
	// MemoryWaiting how many operations wait for some.
	MemorySize, MemoryUsed int64
	MemoryWaiting          int
	// CPUWaiting is how many operations wait because their tenants have used more than their share of the
	// CPU.
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

// New makes a Telemetry. It connects to nothing. It fails on a trace endpoint that is no URL.
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

// Log is the logger. A record that is logged with the context of a request names it.
func (t *Telemetry) Log() *slog.Logger { return t.log }

// Close sends the spans that have not been sent.
func (t *Telemetry) Close(ctx context.Context) error {
	if t.stop == nil {
		return nil
	}
	if err := t.stop(ctx); err != nil {
		return errors.New("the last traces can't be sent")
	}
	return nil
}
