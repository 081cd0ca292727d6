//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"issuegrid/graph/guard"
	"issuegrid/tracker"
)

// TestLimitFlags: the flags' defaults are those of the limits, and each is checked under its own name.
func TestLimitFlags(t *testing.T) {
	t.Parallel()
	var c struct {
		Limit limitFlags `embed:"" prefix:"limit-"`
	}
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(guard.DefaultLimits(), c.Limit.limits()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	for _, f := range parser.Model.Flags {
		if !strings.HasPrefix(f.Name, "limit-") {
			continue
		}
		if _, err := parser.Parse([]string{"--" + f.Name + "=-1"}); err != nil {
			t.Fatal(err)
		}
		if e, ok := c.Limit.check().(*tracker.Error); !ok || e.Path != "--"+f.Name {
			t.Errorf("--%s=-1: %v", f.Name, c.Limit.check())
		}
	}
}

// TestLimitsOfTheServer sends what is beyond limits that are set on the command line, and asks a server for what it is not to answer.
func TestLimitsOfTheServer(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "operations.json")
	if err := os.WriteFile(manifest, []byte(`{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "one", "name": "Viewer", "type": "query", "body": "query Viewer { viewer { role } }"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, serveArgs(t.TempDir(), "--no-sample", "--limit-cost", "50", "--limit-body", "1000", "--no-introspection"))
	url := p.serving()
	for _, c := range []struct {
		query, says string
		status      int
	}{
		{`{ tenants(first: 100) { nodes { name } } }`, "(Cost) is 50", http.StatusOK},
		{`{ tenants { nodes { name } } } #` + strings.Repeat("x", 1000), "(Body) is 1000", http.StatusRequestEntityTooLarge},
		{`{ __schema { queryType { name } } }`, string(tracker.Forbidden), http.StatusOK},
		{`{ viewer { role } }`, `"OPERATOR"`, http.StatusOK},
	} {
		if status, _, answer := as(t, url, "", c.query); status != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%.60s: status %d, %s", c.query, status, answer)
		}
	}
	closed := start(t, serveArgs(t.TempDir(), "--no-sample", "--operations", manifest))
	url = closed.serving()
	if _, _, answer := as(t, url, "", `query Viewer { viewer { role } }`); !strings.Contains(answer, `"OPERATOR"`) {
		t.Errorf("an operation of the manifest: %s", answer)
	}
	if _, _, answer := as(t, url, "", `{ viewer { role user } }`); !strings.Contains(answer, string(tracker.Forbidden)) {
		t.Errorf("another one: %s", answer)
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
	} {
		p := start(t, serveArgs(t.TempDir(), append(test.flags, "--no-sample")...))
		url := p.serving()
		for line, want := range map[string]bool{"Grid          " + url + "/\n": test.grid, "Playground    " + url + "/playground\n": test.playground} {
			r, _ := do(t, "GET", strings.TrimSpace(line[strings.Index(line, url):]))
			if (r.StatusCode == http.StatusOK) != want || strings.Contains(p.stdout.String(), line) != want {
				t.Errorf("%q: %q, status %s, stdout %s", test.flags, line, r.Status, &p.stdout)
			}
		}
	}
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"id": "{ nothing }"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		arg  string
		code int
		says []string
	}{
		{"--limit-body=9000000", exitUsage, []string{"--limit-body"}},
		{"--operations=" + manifest + ".none", exitFailed, []string{"--operations", manifest + ".none"}},
		{"--operations=" + broken, exitFailed, []string{"--operations", broken, `the operation "id"`, "nothing"}},
	} {
		p := start(t, append(serveArgs(t.TempDir()), test.arg))
		p.wants(test.code)
		p.sentence(test.says...)
		if strings.Contains(p.stderr.String(), "Starting on") {
			t.Errorf("%q: the port was taken before", test.arg)
		}
	}
}
