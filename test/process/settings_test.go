//go:build unix

package process

import (
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// TestEngineAndTable checks that settings of the embedded engine are refused together with a remote table,
// unless the setting is a variable that a flag overrides.
func TestEngineAndTable(t *testing.T) {
	t.Parallel()
	const nowhere = "http://127.0.0.1:1"
	for _, test := range []struct {
		args []string
		env  []string
		code int
		says []string
	}{
		{[]string{"serve", "--table", "x", "--data", "d"}, nil, harness.ExitUsage,
			[]string{"--data: ", "--table names"}},
		{[]string{"serve", "--endpoint", nowhere, "--engine", "e"}, nil, harness.ExitUsage,
			[]string{"--engine: ", "--endpoint names"}},
		{[]string{"serve", "--endpoint", nowhere, "--sample"}, nil, harness.ExitUsage,
			[]string{"--sample: "}},
		{[]string{"check", "--table", "x", "--data", "d"}, nil, harness.ExitUsage, []string{"--data: "}},
		{[]string{"import", "--table", "x", "--data", "d", "/dev/null"}, nil, harness.ExitUsage,
			[]string{"--data: "}},
		{[]string{"serve"}, []string{"ISSUEGRID_TABLE=x", "ISSUEGRID_DATA=d"}, harness.ExitUsage,
			[]string{"ISSUEGRID_DATA: ", "ISSUEGRID_TABLE names"}},
		{[]string{"serve", "--data", "d"}, []string{"ISSUEGRID_TABLE=x"}, harness.ExitUsage,
			[]string{"--data: ", "ISSUEGRID_TABLE names"}},
		{[]string{"serve", "--addr", "127.0.0.1:0", "--endpoint", nowhere},
			[]string{"ISSUEGRID_DATA=d", "ISSUEGRID_SAMPLE=true"}, harness.ExitFailed,
			[]string{"cannot be used"}},
		{[]string{"serve", "--addr", "127.0.0.1:0", "--endpoint", nowhere, "--no-sample"}, nil,
			harness.ExitFailed, []string{"cannot be used"}},
		{[]string{"serve", "--addr", "127.0.0.1:0"},
			[]string{"ISSUEGRID_ENDPOINT=" + nowhere, "ISSUEGRID_DATA="}, harness.ExitFailed,
			[]string{"cannot be used"}},
	} {
		p := harness.Start(t, test.args, harness.Env(test.env...))
		p.Wants(test.code)
		p.Sentence(test.says...)
	}
}

// TestStrangeVariables checks that the server warns about a misspelt variable, but not about the variables of
// the tests or those that Kubernetes sets for a service named issuegrid.
func TestStrangeVariables(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, []string{"table", "create", "--endpoint", "http://127.0.0.1:1"},
		harness.Env("ISSUEGRID_TABEL=x", "ISSUEGRID_ADRR=", "ISSUEGRID_TEST_ENDPOINT=x", "ISSUEGRID_CI_RUN=1",
			"ISSUEGRID_SOAK=1m", "ISSUEGRID_CHAOS_SEED=1", "ISSUEGRID_SERVICE_HOST=10.0.0.1",
			"ISSUEGRID_SERVICE_PORT_HTTP=80", "ISSUEGRID_PORT=tcp://10.0.0.1:80",
			"ISSUEGRID_PORT_80_TCP_ADDR=10.0.0.1",
			"ISSUEGRID_ADDR=127.0.0.1:1", "ISSUEGRIDS=1"))
	p.Wants(harness.ExitFailed)
	if n := strings.Count(p.Stderr.String(), "ISSUEGRID"); n != 1 ||
		!strings.Contains(p.Stderr.String(), "ISSUEGRID_TABEL belongs to no flag") {
		t.Errorf("stderr %q", &p.Stderr)
	}
}
