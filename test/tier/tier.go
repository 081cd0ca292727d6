// Package tier divides the tests into two tiers. Only tests import it.
//
// Tier one is what `go test ./...` runs, and so does .ci/run: the outcome of its tests depends on the code
// alone. Tier two is what `make verify` runs besides: tests that assert times, CPU time or memory, that
// depend on how processes interleave, or that repeat at length what tier one proves with less. A test is in
// tier two if it calls Verify.
package tier

import (
	"cmp"
	"flag"
	"os"
	"strconv"
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

// PerCheck returns how many cases each check of rapid tries, so that all checks of a test together try as
// many as Cases returns, or a few more, whatever the number of checks is.
func PerCheck(one, verify int) int {
	checks := 1
	if f := flag.Lookup("rapid.checks"); f != nil {
		checks, _ = strconv.Atoi(f.Value.String())
	}
	checks = cmp.Or(max(checks, 0), 1)
	return (Cases(one, verify) + checks - 1) / checks
}

// Parallel sets how many tests run at the same time in a package whose tests mostly wait, for an engine, a
// process or a job. Its TestMain calls it; the flag -parallel overrides it.
func Parallel() {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
}
