//go:build unix

package process

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"issuegrid/test/harness"
)

// audits is the npm package with the audits of the GraphQL over HTTP specification.
const audits = "graphql-http@1.23.1"

// auditsPackage returns the folder of the audits. npm fetches them once, into the cache folder of the engine.
func auditsPackage(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "issuegrid")
	target := filepath.Join(cache, audits)
	if _, err := os.Stat(target); err == nil {
		return filepath.Join(target, "package")
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	// The directory is outside of any project that npm could find in a parent directory. Only a complete
	// download gets the final name.
	scratch, err := os.MkdirTemp(cache, "audits-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(scratch)
	fetch := exec.CommandContext(t.Context(), "sh", "-ec", "npm pack "+audits+` --ignore-scripts
		mkdir whole
		tar -xzf *.tgz -C whole`)
	fetch.Dir = scratch
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Fatalf("npm, of Node.js, could not fetch %s (%v); check that it is on PATH, the network and npm's "+
			"registry:\n%s", audits, err, out)
	}
	if err := os.Rename(filepath.Join(scratch, "whole"), target); err != nil {
		if _, there := os.Stat(target); there != nil { // another run of the tests may have created it
			t.Fatal(err)
		}
	}
	return filepath.Join(target, "package")
}

// audit runs the audits against a GraphQL endpoint, with headers, each as "Name: value", on every request.
// All 61 audits must pass, including the optional ones.
func audit(t *testing.T, url string, headers ...string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node, which runs the audits of GraphQL over HTTP, is not on PATH; install Node.js 18 or " +
			"later with npm")
	}
	cmd := exec.CommandContext(t.Context(), node,
		append([]string{"test/process/testdata/audits.mjs", auditsPackage(t), url}, headers...)...)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("the audits ended early: %v\n%s", err, &problems)
	}
	ran, ok := map[string]bool{}, 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var result struct{ ID, Name, Status, Reason string }
		if err := json.Unmarshal(lines.Bytes(), &result); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		ran[result.ID] = true
		if result.Status == "ok" {
			ok++
		} else {
			t.Errorf("%s %s: %s: %s", result.ID, result.Name, result.Status, result.Reason)
		}
	}
	if len(ran) != 61 || ok != 61 {
		t.Errorf("%d audits ran and %d passed, want 61", len(ran), ok)
	}
}

// TestAudits runs the audits of the GraphQL over HTTP specification against the server.
func TestAudits(t *testing.T) {
	t.Parallel()
	p := harness.Start(t, harness.ServeArgs(t.TempDir(), "--no-sample"))
	audit(t, p.Serving()+"/graphql")
}
