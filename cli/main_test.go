//go:build unix

package cli

import (
	"os"
	"testing"

	"issuegrid/test/harness"
)

// Some tests of this package look at a server from inside and from outside: the built program runs as a child
// process.
func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
