package httpd

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"issuegrid/tracker"
)

// Proxies are the networks of the proxies that are believed when they name the address for which they pass a
// request on.
type Proxies []netip.Prefix

// Has reports whether an address is that of a proxy.
func (p Proxies) Has(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the address whose share a request counts against: that of the peer or, where the peer is a
// proxy, the right-most address of X-Forwarded-For or Forwarded that is not a proxy's.
//
// Only what a proxy has written counts. Each appends the address of its own peer on the right, so that
// whatever stands to the left of the first address that is not a proxy's may be the client's invention. A
// proxy that writes one of the two headers may let the other through as the client has sent it: where both
// are there and differ, neither counts. The request is then the proxy's own, and so is one without a readable
// address.
func (p Proxies) client(r *http.Request) netip.Addr {
	peer, _ := parseHop(r.RemoteAddr)
	if !p.Has(peer) {
		return peer
	}
	xff, forwarded := r.Header["X-Forwarded-For"], r.Header["Forwarded"]
	client := p.walk(peer, xff, parseHop)
	if forwarded == nil {
		return client
	}
	if other := p.walk(peer, forwarded, parseForwarded); xff == nil || other == client {
		return other
	}
	return peer
}

// maxHops is how many proxies in a row are looked at.
const maxHops = 32

// walk goes through the lines of a header from the right until an address is not a proxy's. It returns the
// last one that it could read.
func (p Proxies) walk(last netip.Addr, lines []string, parse func(string) (netip.Addr, bool)) netip.Addr {
	rest := strings.Join(lines, ",")
	for range maxHops {
		comma := strings.LastIndexByte(rest, ',')
		a, ok := parse(strings.TrimSpace(rest[comma+1:]))
		if !ok {
			return last
		}
		if last = a; comma < 0 || !p.Has(a) {
			return last
		}
		rest = rest[:comma]
	}
	return last
}

// parseForwarded reads the address of one element of the header Forwarded (RFC 7239).
func parseForwarded(element string) (netip.Addr, bool) {
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if strings.EqualFold(name, "for") {
			return parseHop(strings.Trim(value, `"`))
		}
	}
	return netip.Addr{}, false
}

// leastShare is the share of a client where a quarter of the places would be fewer.
const leastShare = 8

// places are taken by clients, of which none may have more than a quarter.
//
// A client is an IPv4 address or an IPv6 network of 64 bits, because whoever has one address of such a
// network has all of them.
type places struct {
	of           string // what they are for, as the log calls it
	total, share int
	unshared     func(netip.Addr) bool // addresses that may have all places

	mu    sync.Mutex
	taken int
	by    map[netip.Addr]int
	warn  rate.Sometimes
}

func newPlaces(of string, total int, unshared func(netip.Addr) bool) *places {
	return &places{of: of, total: total, share: min(total, max(leastShare, total/4)), unshared: unshared,
		by: map[netip.Addr]int{}, warn: rate.Sometimes{Interval: time.Minute}}
}

var (
	errFull = &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
		Message: "the server is overloaded; try again in a moment"}
	errShare = &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
		Message: "too many requests from this address are under way; try again in a moment"}
)

// enter takes a place, which leave gives back; leave may be called more than once. It fails with errShare if
// the client has its share, and with errFull if no place is left.
func (p *places) enter(client netip.Addr) (leave func(), err error) {
	shared := !p.unshared(client)
	if client = client.WithZone(""); client.Is6() {
		network, _ := client.Prefix(64)
		client = network.Addr()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if shared && p.by[client] >= p.share {
		p.warn.Do(func() {
			slog.Warn("a client address has its whole share; a proxy must be named by --trusted-proxies",
				"of", p.of, "share", p.share)
		})
		return nil, errShare
	}
	if p.taken >= p.total {
		return nil, errFull
	}
	p.taken++
	p.by[client]++
	return sync.OnceFunc(func() { p.leave(client) }), nil
}

func (p *places) leave(client netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[client]--; p.by[client] == 0 {
		delete(p.by, client)
	}
}

// load returns how many places are taken, and by how many clients.
func (p *places) load() (taken, clients int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken, len(p.by)
}
