package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"issuegrid/tracker"
)

// passedOn are headers by which a proxy tells for whom, or to which name, it passes a request on.
var passedOn = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

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
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(hostname(r.Host)) {
			refuse(w, http.StatusForbidden, tracker.Forbidden, "this server answers to localhost, as it is for this machine only; the request was sent to another name")
			return
		}
		if name := strangerIn(r.Header); name != "" {
			refuse(w, http.StatusForbidden, tracker.Forbidden, "a proxy has passed this request on ("+name+"), and nobody has to sign in here, as this server is for "+
				"this machine only: set --auth-jwks or --auth-secret-file; or, for a proxy of a development server, have it add no such header")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// strangerIn is the header by which a proxy tells that it passes something on, unless it is for this machine, as X-Forwarded-For tells, which the others
// then do not contradict: so do the proxies of some development servers.
func strangerIn(h http.Header) string {
	here := h["X-Forwarded-For"] != nil && h["Forwarded"] == nil
	for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		for _, value := range h[name] {
			for one := range strings.SplitSeq(value, ",") {
				here = here && loopbackHost(hostname(strings.TrimSpace(one)))
			}
		}
	}
	for _, name := range passedOn {
		if h[name] != nil && !here {
			return name
		}
	}
	return ""
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
