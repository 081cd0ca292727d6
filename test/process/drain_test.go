//go:build unix

package process

import (
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"

	"issuegrid/test/harness"
)

// TestDrain stops a server during a request. The request completes, so the engine runs until then; other
// requests are refused, and connections are closed.
func TestDrain(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	url := p.Serving()
	createTenant(t, url, "Patient")
	idle := harness.Connect(t, url)
	fmt.Fprint(idle, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if r, _ := idle.Answer(t); r.Close {
		t.Error("the serving server closed a connection")
	}
	slow := harness.BeginSlow(t, url)

	p.Signal(syscall.SIGTERM)
	p.Has(&p.Stderr, "1 requests in progress")
	harness.WantPage(t, url+"/readyz", http.StatusServiceUnavailable, "draining\n")
	harness.WantPage(t, url+"/livez", http.StatusOK, "ok\n")
	wantUnavailable(t, url, "draining")
	if _, err := idle.Answers.ReadByte(); err != io.EOF {
		t.Errorf("an idle connection while draining: %v, want it closed", err)
	}
	fmt.Fprint(slow, harness.SlowQuery)
	r, text := slow.Answer(t)
	if r.StatusCode != http.StatusOK || text != `{"data":{"tenants":{"nodes":[{"name":"Patient"}]}}}` ||
		!r.Close {
		t.Errorf("status %d, %s, closed %t", r.StatusCode, text, r.Close)
	}
	p.Wants(0)
}

// TestSecondSignal checks that a second signal ends a draining server and its engine at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := harness.Start(t, harness.ServeArgs(data, "--no-sample"))
	harness.BeginSlow(t, p.Serving())
	engine := harness.EngineURL(t, data)
	p.Signal(syscall.SIGINT)
	p.Has(&p.Stderr, "1 requests in progress")
	p.Signal(syscall.SIGINT)
	p.Wants(-1)
	if s := p.Cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); s != syscall.SIGINT {
		t.Errorf("ended by %v, want the second signal", s)
	}
	harness.EngineGone(t, engine)
}
