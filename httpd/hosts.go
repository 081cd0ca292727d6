package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// refuseStrangers refuses with 403 what does not come from this machine to a server that trusts everyone who reaches it: what was sent to a host that
// the server does not go by (nil are all hosts, of a server that trusts nobody), and what a proxy has passed on.
//
// It is for a server that trusts everyone who reaches it, because only this machine does. A web page reaches this machine too: its author lets the
// name from which it came resolve to 127.0.0.1 (DNS rebinding), and then it is, for the browser, a page of this very server, which may read and
// change everything. What gives it away is the name in the header Host, which the page can't alter. A server that asks who one is needs none
// of this: a page under a foreign name has no token. And its name is often not known to it, behind a proxy.
//
// A reverse proxy on this machine would let the whole network be operator, and many send the name localhost. Most tell in headers that they pass
// something on. One that tells nothing can't be known from a browser; most proxies for front-end developers are of those.
func refuseStrangers(ours func(host string) bool, next http.Handler) http.Handler {
	if ours == nil {
		return next
	}
	return RefuseHosts(ours, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := passedOn(r.Header); name != "" {
			refuse(w, http.StatusForbidden, tracker.Forbidden, "a proxy has passed this request on ("+name+"), and nobody has to sign in here, as this server is for "+
				"this machine only: set --auth-jwks or --auth-secret-file; or, for a proxy of a development server, have it add no such header")
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// RefuseHosts refuses with 403 what was sent to a host that is not ours; nil are all hosts.
func RefuseHosts(ours func(host string) bool, next http.Handler) http.Handler {
	if ours == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(r.Host) {
			refuse(w, http.StatusForbidden, tracker.Forbidden, "this server answers to localhost, as it is for this machine only; the request was sent to another name")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// LoopbackHosts reports of a header Host whether it names a server on a loopback address: localhost, a loopback address, or the host of its --addr, each
// with any port, as ports are forwarded. For a server on another address it is nil.
func LoopbackHosts(listening net.Addr, addr string) func(header string) bool {
	if a, ok := listening.(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return nil
	}
	given, _, _ := net.SplitHostPort(addr) // it was listened on
	return func(header string) bool {
		host, ip, ok := parseHost(header)
		return ok && (ip.IsLoopback() || host == "localhost" || host != "" && strings.EqualFold(host, given))
	}
}

// parseHost reads a header Host: a name, an IPv4 address, or an IPv6 address in brackets, and optionally a port of digits. The host is returned in lower
// case, or as an address if it is one. Anything else is not ok, an address with a zone among it: no browser sends it, so that nothing depends on how the
// rest of it is read.
func parseHost(header string) (host string, ip netip.Addr, ok bool) {
	host = header
	end := strings.LastIndexByte(header, ']') + 1
	if at := strings.IndexByte(header[end:], ':'); at >= 0 {
		if _, err := strconv.ParseUint(header[end+at+1:], 10, 16); err != nil {
			return "", ip, false
		}
		host = header[:end+at]
	}
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		ip, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		return "", ip, err == nil && strings.HasSuffix(inner, "]") && ip.Is6() && ip.Zone() == ""
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return "", ip, true
	}
	return strings.ToLower(host), ip, !strings.ContainsAny(host, "[]")
}
