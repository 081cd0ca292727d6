//go:build unix

package main

import (
	"strings"
	"testing"
)

// TestEngineAndTable: what is about the embedded engine is refused beside a table elsewhere, unless it is a variable that gives way to a flag.
func TestEngineAndTable(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1"
	for _, test := range []struct {
		args []string
		env  []string
		code int
		says []string
	}{
		{[]string{"serve", "--table", "x", "--data", "d"}, nil, exitUsage, []string{"--data: ", "--table names"}},
		{[]string{"serve", "--endpoint", nowhere, "--engine", "e"}, nil, exitUsage, []string{"--engine: ", "--endpoint names"}},
		{[]string{"serve", "--endpoint", nowhere, "--sample"}, nil, exitUsage, []string{"--sample: "}},
		{[]string{"check", "--table", "x", "--data", "d"}, nil, exitUsage, []string{"--data: "}},
		{[]string{"import", "--table", "x", "--data", "d", "/dev/null"}, nil, exitUsage, []string{"--data: "}},
		{[]string{"serve"}, []string{"ISSUEGRID_TABLE=x", "ISSUEGRID_DATA=d"}, exitUsage, []string{"ISSUEGRID_DATA: ", "ISSUEGRID_TABLE names"}},
		{[]string{"serve", "--data", "d"}, []string{"ISSUEGRID_TABLE=x"}, exitUsage, []string{"--data: ", "ISSUEGRID_TABLE names"}},
		{[]string{"serve", "--addr", "127.0.0.1:0", "--endpoint", nowhere}, []string{"ISSUEGRID_DATA=d", "ISSUEGRID_SAMPLE=true"}, exitFailed, []string{"can't be used"}},
		{[]string{"serve", "--addr", "127.0.0.1:0", "--endpoint", nowhere, "--no-sample"}, nil, exitFailed, []string{"can't be used"}},
		{[]string{"serve", "--addr", "127.0.0.1:0"}, []string{"ISSUEGRID_ENDPOINT=" + nowhere, "ISSUEGRID_DATA="}, exitFailed, []string{"can't be used"}},
	} {
		p := start(t, test.args, env(test.env...))
		p.wants(test.code)
		p.sentence(test.says...)
	}
}

// TestStrangeVariables: a variable that is misspelt is told of; those of the tests, and those that Kubernetes sets beside a service issuegrid, are not.
func TestStrangeVariables(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"table", "create", "--endpoint", "http://127.0.0.1:1"}, env("ISSUEGRID_TABEL=x", "ISSUEGRID_ADRR=", "ISSUEGRID_TEST_ENDPOINT=x", "ISSUEGRID_CI_RUN=1",
		"ISSUEGRID_SOAK=1m", "ISSUEGRID_CHAOS_SEED=1", "ISSUEGRID_SERVICE_HOST=10.0.0.1", "ISSUEGRID_SERVICE_PORT_HTTP=80", "ISSUEGRID_PORT=tcp://10.0.0.1:80", "ISSUEGRID_PORT_80_TCP_ADDR=10.0.0.1",
		"ISSUEGRID_ADDR=127.0.0.1:1", "ISSUEGRIDS=1"))
	p.wants(exitFailed)
	if n := strings.Count(p.stderr.String(), "ISSUEGRID"); n != 1 || !strings.Contains(p.stderr.String(), "ISSUEGRID_TABEL stands for no flag") {
		t.Errorf("stderr %q", &p.stderr)
	}
}

// TestSampler: OpenTelemetry would keep every trace for a sampler that it does not know.
func TestSampler(t *testing.T) {
	t.Parallel()
	traced := observeFlags{TraceEndpoint: "http://127.0.0.1:4318"}
	for _, test := range []struct {
		sampler, argument, path string
	}{
		{"", "", ""}, {"always_on", "", ""}, {"Parentbased_TraceIDRatio", "0.01", ""}, {"traceidratio", "", ""}, {"always_off", "nonsense", ""},
		{"sometimes", "", "OTEL_TRACES_SAMPLER"}, {"jaeger_remote", "", "OTEL_TRACES_SAMPLER"},
		{"traceidratio", "1%", "OTEL_TRACES_SAMPLER_ARG"}, {"traceidratio", "1.5", "OTEL_TRACES_SAMPLER_ARG"}, {"parentbased_traceidratio", "NaN", "OTEL_TRACES_SAMPLER_ARG"},
	} {
		err := traced.check(func(name string) string {
			return map[string]string{"OTEL_TRACES_SAMPLER": test.sampler, "OTEL_TRACES_SAMPLER_ARG": test.argument}[name]
		})
		if (err == nil) != (test.path == "") || err != nil && !strings.HasPrefix(sentence(err), test.path+": ") {
			t.Errorf("%s %s: %v", test.sampler, test.argument, err)
		}
	}
	p := start(t, append(serveArgs(t.TempDir()), "--trace-endpoint", "http://127.0.0.1:1"), env("OTEL_TRACES_SAMPLER=nonsense"))
	p.wants(exitUsage)
	p.sentence("OTEL_TRACES_SAMPLER", "nonsense")
}
