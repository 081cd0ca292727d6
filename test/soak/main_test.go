//go:build unix

// Package soak has only tests: servers at full load for a long time, with faults and outages on the way to
// the engine, and rolling restarts under load. They are short by default; ISSUEGRID_SOAK and
// ISSUEGRID_RESTARTS make longer runs (make soak).
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

// asProgram is the environment variable that makes the tests' own binary the program, which also tells of
// goroutines that are left in the end.
const asProgram = "ISSUEGRID_TEST_PROGRAM"

// exitLeak is the exit code of a program that leaves goroutines.
const exitLeak = 97

// runWithoutLeaks is the program.
func runWithoutLeaks() int {
	code := cli.Main("")
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		return exitLeak
	}
	return code
}

// watched makes a process the program that looks for leaks.
func watched(c *exec.Cmd) {
	own, err := os.Executable()
	if err != nil {
		own = ""
	}
	c.Path, c.Err = own, err
	c.Env = append(c.Env, asProgram+"=1")
}
