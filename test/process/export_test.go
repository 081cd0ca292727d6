//go:build unix

package process

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// TestExport exports a project of a running server, imports the file, and exports the copy.
func TestExport(t *testing.T) {
	t.Parallel()
	data, files := harness.SampleData(t), t.TempDir()
	harness.Start(t, harness.ServeArgs(data)).Serving()
	run := func(code int, args ...string) *harness.Process {
		t.Helper()
		p := harness.Start(t, append(args, "--data", data))
		p.Wants(code)
		return p
	}
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first, second := filepath.Join(files, "first.jsonl"), filepath.Join(files, "second.jsonl")
	mapping := filepath.Join(files, "mapping.json")
	p := run(0, "export", "--tenant", "Northern Ferries", "--project", "FLEET", "--format", "jsonl",
		"-o", first, "--mapping", mapping)
	if !strings.HasPrefix(p.Stderr.String(), "Exported 2000 issues for 1") || p.Stdout.String() != "" {
		t.Errorf("stdout %q, stderr %q", &p.Stdout, &p.Stderr)
	}
	run(0, "import", first, "--tenant", "5f21", "--project", "COPY", "--mapping", mapping)
	run(0, "export", "--tenant", "5f21", "--project", "COPY", "--format", "jsonl", "--output", second)
	if want := strings.ReplaceAll(read(first), `{"key":"FLEET-`, `{"key":"COPY-`); read(second) != want {
		t.Error("the copy differs")
	}

	p = run(0, "export", "--project", "UDVmMjEvYzBkZQ", "--filter", `{"num": {"lte": 30}, "open": true}`,
		"--order", `{"column": {"builtin": "NUM"}, "direction": "DESC"}`, "--columns", "number,Priority")
	if want := "\ufeffnumber,Priority\r\n25,Low\r\n24,High\r\n"; !strings.HasPrefix(p.Stdout.String(), want) {
		t.Errorf("stdout %q, want %q at its beginning", &p.Stdout, want)
	}

	fails := func(code int, want string, args ...string) {
		t.Helper()
		p := run(code, append([]string{"export"}, args...)...)
		if !strings.Contains(p.Stderr.String(), want) || p.Stdout.String() != "" {
			t.Errorf("stdout %q, stderr %q, want %q", &p.Stdout, &p.Stderr, want)
		}
	}
	fleet := []string{"--tenant", "5f21", "--project", "FLEET", "-o", second}
	fails(harness.ExitUsage, "--project: name the project")
	fails(harness.ExitUsage, "--project: FLEET is not an id", "--project", "FLEET")
	fails(harness.ExitFailed, "--filter.name.eq: String takes a string, not the number 7; --order: ",
		append(fleet, "--filter", `{"name": {"eq": 7}}`, "--order", "7")...)
	fails(harness.ExitFailed, `--columns[1]: the project has no column "Nothing"`,
		append(fleet, "--columns", "name,Nothing")...)
	fails(harness.ExitFailed, "--columns: a file without the column `name` cannot be imported",
		append(fleet, "--columns", "number", "--mapping", mapping)...)
	if read(second) != strings.ReplaceAll(read(first), `{"key":"FLEET-`, `{"key":"COPY-`) {
		t.Error("an export that failed has changed the file")
	}
	if left, _ := filepath.Glob(filepath.Join(files, "*.part")); left != nil {
		t.Errorf("%v were left", left)
	}
}

// TestExportOverHTTP exports with tokens, and compares the file with that of the command.
func TestExportOverHTTP(t *testing.T) {
	t.Parallel()
	i, data := harness.NewIssuer(t), harness.SampleData(t)
	p := harness.Start(t, append(harness.ServeArgs(data, "--log-format", "json"), i.Flags()...))
	url := strings.TrimSuffix(p.Serving(), "/graphql") + "/exports?projectId=UDVmMjEvYzBkZQ"
	for _, token := range []string{i.Token("reader", "5f21"), i.Token("operator", "")} {
		r, got := harness.Do(t, http.MethodGet, url, "Authorization: Bearer "+token)
		command := harness.Start(t, []string{"export", "--data", data, "--project", "UDVmMjEvYzBkZQ"})
		command.Wants(0)
		if r.StatusCode != http.StatusOK || got != command.Stdout.String() {
			t.Errorf("%s, %d bytes, want %d", r.Status, len(got), len(command.Stdout.String()))
		}
	}
	for want, headers := range map[int][]string{
		http.StatusUnauthorized: nil,
		http.StatusNotFound:     {"Authorization: Bearer " + i.Token("admin", "0807")},
		http.StatusForbidden: {"Authorization: Bearer " + i.Token("reader", "5f21"),
			"Sec-Fetch-Site: cross-site"},
	} {
		if r, text := harness.Do(t, http.MethodGet, url, headers...); r.StatusCode != want ||
			!strings.Contains(text, `"code"`) {
			t.Errorf("%s %s, want %d", r.Status, text, want)
		}
	}
	found := false
	for _, line := range p.Lines("request") {
		found = found || line["path"] == "/exports" && line["level"] == "INFO" && line["status"] == 200.0 &&
			line["tenant"] == "5f21" && line["calls"].(float64) >= 40 && line["rcu"].(float64) > 1000
	}
	if !found {
		t.Error("the log has no line about the export")
	}
}
