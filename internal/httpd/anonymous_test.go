//go:build unix

package httpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"issuegrid/internal/auth"
	"issuegrid/test/harness"
	"issuegrid/tracker"
	"issuegrid/web"
)

// serveAnonymous serves the routes with limits for anonymous requests over real HTTP. The API requires a
// token of the issuer, and responds with "api".
func serveAnonymous(t *testing.T, anon *anonymous, handler http.Handler) (url string, i *harness.Issuer) {
	t.Helper()
	verifier, i := newVerifier(t)
	g := newGate()
	known := func(_ context.Context, p tracker.Principal) (tracker.Principal, error) { return p, nil }
	g.open(signedIn(verifier, known, identified(handler)))
	return listening(t, newRoutes(g, nil, nil, anon,
		Pages{Grid: true, Playground: true}, isReady)), i
}

// newVerifier returns a verifier of the tokens of an issuer.
func newVerifier(t *testing.T) (*auth.Verifier, *harness.Issuer) {
	t.Helper()
	i := harness.NewIssuer(t)
	verifier, err := auth.New(t.Context(),
		auth.Settings{SecretFile: i.File, Issuer: "https://id.test/", Audience: "grid", TenantClaim: "tenant",
			UserClaim: "sub", RoleClaim: "role", Leeway: time.Second,
			Refresh: time.Hour, RefreshUnknown: time.Minute, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return verifier, i
}

// listening serves a handler as the program does.
func listening(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	l, err := Listen("127.0.0.1:0", 1000, netip.Addr.IsLoopback)
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(h)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		if err := <-served; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// isFull checks that a response is the rejection of a request for which no slot is free.
func isFull(t *testing.T, what string, r *http.Response, text string) {
	t.Helper()
	if !hasError(r, text, http.StatusServiceUnavailable, tracker.Unavailable) ||
		r.Header.Get("Retry-After") != "1" || r.Header.Get("X-Content-Type-Options") == "" {
		t.Errorf("%s: %s %.300q %v", what, r.Status, text, r.Header)
	}
}

// TestAnonymousSlots takes all slots for one kind of request, and checks that only requests of this kind are
// rejected.
func TestAnonymousSlots(t *testing.T) {
	t.Parallel()
	for _, full := range []string{"pages", "sign-in", "readyz", ""} {
		t.Run("full: "+full, func(t *testing.T) {
			t.Parallel()
			anon := newAnonymous(1, nil, nil)
			url, i := serveAnonymous(t, anon, api)
			var leaves []func()
			for _, p := range []*slots{anon.pages, anon.signIn, anon.ready} {
				for p.of == full {
					leave, err := p.enter(netip.MustParseAddr("127.0.0.1"))
					if err != nil {
						break
					}
					leaves = append(leaves, leave)
				}
			}
			token := "Authorization: Bearer " + i.Token("reader", "acme")
			const none = "X-Requested-With: nothing"
			for range 2 {
				for _, c := range []struct {
					of, method, path, header string
					status                   int
				}{
					{"pages", "GET", "/", none, 200}, {"pages", "GET", "/playground", none, 200},
					{"pages", "HEAD", web.Licenses, none, 200}, {"pages", "GET", web.Favicon, none, 200},
					{"pages", "GET", "/nowhere", none, 404}, {"pages", "POST", "/", none, 405},
					{"pages", "GET", web.Assets + "no.js", none, 404},
					{"pages", "GET", web.Favicon, token, 200},
					{"sign-in", "POST", "/graphql", none, 401},
					{"sign-in", "GET", "/graphql", "Authorization: Bearer x", 401},
					{"sign-in", "POST", "/graphql", token, 200},
					{"readyz", "GET", "/readyz", none, 200}, {"readyz", "POST", "/readyz", none, 405},
					{"none", "GET", "/livez", none, 200}, {"none", "POST", "/livez", none, 405},
				} {
					r, text := harness.Do(t, c.method, url+c.path, c.header, "Origin: http://localhost:3000")
					if what := fmt.Sprint(c.method, " ", c.path, " ", c.status); c.of == full &&
						c.method == "HEAD" && r.StatusCode == http.StatusServiceUnavailable {
						continue // HEAD responses have no body
					} else if c.of == full {
						isFull(t, what, r, text)
					} else if r.StatusCode != c.status {
						t.Errorf("%s: %s", what, r.Status)
					}
					// pages of other origins may not send HEAD
					if c.method != "HEAD" && r.Header.Get("Access-Control-Allow-Origin") == "" {
						t.Errorf("%s: a page can't read the response: %v", c.path, r.Header)
					}
				}
				if r, _ := harness.Do(t, "OPTIONS", url+"/graphql", "Origin: http://localhost:3000",
					"Access-Control-Request-Method: POST"); r.StatusCode != http.StatusNoContent {
					t.Errorf("a preflight: %s", r.Status)
				}
				for _, leave := range leaves {
					leave()
				}
				full = "" // with free slots, all are served again
			}
			for _, p := range []*slots{anon.pages, anon.signIn, anon.ready} {
				allFree(t, p)
			}
		})
	}
}

// TestIdentified checks that a request leaves its sign-in slot when its token is verified, and then has the
// write deadline of an operation.
func TestIdentified(t *testing.T) {
	t.Parallel()
	anon := newAnonymous(1, nil, nil)
	taken := make(chan int, 1)
	url, i := serveAnonymous(t, anon, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := anon.signIn.load()
		taken <- n
	}))
	if r, text := harness.Do(t, "POST", url+"/graphql", "Authorization: Bearer "+
		i.Token("reader", "acme")); r.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", r.Status, text)
	}
	if n := <-taken; n != 0 {
		t.Errorf("%d sign-in slots are taken by a request whose token is verified", n)
	}
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	from := time.Now()
	anon.admit(identified(api)).ServeHTTP(w, httptest.NewRequest("POST", "/graphql", nil))
	to := time.Now()
	if len(w.set) != 2 {
		t.Fatalf("deadlines %v", w.set)
	}
	for n, want := range []time.Duration{anonymousTime, writeTime} {
		if w.set[n].Before(from.Add(want)) || w.set[n].After(to.Add(want)) {
			t.Errorf("deadline %d is %s from now, want %s", n, w.set[n].Sub(from), want)
		}
	}
}

