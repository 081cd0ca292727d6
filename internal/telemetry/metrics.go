package telemetry

import (
	"net/http"
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The values of labels (O2), except error codes. Operations and loaders have the names that packages dynamo
// and loaders use.
var (
	types   = []string{queryType, mutationType, noType}
	loaders = []string{"issue", "issue_consistent", "issue_head", "project", "tenant", "view", "user", "team",
		"comment", "comment_counts", "comment_text", "reaction", "long_text", other}
	operations = []string{"BatchGetItem", "BatchWriteItem", "DescribeTable", "Query", "Scan",
		"TransactWriteItems", "UpdateItem", other}
)

// batchCapacity is the most keys or items that DynamoDB accepts in one call.
var batchCapacity = map[string]float64{"BatchGetItem": 100, "BatchWriteItem": 25, "TransactWriteItems": 100}

// Histogram buckets. Those of requests reach from a cached response to beyond the default of --timeout; those
// of calls from a fast read of one item to the point where retries end.
var (
	requestSeconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60}
	callSeconds    = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
	batchKeys      = []float64{1, 2, 5, 10, 25, 50, 75, 99, 100}
	fillRatios     = []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1}
)

// metrics are the metrics of one server; methods of a nil *metrics do nothing. Every series is looked up
// once, so that counting allocates nothing.
type metrics struct {
	inFlight prometheus.Gauge
	shed     prometheus.Counter
	requests map[string]prometheus.Observer // by the type of operation
	errors   map[string]prometheus.Counter  // by code
	batches  map[string]prometheus.Observer // by loader
	calls    map[string]*callMetrics        // by operation
	rcu, wcu prometheus.Counter
	keys     *keyMetrics // nil if no JWK set is read
}

// keyMetrics are the metrics of reading the JWK set.
type keyMetrics struct {
	failures prometheus.Counter
	last     prometheus.Gauge
}

// callMetrics are the metrics of one operation of DynamoDB's API.
type callMetrics struct {
	seconds prometheus.Observer
	// nil for operations without batches
	fill                                               prometheus.Observer
	retries, throttles, conflicts, unprocessed, failed prometheus.Counter
}

// liveHeap matches the metric of the live heap. It shows a leak more clearly than the allocated heap, which
// includes garbage.
var liveHeap = regexp.MustCompile(`^/gc/heap/live:bytes$`)

