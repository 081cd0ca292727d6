package httpd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"issuegrid/test/harness"
	"issuegrid/tracker"
	"issuegrid/web"
)

// site serves the routes over real HTTP, with an API that responds with "api".
func site(t *testing.T, origins []string, ready error) (*gate, string) {
	t.Helper()
	g := newGate()
	s := httptest.NewUnstartedServer(nil)
	s.Config = NewServer(newRoutes(g, origins, nil, nil,
		Pages{Grid: true, Playground: true}, func(context.Context) error {
			return ready
		}))
	s.Start()
	t.Cleanup(s.Close)
	return g, s.URL
}

// isReady is the health check of a table that responds.
func isReady(context.Context) error { return nil }

// apiErrors are the errors of a response.
type apiErrors struct {
	Errors []struct {
		Message    string
		Extensions struct {
			Code     tracker.Code
			Argument string
		}
	}
}

// hasError reports whether a response has a status and one error with a code and a message.
func hasError(r *http.Response, text string, status int, code tracker.Code) bool {
	var body apiErrors
	err := json.Unmarshal([]byte(text), &body)
	return err == nil && r.StatusCode == status && len(body.Errors) == 1 && body.Errors[0].Message != "" &&
		body.Errors[0].Extensions.Code == code
}

var api = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "api") })

// TestRoutes checks the responses of all paths in all phases of the server.
func TestRoutes(t *testing.T) {
	t.Parallel()
	g, url := site(t, nil, nil)
	refusal := func(word string) string {
		return `{"errors":[{"message":"the server is ` + word +
			`; try again in a moment","extensions":{"code":"UNAVAILABLE"}}]}`
	}
	check := func(when string, pages map[string]string) {
		t.Helper()
		for page, want := range pages {
			method, path, _ := strings.Cut(page, " ")
			r, text := harness.Do(t, method, url+path)
			if got := fmt.Sprint(r.StatusCode, " ", text); got != want {
				t.Errorf("%s, %s: %q, want %q", when, page, got, want)
			}
		}
	}
	check("starting", map[string]string{
		"GET /livez": "200 ok\n", "HEAD /livez": "200 ", "GET /readyz": "503 starting\n",
		"POST /graphql": "503 " + refusal("starting"), "GET /exports": "503 " + refusal("starting")})
	g.open(api)
	check("serving", map[string]string{
		"GET /livez": "200 ok\n", "GET /readyz": "200 ok\n", "POST /graphql": "200 api",
		"GET /exports": "200 api", "GET /graphql?query=x": "200 api",
		"POST /readyz": "405 Method Not Allowed\n", "GET /elsewhere": "404 404 page not found\n",
		"GET /playground/": "404 404 page not found\n"})
	g.retire()
	check("retiring", map[string]string{"GET /livez": "200 ok\n", "GET /readyz": "503 draining\n",
		"POST /graphql": "200 api"})
	if r, _ := harness.Do(t, "POST", url+"/graphql"); !r.Close {
		t.Error("a retiring server keeps the connection open")
	}
	g.drain()
	check("draining", map[string]string{
		"GET /livez": "200 ok\n", "GET /readyz": "503 draining\n",
		"POST /graphql": "503 " + refusal("draining")})

	r, _ := harness.Do(t, "POST", url+"/graphql")
	if r.Header.Get("Content-Type") != "application/json; charset=utf-8" ||
		r.Header.Get("Retry-After") == "" {
		t.Errorf("a rejection has headers %v", r.Header)
	}
	r, _ = harness.Do(t, "GET", url+"/livez", "X-Long: "+strings.Repeat("x", 2*maxHeader))
	if r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("headers that are too large: %s", r.Status)
	}
}

// TestNotReady checks /readyz when the table does not respond.
func TestNotReady(t *testing.T) {
	t.Parallel()
	g, url := site(t, nil, errors.New("the engine is down"))
	g.open(api)
	r, text := harness.Do(t, "GET", url+"/readyz")
	if r.StatusCode != http.StatusServiceUnavailable || text != "the table does not respond\n" ||
		r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %q %v", r.Status, text, r.Header)
	}
}

// TestGate drains with a request inside, and twice.
func TestGate(t *testing.T) {
	t.Parallel()
	g := newGate()
	g.open(api)
	g.enter()
	inside, empty := g.drain()
	if _, again := g.drain(); inside != 1 || again != empty {
		t.Errorf("%d inside, want 1; draining twice gives another channel: %t", inside, again != empty)
	}
	if _, p := g.enter(); p != draining {
		t.Errorf("a draining gate lets a request in: %v", p)
	}
	select {
	case <-empty:
		t.Error("the gate is empty with a request inside")
	default:
	}
	g.leave()
	<-empty

	none := newGate()
	if inside, empty := none.drain(); inside != 0 {
		t.Errorf("%d inside a gate that was never open", inside)
	} else {
		<-empty
	}
}

// TestPages checks that only the selected pages are served. The responses themselves are tested in package
// web.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pages Pages
		want  map[string]string
	}{
		{Pages{Grid: true, Playground: true},
			map[string]string{"/": "issuegrid", "/playground": "issuegrid playground", web.Favicon: "200",
				web.Licenses: "200", web.Operations: "200"}},
		{Pages{Grid: true}, map[string]string{"/": "issuegrid", "/playground": "404", web.Favicon: "200",
			web.Licenses: "200", web.Operations: "200"}},
		{Pages{Playground: true}, map[string]string{"/": "302 /playground",
			"/playground": "issuegrid playground", web.Favicon: "200", web.Licenses: "200",
			web.Operations: "200"}},
		{Pages{}, map[string]string{"/": "404", "/playground": "404", web.Favicon: "404", web.Licenses: "404",
			web.Operations: "404"}},
	} {
		t.Run(fmt.Sprintf("%+v", test.pages), func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(newRoutes(newGate(), nil, nil, nil,
				test.pages, isReady))
			t.Cleanup(s.Close)
			for path, want := range test.want {
				r, text := harness.Do(t, "GET", s.URL+path)
				got := strings.TrimSpace(fmt.Sprint(r.StatusCode, " ", r.Header.Get("Location")))
				if title := titleOf.FindStringSubmatch(text); r.StatusCode == http.StatusOK && title != nil {
					got = title[1]
				}
				if got != want {
					t.Errorf("%s: %q, want %q", path, got, want)
				}
			}
			for _, path := range []string{web.Assets, web.Assets + "nothing.js",
				strings.TrimSuffix(web.Assets, "/"), "/index.html", "/playground.html", "/playground/"} {
				if r, text := harness.Do(t, "GET", s.URL+path); r.StatusCode != http.StatusNotFound ||
					strings.Contains(text, "<") {
					t.Errorf("%s: %s %q", path, r.Status, text)
				}
			}
		})
	}
}

var titleOf = regexp.MustCompile("<title>(.*)</title>")
