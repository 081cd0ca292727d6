//go:build unix

package process

import (
	"encoding/json"
	"net/http"
	"syscall"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

// TestKilledServerImports kills a server in the middle of an import that was uploaded, and starts it again
// without asking for the import until it has ended: every row is imported once.
func TestKilledServerImports(t *testing.T) {
	tier.Verify(t, "the server must be killed while it imports, and the lease of 30 s must expire")
	t.Parallel()
	const rows = 3000
	data := t.TempDir()
	serve := func() (*harness.Process, string) {
		p := harness.Start(t, harness.ServeArgs(data, "--no-sample", "--tenant-wcu", "0"))
		return p, p.Serving()
	}
	first, url := serve()
	tenant := harness.Ask[struct {
		CreateTenant struct{ Tenant struct{ ID string } }
	}](t, url, `mutation {createTenant(input: {name: "Acme"}) {tenant {id}}}`).CreateTenant.Tenant.ID
	ask := func(a asked, want int) (got struct{ ID, Status string }) {
		t.Helper()
		status, _, answer := a.send(t, url)
		if err := json.Unmarshal(answer, &got); err != nil || status != want {
			t.Fatalf("status %d: %s, %v", status, answer, err)
		}
		return got
	}
	id := ask(asked{http.MethodPost, "/imports?projectKey=P&tenantId=" + tenant, manyRows("Row", rows),
		map[string]string{"Content-Type": "text/csv"}}, http.StatusCreated).ID
	issues := func() int { return countIssues(t, url, "{}") }
	harness.Eventually(t, "an issue is imported", func() bool { return issues() > 0 })
	first.Signal(syscall.SIGKILL)
	first.Wants(-1)
	var second *harness.Process
	second, url = serve()
	if issues() == rows {
		t.Fatal("the import was complete before the server was killed")
	}
	harness.Eventually(t, "all issues are imported", func() bool { return issues() == rows })
	harness.Eventually(t, "the import has ended", func() bool {
		return ask(asked{http.MethodGet, "/imports/" + id, "", nil}, http.StatusOK).Status == "DONE"
	})
	if n := issues(); n != rows {
		t.Errorf("%d issues, want %d", n, rows)
	}
	second.Signal(syscall.SIGTERM)
	second.Wants(0)
	check := harness.Start(t, []string{"check", "--data", data})
	check.Wants(0)
}
