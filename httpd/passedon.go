package httpd

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// A header tells that a proxy has passed the request on when its name is one of proxyNames, or begins or ends as these say. Clients send none of them. A
// name that ends in IP is that of a client's address at nearly every proxy, whatever stands before it.
var (
	proxyNames = []string{"Forwarded", "Forwarded-For", "Via", "Cdn-Loop", "X-Scheme", "X-Cloud-Trace-Context", "X-Amzn-Trace-Id", "X-Varnish", "Surrogate-Capability",
		"Akamai-Origin-Hop"}
	proxyPrefixes = []string{"X-Forwarded", "X-Original-", "X-Real-", "X-Envoy-", "X-Amz-Cf-", "X-Appengine-", "X-Azure-", "X-Arr-", "X-Vercel-", "Cf-", "Fastly-", "Fly-", "Tailscale-"}
	proxySuffixes = []string{"-Ip", "-Clientip"}
)

// ofProxy reports whether a header, by its canonical name, is one that proxies add.
func ofProxy(name string) bool {
	begins := func(with string) bool { return strings.HasPrefix(name, with) }
	ends := func(with string) bool { return strings.HasSuffix(name, with) }
	return slices.Contains(proxyNames, name) || slices.ContainsFunc(proxyPrefixes, begins) || slices.ContainsFunc(proxySuffixes, ends)
}

// fromHere are the headers that the proxies of development servers add, with what each must have to show that the request is from this machine. These
// proxies add X-Forwarded-For with the others, so that the others count only beside it.
var fromHere = map[string]func(value string) bool{
	"X-Forwarded-For":    loopbackAddress,
	"X-Real-Ip":          loopbackAddress,
	"X-Forwarded-Host":   loopbackName,
	"X-Forwarded-Server": loopbackName,
	"X-Forwarded-Port":   func(port string) bool { _, err := strconv.ParseUint(port, 10, 16); return err == nil },
	"X-Forwarded-Proto":  func(scheme string) bool { return slices.Contains([]string{"http", "https", "ws", "wss"}, scheme) },
}

// passedOn returns the first header by name that shows that a proxy has passed the request on for another machine, or "" if there is none.
func passedOn(h http.Header) (first string) {
	for name, values := range h {
		if (first == "" || name < first) && ofProxy(name) && !(h["X-Forwarded-For"] != nil && isFromHere(name, values)) {
			first = name
		}
	}
	return first
}

func isFromHere(name string, values []string) bool {
	ok := fromHere[name]
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			if ok == nil || !ok(strings.TrimSpace(one)) {
				return false
			}
		}
	}
	return ok != nil
}

func loopbackAddress(text string) bool {
	a, ok := parseHop(text)
	return ok && a.IsLoopback()
}

func loopbackName(text string) bool {
	host, ip, ok := parseHost(text)
	return ok && (ip.IsLoopback() || host == "localhost")
}

// parseHop reads the address of a client as proxies write it: by itself or with a port, an IPv6 address with brackets or without. One with a zone is none.
func parseHop(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		_, a, _ = parseHost(text)
	}
	return a.Unmap(), a.IsValid() && a.Zone() == ""
}
