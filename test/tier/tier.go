// Package tier divides the tests into two tiers. Only tests import it.
//
// Tier one is what `go test ./...` runs, and so does .ci/run: the outcome of its tests depends on the code
// alone. Tier two is what `make verify` runs besides: tests that assert times, CPU time or memory, that
// depend on how processes interleave, or that repeat at length what tier one proves with less. A test is in
// tier two if it calls Verify.
package tier

import (
	"flag"
	"os"
	"testing"
)

// Variable is the environment variable that enables tier two. Its value may be anything but the empty string.
const Variable = "ISSUEGRID_VERIFY"

// Verifying reports whether this run is of tier two.
func Verifying() bool { return os.Getenv(Variable) != "" }

// Verify skips the test in tier one. why is a sentence on why the test can't be exact there, or takes too
// long.
func Verify(t testing.TB, why string) {
	t.Helper()
	if !Verifying() {
		t.Skip("a test of make verify: " + why)
	}
}

// Cases returns how many cases a test with generated inputs tries: one in tier one, verify in tier two.
func Cases(one, verify int) int {
	if Verifying() {
		return verify
	}
	return one
}

// Parallel sets how many tests run at the same time in a package whose tests mostly wait, for an engine, a
// process or a job. Its TestMain calls it; the flag -parallel overrides it.
func Parallel() {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
}