func newMetrics(s Settings) (*prometheus.Registry, *metrics) {
	registry := prometheus.NewRegistry()
	runtime := collectors.NewGoCollector(
		collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap}))
	registry.MustRegister(runtime, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector())
	f := factory{registry}
	m := &metrics{
		inFlight: f.gauge("requests_in_flight", "Requests to /graphql in progress."),
		shed: f.counter("requests_shed_total",
			"Requests to /graphql rejected with status 503 before execution: too many requests, or "+
				"the server is starting or stopping."),
		requests: observers(f.histogram("request_duration_seconds",
			"Time from a request to /graphql to the end of its response, by type of operation: query, "+
				"mutation, or none if it was rejected before the type was known.",
			requestSeconds, "type"), types),
		errors: map[string]prometheus.Counter{},
		batches: observers(f.histogram("loader_batch_keys",
			"Keys in a batch of a loader; a batch has at most 100.", batchKeys,
			"loader"), loaders),
		calls: map[string]*callMetrics{},
	}
	f.gauges("build_info", "Always 1. The label is the version of the program.",
		"version").WithLabelValues(s.Version).Set(1)
	errors := f.counters("errors_total",
		"Requests to /graphql whose response has an error with this code. A request counts once per code; "+
			"one rejected with an HTTP status has one code.", "code")
	for _, code := range codes {
		m.errors[string(code)] = errors.WithLabelValues(string(code))
	}
	units := f.counters("dynamodb_consumed_capacity_units_total",
		"Consumed read and write capacity units, as reported by DynamoDB.", "kind")
	m.rcu, m.wcu = units.WithLabelValues("read"), units.WithLabelValues("write")
	seconds := f.histogram("dynamodb_call_duration_seconds",
		"Duration of a DynamoDB API call, including retries and the pauses between them.", callSeconds,
		"operation")
	fill := f.histogram("dynamodb_batch_fill_ratio",
		"Keys or items of a batch or transaction, divided by the maximum: 25 for "+
			"BatchWriteItem, else 100.", fillRatios, "operation")
	retries := f.counters("dynamodb_retries_total", "Attempts of DynamoDB API calls after the first.",
		"operation")
	throttles := f.counters("dynamodb_throttles_total",
		"Attempts that DynamoDB throttled.", "operation")
	conflicts := f.counters("dynamodb_conflicts_total",
		"Attempts that failed because of a conflict with another transaction.", "operation")
	unprocessed := f.counters("dynamodb_unprocessed_total",
		"Keys or items of batches that DynamoDB left unprocessed, to be sent again.", "operation")
	failed := f.counters("dynamodb_errors_total",
		"DynamoDB API calls that failed after all retries, including conditions that were not met.",
		"operation")
	for _, o := range operations {
		m.calls[o] = &callMetrics{seconds: seconds.WithLabelValues(o), retries: retries.WithLabelValues(o),
			throttles: throttles.WithLabelValues(o),
			conflicts: conflicts.WithLabelValues(o), unprocessed: unprocessed.WithLabelValues(o),
			failed: failed.WithLabelValues(o)}
		if batchCapacity[o] > 0 {
			m.calls[o].fill = fill.WithLabelValues(o)
		}
	}
	if s.Load != nil {
		f.gaugeOf("queue_places", "Maximum number of requests executed at a time (--concurrency).",
			func() float64 {
				return float64(s.Load().Slots)
			})
		f.gaugeOf("queue_running", "Requests in execution.", func() float64 {
			return float64(s.Load().Running)
		})
		f.gaugeOf("queue_room", "Maximum number of requests that wait for a slot; others are rejected.",
			func() float64 {
				return float64(s.Load().MaxWaiting)
			})
		f.gaugeOf("queue_waiting", "Requests that wait for a slot.", func() float64 {
			return float64(s.Load().Waiting)
		})
		f.gaugeOf("memory_budget_bytes",
			"Maximum bytes of data that all operations together hold (--memory).", func() float64 {
				return float64(s.Load().MemorySize)
			})
		f.gaugeOf("memory_held_bytes", "Bytes of data that operations hold.", func() float64 {
			return float64(s.Load().MemoryUsed)
		})
		f.gaugeOf("memory_waiting", "Operations that wait for memory.", func() float64 {
			return float64(s.Load().MemoryWaiting)
		})
		f.gaugeOf("cpu_waiting", "Operations that wait because their tenants have used more than their "+
			"share of the CPU.", func() float64 {
			return float64(s.Load().CPUWaiting)
		})
	}
	if s.Keys {
		m.keys = &keyMetrics{failures: f.counter("jwks_refresh_failures_total",
			"Failed reads of the JWK set; the keys of the last successful one stay valid."),
			last: f.gauge("jwks_last_refresh_timestamp_seconds",
				"Time of the last successful read of the JWK set, in seconds since 1970.")}
	}
	return registry, m
}

// Metrics returns the handler that serves the metrics to Prometheus. It returns nil if metrics are off.
func (t *Telemetry) Metrics() http.Handler {
	if t.metrics == nil {
		return nil
	}
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

func (m *metrics) begin() {
	if m != nil {
		m.inFlight.Inc()
	}
}

func (m *metrics) end(o outcome) {
	if m == nil {
		return
	}
	m.inFlight.Dec()
	m.requests[o.kind()].Observe(o.duration.Seconds())
	for _, code := range o.codes {
		m.errors[string(code)].Inc()
	}
	// An operation that was executed has status 200, even with errors.
	if o.status == http.StatusServiceUnavailable {
		m.shed.Inc()
	}
}

func (m *metrics) called(c *Call) {
	if m == nil {
		return
	}
	of := m.calls[c.Operation]
	if of == nil {
		of = m.calls[other]
	}
	of.seconds.Observe(c.Duration.Seconds())
	if of.fill != nil {
		of.fill.Observe(float64(c.Size) / batchCapacity[c.Operation])
	}
	of.retries.Add(float64(c.Attempts - 1))
	of.throttles.Add(float64(c.Throttled))
	of.conflicts.Add(float64(c.Contended))
	of.unprocessed.Add(float64(c.Unprocessed))
	if c.Code != "" {
		of.failed.Inc()
	}
	m.rcu.Add(c.RCU)
	m.wcu.Add(c.WCU)
}

func (m *metrics) read(err error) {
	if err != nil {
		m.keys.failures.Inc()
		return
	}
	m.keys.last.SetToCurrentTime()
}

func (m *metrics) batched(b *Batch) {
	if m == nil {
		return
	}
	of := m.batches[b.Loader]
	if of == nil {
		of = m.batches[other]
	}
	of.Observe(float64(b.Size))
}
