//go:build unix

package process

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// proxyHeaders are headers set by proxies, load balancers, content delivery networks and platforms, as named
// in their manuals.
var proxyHeaders = strings.Fields(
	`Via Forwarded-For X-Forwarded X-Forwarded-By X-Forwarded-Port X-Forwarded-Server X-Forwarded-Scheme X-Forwarded-Ssl X-Forwarded-Prefix X-Forwarded-Uri
	X-Forwarded-Client-Cert X-Forwarded-User X-Original-Forwarded-For X-Original-Host X-Original-URL X-Originating-IP X-Client-IP Client-IP X-Cluster-Client-IP X-Remote-IP X-ProxyUser-Ip
	WL-Proxy-Client-IP Proxy-Client-IP True-Client-IP Akamai-Origin-Hop CF-Connecting-IP CF-Connecting-IPv6 CF-Ray CF-IPCountry CDN-Loop Fastly-Client-IP Fastly-FF Fly-Client-IP
	Fly-Forwarded-Port Incap-Client-IP X-Sucuri-ClientIP X-Azure-ClientIP X-Azure-SocketIP X-Azure-FDID X-ARR-LOG-ID X-Amzn-Trace-Id X-Amz-Cf-Id X-Appengine-User-IP
	X-Appengine-Country X-Cloud-Trace-Context X-Vercel-Id X-Vercel-Forwarded-For X-NF-Client-Connection-IP DO-Connecting-IP X-Envoy-External-Address
	X-Envoy-Expected-Rq-Timeout-Ms X-Scheme X-Real-Port X-Varnish Surrogate-Capability Tailscale-User-Login Ali-CDN-Real-IP`)

// TestPassedOn checks that a server without sign-in, and only such a server, refuses requests that a proxy
// has forwarded.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	headers := []string{"Forwarded: for=192.0.2.60;proto=http;by=203.0.113.43", "X-Forwarded-For: 192.0.2.60",
		"X-Forwarded-For: 127.0.0.1, 192.0.2.60", "x-forwarded-host: localhost",
		"X-Forwarded-Proto: https", "X-Real-IP: 192.0.2.60", "X-Forwarded-For: "}
	for _, name := range proxyHeaders {
		headers = append(headers, name+": 192.0.2.60")
	}
	i := harness.NewIssuer(t)
	for refused, flags := range map[bool][]string{true: nil, false: i.Flags()} {
		url := harness.Start(t, append(harness.ServeArgs(t.TempDir(), "--no-sample"), flags...)).Serving()
		for _, header := range append(headers, "X-Request-Id: 1") {
			name, value, _ := strings.Cut(header, ": ")
			for _, path := range []string{"/graphql?query={__typename}", "/", "/playground", "/livez"} {
				status, _, body := asked{http.MethodGet, path, "",
					map[string]string{name: value, "Authorization": "Bearer " +
						i.Token("reader", "acme")}}.send(t, url)
				want := http.StatusOK
				if refused && name != "X-Request-Id" {
					want = http.StatusForbidden
				}
				if status != want || status == http.StatusForbidden &&
					!bytes.Contains(body, []byte("--auth-jwks")) {
					t.Errorf("%s, %s: status %d, want %d: %.200s", header, path, status, want, body)
				}
			}
		}
	}
}
