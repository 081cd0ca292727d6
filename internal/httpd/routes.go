package httpd

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"issuegrid/internal/telemetry"
	"issuegrid/web"
)

const (
	// maxHeader is the maximum size of a request's headers in bytes, including the URL, which contains the
	// query of a GET request.
	maxHeader = 64 << 10
)

// APIPath is the path of the GraphQL API.
const APIPath = "/graphql"

// OtherPaths are all other paths of the server.
var OtherPaths = []string{"/", ExportPath, ImportsPath, ImportsPath + "/", "/playground", "/livez", "/readyz",
	web.Assets, web.Favicon, web.Licenses, web.Operations}

// NewServer returns an HTTP server with a limit for every wait, so that slow clients cannot accumulate.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // graph/guard sets another one for the body of an API request
		WriteTimeout:      writeTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
	}
}

// newRoutes returns the handler of all paths. A nil hosts accepts all host names, and a nil anon sets no
// limits. CORS comes before every handler that may reject a request, so that pages can read the reason. ready
// is called only while the gate is open.
func newRoutes(g *gate, origins []string, hosts func(string) bool, anon *anonymous, pages Pages,
	ready func(context.Context) error) http.Handler {
	allowed, table := allowOrigins(origins), &readiness{ask: ready, now: time.Now}
	mux := http.NewServeMux()
	mux.Handle(APIPath, refuseCrossOrigin(allowed, g))
	for _, path := range []string{ExportPath, ImportsPath, ImportsPath + "/"} {
		mux.Handle(path, refuseCrossOrigin(allowed, g))
	}
	pages.route(mux)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) {
		health(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if p := g.current(); p != serving {
			telemetry.From(r.Context()).SetExpected()
			health(w, http.StatusServiceUnavailable, p.String())
			return
		}
		if table.check() != nil {
			health(w, http.StatusServiceUnavailable, "the table does not respond")
			return
		}
		health(w, http.StatusOK, "ok")
	})
	return secured(allowed.Handler(refuseRemote(hosts, anon.admit(mux))))
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
