package auth_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/internal/auth"
)

// publisher is an HTTP server for the JWK set of an issuer.
type publisher struct {
	*httptest.Server
	requests atomic.Int64
	handler  atomic.Pointer[http.HandlerFunc]
	begun    chan struct{} // receives a value for each request, unless it is full
}

func newPublisher(t *testing.T, set []byte) *publisher {
	t.Helper()
	p := &publisher{begun: make(chan struct{}, 100)}
	p.publish(set)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.requests.Add(1)
		handler := *p.handler.Load()
		select {
		case p.begun <- struct{}{}:
		default:
		}
		handler(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) set(f http.HandlerFunc) { p.handler.Store(&f) }

func (p *publisher) publish(set []byte) {
	p.set(func(w http.ResponseWriter, _ *http.Request) { w.Write(set) })
}

func (p *publisher) fails(status int) {
	p.set(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// checkRequests checks the number of requests.
func (p *publisher) checkRequests(t *testing.T, want int64) {
	t.Helper()
	if got := p.requests.Load(); got != want {
		t.Errorf("the JWK set was requested %d times, want %d", got, want)
	}
}

// clock is a clock that tests advance.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time          { return now.Add(time.Duration(c.passed.Load())) }
func (c *clock) advance(d time.Duration) { c.passed.Add(int64(d)) }

func (p *publisher) verifier(t *testing.T, c *clock) *auth.Verifier {
	t.Helper()
	s := settings()
	s.JWKS, s.Now, s.Refresh, s.Timeout = p.URL, c.now, 24*time.Hour, time.Minute
	return newVerifier(t, s)
}

// blocked makes the publisher delay its response until release is called.
func (p *publisher) blocked(t *testing.T, set []byte) (release func()) {
	free := make(chan struct{})
	p.set(func(w http.ResponseWriter, _ *http.Request) {
		<-free
		w.Write(set)
	})
	for len(p.begun) > 0 {
		<-p.begun
	}
	release = sync.OnceFunc(func() { close(free) })
	t.Cleanup(release)
	return release
}
