//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"issuegrid/tracker"
)

// dialFrom opens a connection from an address of this machine.
func dialFrom(t *testing.T, from, addr string) (net.Conn, error) {
	t.Helper()
	return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(t.Context(), "tcp", addr)
}

// livez asks whether the process runs, by a connection from an address of this machine.
func livez(t *testing.T, from, addr string) (status int, err error) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string, string) (net.Conn, error) { return dialFrom(t, from, addr) }}
	r, err := (&http.Client{Transport: transport}).Get("http://" + addr + "/livez")
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

// probed serves health checks through a handler by so many connections. End ends it, and checks that no connection counts any more.
func probed(t *testing.T, most int, unshared func(netip.Addr) bool, through func(http.Handler) http.Handler) (l *connections, end func()) {
	t.Helper()
	l, err := listen("127.0.0.1:0", most, unshared)
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(through(newRoutes(newGate(), nil, nil, nil, pageFlags{}, func(context.Context) error { return nil })))
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	return l, sync.OnceFunc(func() {
		s.Close()
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
		eventually(t, "no connection is left", func() bool { taken, clients := l.places.load(); return taken == 0 && clients == 0 && len(l.room) == 0 })
	})
}

// TestConnectionsOfOneClient: 300 idle connections of one address do not keep another one out, and the address is served again when they have gone. It is
// not parallel, because it looks for goroutines that are left.
func TestConnectionsOfOneClient(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	l, end := probed(t, 64, nobody, func(h http.Handler) http.Handler { return h })
	defer end()
	addr := l.Addr().String()
	for round := range 3 {
		var idle []net.Conn
		for range 300 {
			conn, err := dialFrom(t, "127.0.0.2", addr)
			if errors.Is(err, syscall.ECONNRESET) { // it was closed before this side knew that it was open
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			idle = append(idle, conn)
		}
		eventually(t, "the address has its share", func() bool { taken, clients := l.places.load(); return taken == l.places.share && clients == 1 })
		if _, err := livez(t, "127.0.0.2", addr); err == nil {
			t.Errorf("round %d: one connection more than the share is served", round)
		}
		for _, other := range []string{"127.0.0.3", "127.0.0.4"} {
			if status, err := livez(t, other, addr); status != http.StatusOK {
				t.Errorf("round %d: another address: %d, %v", round, status, err)
			}
		}
		for _, conn := range idle {
			conn.Close()
		}
		eventually(t, "no connection is left", func() bool { taken, clients := l.places.load(); return taken == 0 && clients == 0 })
		if status, err := livez(t, "127.0.0.2", addr); status != http.StatusOK {
			t.Errorf("round %d: the address, without its idle connections: %d, %v", round, status, err)
		}
	}
	end()
}

// TestConnectionsInAll: where all connections but one are idle, 100 clients are answered by that one, in turn.
func TestConnectionsInAll(t *testing.T) {
	t.Parallel()
	const most = leastConnections
	var inside, peak atomic.Int64
	l, end := probed(t, most, netip.Addr.IsLoopback, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := inside.Add(1)
			defer inside.Add(-1)
			for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
			}
			h.ServeHTTP(w, r)
		})
	})
	defer end()
	addr := l.Addr().String()
	for range most - 1 {
		conn, err := dialFrom(t, "127.0.0.1", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	eventually(t, "the idle connections are open", func() bool { taken, _ := l.places.load(); return taken == most-1 })
	var clients sync.WaitGroup
	for range 100 {
		clients.Go(func() {
			if status, err := livez(t, "127.0.0.1", addr); status != http.StatusOK {
				t.Errorf("%d, %v", status, err)
			}
		})
	}
	clients.Wait()
	if p := peak.Load(); p != 1 {
		t.Errorf("%d clients were served at a time by one connection", p)
	}
	end()
}

// TestFullListenerCloses: Close ends a wait for room, and twice is once.
func TestFullListenerCloses(t *testing.T) {
	t.Parallel()
	l, err := listen("127.0.0.1:0", leastConnections, netip.Addr.IsLoopback)
	if err != nil {
		t.Fatal(err)
	}
	for range leastConnections {
		conn, err := dialFrom(t, "127.0.0.1", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		taken, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		if _, ok := taken.(interface{ CloseWrite() error }); !ok { // else net/http cuts off answers to requests that it does not read to their end
			t.Fatalf("%T has no CloseWrite", taken)
		}
	}
	waiting := make(chan error)
	go func() {
		_, err := l.Accept()
		waiting <- err
	}()
	l.Close()
	if err := <-waiting; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a wait for room ends with %v", err)
	}
	l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept of a closed listener: %v", err)
	}
}

func TestMostConnections(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, requests, files, want int }{
		{0, 1024, 20_000, 4096}, {0, 1024, 1024, 768}, {0, 4, 20_000, leastConnections}, {0, 1024, 300, 225}, {0, 10_000_000, 1 << 30, mostConnections}, {100, 1024, 20_000, 100},
	} {
		if got := (&edgeFlags{Connections: c.given}).most(c.requests, c.files); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	for _, c := range []struct {
		given, files int
		ok           bool
	}{{0, 20, true}, {16, 100, true}, {75, 100, true}, {76, 100, false}, {15, 100, false}, {-1, 100, false}, {1_000_000, 1 << 30, true}, {1_000_001, 1 << 30, false}} {
		err := (&edgeFlags{Connections: c.given}).check(c.files)
		if e, ok := errors.AsType[*tracker.Error](err); (err == nil) != c.ok || err != nil && (!ok || e.Path != "--connections" || e.Code != tracker.BadInput) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// fewFiles makes a process one that may open so many files.
func fewFiles(n int) variant {
	return func(c *exec.Cmd) {
		c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, n), c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
	}
}

// TestFewFiles: idle connections take no file that the server needs for its work, however few there are.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	p := start(t, serveArgs(t.TempDir(), "--no-sample"), fewFiles(256))
	url := p.serving()
	held := connect(t, url)
	ask := func() (*http.Response, string) {
		fmt.Fprintf(held, "POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(slowQuery), slowQuery)
		return held.answer(t)
	}
	for range 2 {
		var idle []slowRequest
		for range 300 {
			idle = append(idle, connect(t, url))
		}
		if r, text := ask(); r.StatusCode != http.StatusOK || strings.Contains(text, `"errors"`) {
			t.Errorf("beside 300 idle connections: %s %s", r.Status, text)
		}
		for _, conn := range idle {
			conn.Close()
		}
		if r, text := do(t, "GET", url+"/readyz"); r.StatusCode != http.StatusOK {
			t.Errorf("without the idle connections: %s %s", r.Status, text)
		}
	}
	if strings.Contains(p.stderr.String(), "too many open files") {
		t.Error("the server had no file left")
	}
	many := start(t, []string{"serve", "--connections", "200"}, fewFiles(256))
	many.wants(exitUsage)
	many.sentence("--connections", "three quarters", "192")
}

func TestEdgeFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--connections", "=15"}, {"--connections", "=-1"}, {"--trusted-proxies", "=proxy.example.com"}, {"--trusted-proxies", "=10.0.0.0/8,0.0.0.0/0"}} {
		p := start(t, []string{"serve", args[0] + args[1]})
		p.wants(exitUsage)
		p.sentence(args[0])
	}
}
