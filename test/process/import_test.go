//go:build unix

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

// TestImport imports a file into a tenant that it creates, and again after an edit. Each import prints the
// first line of its dry run, and ends with the same status.
func TestImport(t *testing.T) {
	t.Parallel()
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "issues.csv")
	url := harness.Start(t, harness.ServeArgs(data, "--no-sample")).Serving()
	run := func(code int, first, says string, args ...string) {
		t.Helper()
		args = append([]string{"import", file, "--data", data}, args...)
		for _, dry := range []bool{true, false} {
			if dry {
				args = append(args, "--dry-run")
			} else {
				args = args[:len(args)-1]
			}
			p := harness.Start(t, args)
			p.Wants(code)
			if got, _, _ := strings.Cut(p.Stdout.String(), "\n"); got != first ||
				!strings.Contains(p.Stderr.String(), says) {
				t.Errorf("%v: the first line is %q, want %q; stderr %q, want %q", args, got, first,
					&p.Stderr, says)
			}
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("key,title,status\n1,a,Open\n2,b,Done\n")
	run(harness.ExitFailed, "", `no tenant with the name or id "Äcme"`, "--tenant", "Äcme", "--project", "P")
	run(harness.ExitFailed, "", "no tenant with the id", "--tenant", model.TenantNodeID("unknown"),
		"--project", "P", "--create-tenant")
	acme := []string{"--tenant", "Äcme", "--project", "P", "--create-tenant"}
	run(0, "added 2, changed 0, unchanged 0, rejected 0", "", acme...)
	run(0, "added 0, changed 0, unchanged 2, rejected 0", "", acme...)
	write("key,title,status\n1,a,Open\n2,c,Done\n3,d,Gone\n")
	run(harness.ExitFailed, "added 0, changed 1, unchanged 1, rejected 1", "rejected", acme...)
	run(0, "added 1, changed 0, unchanged 2, rejected 0", "", append(acme, "--new-options")...)
	write("key,title,status\n1,x,Open\n4,e,Done\n")
	run(0, "added 1, changed 0, unchanged 1, rejected 0", "", append(acme, "--only-new")...)
	harness.WantTenants(t, url, "Äcme")
}

// manyRows returns a file of n rows with names that begin with name.
func manyRows(name string, n int) string {
	var text strings.Builder
	text.WriteString("key,title\n")
	for i := range n {
		fmt.Fprintf(&text, "K-%d,%s %d\n", i, name, i)
	}
	return text.String()
}

// countIssues counts the issues of all projects that match a filter.
func countIssues(t *testing.T, url, where string) (n int) {
	t.Helper()
	type project struct{ Issues struct{ TotalCount int } }
	found := harness.Ask[struct {
		Tenants struct {
			Nodes []struct{ Projects struct{ Nodes []project } }
		}
	}](t, url, `{tenants {nodes {projects {nodes {issues(first: 0, where: `+where+`) {totalCount}}}}}}`)
	for _, tenant := range found.Tenants.Nodes {
		for _, p := range tenant.Projects.Nodes {
			n += p.Issues.TotalCount
		}
	}
	return n
}

// TestKilledImport kills an import in the middle of its changes, and repeats it: each issue has been changed
// once, and the table is consistent.
func TestKilledImport(t *testing.T) {
	tier.Verify(t, "the import must be killed while it runs")
	t.Parallel()
	const rows = 1000
	data, file := t.TempDir(), filepath.Join(t.TempDir(), "issues.csv")
	url := harness.Start(t, harness.ServeArgs(data, "--no-sample")).Serving()
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(manyRows(name, rows)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *harness.Process {
		t.Helper()
		return harness.Start(t, []string{"import", file, "--data", data, "--tenant", "Acme",
			"--create-tenant", "--project", "P"})
	}
	changed := func() int { return countIssues(t, url, `{name: {startsWith: "new"}}`) }
	write("old")
	start().Wants(0)
	write("new")
	p := start()
	harness.Eventually(t, "an issue is changed", func() bool { return changed() > 0 })
	p.Signal(syscall.SIGKILL)
	p.Wants(-1)
	done := changed()
	if done == rows {
		t.Fatal("the import was complete before it was killed")
	}
	repeated := start()
	repeated.Wants(0)
	var added, rest, unchanged int
	fmt.Sscanf(repeated.Stdout.String(), "added %d, changed %d, unchanged %d, rejected 0\n", &added, &rest,
		&unchanged)
	// Up to 16 changes were in flight when the import was killed, four of each of four batches.
	if added > 0 || rest+unchanged != rows || unchanged < done || unchanged > done+16 {
		t.Errorf("after %d changes, the repetition prints %q", done, &repeated.Stdout)
	}
	if got := changed(); got != rows {
		t.Errorf("%d issues are changed, want %d", got, rows)
	}
	harness.Start(t, []string{"check", "--data", data, "--settle", "0s"}).Wants(0)
}
