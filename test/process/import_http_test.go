//go:build unix

package process

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
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
	var text strings.Builder
	text.WriteString("key,title\n")
	for n := range rows {
		fmt.Fprintf(&text, "K-%d,Row %d\n", n, n)
	}
	ask := func(method, url string, body io.Reader, want int) (got struct{ ID, Status string }) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != want {
			t.Fatalf("%s: %s, %v", response.Status, answer, err)
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	id := ask(http.MethodPost, url+"/imports?project=P&tenant="+tenant, strings.NewReader(text.String()),
		http.StatusCreated).ID
	issues := func() int {
		t.Helper()
		type projects struct {
			Nodes []struct{ Issues struct{ TotalCount int } }
		}
		found := harness.Ask[struct{ Tenant struct{ Projects projects } }](t, url, fmt.Sprintf(
			`{tenant(id: %q) {projects {nodes {issues(first: 0) {totalCount}}}}}`, tenant))
		if len(found.Tenant.Projects.Nodes) == 0 {
			return 0
		}
		return found.Tenant.Projects.Nodes[0].Issues.TotalCount
	}
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
		return ask(http.MethodGet, url+"/imports/"+id, nil, http.StatusOK).Status == "DONE"
	})
	if n := issues(); n != rows {
		t.Errorf("%d issues, want %d", n, rows)
	}
	second.Signal(syscall.SIGTERM)
	second.Wants(0)
	check := harness.Start(t, []string{"check", "--data", data})
	check.Wants(0)
}
