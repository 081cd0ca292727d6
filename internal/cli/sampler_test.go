//go:build unix

package cli

import (
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// TestSampler checks that unknown samplers are rejected. OpenTelemetry would keep every trace for them.
func TestSampler(t *testing.T) {
	t.Parallel()
	traced := observeFlags{TraceEndpoint: "http://127.0.0.1:4318"}
	for _, test := range []struct {
		sampler, argument, path string
	}{
		{"", "", ""}, {"always_on", "", ""}, {"Parentbased_TraceIDRatio", "0.01", ""},
		{"traceidratio", "", ""}, {"always_off", "nonsense", ""},
		{"sometimes", "", "OTEL_TRACES_SAMPLER"}, {"jaeger_remote", "", "OTEL_TRACES_SAMPLER"},
		{"traceidratio", "1%", "OTEL_TRACES_SAMPLER_ARG"}, {"traceidratio", "1.5", "OTEL_TRACES_SAMPLER_ARG"},
		{"parentbased_traceidratio", "NaN", "OTEL_TRACES_SAMPLER_ARG"},
	} {
		err := traced.check(func(name string) string {
			return map[string]string{"OTEL_TRACES_SAMPLER": test.sampler,
				"OTEL_TRACES_SAMPLER_ARG": test.argument}[name]
		})
		if (err == nil) != (test.path == "") || err != nil &&
			!strings.HasPrefix(sentence(err), test.path+": ") {
			t.Errorf("sampler %q with argument %q: got error %v", test.sampler, test.argument, err)
		}
	}
	p := harness.Start(t, append(harness.ServeArgs(t.TempDir()), "--trace-endpoint", "http://127.0.0.1:1"),
		harness.Env("OTEL_TRACES_SAMPLER=nonsense"))
	p.Wants(harness.ExitUsage)
	p.Sentence("OTEL_TRACES_SAMPLER", "nonsense")
}
