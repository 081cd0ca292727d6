package httpd

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"issuegrid/tracker"
)

// phase is where a server is in its life. It only ever goes forward.
type phase int

const (
	starting phase = iota
	serving
	retiring
	draining
)

// String is what /readyz says.
func (p phase) String() string { return [...]string{"starting", "ok", "draining", "draining"}[p] }

// open tells that the API answers.
func (p phase) open() bool { return p == serving || p == retiring }

// gate stands before the API: shut while the server starts, so that a client gets an answer and needn't wait for it; open while it serves, and while
// it retires, when /readyz already says that it is about to go; shut again while it drains, when it lets out who is inside and nobody in.
type gate struct {
	mu     sync.Mutex
	phase  phase
	inside int
	empty  chan struct{} // closed when draining and nobody is inside
	api    http.Handler  // set by open
}

func newGate() *gate { return &gate{empty: make(chan struct{})} }

// open lets requests through to the API.
func (g *gate) open(api http.Handler) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase, g.api = serving, api
}

// retire lets everybody know that the gate will shut.
func (g *gate) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phase = retiring
}

// drain shuts the gate. It returns how many requests are inside, and a channel that is closed when the last of them has left.
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

// enter returns the API if the gate is open; who has got it must leave.
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

// ServeHTTP serves the API, or refuses.
func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api, phase := g.enter()
	if !phase.open() {
		refuseForNow(w, time.Second, "the server is "+phase.String()+"; try again in a moment")
		return
	}
	defer g.leave()
	if phase == retiring {
		w.Header().Set("Connection", "close") // so that nobody sends the next request on a connection that is about to be closed
	}
	api.ServeHTTP(w, r)
}

// refuseForNow refuses what may be asked again after a time.
func refuseForNow(w http.ResponseWriter, after time.Duration, message string) {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	refuse(w, http.StatusServiceUnavailable, tracker.Unavailable, message)
}

// refuse answers a request that does not reach the API, as GraphQL does, so that a client has one way to understand errors.
func refuse(w http.ResponseWriter, status int, code tracker.Code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	type gqlError struct {
		Message    string         `json:"message"`
		Extensions map[string]any `json:"extensions"`
	}
	json.NewEncoder(w).Encode(map[string][]gqlError{"errors": {{Message: message, Extensions: map[string]any{"code": code}}}})
}
