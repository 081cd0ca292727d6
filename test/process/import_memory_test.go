package process

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"issuegrid/test/harness"
	"issuegrid/test/tier"
)

// TestImportsWithinMemory imports files that are small and need much memory, of two tenants at a time, into a
// server with a memory limit of 512 MiB: it never has more than 768 MiB resident (M2), every import ends, and
// the next one works.
func TestImportsWithinMemory(t *testing.T) {
	tier.Verify(t, "the resident memory of the server depends on when the garbage collector runs")
	t.Parallel()
	server := harness.Start(t, harness.ServeArgs(t.TempDir(), "--no-sample", "--tenant-wcu", "0",
		"--tenant-rcu", "0"), harness.Env("GOMEMLIMIT=512MiB"))
	url := server.Serving()
	tenants := make([]string, 2)
	for i := range tenants {
		tenants[i] = harness.Ask[struct {
			CreateTenant struct{ Tenant struct{ ID string } }
		}](t, url, fmt.Sprintf(`mutation {createTenant(input: {name: "Tenant %d"}) {tenant {id}}}`,
			i)).CreateTenant.Tenant.ID
	}
	type shown struct{ ID, Status string }
	ask := func(a asked, want int) (got shown) {
		t.Helper()
		status, _, answer := a.send(t, url)
		if err := json.Unmarshal(answer, &got); err != nil || status != want {
			t.Fatalf("%s %s: status %d: %.500s, %v", a.method, a.path, status, answer, err)
		}
		return got
	}
	list := "[" + strings.Repeat("1,", 1_040_000) + "1]"
	member := func(i int, value string) string { return fmt.Sprintf(`, "c%d": %s`, i, value) }
	line := func(members string) string { return `{"name": "x"` + members + "}\n" }
	repeat := func(n int, of func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(of(i))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"long lists": strings.Repeat(line(repeat(15, func(i int) string { return member(i, list) })), 10),
		"a long list in each row": repeat(50, func(i int) string {
			return line(member(0, list) + member(1, fmt.Sprintf("%q", strings.Repeat("x", 1<<20))))
		}),
		"long names of columns": "name" + repeat(9_990, func(i int) string {
			return fmt.Sprintf(",%d%s", i, strings.Repeat("n", 1000))
		}) + "\nx" + strings.Repeat(",1", 9_990) + "\n",
		"rows without cells": line(repeat(9_990, func(i int) string { return member(i, "1") })) +
			strings.Repeat("{}\n", 40_000),
		"many different cells": "name" + repeat(9_990, func(i int) string {
			return fmt.Sprint(",c", i)
		}) + "\n" +
			repeat(60, func(row int) string {
				return "x" + repeat(9_990, func(i int) string { return fmt.Sprint(",", row, "-", i) }) + "\n"
			}),
	} {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(tenants))
		for i, tenant := range tenants {
			ids[i] = ask(asked{http.MethodPost, "/imports?projectKey=P&dryRun=true&tenantId=" + tenant,
				zipped.String(), map[string]string{"Content-Type": "application/octet-stream"}},
				http.StatusCreated).ID
		}
		for _, id := range ids {
			harness.Within(t, 20*time.Minute, name+": the import ends", func() bool {
				status := ask(asked{http.MethodGet, "/imports/" + id, "", nil}, http.StatusOK).Status
				return status == "DONE" || status == "FAILED"
			})
		}
		most := server.PeakResident()
		t.Logf("%s (%d bytes uploaded): %d MiB resident so far", name, zipped.Len(), most>>20)
		if most > 768<<20 {
			t.Errorf("%s: %d MiB were resident", name, most>>20)
		}
	}
	id := ask(asked{http.MethodPost, "/imports?projectKey=P&tenantId=" + tenants[0], manyRows("Row", 10),
		map[string]string{"Content-Type": "text/csv"}}, http.StatusCreated).ID
	harness.Eventually(t, "an ordinary import ends", func() bool {
		return ask(asked{http.MethodGet, "/imports/" + id, "", nil}, http.StatusOK).Status == "DONE"
	})
}
