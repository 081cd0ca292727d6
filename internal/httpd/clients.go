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

// Proxies are the networks of trusted proxies, whose headers name the client of a request.
type Proxies []netip.Prefix

// Has reports whether a is the address of a trusted proxy.
func (p Proxies) Has(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the address of the client whose share a request counts against: the peer's or, if the peer
// is a trusted proxy, the right-most address of X-Forwarded-For or Forwarded that is not a trusted proxy's.
//
// Each proxy appends the address of its peer on the right, so the client may have made up everything to the
// left of the first address that is not a trusted proxy's. A proxy that writes one of the two headers may
// pass the other one on as the client sent it. So if both are present and differ, neither counts. Then, and
// if there is no readable address, the request counts for the proxy itself.
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

// maxHops is the most addresses of a header that are read.
const maxHops = 32

// walk reads the addresses of a header from the right until one is not a trusted proxy's. It returns the last
// address that it could read.
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

// parseForwarded parses the address of one element of a Forwarded header (RFC 7239).
func parseForwarded(element string) (netip.Addr, bool) {
	for pair := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if strings.EqualFold(name, "for") {
			return parseHop(strings.Trim(value, `"`))
		}
	}
	return netip.Addr{}, false
}

// leastShare is the least share of a client, even if a quarter of the slots is less.
const leastShare = 8

// slots are slots for clients, each of which gets at most a quarter of them.
//
// A client is an IPv4 address or an IPv6 network of 64 bits, because one host usually has all addresses of
// such a network.
type slots struct {
	of           string // what the slots are for, in log lines
	total, share int
	unshared     func(netip.Addr) bool // addresses without a share, which may take all slots

	mu    sync.Mutex
	taken int
	by    map[netip.Addr]int
	warn  rate.Sometimes
}

func newSlots(of string, total int, unshared func(netip.Addr) bool) *slots {
	return &slots{of: of, total: total, share: min(total, max(leastShare, total/4)), unshared: unshared,
		by: map[netip.Addr]int{}, warn: rate.Sometimes{Interval: time.Minute}}
}

var (
	errFull = &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
		Message: "the server is overloaded; try again in a moment"}
	errShare = &tracker.Error{Code: tracker.Unavailable, RetryAfter: time.Second,
		Message: "too many requests from this address are in progress; try again in a moment"}
)

// enter takes a slot; leave returns it, and may be called more than once. It fails with errShare if the
// client has its share, and with errFull if no slot is free.
func (p *slots) enter(client netip.Addr) (leave func(), err error) {
	shared := !p.unshared(client)
	if client = client.WithZone(""); client.Is6() {
		network, _ := client.Prefix(64)
		client = network.Addr()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if shared && p.by[client] >= p.share {
		p.warn.Do(func() {
			slog.Warn(
				"a client address has reached its share; if it is a proxy, name it in --trusted-proxies",
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

func (p *slots) leave(client netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.by[client]--; p.by[client] == 0 {
		delete(p.by, client)
	}
}

// load returns how many slots are taken, and by how many clients.
func (p *slots) load() (taken, clients int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken, len(p.by)
}
