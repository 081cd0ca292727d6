//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"issuegrid/cli"
	"issuegrid/test/harness"
)

// The tests of this package run the server as its users do: the built program as a child process, a real engine, real HTTP.

var update = flag.Bool("update", false, "write the golden files again")

// asProgram is the environment variable that makes the tests' own binary the program, which also tells of goroutines that are left in the end.
const asProgram = "ISSUEGRID_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(runWithoutLeaks())
	}
	flag.Parse()
	os.Exit(harness.Main(m))
}

// exitLeak is the exit code of a program that leaves goroutines.
const exitLeak = 97

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

// entries lists a directory; nil when there is none.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// script writes an executable shell script. Another process writes it: a child of this one that is forked between open and close would hold
// the file open for writing, and running it would fail with ETXTBSY.
func script(t *testing.T, path, text string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0"`, path, text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
}
