//go:build unix

package process

import (
	"strings"
	"testing"

	"issuegrid/test/harness"
)

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
