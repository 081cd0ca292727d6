package telemetry

import (
	"net/http"
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// The sets of labels (O2), beside codes. Those of operations and loaders are the names that dynamo and
// loaders give.
var (
	types      = []string{queryType, mutationType, noType}
	loaders    = []string{"issue", "issue_head", "project", "long_text", other}
	operations = []string{"BatchGetItem", "BatchWriteItem", "DescribeTable", "Query", "Scan",
		"TransactWriteItems", "UpdateItem", other}
)

// batchRoom is how many keys or items DynamoDB takes in one call.
var batchRoom = map[string]float64{"BatchGetItem": 100, "BatchWriteItem": 25, "TransactWriteItems": 100}

// The buckets. Those of requests reach from what a cached answer takes to beyond the default of --timeout;
// those of calls from a fast item to where the retries give up.
var (
	requestSeconds = []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60}
	callSeconds    = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5}
	batchKeys      = []float64{1, 2, 5, 10, 25, 50, 75, 99, 100}
	shareOfRoom    = []float64{0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1}
)

// metrics are those of one server; a nil one keeps nothing. Every series is looked up once, so that counting
// allocates nothing.
type metrics struct {
	inFlight prometheus.Gauge
	shed     prometheus.Counter
	requests map[string]prometheus.Observer // by the type of operation
	errors   map[string]prometheus.Counter  // by code
	batches  map[string]prometheus.Observer // by loader
	calls    map[string]*callMetrics        // by operation
	rcu, wcu prometheus.Counter
	keys     *keyMetrics // nil where no JWK set is read
}

// keyMetrics are those of the readings of the JWK set.
type keyMetrics struct {
	failures prometheus.Counter
	last     prometheus.Gauge
}

// callMetrics are those of one operation of DynamoDB's API.
type callMetrics struct {
	seconds                                            prometheus.Observer
	fill                                               prometheus.Observer // nil for what is no batch
	retries, throttles, conflicts, unprocessed, failed prometheus.Counter
}

// liveHeap is what lives on the heap, which says more of a leak than what is allocated between two
// collections.
var liveHeap = regexp.MustCompile(`^/gc/heap/live:bytes$`)

func newMetrics(s Settings) (*prometheus.Registry, *metrics) {
	registry := prometheus.NewRegistry()
	runtime := collectors.NewGoCollector(
		collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap}))
	registry.MustRegister(runtime, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewBuildInfoCollector())
	f := factory{registry}
	m := &metrics{
		inFlight: f.gauge("requests_in_flight", "Requests to /graphql that are being answered."),
		shed: f.counter("requests_shed_total",
			"Requests to /graphql that got the status 503 without having been executed: there were too "+
				"many, or the server starts or stops."),
		requests: observers(f.histogram("request_duration_seconds",
			"Time from a request to /graphql to the end of its answer, by the type of operation: query, "+
				"mutation, or none where it was refused before that was known.",
			requestSeconds, "type"), types),
		errors: map[string]prometheus.Counter{},
		batches: observers(f.histogram("loader_batch_keys",
			"Keys of a batch of a dataloader, which has room for 100.", batchKeys,
			"loader"), loaders),
		calls: map[string]*callMetrics{},
	}
	f.gauges("build_info", "Always 1; its label is the version of the program.",
		"version").WithLabelValues(s.Version).Set(1)
	errors := f.counters("errors_total",
		"Requests to /graphql whose answer has an error of the code, each once; one that is refused by its "+
			"HTTP status has one code.", "code")
	for _, code := range codes {
		m.errors[string(code)] = errors.WithLabelValues(string(code))
	}
	units := f.counters("dynamodb_consumed_capacity_units_total",
		"Consumed read and write capacity units, as DynamoDB tells them.", "kind")
	m.rcu, m.wcu = units.WithLabelValues("read"), units.WithLabelValues("write")
	seconds := f.histogram("dynamodb_call_duration_seconds",
		"Time of a call of DynamoDB's API, with its retries and the pauses between them.", callSeconds,
		"operation")
	fill := f.histogram("dynamodb_batch_fill_ratio",
		"Keys or items of a batch or transaction, as a share of the 100, or 25 of BatchWriteItem, that "+
			"there is room for.", shareOfRoom, "operation")
	retries := f.counters("dynamodb_retries_total", "Attempts of calls of DynamoDB's API beyond the first.",
		"operation")
	throttles := f.counters("dynamodb_throttles_total",
		"Attempts that DynamoDB refused because there were too many.", "operation")
	conflicts := f.counters("dynamodb_conflicts_total",
		"Attempts that DynamoDB refused because of another transaction.", "operation")
	unprocessed := f.counters("dynamodb_unprocessed_total",
		"Keys or items of batches that DynamoDB has left, to be sent again.", "operation")
	failed := f.counters("dynamodb_errors_total",
		"Calls of DynamoDB's API that failed in the end; also those whose condition was not met.",
		"operation")
	for _, o := range operations {
		m.calls[o] = &callMetrics{seconds: seconds.WithLabelValues(o), retries: retries.WithLabelValues(o),
			throttles: throttles.WithLabelValues(o),
			conflicts: conflicts.WithLabelValues(o), unprocessed: unprocessed.WithLabelValues(o),
			failed: failed.WithLabelValues(o)}
		if batchRoom[o] > 0 {
			m.calls[o].fill = fill.WithLabelValues(o)
		}
	}
	if s.Load != nil {
		f.gaugeOf("queue_places", "How many requests may be worked at at a time (--concurrency).",
			func() float64 {
				return float64(s.Load().Places)
			})
		f.gaugeOf("queue_running", "Requests that are worked at.", func() float64 {
			return float64(s.Load().Running)
		})
		f.gaugeOf("queue_room", "How many requests may wait for a place; others are refused.",
			func() float64 {
				return float64(s.Load().Room)
			})
		f.gaugeOf("queue_waiting", "Requests that wait for a place.", func() float64 {
			return float64(s.Load().Waiting)
		})
		f.gaugeOf("memory_budget_bytes",
			"Bytes of data that all operations together may hold (--memory).", func() float64 {
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
			"Readings of the JWK set that failed; the keys of the last good one stay."),
			last: f.gauge("jwks_last_refresh_timestamp_seconds",
				"When the JWK set was last read well, in seconds since 1970.")}
	}
	return registry, m
}

// Metrics serves the metrics to Prometheus; nil if they are off.
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
	// an operation that was executed has 200, whatever its errors
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
		of.fill.Observe(float64(c.Size) / batchRoom[c.Operation])
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
