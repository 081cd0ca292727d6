//go:build unix

package httpd

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/test/harness"
	"issuegrid/web"
)

// TestHosts sends requests for many host names to servers on loopback addresses, and to other servers.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		listening, addr string
		ours, foreign   []string
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080",
			[]string{"127.0.0.1:8080", "127.0.0.1", "localhost", "LocalHost:9000", "127.8.9.10:1",
				"[::1]:8080", "[::1]", "[::ffff:127.0.0.1]:80"},
			[]string{"evil.example", "evil.example:8080", "localhost.evil.example:8080",
				"127.0.0.1.evil.example", "127.0.0.1.nip.io:8080", "10.0.0.1", "0.0.0.0:8080", "[::]:8080",
				"localhost:8080:evil.example", "evil.example@localhost", "localhost.", "1.0.0.127",
				"[::2]:8080", "2130706433",
				"localhost:8080.", "localhost:http", "localhost:", "localhost:-1", "localhost:65536",
				"localhost:8080@evil.example", "[localhost]:8080", "[127.0.0.1]", "::1", "[::1",
				"127.0.0.1.", "127.1", "0x7f.0.0.1", "127.0.0.01", "%6cocalhost",
				"localhost%00.evil.example"}},
		{"127.0.0.1:8080", "tracker.test:8080",
			[]string{"tracker.test:8080", "TRACKER.test", "localhost:8080"},
			[]string{"test:8080", "a.tracker.test:8080"}},
		{"[::1]:8080", "[::1]:8080", []string{"[::1]:8080", "localhost:8080"},
			[]string{"evil.example:8080", "[2001:db8::1]:8080"}},
		{"0.0.0.0:8080", ":8080", []string{"evil.example", "10.0.0.1:8080", "localhost"}, nil},
		{"10.0.0.1:8080", "10.0.0.1:8080", []string{"evil.example", "api.example.com:443"}, nil},
	} {
		t.Run(test.addr, func(t *testing.T) {
			t.Parallel()
			listening, err := net.ResolveTCPAddr("tcp", test.listening)
			if err != nil {
				t.Fatal(err)
			}
			g := newGate()
			g.open(api)
			s := httptest.NewServer(newRoutes(g, nil, LoopbackHosts(listening, test.addr), nil,
				Pages{Grid: true, Playground: true}, isReady))
			t.Cleanup(s.Close)
			for refused, hosts := range map[bool][]string{false: test.ours, true: test.foreign} {
				for _, host := range hosts {
					for _, path := range []string{"/graphql", "/playground", "/livez", "/", web.Favicon,
						web.Licenses} {
						r, text := harness.Do(t, "GET", s.URL+path, "Host: "+host,
							"Sec-Fetch-Site: same-origin", firefox)
						if got := r.StatusCode == http.StatusForbidden; got != refused {
							t.Errorf("%s%s: %s", host, path, r.Status)
						}
						if refused {
							isForbidden(t, r, text)
						}
					}
				}
			}
		})
	}
}

// TestZones sends Host headers that net/http's client would not send unchanged.
func TestZones(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(newRoutes(newGate(), nil,
		LoopbackHosts(&net.TCPAddr{IP: net.IPv6loopback}, "[::1]:8080"), nil,
		Pages{}, isReady))
	t.Cleanup(s.Close)
	for host, status := range map[string]int{"[::1]": http.StatusOK,
		"[::1%evil.example]": http.StatusForbidden, "[::1%25evil.example]:8080": http.StatusForbidden,
		"[::1%lo]":          http.StatusForbidden,
		"[::1]evil.example": http.StatusForbidden, "[::1]:80:80": http.StatusForbidden,
		"[[::1]]": http.StatusForbidden, "": http.StatusForbidden} {
		c := harness.Connect(t, s.URL)
		fmt.Fprintf(c, "GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n", host)
		if r, text := c.Answer(t); r.StatusCode != status {
			t.Errorf("%q: %s %s", host, r.Status, text)
		}
	}
}

// TestGeneratedHosts adds characters before and after accepted hosts, which must make them foreign.
func TestGeneratedHosts(t *testing.T) {
	t.Parallel()
	ours := LoopbackHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, "tracker.test:8080")
	hosts := []string{"localhost", "127.0.0.1", "[::1]", "tracker.test", "[::ffff:127.0.0.1]"}
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		port := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(0, 65535), func(n int) string {
			return fmt.Sprint(":", n)
		})).Draw(t, "port")
		if !ours(host + port) {
			t.Errorf("%s%s is foreign", host, port)
		}
		evil := rapid.StringMatching(`[!-~]{0,5}(\.evil\.example|[a-z%@:.\[\]_-])`).Draw(t, "evil")
		for _, foreign := range []string{host + evil + port, evil + host + port, host + port + evil} {
			if ours(foreign) && !slices.Contains([]string{"localhost", "tracker.test"},
				strings.ToLower(foreign)) {
				t.Errorf("%s is ours", foreign)
			}
		}
	})
}

// TestLocalProxies checks which headers of proxies are accepted, as those of development servers, and which
// are rejected.
func TestLocalProxies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header http.Header
		name   string // of the header that is rejected
	}{
		{http.Header{}, ""},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::1", "127.0.0.1"}, "X-Forwarded-Host": {"localhost:3000"},
			"X-Forwarded-Proto": {"http"}, "X-Real-Ip": {"127.0.0.1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::ffff:127.0.0.1"}}, ""},
		// Vite and webpack with xfwd
		{http.Header{"X-Forwarded-For": {"::ffff:127.0.0.1"}, "X-Forwarded-Port": {"5173"},
			"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"localhost:5173"}}, ""},
		{http.Header{"X-Forwarded-For": {"::1"}, "X-Forwarded-Server": {"localhost"},
			"X-Forwarded-Host": {"[::1]:3000"}}, ""},
		{http.Header{"X-Forwarded-For": {"127.0.0.1:40312, [::1]:40313"}}, ""},
		{http.Header{"X-Request-Id": {"1"}, "Traceparent": {"00-1-2-01"}, "X-Requested-With": {"fetch"},
			"X-Forward": {"1"}, "X-Ship": {"1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::1%evil.example"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Server": {"proxy.example.com"}},
			"X-Forwarded-Server"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Prefix": {"/api"}}, "X-Forwarded-Prefix"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Via": {"1.1 proxy"}}, "Via"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Cf-Connecting-Ip": {"127.0.0.1"}},
			"Cf-Connecting-Ip"},
		{http.Header{"X-Forwarded-Port": {"5173"}, "X-Forwarded-Proto": {"http"}}, "X-Forwarded-Port"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1, 192.0.2.60"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Host": {"app.example.com"}},
			"X-Forwarded-Host"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Real-Ip": {"192.0.2.60"}}, "X-Real-Ip"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Forwarded": {"for=127.0.0.1"}}, "Forwarded"},
		{http.Header{"X-Forwarded-Host": {"localhost"}}, "X-Forwarded-Host"},
		{http.Header{"X-Forwarded-For": {""}}, "X-Forwarded-For"},
	} {
		if got := proxyHeader(c.header); got != c.name {
			t.Errorf("%v: rejected for %q, want %q", c.header, got, c.name)
		}
	}
}
