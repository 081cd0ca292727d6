package httpd

import (
	"net/http"
	"sync"
	"time"

	"issuegrid/internal/refusal"
	"issuegrid/tracker"
)

// phase is a stage in the life of a server. Phases only advance.
type phase int

const (
	starting phase = iota
	serving
	retiring
	draining
)

// String returns the text of /readyz.
func (p phase) String() string { return [...]string{"starting", "ok", "draining", "draining"}[p] }

// open reports whether the API handles requests.
func (p phase) open() bool { return p == serving || p == retiring }

// gate protects the API. It is closed while the server starts, so that clients get a response at once. It is
// open while the server serves and while it retires, when /readyz already reports the end. It is closed again
// while the server drains: requests in progress end, and new ones are rejected.
type gate struct {
	mu     sync.Mutex
	phase  phase
	inside int
	empty  chan struct{} // closed when the gate is draining and no request is inside
	api    http.Handler  // set by open
}

func newGate() *gate { return &gate{empty: make(chan struct{})} }

// open opens the gate to the API.
func (g *gate) open(api http.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase, g.api = serving, api
}

// retire makes /readyz report that the gate will close.
func (g *gate) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase = retiring
}

// drain closes the gate. It returns how many requests are inside, and a channel that is closed when the last
// of them has left.
func (g *gate) drain() (inside int, empty <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.phase != draining && g.inside == 0 {
		close(g.empty)
	}
	g.phase = draining
	return g.inside, g.empty
}

func (g *gate) current() phase {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.phase
}

// enter returns the API, and counts the request if the gate is open. The caller must then call leave.
func (g *gate) enter() (http.Handler, phase) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.phase.open() {
		g.inside++
	}
	return g.api, g.phase
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.phase == draining {
		close(g.empty)
	}
}

// ServeHTTP passes the request to the API, or rejects it.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api, phase := g.enter()
	if !phase.open() {
		refusal.WriteError(w, busy("the server is "+phase.String()+"; try again in a moment"))
		return
	}
	defer g.leave()
	if phase == retiring {
		// so that clients do not reuse a connection that is about to be closed
		w.Header().Set("Connection", "close")
	}
	api.ServeHTTP(w, r)
}

// busy returns the error of a request that the client may repeat after a second.
func busy(message string) *tracker.Error {
	return &tracker.Error{Code: tracker.Unavailable, Message: message, RetryAfter: time.Second}
}
