package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
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
			s := httptest.NewServer(newRoutes(g, nil, loopbackHosts(listening, test.addr), true, func(context.Context) error { return nil }))
			t.Cleanup(s.Close)
			for refused, hosts := range map[bool][]string{false: test.ours, true: test.strange} {
				for _, host := range hosts {
					for _, path := range []string{"/graphql", "/playground", "/livez", "/"} {
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
