package telemetry

import "github.com/prometheus/client_golang/prometheus"

// factory creates and registers metrics in the product's namespace.
type factory struct{ to prometheus.Registerer }

const namespace = "issuegrid"

func (f factory) gauge(name, help string) prometheus.Gauge {
	return register(f, prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name,
		Help: help}))
}

func (f factory) gaugeOf(name, help string, value func() float64) {
	register(f, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
		value))
}

func (f factory) gauges(name, help, label string) *prometheus.GaugeVec {
	return register(f, prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name,
		Help: help}, []string{label}))
}

func (f factory) counter(name, help string) prometheus.Counter {
	return register(f, prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name,
		Help: help}))
}

func (f factory) counters(name, help, label string) *prometheus.CounterVec {
	return register(f, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name,
		Help: help}, []string{label}))
}

func (f factory) histogram(name, help string, buckets []float64, label string) *prometheus.HistogramVec {
	return register(f, prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name,
		Help: help, Buckets: buckets}, []string{label}))
}

func register[C prometheus.Collector](f factory, c C) C {
	f.to.MustRegister(c)
	return c
}

// observers returns the series of a histogram by label.
func observers(h *prometheus.HistogramVec, labels []string) map[string]prometheus.Observer {
	out := map[string]prometheus.Observer{}
	for _, l := range labels {
		out[l] = h.WithLabelValues(l)
	}
	return out
}