// largest returns the path of the largest file.
func largest(t *testing.T) (path string) {
	t.Helper()
	entries, err := os.ReadDir("../../web/dist/assets")
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Size() > size {
			path, size = web.Assets+e.Name(), info.Size()
		}
	}
	if size < 1<<20 {
		t.Fatalf("%s has %d bytes, which may fit into the kernel's buffer for a slow reader", path, size)
	}
	return path
}

// slowReader requests a file, as a client behind a proxy, and does not read the response.
func slowReader(t *testing.T, url, path, forwardedFor string) net.Conn {
	t.Helper()
	small := func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}
	conn, err := (&net.Dialer{Control: small}).DialContext(t.Context(), "tcp",
		strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\n\r\n", path, forwardedFor)
	return conn
}

// TestSlowReaders checks that clients that read slowly take only the slots for pages, and return them when
// they close their connections.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	anon := newAnonymous(1, nil, nil)
	url, i := serveAnonymous(t, anon, api)
	path := largest(t)
	var slow []net.Conn
	for range leastSlots {
		slow = append(slow, slowReader(t, url, path, "192.0.2.1"))
	}
	harness.Eventually(t, "all slots for pages are taken", func() bool {
		taken, _ := anon.pages.load()
		return taken == leastSlots
	})
	r, text := harness.Do(t, "GET", url+web.Favicon)
	isFull(t, "a file with slow readers", r, text)
	for _, path := range []string{"/livez", "/readyz", "/graphql"} {
		if r, text := harness.Do(t, "GET", url+path, "Authorization: Bearer "+
			i.Token("reader", "acme")); r.StatusCode != http.StatusOK {
			t.Errorf("%s with slow readers: %s %s", path, r.Status, text)
		}
	}
	response, err := http.ReadResponse(bufio.NewReader(slow[0]), nil)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", response, err)
	}
	if n, err := io.Copy(io.Discard, response.Body); err != nil || n != response.ContentLength {
		t.Errorf("the first slow reader has read %d bytes of %d, %v", n, response.ContentLength, err)
	}
	harness.Eventually(t, "a slot is free again", func() bool {
		r, _ := harness.Do(t, "GET", url+web.Favicon)
		return r.StatusCode == http.StatusOK
	})
	for _, conn := range slow {
		conn.Close()
	}
	allFree(t, anon.pages)
}

