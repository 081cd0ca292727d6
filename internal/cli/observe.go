package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/httpd"
	"issuegrid/internal/setting"
	"issuegrid/internal/telemetry"
	"issuegrid/tracker"
)

// flushTraces is the maximum time to send the remaining traces at shutdown.
const flushTraces = 2 * time.Second

// observeFlags configure the log, metrics, profiles and traces.
type observeFlags struct {
	logFlags
	MetricsAddr   string
	Pprof         bool
	TraceEndpoint string
}

func (f *observeFlags) definitions() []setting.Definition {
	return append(f.logFlags.definitions(), []setting.Definition{
		{Name: "metrics-addr", Placeholder: "HOST:PORT", UnsetMeans: "off",
			Help: "Address that serves metrics for Prometheus at /metrics, without authentication. " +
				"It must be on this machine or in a private network."},
		{Name: "pprof", Rare: true,
			Help: "Also serve Go's profiles at /debug/pprof/ on the address of the metrics. They " +
				"contain names from the source code and the command line."},
		{Name: "trace-endpoint", Placeholder: "URL", UnsetMeans: "off",
			Help: "URL of a receiver of OpenTelemetry traces (OTLP over HTTP), such as " +
				"http://127.0.0.1:4318."},
	}...)
}

// check validates the flags.
func (f *observeFlags) check(getenv func(string) string) error {
	if f.MetricsAddr != "" {
		host, _, err := net.SplitHostPort(f.MetricsAddr)
		ip := net.ParseIP(host)
		switch {
		case err != nil, ip == nil && host != "" && host != "localhost":
			return tracker.Bad("--metrics-addr",
				"%s is not an IP address and port such as 127.0.0.1:9090", f.MetricsAddr)
		case ip != nil && !ip.IsLoopback() && !ip.IsPrivate() && !ip.IsUnspecified() &&
			!ip.IsLinkLocalUnicast() && !sharedAddresses.Contains(ip):
			return tracker.Bad("--metrics-addr",
				"%s is a public address, and metrics are served without authentication: use an address "+
					"on this machine or in a private network", f.MetricsAddr)
		}
	}
	if f.Pprof && f.MetricsAddr == "" {
		return tracker.Bad("--pprof", "needs --metrics-addr, the address that serves the profiles")
	}
	if f.TraceEndpoint != "" {
		u, err := url.Parse(f.TraceEndpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" {
			return tracker.Bad("--trace-endpoint",
				"not a URL such as http://127.0.0.1:4318, without a user and a query")
		}
		return checkSampler(getenv)
	}
	return nil
}

// sharedAddresses is the shared address space of RFC 6598. It is not reachable from the internet. Pods and
// overlay networks use it.
var sharedAddresses = net.IPNet{IP: net.IPv4(100, 64, 0, 0), Mask: net.CIDRMask(10, 32)}

// samplerVariable selects the sampler of OpenTelemetry's SDK.
const samplerVariable = "OTEL_TRACES_SAMPLER"

// checkSampler rejects sampler settings that OpenTelemetry's SDK would replace with its default, which keeps
// every trace.
func checkSampler(getenv func(string) string) error {
	const argument = samplerVariable + "_ARG"
	switch name := strings.ToLower(strings.TrimSpace(getenv(samplerVariable))); name {
	case "", "always_on", "always_off", "parentbased_always_on", "parentbased_always_off":
	case "traceidratio", "parentbased_traceidratio":
		text := strings.TrimSpace(getenv(argument))
		if ratio, err := strconv.ParseFloat(text, 64); text != "" &&
			(err != nil || !(ratio >= 0 && ratio <= 1)) {
			return tracker.Bad(argument, "%q is not a share of the traces from 0 to 1", text)
		}
	default:
		return tracker.Bad(samplerVariable,
			"%q is not always_on, always_off or traceidratio, or one of these with the prefix "+
				"parentbased_",
			name)
	}
	return nil
}

// metricsConnections is the maximum number of connections to the metrics address. A scraper needs one.
const metricsConnections = 64

// observer is the telemetry of a server.
type observer struct {
	*telemetry.Telemetry
	metrics *http.Server // nil if metrics are disabled
}

// begin starts the telemetry of a server, and serves its metrics. load reports the load of the server. keys
// reports whether it uses a JWK set.
func (f *observeFlags) begin(c *console, load func() telemetry.Load, keys bool) (*observer, error) {
	t, err := f.logFlags.begin(c, telemetry.Settings{Metrics: f.MetricsAddr != "", Load: load, Keys: keys,
		TraceEndpoint: f.TraceEndpoint})
	if err != nil {
		return nil, err
	}
	o := &observer{Telemetry: t}
	if f.MetricsAddr == "" {
		return o, nil
	}
	listener, err := httpd.Listen(f.MetricsAddr, metricsConnections, netip.Addr.IsLoopback)
	if err != nil {
		return nil, errors.Join(listenError("--metrics-addr", f.MetricsAddr, "127.0.0.1:9090", err),
			t.Close(c.ctx))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", t.Metrics())
	if f.Pprof {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	// If the address is only reachable from this machine, a web page in a browser here could reach it through
	// a host name that resolves to it (DNS rebinding).
	o.metrics = httpd.NewServer(httpd.RefuseHosts(httpd.LoopbackHosts(listener.Addr(), f.MetricsAddr), mux))
	go o.metrics.Serve(listener)
	c.note("Metrics on http://%s/metrics", hostPort(listener.Addr()))
	return o, nil
}

// end sends the remaining traces, and then stops serving metrics.
func (o *observer) end() {
	ctx, cancel := context.WithTimeout(context.Background(), flushTraces)
	defer cancel()
	if err := o.Close(ctx); err != nil {
		slog.Warn(err.Error())
	}
	if o.metrics != nil {
		o.metrics.Close()
	}
}

// observeCalls makes the table report its calls.
func (o *observer) observeCalls(s *dynamo.Settings) {
	if report := o.OnCall(); report != nil {
		s.Observe = func(ctx context.Context, c dynamo.Call) { report(ctx, telemetry.Call(c)) }
	}
}
