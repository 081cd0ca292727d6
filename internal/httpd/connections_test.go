//go:build unix

package httpd

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"issuegrid/test/harness"
)

// dialFrom opens a connection from a given address of this machine.
func dialFrom(t *testing.T, from, addr string) (net.Conn, error) {
	t.Helper()
	return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(t.Context(), "tcp", addr)
}

// livez requests /livez over a connection from a given address of this machine.
func livez(t *testing.T, from, addr string) (status int, err error) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true,
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return dialFrom(t, from, addr)
		}}
	r, err := (&http.Client{Transport: transport}).Get("http://" + addr + "/livez")
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, err
}

// probed serves health checks through a handler over at most the given number of connections. end stops the
// server, and checks that no connection is counted any more.
func probed(t *testing.T, most int, unshared func(netip.Addr) bool,
	through func(http.Handler) http.Handler) (l *Connections, end func()) {
	t.Helper()
	l, err := Listen("127.0.0.1:0", most, unshared)
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(through(newRoutes(newGate(), nil, nil, nil, Pages{}, isReady)))
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	return l, sync.OnceFunc(func() {
		s.Close()
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
		harness.Eventually(t, "no connection is left", func() bool {
			taken, clients := l.slots.load()
			return taken == 0 && clients == 0 && len(l.room) == 0
		})
	})
}

// TestConnectionsOfOneClient checks that 300 idle connections of one address do not block other addresses,
// and that the address is served again after it has closed them. It is not parallel because it checks for
// leaked goroutines.
func TestConnectionsOfOneClient(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	l, end := probed(t, 64, noExceptions, func(h http.Handler) http.Handler { return h })
	defer end()
	addr := l.Addr().String()
	for round := range 3 {
		var idle []net.Conn
		for range 300 {
			conn, err := dialFrom(t, "127.0.0.2", addr)
			if errors.Is(err, syscall.ECONNRESET) { // closed before this side knew that it was open
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			idle = append(idle, conn)
		}
		harness.Eventually(t, "the address has its share", func() bool {
			taken, clients := l.slots.load()
			return taken == l.slots.share && clients == 1
		})
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
		allFree(t, l.slots)
		if status, err := livez(t, "127.0.0.2", addr); status != http.StatusOK {
			t.Errorf("round %d: the address, without its idle connections: %d, %v", round, status, err)
		}
	}
	end()
}

// TestConnectionsInAll checks that 100 clients are served in turn over the only connection that is not idle.
func TestConnectionsInAll(t *testing.T) {
	t.Parallel()
	const most = 16
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
	harness.Eventually(t, "the idle connections are open", func() bool {
		taken, _ := l.slots.load()
		return taken == most-1
	})
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
		t.Errorf("one connection served %d clients at a time", p)
	}
	end()
}

// TestFullListenerCloses checks that Close ends a wait of Accept, and may be called twice.
func TestFullListenerCloses(t *testing.T) {
	t.Parallel()
	l, err := Listen("127.0.0.1:0", 16, netip.Addr.IsLoopback)
	if err != nil {
		t.Fatal(err)
	}
	for range 16 {
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
		// without it, net/http cuts off responses to requests whose body it does not read
		if _, ok := taken.(interface{ CloseWrite() error }); !ok {
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
		t.Errorf("a waiting Accept ends with %v", err)
	}
	l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept of a closed listener: %v", err)
	}
}
