//go:build unix

package cli

import (
	"os"
	"testing"

	"issuegrid/test/harness"
)

// Some tests of this package run the built program as a child process.
func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
