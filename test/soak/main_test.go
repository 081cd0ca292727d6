//go:build unix

// Package soak contains only tests: servers at full load for a long time with faults and outages of the
// engine, and rolling restarts under load. They are short by default; ISSUEGRID_SOAK and ISSUEGRID_RESTARTS
// make longer runs (make soak).
package soak

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"issuegrid/cli"
	"issuegrid/test/harness"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(runWithoutLeaks())
	}
	os.Exit(harness.Main(m))
}

// asProgram is the environment variable that makes the test binary run as the server. It then also reports
// goroutines that are left at the end.
const asProgram = "ISSUEGRID_TEST_PROGRAM"

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

// watched makes a command run the test binary as a server that checks for leaks.
func watched(c *exec.Cmd) {
	own, err := os.Executable()
	if err != nil {
		own = ""
	}
	c.Path, c.Err = own, err
	c.Env = append(c.Env, asProgram+"=1")
}
