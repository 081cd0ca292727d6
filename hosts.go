package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"issuegrid/tracker"
)

// refuseStrangeHosts refuses with 403 what was sent to a host that the server does not go by; nil are all hosts.
//
// It is for a server that trusts everyone who reaches it, because only this machine does. A web page reaches this machine too: its author lets the
// name from which it came resolve to 127.0.0.1 (DNS rebinding), and then it is, for the browser, a page of this very server, which may read and
// change everything. What gives it away is the name in the header Host, which the page can't alter. A server that asks who one is needs none
// of this: a page under a foreign name has no token. And its name is often not known to it, behind a proxy.
func refuseStrangeHosts(ours func(host string) bool, next http.Handler) http.Handler {
	if ours == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(hostname(r.Host)) {
			refuse(w, http.StatusForbidden, tracker.Forbidden, "this server answers to localhost, as it is for this machine only; the request was sent to another name")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopbackHosts are the hosts that a server on a loopback address goes by: localhost, loopback addresses, and the one that its --addr has, each with
// any port, as ports are forwarded. For a server on another address it is nil.
func loopbackHosts(listening net.Addr, addr string) func(host string) bool {
	if a, ok := listening.(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return nil
	}
	given := hostname(addr)
	return func(host string) bool {
		if ip, err := netip.ParseAddr(host); err == nil {
			return ip.IsLoopback()
		}
		return host == "localhost" || host == given && host != ""
	}
}

// hostname is the host of HOST or HOST:PORT, in lower case and without brackets.
func hostname(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.ToLower(host)
}
