//go:build unix

// Package process has only tests. They run the server as its users do: the built program as a child process,
// with a real engine and real HTTP. Package harness starts the program. Each file tests one property of the
// program.
package process

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"testing"

	"issuegrid/test/harness"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// entries returns the names in a directory, or nil if it does not exist.
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

// script writes an executable shell script. It uses another process for this: if this process wrote the file,
// a child forked between open and close would hold it open for writing, and running the script would fail
// with ETXTBSY.
func script(t *testing.T, path, text string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 755 "$0"`, path, text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s", err, out)
	}
}
