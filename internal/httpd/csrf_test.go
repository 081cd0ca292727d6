package httpd

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/tracker"
)

const (
	firefox  = "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	jsonBody = "Content-Type: application/json"
)

// isForbidden reports whether a response is a rejection with status 403 in GraphQL's form. It fails the test
// if the response is neither that nor the API's.
func isForbidden(t *testing.T, r *http.Response, text string) bool {
	t.Helper()
	if r.StatusCode == http.StatusOK && text == "api" {
		return false
	}
	if !hasError(r, text, http.StatusForbidden, tracker.Forbidden) || strings.Contains(text, "evil") {
		t.Errorf("%s %.300q", r.Status, text)
	}
	return true
}

// TestForeignPages sends what browsers send for pages of other origins, and what other clients send.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	serving := func(origins ...string) string {
		g, url := site(t, origins, nil)
		g.open(api)
		return url
	}
	url, all, machine := serving("https://app.example.com"), serving("*"), serving()
	own := "Origin: " + url
	for _, test := range []struct {
		name    string
		method  string
		url     string
		headers []string
		want    bool // whether the request is allowed
	}{
		{"curl", "GET", url, []string{"User-Agent: curl/8.5.0", "Accept: */*"}, true},
		{"curl, a mutation", "POST", url, []string{jsonBody}, true},
		{"no headers", "GET", url, []string{"User-Agent: "}, true},

		{"an image on another site", "GET", url,
			[]string{firefox, "Accept: image/avif,*/*", "Sec-Fetch-Site: cross-site",
				"Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"}, false},
		{"an image on the same site", "GET", url,
			[]string{firefox, "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"}, false},
		{"an image on another site, all origins allowed", "GET", all,
			[]string{firefox, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, false},
		{"a form on another site", "POST", url,
			[]string{firefox, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site",
				"Content-Type: text/plain"}, false},
		{"a form of a page without an origin", "POST", url,
			[]string{firefox, "Origin: null", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain"},
			false},
		{"fetch on another site", "GET", url,
			[]string{firefox, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site",
				"Sec-Fetch-Mode: cors"}, false},
		{"fetch on another site, with a token", "POST", url,
			[]string{firefox, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site", jsonBody,
				"Authorization: Bearer x"}, false},
		{"a browser from before 2023, on another site", "POST", url,
			[]string{firefox, "Origin: https://evil.example", jsonBody}, false},
		{"fetch on this machine, which is not allowed", "GET", url,
			[]string{firefox, "Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site"}, false},

		{"the page of an allowed origin", "POST", url,
			[]string{firefox, "Origin: https://app.example.com", "Sec-Fetch-Site: cross-site", jsonBody},
			true},
		{"any page, all origins allowed", "GET", all,
			[]string{firefox, "Origin: https://any.example", "Sec-Fetch-Site: cross-site"}, true},
		{"a page of this machine", "POST", machine,
			[]string{firefox, "Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site", jsonBody}, true},
		{"the playground", "POST", url, []string{firefox, own, "Sec-Fetch-Site: same-origin", jsonBody},
			true},
		{"the playground, by GET", "GET", url, []string{firefox, "Sec-Fetch-Site: same-origin"}, true},
		{"the playground in a browser from before 2023", "POST", url, []string{firefox, own, jsonBody}, true},
		{"a URL that the user types", "GET", url,
			[]string{firefox, "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-User: ?1"},
			true},

		{"a browser without Origin and Sec-Fetch-Site", "GET", url,
			[]string{firefox, "Accept: image/avif,*/*", "Referer: https://evil.example/"}, false},
		{"... with a content type of forms", "GET", url, []string{firefox, "Content-Type: text/plain"},
			false},
		{"... with an empty header", "GET", url, []string{firefox, "X-Requested-With: "}, false},
		{"... with headers that need no preflight", "GET", url,
			[]string{firefox, "Accept: application/json", "Accept-Language: evil", "Content-Language: evil",
				"Range: bytes=0-"}, false},
		{"... with JSON", "GET", url, []string{firefox, jsonBody}, true},
		{"... with a token", "GET", url, []string{firefox, "Authorization: Bearer x"}, true},
		{"... from Apollo", "GET", url, []string{firefox, "X-Apollo-Operation-Name: Grid"}, true},
		{"... with Apollo's header", "GET", url, []string{firefox, "apollo-require-preflight: true"}, true},
		{"... with the header of the specification's draft", "GET", url,
			[]string{firefox, "GraphQL-Require-Preflight: 1"}, true},
		{"... with the oldest header", "GET", url, []string{firefox, "X-Requested-With: XMLHttpRequest"},
			true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, text := harness.Do(t, test.method, test.url+"/graphql?query={__typename}", test.headers...)
			if refused := isForbidden(t, r, text); refused == test.want {
				t.Errorf("refused: %t; %s %.300s", refused, r.Status, text)
			}
		})
	}
}

// TestForeignPagesElsewhere checks that only the API is protected: links to the playground and health checks
// work from any origin.
func TestForeignPagesElsewhere(t *testing.T) {
	t.Parallel()
	_, url := site(t, nil, nil)
	for _, path := range []string{"/", "/playground", "/livez"} {
		if r, _ := harness.Do(t, "GET", url+path, firefox, "Sec-Fetch-Site: cross-site",
			"Sec-Fetch-Mode: navigate"); r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
}

// TestPreflight sends preflight requests for a token, and for the headers that show that there was a
// preflight request.
func TestPreflight(t *testing.T) {
	t.Parallel()
	_, url := site(t, []string{"https://app.example.com"}, nil)
	headers := strings.ToLower(strings.Join(
		slices.Sorted(slices.Values(append(slices.Clone(preflighted), "content-type", "x-show-cost"))), ","))
	for origin, want := range map[string]string{"https://app.example.com": headers,
		"https://evil.example": ""} {
		for _, method := range []string{"GET", "POST"} {
			r, text := harness.Do(t, "OPTIONS", url+"/graphql", firefox, "Origin: "+origin,
				"Sec-Fetch-Site: cross-site",
				"Access-Control-Request-Method: "+method, "Access-Control-Request-Headers: "+headers)
			if got := r.Header.Get("Access-Control-Allow-Headers"); got != want ||
				r.StatusCode != http.StatusNoContent || text != "" {
				t.Errorf("%s, %s: %s, allowed headers %q", origin, method, r.Status, got)
			}
			if allowed := r.Header.Get("Access-Control-Allow-Origin"); (allowed == origin) != (want != "") ||
				allowed != "" && allowed != origin {
				t.Errorf("%s, %s: allowed origin %q", origin, method, allowed)
			}
		}
		for _, method := range []string{"PUT", "PATCH"} { // DELETE cancels imports
			if r, _ := harness.Do(t, "OPTIONS", url+"/graphql", "Origin: "+origin,
				"Access-Control-Request-Method: "+method); r.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s is allowed", origin, method)
			}
		}
	}
}
