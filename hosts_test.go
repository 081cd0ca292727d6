//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/web"
)

// TestStrangeHosts sends requests under many names to servers on loopback addresses, and to one that is not.
func TestStrangeHosts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		listening, addr string
		ours, strange   []string
	}{
		{"127.0.0.1:8080", "127.0.0.1:8080",
			[]string{"127.0.0.1:8080", "127.0.0.1", "localhost", "LocalHost:9000", "127.8.9.10:1", "[::1]:8080", "[::1]", "[::ffff:127.0.0.1]:80"},
			[]string{"evil.example", "evil.example:8080", "localhost.evil.example:8080", "127.0.0.1.evil.example", "127.0.0.1.nip.io:8080", "10.0.0.1", "0.0.0.0:8080", "[::]:8080",
				"localhost:8080:evil.example", "evil.example@localhost", "localhost.", "1.0.0.127", "[::2]:8080", "2130706433",
				"localhost:8080.", "localhost:http", "localhost:", "localhost:-1", "localhost:65536", "localhost:8080@evil.example", "[localhost]:8080", "[127.0.0.1]", "::1", "[::1",
				"127.0.0.1.", "127.1", "0x7f.0.0.1", "127.0.0.01", "%6cocalhost", "localhost%00.evil.example"}},
		{"127.0.0.1:8080", "tracker.test:8080", []string{"tracker.test:8080", "TRACKER.test", "localhost:8080"}, []string{"test:8080", "a.tracker.test:8080"}},
		{"[::1]:8080", "[::1]:8080", []string{"[::1]:8080", "localhost:8080"}, []string{"evil.example:8080", "[2001:db8::1]:8080"}},
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
			s := httptest.NewServer(newRoutes(g, nil, loopbackHosts(listening, test.addr), nil, pageFlags{Grid: true, Playground: true}, func(context.Context) error { return nil }))
			t.Cleanup(s.Close)
			for refused, hosts := range map[bool][]string{false: test.ours, true: test.strange} {
				for _, host := range hosts {
					for _, path := range []string{"/graphql", "/playground", "/livez", "/", web.Favicon, web.Licenses} {
						r, text := do(t, "GET", s.URL+path, "Host: "+host, "Sec-Fetch-Site: same-origin", firefox)
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

// TestZones sends hosts that net/http's client would not send as they are.
func TestZones(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(newRoutes(newGate(), nil, loopbackHosts(&net.TCPAddr{IP: net.IPv6loopback}, "[::1]:8080"), nil, pageFlags{}, func(context.Context) error { return nil }))
	t.Cleanup(s.Close)
	for host, status := range map[string]int{"[::1]": http.StatusOK, "[::1%evil.example]": http.StatusForbidden, "[::1%25evil.example]:8080": http.StatusForbidden, "[::1%lo]": http.StatusForbidden,
		"[::1]evil.example": http.StatusForbidden, "[::1]:80:80": http.StatusForbidden, "[[::1]]": http.StatusForbidden, "": http.StatusForbidden} {
		c := connect(t, s.URL)
		fmt.Fprintf(c, "GET /livez HTTP/1.1\r\nHost: %s\r\n\r\n", host)
		if r, text := c.answer(t); r.StatusCode != status {
			t.Errorf("%q: %s %s", host, r.Status, text)
		}
	}
}

// TestGeneratedHosts appends to the hosts that are ours, and puts before them, what must make them foreign.
func TestGeneratedHosts(t *testing.T) {
	t.Parallel()
	ours := loopbackHosts(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, "tracker.test:8080")
	hosts := []string{"localhost", "127.0.0.1", "[::1]", "tracker.test", "[::ffff:127.0.0.1]"}
	rapid.Check(t, func(t *rapid.T) {
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		port := rapid.OneOf(rapid.Just(""), rapid.Map(rapid.IntRange(0, 65535), func(n int) string { return fmt.Sprint(":", n) })).Draw(t, "port")
		if !ours(host + port) {
			t.Errorf("%s%s is foreign", host, port)
		}
		evil := rapid.StringMatching(`[!-~]{0,5}(\.evil\.example|[a-z%@:.\[\]_-])`).Draw(t, "evil")
		for _, foreign := range []string{host + evil + port, evil + host + port, host + port + evil} {
			if ours(foreign) && !slices.Contains([]string{"localhost", "tracker.test"}, strings.ToLower(foreign)) {
				t.Errorf("%s is ours", foreign)
			}
		}
	})
}

// TestPassedOnFromHere lets through what the proxies of development servers pass on for this machine.
func TestPassedOnFromHere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header http.Header
		name   string // that is refused
	}{
		{http.Header{}, ""},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::1", "127.0.0.1"}, "X-Forwarded-Host": {"localhost:3000"}, "X-Forwarded-Proto": {"http"}, "X-Real-Ip": {"127.0.0.1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::ffff:127.0.0.1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::ffff:127.0.0.1"}, "X-Forwarded-Port": {"5173"}, "X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"localhost:5173"}}, ""}, // Vite and webpack with xfwd
		{http.Header{"X-Forwarded-For": {"::1"}, "X-Forwarded-Server": {"localhost"}, "X-Forwarded-Host": {"[::1]:3000"}}, ""},
		{http.Header{"X-Forwarded-For": {"127.0.0.1:40312, [::1]:40313"}}, ""},
		{http.Header{"X-Request-Id": {"1"}, "Traceparent": {"00-1-2-01"}, "X-Requested-With": {"fetch"}, "X-Forward": {"1"}, "X-Ship": {"1"}}, ""},
		{http.Header{"X-Forwarded-For": {"::1%evil.example"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Server": {"proxy.example.com"}}, "X-Forwarded-Server"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Prefix": {"/api"}}, "X-Forwarded-Prefix"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Via": {"1.1 proxy"}}, "Via"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Cf-Connecting-Ip": {"127.0.0.1"}}, "Cf-Connecting-Ip"},
		{http.Header{"X-Forwarded-Port": {"5173"}, "X-Forwarded-Proto": {"http"}}, "X-Forwarded-Port"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1, 192.0.2.60"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Host": {"app.example.com"}}, "X-Forwarded-Host"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Real-Ip": {"192.0.2.60"}}, "X-Real-Ip"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Forwarded": {"for=127.0.0.1"}}, "Forwarded"},
		{http.Header{"X-Forwarded-Host": {"localhost"}}, "X-Forwarded-Host"},
		{http.Header{"X-Forwarded-For": {""}}, "X-Forwarded-For"},
	} {
		if got := passedOn(c.header); got != c.name {
			t.Errorf("%v: refused for %q, want %q", c.header, got, c.name)
		}
	}
}

