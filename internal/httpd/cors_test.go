package httpd

import (
	"net/http"
	"slices"
	"testing"

	"issuegrid/test/harness"
)

// TestCORS sends, over real HTTP, what browsers send: a preflight request for a query with X-Show-Cost, and
// the query itself.
func TestCORS(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		origins          []string // of --cors-origin
		allowed, refused []string
	}{
		{"this machine", nil,
			[]string{"http://localhost", "http://localhost:3000", "https://localhost:8443",
				"http://127.0.0.1:5173", "http://[::1]:8080"},
			[]string{"http://localhost:1.evil.example", "http://localhost.evil.example",
				"http://localhost:3000.evil.example", "http://localhost@evil.example",
				"http://evil.example", "http://localhost:3000/", "http://127.0.0.1.evil.example",
				"http://127.0.0.11:1x", "null", "file://localhost", "localhost:3000"}},
		{"one origin", []string{"https://app.example.com"},
			[]string{"https://app.example.com"},
			[]string{"http://app.example.com", "https://app.example.com:8443",
				"https://evil.example/https://app.example.com", "https://app.example.com.evil.example",
				"http://localhost:3000"}},
		{"several", []string{"https://app.example.com", "http://b.example", "capacitor://localhost"},
			[]string{"https://app.example.com", "http://b.example", "capacitor://localhost"},
			[]string{"https://b.example", "http://localhost"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			g, url := site(t, test.origins, nil)
			ask := func(origin string) (allowed string) {
				preflight, _ := harness.Do(t, "OPTIONS", url+"/graphql", "Origin: "+origin,
					"Access-Control-Request-Method: POST",
					"Access-Control-Request-Headers: content-type,x-show-cost")
				real, _ := harness.Do(t, "POST", url+"/graphql", "Origin: "+origin)
				allowed = preflight.Header.Get("Access-Control-Allow-Origin")
				if got := real.Header.Get("Access-Control-Allow-Origin"); got != allowed {
					t.Errorf("%s: the preflight allows %q and the request %q", origin, allowed, got)
				}
				if !slices.Contains(real.Header.Values("Vary"), "Origin") {
					t.Errorf("%s: the response does not vary by origin: %v", origin, real.Header)
				}
				for _, r := range []*http.Response{preflight, real} {
					if r.Header.Get("Access-Control-Allow-Credentials") != "" {
						t.Errorf("%s: credentials are allowed", origin)
					}
				}
				if allowed != "" && (preflight.StatusCode != http.StatusNoContent ||
					preflight.Header.Get("Access-Control-Allow-Methods") != "POST" ||
					preflight.Header.Get("Access-Control-Allow-Headers") != "content-type,x-show-cost" ||
					preflight.Header.Get("Access-Control-Max-Age") == "") {
					t.Errorf("%s: preflight %s %v", origin, preflight.Status, preflight.Header)
				}
				return allowed
			}
			// pages must be able to read that the server is starting
			for _, phase := range []string{"starting", "serving"} {
				for _, origin := range test.allowed {
					if got := ask(origin); got != origin {
						t.Errorf("%s: %s is refused: %q", phase, origin, got)
					}
				}
				for _, origin := range test.refused {
					if got := ask(origin); got != "" {
						t.Errorf("%s: %s is allowed: %q", phase, origin, got)
					}
				}
				g.open(api)
			}
		})
	}
}

// TestCORSForAll checks that --cors-origin '*' allows all origins, without credentials.
func TestCORSForAll(t *testing.T) {
	t.Parallel()
	_, url := site(t, []string{"*"}, nil)
	r, _ := harness.Do(t, "POST", url+"/graphql", "Origin: https://any.example")
	if r.Header.Get("Access-Control-Allow-Origin") != "*" ||
		r.Header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%v", r.Header)
	}
}
