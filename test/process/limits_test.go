//go:build unix

package process

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/tracker"
)

// TestLimitsOfTheServer sends requests that exceed limits set on the command line, and operations that the
// server must not run.
func TestLimitsOfTheServer(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "operations.json")
	if err := os.WriteFile(manifest,
		[]byte(
			`{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "one", "name": "Viewer", "type": "query", "body": "query Viewer { viewer { role } }"}]}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	p := harness.Start(t, harness.ServeArgs(t.TempDir(), "--no-sample", "--limit-cost", "50", "--limit-body",
		"1000", "--no-introspection"))
	url := p.Serving()
	for _, c := range []struct {
		query, says string
		status      int
	}{
		{`{ tenants(first: 100) { nodes { name } } }`, "(Cost) is 50", http.StatusOK},
		{`{ tenants { nodes { name } } } #` + strings.Repeat("x", 1000), "(Body) is 1000, set by --limit-body",
			http.StatusRequestEntityTooLarge},
		{`{ __schema { queryType { name } } }`, string(tracker.Forbidden), http.StatusOK},
		{`{ viewer { role } }`, `"OPERATOR"`, http.StatusOK},
	} {
		if status, _, answer := harness.As(t, url, "", c.query); status != c.status ||
			!strings.Contains(answer, c.says) {
			t.Errorf("%.60s: status %d, %s", c.query, status, answer)
		}
	}
	closed := harness.Start(t, harness.ServeArgs(t.TempDir(), "--no-sample", "--operations", manifest))
	url = closed.Serving()
	if _, _, answer := harness.As(t, url, "", `query Viewer { viewer { role } }`); !strings.Contains(answer,
		`"OPERATOR"`) {
		t.Errorf("an operation in the manifest: %s", answer)
	}
	if _, _, answer := harness.As(t, url, "", `{ viewer { role userName } }`); !strings.Contains(answer,
		string(tracker.Forbidden)) {
		t.Errorf("an operation that is not in the manifest: %s", answer)
	}
	for _, test := range []struct {
		flags            []string
		grid, playground bool
	}{
		{nil, true, true},
		{[]string{"--no-introspection"}, true, false},
		{[]string{"--operations", manifest}, false, false},
		{[]string{"--operations", manifest, "--playground"}, false, true},
		{[]string{"--operations", manifest, "--grid"}, true, false},
		{[]string{"--no-grid"}, false, true},
		{[]string{"--no-grid", "--no-playground"}, false, false},
	} {
		p := harness.Start(t, harness.ServeArgs(t.TempDir(), append(test.flags, "--no-sample")...))
		url := p.Serving()
		for line, want := range map[string]bool{"Grid          " + url + "/\n": test.grid,
			"Playground    " + url + "/playground\n": test.playground} {
			r, _ := harness.Do(t, "GET", strings.TrimSpace(line[strings.Index(line, url):]))
			if (r.StatusCode == http.StatusOK) != want || strings.Contains(p.Stdout.String(), line) != want {
				t.Errorf("%q: %q, status %s, stdout %s", test.flags, line, r.Status, &p.Stdout)
			}
		}
	}
}