// TestSharesBehindProxy checks that clients behind a trusted proxy are distinguished, so that one of them
// cannot take all slots, and that the headers of other clients are ignored.
func TestSharesBehindProxy(t *testing.T) {
	t.Parallel()
	path := largest(t)
	for _, test := range []struct {
		trusted  []string
		slow     string // X-Forwarded-For of the slow readers
		another  string // of another client
		answered bool
	}{
		{[]string{"127.0.0.0/8"}, "192.0.2.1", "192.0.2.2", true},
		{[]string{"127.0.0.0/8"}, "192.0.2.1", "192.0.2.1", false},
		{[]string{"127.0.0.0/8"}, "192.0.2.1", "192.0.2.2, 192.0.2.1", false},
		{[]string{"127.0.0.0/8"}, "2001:db8::1", "2001:db8::2", false},
		{[]string{"127.0.0.0/8"}, "2001:db8::1", "2001:db8:0:1::1", true},
		{nil, "192.0.2.1", "192.0.2.2", false},
		{[]string{"10.0.0.0/8"}, "192.0.2.1", "192.0.2.2", false},
	} {
		t.Run(fmt.Sprint(test.trusted, " ", test.another), func(t *testing.T) {
			t.Parallel()
			anon := newAnonymous(1, networks(test.trusted...), nil)
			anon.pages.unshared = noExceptions
			url, _ := serveAnonymous(t, anon, api)
			for range anon.pages.share {
				slowReader(t, url, path, test.slow)
			}
			harness.Eventually(t, "the share is taken", func() bool {
				taken, _ := anon.pages.load()
				return taken == anon.pages.share
			})
			r, text := harness.Do(t, "GET", url+web.Favicon, "X-Forwarded-For: "+test.another)
			if !test.answered {
				isFull(t, "another", r, text)
			} else if r.StatusCode != http.StatusOK {
				t.Errorf("another client: %s %s", r.Status, text)
			}
		})
	}
}

// ledger is a Processor that adds up the CPU time of each tenant and never waits.
type ledger struct {
	spent map[tracker.TenantID]time.Duration
	waits int
}

func (l *ledger) Spent(t tracker.TenantID, d time.Duration) { l.spent[t] += d }

func (l *ledger) Wait(ctx context.Context, _ tracker.TenantID) error {
	l.waits++
	return ctx.Err()
}

// TestAnonymousPace checks that requests without a valid token are charged CPU time by the bytes of their
// response, and wait after the response. Requests with a valid token, and /livez, are neither charged nor
// wait.
func TestAnonymousPace(t *testing.T) {
	for _, c := range []struct {
		path  string
		token bool
		bytes int
		want  time.Duration
	}{
		{"/assets/x.js", false, 100_000, visitCPU + 100_000*sentCPU}, {"/", false, 0, visitCPU},
		{"/graphql", false, 10, visitCPU + 10*sentCPU},
		{"/graphql", true, 100_000, 0}, {"/livez", false, 3, 0},
	} {
		t.Run(fmt.Sprint(c.path, " ", c.token), func(t *testing.T) {
			l := &ledger{spent: map[tracker.TenantID]time.Duration{}}
			handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Write(make([]byte, c.bytes))
				if l.waits > 0 {
					t.Error("it waited before the response")
				}
			}))
			if c.token {
				handler = identified(handler)
			}
			w := httptest.NewRecorder()
			newAnonymous(1, nil, l).admit(handler).ServeHTTP(w,
				httptest.NewRequest(http.MethodGet, c.path, nil))
			if l.spent[anonymousTenant] != c.want || l.waits != min(1, int(c.want)) ||
				w.Body.Len() != c.bytes {
				t.Errorf("%v, %d waits, %d bytes", l.spent, l.waits, w.Body.Len())
			}
		})
	}
}
