// Package httpd contains everything between the network and GraphQL: it accepts connections, routes requests,
// verifies tokens, limits the load and sets headers. It is configured by Settings, and does not depend on
// flags, commands or the console.
//
// Start here: this file has the chain of handlers, which is the same for the server and for AWS Lambda. Each
// of the other files has one concept:
//
//	connections.go routes.go gate.go ready.go  connections, paths, start and end of serving, /readyz
//	pages.go headers.go compress.go            the embedded pages, response headers, gzip
//	cors.go csrf.go hosts.go proxied.go        requests from other origins, and for other host names
//	signin.go clients.go                       tokens, client addresses
//	anonymous.go admission.go                  limits without and with a token
//	export.go imports.go importview.go         exports and imports
//	parameters.go patience.go                  parameters of their URLs, waiting for capacity
//	observe.go                                 telemetry of sessions and responses
package httpd

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/grid"
	"issuegrid/internal/auth"
	"issuegrid/internal/importjob"
	"issuegrid/internal/session"
	"issuegrid/internal/telemetry"
	"issuegrid/internal/traffic"
)

// Settings configure a Chain.
type Settings struct {
	Telemetry *telemetry.Telemetry
	Control   *Control
	Verifier  *auth.Verifier         // nil if clients need no token
	Origins   []string               // whose pages may use the API; empty means the origins of this machine
	Hosts     func(host string) bool // reports whether the server accepts a host name; nil accepts all
	Pages     Pages
	// BoundAnonymous limits requests without a token. Proxies are trusted to name the clients of such
	// requests. A function of AWS Lambda handles one request at a time, and needs no limit.
	BoundAnonymous bool
	Proxies        Proxies
	// Streams reports whether responses are sent while they are written, which exports require.
	Streams    bool
	PageBudget int           // documents that may be read for one page
	UserTTL    time.Duration // replaces session.UserTTL in tests
	GraphQL    guard.Options
}

// Chain handles a request from its headers to GraphQL. It rejects requests for the API until Open.
type Chain struct {
	http.Handler
	settings Settings
	gate     *gate
	db       *dynamo.DB // set before the gate opens
}

// New returns a chain whose API is closed.
func New(s Settings) *Chain {
	c := &Chain{settings: s, gate: newGate()}
	var anon *anonymous
	if s.BoundAnonymous {
		anon = newAnonymous(s.Control.Requests(), s.Proxies, s.Control.Processor)
	}
	c.Handler = s.Telemetry.Observe(newRoutes(c.gate, s.Origins, s.Hosts, anon,
		s.Pages, func(ctx context.Context) error {
			return c.db.Ready(ctx)
		}))
	return c
}

// Open opens the API over a table. jobs runs the imports, and is nil if this process runs none.
func (c *Chain) Open(db *dynamo.DB, jobs *importjob.Service) {
	c.db = db
	s := c.settings
	accounts := session.NewAccounts(db, cmp.Or(s.UserTTL, session.UserTTL), s.Control.Charge)
	begin := accounts.Watch(session.NewFactory(db, principal, batches(s.Telemetry)))
	options := graph.Options{Options: s.GraphQL, PageBudget: s.PageBudget, Planned: decisions(s.Telemetry),
		Probes: grid.NewProbes()}
	imports := &imports{db: db, jobs: jobs, places: uploadPlaces(),
		patient: uploadTime, wait: traffic.Sleep}
	c.gate.open(signedIn(s.Verifier, accounts.SignIn,
		identified(newAPI(begin, s.Control, options, s.Streams, imports))))
}

// Retire lets /readyz report that the server is about to end. The API stays open.
func (c *Chain) Retire() { c.gate.retire() }

// Drain closes the API. It returns how many requests are in progress, and a channel that is closed when the
// last of them has ended.
func (c *Chain) Drain() (inside int, empty <-chan struct{}) { return c.gate.drain() }

// newAPI returns the handler of GraphQL, exports and imports, with its limits. streams is Settings.Streams.
func newAPI(begin func(context.Context) *graph.Session, c *Control, options graph.Options, streams bool,
	imports *imports) http.Handler {
	exports := newExporter(graph.NewExports(begin, options))
	imports.present = exports.exports.PresentErrors
	switch {
	case imports.jobs == nil:
		imports.unavailable = errNoJobs
	case options.Allowed != nil:
		imports.unavailable = errOnlyListed
	}
	switch {
	case !streams:
		exports.unavailable = errBuffered
	case options.Allowed != nil:
		exports.unavailable = errNotListed
	}
	graphQL := graph.NewHandler(begin, options)
	return c.counted(c.operated(compressed(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == ExportPath:
				exports.ServeHTTP(w, r)
			case isImport(r.URL.Path):
				imports.ServeHTTP(w, r)
			default:
				graphQL.ServeHTTP(w, r)
			}
		}))))
}
