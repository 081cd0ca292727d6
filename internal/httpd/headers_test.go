package httpd

import (
	"net/http"
	"strings"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/web"
)

// TestHeaders checks the headers of all kinds of responses: of the API, rejections, pages, redirects,
// preflight requests, and paths that do not exist.
func TestHeaders(t *testing.T) {
	t.Parallel()
	g, url := site(t, []string{"https://app.example.com"}, nil)
	strict, fresh := "default-src 'none'; frame-ancestors 'none'", "no-store"
	check := func(status int, method, path string, headers ...string) {
		t.Helper()
		r, _ := harness.Do(t, method, url+path, headers...)
		if r.StatusCode != status {
			t.Errorf("%s %s: %s, want %d", method, path, r.Status, status)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": fresh,
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
			"Content-Security-Policy": strict,
			"Server":                  "", "X-Powered-By": "", "Set-Cookie": ""} {
			if got := strings.Join(r.Header.Values(name), " & "); got != want {
				t.Errorf("%s %s: %s: %q, want %q", method, path, name, got, want)
			}
		}
	}
	check(http.StatusServiceUnavailable, "POST", "/graphql")
	g.open(api)
	check(http.StatusOK, "POST", "/graphql")
	check(http.StatusOK, "GET", "/graphql?query=x", "Accept-Encoding: gzip")
	check(http.StatusForbidden, "GET", "/graphql?query=x", "Sec-Fetch-Site: cross-site")
	check(http.StatusOK, "GET", "/exports?projectId=x")
	check(http.StatusForbidden, "GET", "/exports?projectId=x", "Sec-Fetch-Site: cross-site")
	check(http.StatusForbidden, "GET", "/exports?projectId=x", firefox)
	check(http.StatusNoContent, "OPTIONS", "/graphql", "Origin: https://app.example.com",
		"Access-Control-Request-Method: POST")
	check(http.StatusNoContent, "OPTIONS", "/graphql", "Origin: https://evil.example",
		"Access-Control-Request-Method: POST")
	check(http.StatusOK, "GET", "/livez")
	check(http.StatusOK, "HEAD", "/readyz")
	check(http.StatusNotFound, "GET", "/elsewhere")
	check(http.StatusNotFound, "GET", web.Assets+"of-another-version.js")
	check(http.StatusMethodNotAllowed, "DELETE", "/livez")
	check(http.StatusMethodNotAllowed, "POST", "/")
	check(http.StatusMethodNotAllowed, "POST", "/playground")

	// Browsers may store the pages and their files, but must revalidate them. The policies of the pages are
	// their own.
	fresh = "no-cache"
	check(http.StatusOK, "GET", web.Favicon)
	check(http.StatusOK, "HEAD", web.Licenses, "Accept-Encoding: gzip")
	for _, page := range []string{"/", "/playground"} {
		r, _ := harness.Do(t, "GET", url+page)
		if strict = r.Header.Get("Content-Security-Policy"); !strings.HasPrefix(strict,
			"default-src 'none'; script-src 'self'; ") || !strings.HasSuffix(strict,
			"; frame-ancestors 'none'") {
			t.Errorf("%s: Content-Security-Policy: %q", page, strict)
		}
		check(http.StatusOK, "GET", page)
		check(http.StatusOK, "HEAD", page, "Accept-Encoding: gzip")
		check(http.StatusNotModified, "GET", page, "If-None-Match: "+r.Header.Get("ETag"))
	}
}

// TestExposed checks which headers a page of another origin may read.
func TestExposed(t *testing.T) {
	t.Parallel()
	_, url := site(t, []string{"https://app.example.com"}, nil)
	// the server is starting, so the response has Retry-After
	r, _ := harness.Do(t, "POST", url+"/graphql", "Origin: https://app.example.com")
	exposed := r.Header.Get("Access-Control-Expose-Headers")
	if want := "Retry-After, Www-Authenticate, X-Request-Id, Ratelimit-Limit, Ratelimit-Remaining, " +
		"Ratelimit-Reset"; exposed != want || r.Header.Get("Retry-After") == "" {
		t.Errorf("exposed %q, want %q; %v", exposed, want, r.Header)
	}
	if r, _ = harness.Do(t, "POST", url+"/graphql",
		"Origin: https://evil.example"); r.Header.Get("Access-Control-Expose-Headers") != "" {
		t.Errorf("a page that is not allowed: %v", r.Header)
	}
}
