package httpd

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/test/harness"
)

// noExceptions makes every address count as a client, including the loopback addresses of tests.
func noExceptions(netip.Addr) bool { return false }

// allFree waits until no slot is taken.
func allFree(t *testing.T, p *slots) {
	t.Helper()
	harness.Eventually(t, "no slot for "+p.of+" is taken", func() bool {
		taken, clients := p.load()
		return taken == 0 && clients == 0
	})
}

// networks parses the networks of proxies.
func networks(texts ...string) (p Proxies) {
	for _, text := range texts {
		p = append(p, netip.MustParsePrefix(text))
	}
	return p
}

// TestClientAddress checks which address counts as the client's, by peer and headers.
func TestClientAddress(t *testing.T) {
	t.Parallel()
	trusted := networks("10.0.0.0/8", "2001:db8:1::/48")
	const proxy = "10.0.0.1:4711"
	for _, c := range []struct {
		name, peer string
		header     http.Header
		want       string
	}{
		{"a client", "192.0.2.1:1", nil, "192.0.2.1"},
		{"a client that sends the headers itself", "192.0.2.1:1",
			http.Header{"X-Forwarded-For": {"203.0.113.9"}, "Forwarded": {"for=203.0.113.9"}}, "192.0.2.1"},
		{"IPv6", "[2001:db8::7]:1", nil, "2001:db8::7"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1", nil, "192.0.2.1"},
		{"a proxy without headers", proxy, nil, "10.0.0.1"},
		{"a proxy", proxy, http.Header{"X-Forwarded-For": {"192.0.2.1"}}, "192.0.2.1"},
		{"IPv6 by a proxy", "[2001:db8:1::1]:1", http.Header{"X-Forwarded-For": {"2001:db8::7"}},
			"2001:db8::7"},
		{"with a port", proxy, http.Header{"X-Forwarded-For": {"192.0.2.1:1234"}}, "192.0.2.1"},
		{"IPv6 with a port", proxy, http.Header{"X-Forwarded-For": {"[2001:db8::7]:1234"}}, "2001:db8::7"},
		{"addresses that the client has sent", proxy,
			http.Header{"X-Forwarded-For": {"203.0.113.9, 198.51.100.2,192.0.2.1"}}, "192.0.2.1"},
		{"several lines", proxy, http.Header{"X-Forwarded-For": {"203.0.113.9", "192.0.2.1"}}, "192.0.2.1"},
		{"two proxies", proxy, http.Header{"X-Forwarded-For": {"203.0.113.9, 192.0.2.1, 10.9.9.9"}},
			"192.0.2.1"},
		{"a client that names a proxy", proxy, http.Header{"X-Forwarded-For": {"10.7.7.7, 192.0.2.1"}},
			"192.0.2.1"},
		{"only proxies", proxy, http.Header{"X-Forwarded-For": {"10.2.2.2, 10.3.3.3"}}, "10.2.2.2"},
		{"unreadable", proxy, http.Header{"X-Forwarded-For": {"192.0.2.1, unknown"}}, "10.0.0.1"},
		{"unreadable before a proxy", proxy, http.Header{"X-Forwarded-For": {"192.0.2.1, ?, 10.3.3.3"}},
			"10.3.3.3"},
		{"a zone", proxy, http.Header{"X-Forwarded-For": {"fe80::1%eth0"}}, "10.0.0.1"},
		{"empty", proxy, http.Header{"X-Forwarded-For": {""}}, "10.0.0.1"},
		{"Forwarded", proxy, http.Header{
			"Forwarded": {`for=203.0.113.9, For="192.0.2.1:80";proto=http;by=10.0.0.1`}}, "192.0.2.1"},
		{"Forwarded, IPv6", proxy, http.Header{"Forwarded": {`proto=https; for="[2001:db8::7]:80"`}},
			"2001:db8::7"},
		{"Forwarded, hidden", proxy, http.Header{"Forwarded": {"for=192.0.2.1, for=_hidden"}}, "10.0.0.1"},
		{"Forwarded, an open quote of the client's", proxy,
			http.Header{"Forwarded": {`for="203.0.113.9, for=192.0.2.1`}}, "192.0.2.1"},
		{"both, the same", proxy, http.Header{"X-Forwarded-For": {"192.0.2.1"},
			"Forwarded": {"for=192.0.2.1"}}, "192.0.2.1"},
		{"both, one of them the client's", proxy,
			http.Header{"X-Forwarded-For": {"192.0.2.1"}, "Forwarded": {"for=203.0.113.9"}}, "10.0.0.1"},
		{"many proxies", proxy, http.Header{"X-Forwarded-For": {"192.0.2.1" +
			strings.Repeat(",10.3.3.3", 7000)}}, "10.3.3.3"},
	} {
		if got := trusted.client(&http.Request{RemoteAddr: c.peer, Header: c.header}); got.String() !=
			c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSlotsOfClients enters and leaves in random order. It checks that no client exceeds its share, that all
// together do not exceed the total, that every other client may enter, and that no slot remains taken.
func TestSlotsOfClients(t *testing.T) {
	t.Parallel()
	local := netip.MustParseAddr("127.0.0.1")
	groups := [][]string{{"192.0.2.1", "192.0.2.1"}, {"192.0.2.2"}, {"192.0.2.3"},
		{"2001:db8::1", "2001:db8::ffff:2", "2001:db8::3"}, {"2001:db8:0:1::1"}, {"fe80::1%a", "fe80::1%b"},
		{"127.0.0.1"}}
	rapid.Check(t, func(t *rapid.T) {
		p := newSlots("a test", rapid.IntRange(1, 60).Draw(t, "total"), func(a netip.Addr) bool {
			return a == local
		})
		has, all := make([]int, len(groups)), 0
		var leaves []func()
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			if len(leaves) > 0 && rapid.IntRange(0, 3).Draw(t, "step") == 0 {
				n := rapid.IntRange(0, len(leaves)-1).Draw(t, "which")
				leaves[n]()
				leaves[n]() // the second call does nothing
				leaves = append(leaves[:n], leaves[n+1:]...)
				continue
			}
			n := rapid.IntRange(0, len(groups)-1).Draw(t, "client")
			a := netip.MustParseAddr(rapid.SampledFrom(groups[n]).Draw(t, "address"))
			var want error
			switch {
			case a != local && has[n] >= p.share:
				want = errShare
			case all >= p.total:
				want = errFull
			}
			leave, err := p.enter(a)
			if err != want {
				t.Fatalf("%s with %d of %d, all %d of %d: %v, want %v", a, has[n], p.share, all, p.total, err,
					want)
			}
			if err == nil {
				has[n], all = has[n]+1, all+1
				first := true
				leaves = append(leaves, func() {
					if leave(); first {
						first, has[n], all = false, has[n]-1, all-1
					}
				})
			}
			if taken, _ := p.load(); taken != all {
				t.Fatalf("%d are taken, want %d", taken, all)
			}
		}
		for _, leave := range leaves {
			leave()
		}
		if taken, clients := p.load(); taken != 0 || clients != 0 {
			t.Errorf("%d slots of %d clients are still taken", taken, clients)
		}
	})
}