// proxyHeaders are headers of proxies, balancers, content delivery networks and platforms, as their manuals name them.
var proxyHeaders = strings.Fields(`Via Forwarded-For X-Forwarded X-Forwarded-By X-Forwarded-Port X-Forwarded-Server X-Forwarded-Scheme X-Forwarded-Ssl X-Forwarded-Prefix X-Forwarded-Uri
	X-Forwarded-Client-Cert X-Forwarded-User X-Original-Forwarded-For X-Original-Host X-Original-URL X-Originating-IP X-Client-IP Client-IP X-Cluster-Client-IP X-Remote-IP X-ProxyUser-Ip
	WL-Proxy-Client-IP Proxy-Client-IP True-Client-IP Akamai-Origin-Hop CF-Connecting-IP CF-Connecting-IPv6 CF-Ray CF-IPCountry CDN-Loop Fastly-Client-IP Fastly-FF Fly-Client-IP
	Fly-Forwarded-Port Incap-Client-IP X-Sucuri-ClientIP X-Azure-ClientIP X-Azure-SocketIP X-Azure-FDID X-ARR-LOG-ID X-Amzn-Trace-Id X-Amz-Cf-Id X-Appengine-User-IP
	X-Appengine-Country X-Cloud-Trace-Context X-Vercel-Id X-Vercel-Forwarded-For X-NF-Client-Connection-IP DO-Connecting-IP X-Envoy-External-Address
	X-Envoy-Expected-Rq-Timeout-Ms X-Scheme X-Real-Port X-Varnish Surrogate-Capability Tailscale-User-Login Ali-CDN-Real-IP`)

// TestPassedOn: what a proxy passes on is refused where nobody signs in, and only there.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	headers := []string{"Forwarded: for=192.0.2.60;proto=http;by=203.0.113.43", "X-Forwarded-For: 192.0.2.60", "X-Forwarded-For: 127.0.0.1, 192.0.2.60", "x-forwarded-host: localhost",
		"X-Forwarded-Proto: https", "X-Real-IP: 192.0.2.60", "X-Forwarded-For: "}
	for _, name := range proxyHeaders {
		headers = append(headers, name+": 192.0.2.60")
	}
	i := newIssuer(t)
	for refused, flags := range map[bool][]string{true: nil, false: i.flags()} {
		url := start(t, append(serveArgs(t.TempDir(), "--no-sample"), flags...)).serving()
		for _, header := range append(headers, "X-Request-Id: 1") {
			name, value, _ := strings.Cut(header, ": ")
			for _, path := range []string{"/graphql?query={__typename}", "/", "/playground", "/livez"} {
				status, _, body := asked{http.MethodGet, path, "", map[string]string{name: value, "Authorization": "Bearer " + i.token("reader", "acme")}}.send(t, url)
				want := http.StatusOK
				if refused && name != "X-Request-Id" {
					want = http.StatusForbidden
				}
				if status != want || status == http.StatusForbidden && !bytes.Contains(body, []byte("--auth-jwks")) {
					t.Errorf("%s, %s: status %d, want %d: %.200s", header, path, status, want, body)
				}
			}
		}
	}
}
