package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"issuegrid/internal/refusal"
	"issuegrid/tracker"
)

// refuseRemote rejects, with status 403, requests that do not come from this machine: those for a host name
// that ours does not accept, and those that a proxy has forwarded. A nil ours accepts all requests.
//
// It protects a server that trusts all callers because only this machine can reach it. Web pages reach this
// machine, too: an attacker can make the host name of a page resolve to 127.0.0.1 (DNS rebinding). To the
// browser, the page then has the same origin as this server, and may read and change everything. The Host
// header, which the page cannot change, reveals it. A server that requires tokens does not need this: a page
// of another origin has no token. Behind a proxy, such a server often does not know its own host name.
//
// A reverse proxy on this machine would make everyone on the network an operator, and many proxies send
// localhost as Host. Most add headers that show that they forward requests. A proxy that adds none cannot be
// distinguished from a browser, and most proxies of front-end development servers add none.
func refuseRemote(ours func(host string) bool, next http.Handler) http.Handler {
	if ours == nil {
		return next
	}
	return RefuseHosts(ours, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := proxyHeader(r.Header); name != "" {
			refusal.WriteError(w, &tracker.Error{Code: tracker.Forbidden,
				Message: "a proxy has forwarded this request (" + name +
					"), but this server requires no token and serves only this machine: set --auth-jwks or " +
					"--auth-secret-file or, for the proxy of a development server, configure it to add no " +
					"such header"})
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// RefuseHosts rejects, with status 403, requests for a host name that ours does not accept. A nil ours
// accepts all.
func RefuseHosts(ours func(host string) bool, next http.Handler) http.Handler {
	if ours == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(r.Host) {
			refusal.WriteError(w, &tracker.Error{Code: tracker.Forbidden, Message: "this server serves " +
				"only this machine, as localhost; the request was sent to another host name"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// LoopbackHosts returns a function that reports whether a Host header names a server on a loopback address:
// localhost, a loopback address, or the host of addr, each with any port because ports may be forwarded. It
// returns nil if the server does not listen on a loopback address.
func LoopbackHosts(listening net.Addr, addr string) func(header string) bool {
	if a, ok := listening.(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return nil
	}
	given, _, _ := net.SplitHostPort(addr) // addr is valid, because the server listens on it
	return func(header string) bool {
		host, ip, ok := parseHost(header)
		return ok && (ip.IsLoopback() || host == "localhost" || host != "" && strings.EqualFold(host, given))
	}
}

// parseHost parses a Host header: a name, an IPv4 address, or an IPv6 address in brackets, and an optional
// numeric port. It returns the host as an address, or else as a name in lower case. Any other form is not ok.
// That includes addresses with a zone, which browsers do not send.
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
