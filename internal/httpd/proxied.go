package httpd

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// proxyNames, proxyPrefixes and proxySuffixes match the headers that proxies add when they forward a request.
// Clients send none of them. Nearly every proxy sends the address of the client in a header whose name ends
// in IP.
var (
	proxyNames = []string{"Forwarded", "Forwarded-For", "Via", "Cdn-Loop", "X-Scheme",
		"X-Cloud-Trace-Context", "X-Amzn-Trace-Id", "X-Varnish", "Surrogate-Capability",
		"Akamai-Origin-Hop"}
	proxyPrefixes = []string{"X-Forwarded", "X-Original-", "X-Real-", "X-Envoy-", "X-Amz-Cf-", "X-Appengine-",
		"X-Azure-", "X-Arr-", "X-Vercel-", "Cf-", "Fastly-", "Fly-", "Tailscale-"}
	proxySuffixes = []string{"-Ip", "-Clientip"}
)

// ofProxy reports whether proxies add the header with the given canonical name.
func ofProxy(name string) bool {
	begins := func(with string) bool { return strings.HasPrefix(name, with) }
	ends := func(with string) bool { return strings.HasSuffix(name, with) }
	return slices.Contains(proxyNames, name) || slices.ContainsFunc(proxyPrefixes, begins) ||
		slices.ContainsFunc(proxySuffixes, ends)
}

// localHeaders are the headers that the proxies of development servers add, with a check that the request is
// from this machine. These proxies always add X-Forwarded-For, so the other headers count only together with
// it.
var localHeaders = map[string]func(value string) bool{
	"X-Forwarded-For":    loopbackAddress,
	"X-Real-Ip":          loopbackAddress,
	"X-Forwarded-Host":   loopbackName,
	"X-Forwarded-Server": loopbackName,
	"X-Forwarded-Port": func(port string) bool {
		_, err := strconv.ParseUint(port, 10, 16)
		return err == nil
	},
	"X-Forwarded-Proto": func(scheme string) bool {
		return slices.Contains([]string{"http", "https", "ws", "wss"}, scheme)
	},
}

// proxyHeader returns the alphabetically first header that shows that a proxy has forwarded the request for
// another machine, or "" if there is none.
func proxyHeader(h http.Header) (first string) {
	for name, values := range h {
		if (first == "" || name < first) && ofProxy(name) &&
			!(h["X-Forwarded-For"] != nil && isLocal(name, values)) {
			first = name
		}
	}
	return first
}

func isLocal(name string, values []string) bool {
	ok := localHeaders[name]
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

// parseHop parses the address of a client as proxies write it: with or without a port, and for IPv6 with or
// without brackets. An address with a zone is not valid.
func parseHop(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		_, a, _ = parseHost(text)
	}
	return a.Unmap(), a.IsValid() && a.Zone() == ""
}
