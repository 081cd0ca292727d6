//go:build unix

package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
				"localhost:8080:evil.example", "evil.example@localhost", "localhost.", "1.0.0.127", "[::2]:8080", "2130706433"}},
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
			s := httptest.NewServer(newRoutes(g, nil, loopbackHosts(listening, test.addr), pageFlags{Grid: true, Playground: true}, func(context.Context) error { return nil }))
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
		{http.Header{"X-Forwarded-For": {"127.0.0.1, 192.0.2.60"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Forwarded-Host": {"app.example.com"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "X-Real-Ip": {"192.0.2.60"}}, "X-Forwarded-For"},
		{http.Header{"X-Forwarded-For": {"127.0.0.1"}, "Forwarded": {"for=127.0.0.1"}}, "Forwarded"},
		{http.Header{"X-Forwarded-Host": {"localhost"}}, "X-Forwarded-Host"},
		{http.Header{"X-Forwarded-For": {""}}, "X-Forwarded-For"},
	} {
		if got := strangerIn(c.header); got != c.name {
			t.Errorf("%v: refused for %q, want %q", c.header, got, c.name)
		}
	}
}

// TestPassedOn: what a proxy passes on is refused where nobody signs in, and only there.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	headers := []string{"Forwarded: for=192.0.2.60;proto=http;by=203.0.113.43", "X-Forwarded-For: 192.0.2.60", "X-Forwarded-For: 127.0.0.1, 192.0.2.60", "x-forwarded-host: localhost",
		"X-Forwarded-Proto: https", "X-Real-IP: 192.0.2.60", "X-Forwarded-For: "}
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
