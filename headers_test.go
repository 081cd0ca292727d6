package main

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestHeaders looks at every kind of answer: of the API and its refusals, pages, redirects, preflights, and what is not there.
func TestHeaders(t *testing.T) {
	t.Parallel()
	g, url := site(t, []string{"https://app.example.com"}, nil)
	strict := "default-src 'none'; frame-ancestors 'none'"
	check := func(status int, method, path string, headers ...string) {
		t.Helper()
		r, _ := do(t, method, url+path, headers...)
		if r.StatusCode != status {
			t.Errorf("%s %s: %s, want %d", method, path, r.Status, status)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Content-Security-Policy": strict,
			"Server": "", "X-Powered-By": "", "Set-Cookie": ""} {
			if got := strings.Join(r.Header.Values(name), " & "); got != want && (name != "Content-Security-Policy" || path != "/playground") {
				t.Errorf("%s %s: %s: %q, want %q", method, path, name, got, want)
			}
		}
	}
	check(http.StatusServiceUnavailable, "POST", "/graphql")
	g.open(api)
	check(http.StatusOK, "POST", "/graphql")
	check(http.StatusOK, "GET", "/graphql?query=x", "Accept-Encoding: gzip")
	check(http.StatusForbidden, "GET", "/graphql?query=x", "Sec-Fetch-Site: cross-site")
	check(http.StatusNoContent, "OPTIONS", "/graphql", "Origin: https://app.example.com", "Access-Control-Request-Method: POST")
	check(http.StatusNoContent, "OPTIONS", "/graphql", "Origin: https://evil.example", "Access-Control-Request-Method: POST")
	check(http.StatusOK, "GET", "/livez")
	check(http.StatusOK, "HEAD", "/readyz")
	check(http.StatusOK, "GET", "/playground")
	check(http.StatusFound, "GET", "/")
	check(http.StatusNotFound, "GET", "/elsewhere")
	check(http.StatusMethodNotAllowed, "DELETE", "/livez")
}

// TestExposed reads by CORS what a page of another origin may read of an answer.
func TestExposed(t *testing.T) {
	t.Parallel()
	_, url := site(t, []string{"https://app.example.com"}, nil)
	r, _ := do(t, "POST", url+"/graphql", "Origin: https://app.example.com") // starting, with a header Retry-After
	exposed := r.Header.Get("Access-Control-Expose-Headers")
	if want := "Retry-After, Www-Authenticate, X-Request-Id, Ratelimit-Limit, Ratelimit-Remaining, Ratelimit-Reset"; exposed != want || r.Header.Get("Retry-After") == "" {
		t.Errorf("exposed %q, want %q; %v", exposed, want, r.Header)
	}
	if r, _ = do(t, "POST", url+"/graphql", "Origin: https://evil.example"); r.Header.Get("Access-Control-Expose-Headers") != "" {
		t.Errorf("a page that is not allowed: %v", r.Header)
	}
}

// TestPlaygroundPolicy compares the policy of the playground with what its page has.
func TestPlaygroundPolicy(t *testing.T) {
	t.Parallel()
	_, url := site(t, nil, nil)
	r, page := do(t, "GET", url+"/playground")
	directives := map[string][]string{}
	for directive := range strings.SplitSeq(r.Header.Get("Content-Security-Policy"), "; ") {
		name, values, _ := strings.Cut(directive, " ")
		directives[name] = strings.Split(values, " ")
	}
	if scripts := directives["script-src"]; len(scripts) != strings.Count(page, "<script") || len(scripts) != 4 {
		t.Errorf("scripts %q; the page has %d", scripts, strings.Count(page, "<script"))
	}
	if styles := directives["style-src"]; len(styles) != 2 || styles[0] != "'unsafe-inline'" {
		t.Errorf("styles %q", styles)
	}
	_, inline, _ := strings.Cut(page, "<script>")
	inline, _, _ = strings.Cut(inline, "</script>")
	digest, hashes := sha256.Sum256([]byte(inline)), 0
	for _, source := range append(directives["script-src"], directives["style-src"][1:]...) {
		switch {
		case source == "'sha256-"+base64.StdEncoding.EncodeToString(digest[:])+"'":
			hashes++
		case !regexp.MustCompile(`^https://cdn\.jsdelivr\.net/npm/[a-z-]+@[0-9.]+/[a-z./-]+\.(js|css)$`).MatchString(source) || strings.Count(page, `"`+source+`"`) != 1:
			t.Errorf("source %s", source)
		}
	}
	if hashes != 1 || strings.Count(page, "integrity=") != 4 {
		t.Errorf("%d scripts in the page itself and %d with integrity, want 1 and 4", hashes, strings.Count(page, "integrity="))
	}
	for name, want := range map[string]string{"default-src": "'none'", "connect-src": "'self'", "font-src": "data:", "img-src": "data:", "base-uri": "'none'",
		"form-action": "'none'", "frame-ancestors": "'none'"} {
		if got := strings.Join(directives[name], " "); got != want {
			t.Errorf("%s %q, want %q", name, got, want)
		}
	}
}
