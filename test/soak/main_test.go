//go:build unix

// Package soak contains only tests: servers at full load for a long time with faults and outages of the
// engine, and rolling restarts under load. They are short by default; ISSUEGRID_SOAK and ISSUEGRID_RESTARTS
// make longer runs (make soak).
package soak

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"issuegrid/internal/cli"
	"issuegrid/test/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.MainOr(m, runWithoutLeaks)) }

// exitLeak is the exit code of a server that leaks goroutines.
const exitLeak = 97

// runWithoutLeaks runs the server and returns its exit code.
func runWithoutLeaks() int {
	code := cli.Main("")
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		return exitLeak
	}
	return code
}
