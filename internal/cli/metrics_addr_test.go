//go:build unix

package cli

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// TestMetricsAddresses checks that metrics, which require no token, are not served on a public address.
func TestMetricsAddresses(t *testing.T) {
	t.Parallel()
	for addr, ok := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, ":0": true,
		"10.1.2.3:9": true, "192.168.1.1:9": true, "[fd00::1]:9": true, "0.0.0.0:0": true,
		"100.64.1.2:9090": true, "100.127.255.254:9": true, "100.128.0.1:9": false, "100.63.0.1:9": false,
		"8.8.8.8:9": false, "[2001:db8::1]:9": false, "metrics.example.com:9": false, "9090": false,
		"127.0.0.1": false} {
		if err := (&observeFlags{MetricsAddr: addr}).check(os.Getenv); (err == nil) != ok {
			t.Errorf("--metrics-addr %s: got error %v, want ok: %t", addr, err, ok)
		}
	}
	for url, ok := range map[string]bool{"http://127.0.0.1:4318": true,
		"https://otel.example.com/v1/traces": true, "127.0.0.1:4318": false, "ftp://a": false,
		"http://":               false,
		"http://user:hunter2@a": false, "http://a/?key=hunter2": false} {
		err := (&observeFlags{TraceEndpoint: url}).check(os.Getenv)
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("--trace-endpoint %s: got error %v, want ok: %t", url, err, ok)
		}
	}
	p := harness.Start(t, append(harness.ServeArgs(t.TempDir()), "--metrics-addr", "192.0.2.1:9"))
	p.Wants(harness.ExitUsage)
	p.Sentence("--metrics-addr", "private network")
	used := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), "--metrics-addr",
		"127.0.0.1:0"))
	used.Serving()
	addr := strings.TrimSuffix(strings.TrimPrefix(used.Noted("Metrics on "), "http://"), "/metrics")
	for host, status := range map[string]int{addr: http.StatusOK, "localhost:9090": http.StatusOK,
		"evil.example": http.StatusForbidden, "evil.example:9090": http.StatusForbidden} {
		if r, text := harness.Do(t, "GET", "http://"+addr+"/metrics",
			"Host: "+host); r.StatusCode != status || status == http.StatusForbidden && strings.Contains(text,
			"issuegrid_") {
			t.Errorf("metrics with the Host %s: got %s", host, r.Status)
		}
	}
	harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), "--metrics-addr", addr)).Fails(
		addr, "is in use: stop the program", "--metrics-addr")
	harness.Start(t, append(harness.ServeArgs(t.TempDir()), "--metrics-addr", "10.255.255.254:9")).Fails(
		"cannot listen on 10.255.255.254:9", "--metrics-addr 127.0.0.1:9090")
}

// TestPprof checks that profiles are served on the metrics address, and only with --pprof.
func TestPprof(t *testing.T) {
	t.Parallel()
	alone := harness.Start(t, append(harness.ServeArgs(t.TempDir()), "--pprof"))
	alone.Wants(harness.ExitUsage)
	alone.Sentence("--pprof", "--metrics-addr")
	for _, flags := range [][]string{nil, {"--pprof"}} {
		p := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample", "--metrics-addr",
			"127.0.0.1:0"), flags...))
		p.Serving()
		addr, _ := strings.CutSuffix(p.Noted("Metrics on "), "/metrics")
		status := http.StatusNotFound
		if flags != nil {
			status = http.StatusOK
		}
		for path, content := range map[string]string{"": "goroutine", "heap?debug=1": "heap profile",
			"goroutine?debug=1": "goroutine profile", "profile?seconds=1": "\x1f\x8b",
			"trace?seconds=1": "go 1."} {
			if r, text := harness.Do(t, "GET", addr+"/debug/pprof/"+path); r.StatusCode != status ||
				status == http.StatusOK && !strings.Contains(text, content) {
				t.Errorf("%v: /debug/pprof/%s: %s %.60q, want %d", flags, path, r.Status, text, status)
			}
		}
		if r, _ := harness.Do(t, "GET", p.URL()+"/debug/pprof/"); r.StatusCode != http.StatusNotFound {
			t.Errorf("%v: profiles on the API's address: got %s, want 404", flags, r.Status)
		}
		if r, _ := harness.Do(t, "GET", addr+"/debug/pprof/",
			"Host: evil.example"); r.StatusCode == http.StatusOK {
			t.Errorf("%v: profiles for another Host: got %s", flags, r.Status)
		}
	}
}
