// Package httpd is everything between the network and GraphQL: it accepts connections, routes requests, verifies tokens, bounds the load and sets headers.
// Settings say how; the package knows no flag, no command and no console.
//
// Start here: this file has the chain of handlers, which is the same wherever it is served. The others have one concept each:
//
//	connections.go routes.go gate.go ready.go      connections, paths, the start and end of serving, /readyz
//	pages.go headers.go compress.go                the embedded pages, response headers, gzip
//	cors.go csrf.go hosts.go passedon.go           requests of other origins, and under other host names
//	signin.go clients.go anonymous.go admission.go tokens, addresses of clients, and limits without and with a token
//	told.go                                        what telemetry gets of sessions and responses
package httpd

import (
	"context"
	"net/http"
	"time"

	"issuegrid/auth"
	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/session"
	"issuegrid/telemetry"
)

// Settings say what a chain answers, and whom.
type Settings struct {
	Telemetry *telemetry.Telemetry
	Control   *Control
	Verifier  *auth.Verifier         // nil where nobody has to sign in
	Origins   []string               // whose pages may use the API; none are those of this machine
	Hosts     func(host string) bool // that the server goes by; nil are all
	Pages     Pages
	// BoundAnonymous bounds the requests of clients without a token; Proxies are believed when they name such a client. A function of AWS Lambda answers
	// one request at a time, and needs no bound.
	BoundAnonymous bool
	Proxies        Proxies
	PageBudget     int           // documents that may be read for one page of a grid
	Timeout        time.Duration // of one operation
	GraphQL        guard.Options
}

// Chain is everything that a request goes through, from its first header to GraphQL, wherever it is served. It refuses what is for the API until Open.
type Chain struct {
	http.Handler
	settings Settings
	gate     *gate
	db       *dynamo.DB // set before the gate opens
}

// New makes a chain that is shut.
func New(s Settings) *Chain {
	c := &Chain{settings: s, gate: newGate()}
	var crowd *anonymous
	if s.BoundAnonymous {
		crowd = newAnonymous(s.Control.Requests(), s.Proxies, s.Control.processor)
	}
	c.Handler = s.Telemetry.Observe(newRoutes(c.gate, s.Origins, s.Hosts, crowd, s.Pages, func(ctx context.Context) error { return c.db.Ready(ctx) }))
	return c
}

// Open lets requests through to the API over a table.
func (c *Chain) Open(db *dynamo.DB) {
	c.db = db
	begin := sessions(c.settings.Telemetry, session.On(db, principal, c.settings.PageBudget, c.settings.Control))
	c.gate.open(signedIn(c.settings.Verifier, identified(answers(newAPI(begin, c.settings.Control, c.settings.Timeout, c.settings.GraphQL)))))
}

// Retire goes on serving, and has /readyz say that it is about to end.
func (c *Chain) Retire() { c.gate.retire() }

// Drain shuts the API. It returns how many requests are under way, and a channel that is closed when the last of them has ended.
func (c *Chain) Drain() (inside int, empty <-chan struct{}) { return c.gate.drain() }

// newAPI is GraphQL over the table.
func newAPI(begin func(context.Context) *graph.Session, c *Control, timeout time.Duration, options guard.Options) http.Handler {
	options.Enter = c.Enter
	return c.counted(c.accounted(compressed(bounded(timeout, graph.NewHandler(begin, options)))))
}
