//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// slowRequest is a GraphQL request whose body has not come yet.
type slowRequest struct {
	net.Conn
	answers *bufio.Reader
}

const slowQuery = `{"query":"{tenants {nodes {name}}}"}`

// beginSlow begins a request and returns when the server works on it: it asks for the body.
func beginSlow(t *testing.T, url string) slowRequest {
	t.Helper()
	r := connect(t, url)
	fmt.Fprintf(r, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", len(slowQuery))
	if line, err := r.answers.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.answers.ReadString('\n'); err != nil || line != "\r\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return r
}

func connect(t *testing.T, url string) slowRequest {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return slowRequest{conn, bufio.NewReader(conn)}
}

func (r slowRequest) answer(t *testing.T) (*http.Response, string) {
	t.Helper()
	response, err := http.ReadResponse(r.answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// TestDrain stops a server that has a request under way: the request is answered in full, the engine being there to the end, others are
// refused meanwhile, and no connection is kept.
func TestDrain(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, serveArgs(data, "--no-sample"))
	url := p.serving()
	createTenant(t, url, "Patient")
	idle := connect(t, url)
	fmt.Fprint(idle, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if r, _ := idle.answer(t); r.Close {
		t.Error("a connection is not kept while the server serves")
	}
	slow := beginSlow(t, url)

	p.signal(syscall.SIGTERM)
	p.has(&p.stderr, "1 requests under way")
	wantPage(t, url+"/readyz", http.StatusServiceUnavailable, "draining\n")
	wantPage(t, url+"/livez", http.StatusOK, "ok\n")
	wantUnavailable(t, url, "draining")
	if _, err := idle.answers.ReadByte(); err != io.EOF {
		t.Errorf("an idle connection while draining: %v, want it closed", err)
	}
	fmt.Fprint(slow, slowQuery)
	r, text := slow.answer(t)
	if r.StatusCode != http.StatusOK || text != `{"data":{"tenants":{"nodes":[{"name":"Patient"}]}}}` || !r.Close {
		t.Errorf("status %d, %s, closed %t", r.StatusCode, text, r.Close)
	}
	p.wants(0)
}

// TestSecondSignal ends a server that drains at once, and its engine with it.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, serveArgs(data, "--no-sample"))
	beginSlow(t, p.serving())
	engine := engineURL(t, data)
	p.signal(syscall.SIGINT)
	p.has(&p.stderr, "1 requests under way")
	p.signal(syscall.SIGINT)
	p.wants(-1)
	if s := p.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(); s != syscall.SIGINT {
		t.Errorf("ended by %v, want the second signal", s)
	}
	engineGone(t, engine)
}

// TestDrainEnds cuts off a request that takes too long.
func TestDrainEnds(t *testing.T) {
	t.Parallel()
	g := newGate()
	entered, left := make(chan struct{}), make(chan struct{})
	g.open(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done() // the connection is closed
		close(left)
	}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(g)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	slow := connect(t, "http://"+l.Addr().String())
	fmt.Fprint(slow, "GET /graphql HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-entered
	if err := drain(quiet(t), server, g, time.Millisecond); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("error %v", err)
	}
	<-left
	if err := <-served; err != http.ErrServerClosed {
		t.Errorf("the server ended with %v", err)
	}
	if _, err := slow.answers.ReadByte(); err != io.EOF {
		t.Errorf("the connection: %v, want it closed", err)
	}
}
