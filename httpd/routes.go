package httpd

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"issuegrid/telemetry"
	"issuegrid/web"
)

const (
	// maxHeader is the most bytes of a request's headers, its URL included: a query sent by GET is in the URL.
	maxHeader = 64 << 10
)

// APIPath is where GraphQL is.
const APIPath = "/graphql"

// OtherPaths are everything else that the server answers.
var OtherPaths = []string{"/", "/playground", "/livez", "/readyz", web.Assets, web.Favicon, web.Licenses, web.Operations}

// NewServer is an HTTP server whose every wait is bounded, so that clients that stall can't pile up.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // for the largest request, 8 MiB, at 1.1 Mbit/s
		WriteTimeout:      writeTime,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
	}
}

// newRoutes is everything that the server answers to a host that it goes by (nil are all hosts), to as many as are admitted (nil are all). CORS is before
// everything that may refuse, so that pages can read why. Ready is asked while the gate is open.
func newRoutes(g *gate, origins []string, hosts func(string) bool, crowd *anonymous, pages Pages, ready func(context.Context) error) http.Handler {
	allowed, table := allowOrigins(origins), &readiness{ask: ready, now: time.Now}
	mux := http.NewServeMux()
	mux.Handle(APIPath, refuseForeign(allowed, g))
	pages.route(mux)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, r *http.Request) { health(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if p := g.current(); p != serving {
			telemetry.From(r.Context()).Expected()
			health(w, http.StatusServiceUnavailable, p.String())
			return
		}
		if table.check() != nil {
			health(w, http.StatusServiceUnavailable, "the table does not answer")
			return
		}
		health(w, http.StatusOK, "ok")
	})
	return secured(allowed.Handler(refuseStrangers(hosts, crowd.admit(mux))))
}

func health(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintln(w, text)
}
