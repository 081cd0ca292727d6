package dynamotest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy is an HTTP server on 127.0.0.1 that forwards DynamoDB's API to an engine and injects faults. It is
// for clients in other processes, such as a server started with the proxy's URL as its endpoint. Without
// faults it forwards everything unchanged.
//
// A request passes first the Wire, which counts it and where a test can intercept it, then the Chaos, then
// the lagging indexes, and then reaches the engine. Requests to the copies of tables pass none of these.
type Proxy struct {
	*Wire
	*Chaos
	index  *lateIndex
	server *httptest.Server
	// engine is the URL of the engine.
	engine atomic.Pointer[url.URL]
	// toEngine is the transport to the engine.
	toEngine *http.Transport
	end      context.CancelFunc // cancels requests that have reached the engine
	down     atomic.Bool
	// inFlight is read-locked by every request.
	inFlight sync.RWMutex
}

// NewProxy starts a proxy for the engine at the URL target. It is closed when the test ends.
func NewProxy(t testing.TB, target string, seed uint64) *Proxy {
	t.Helper()
	p := &Proxy{Chaos: NewChaos(seed), index: &lateIndex{t: t, copied: map[string]bool{}},
		toEngine: &http.Transport{MaxIdleConnsPerHost: 512, DisableCompression: true}}
	if err := p.MoveTo(target); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	p.end = end
	inner := &Wire{next: p.toEngine}
	inner.Intercept(func(r *Request, send Send) *Response {
		return p.Inject(r, func(r *Request) *Response {
			sent := *r
			// the engine completes what it has received even if the client no longer waits
			sent.http = r.http.WithContext(ctx)
			return p.index.serve(&sent, send)
		})
	})
	p.Wire = &Wire{next: inner}
	forward := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(p.engine.Load()) },
		Transport: p.Wire,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // closes the client's connection as well
		},
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.inFlight.RLock()
		defer p.inFlight.RUnlock()
		if p.down.Load() {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// MoveTo sets the URL of the engine: it may change when an engine is restarted.
func (p *Proxy) MoveTo(target string) error {
	to, err := url.Parse(target)
	if err == nil {
		p.engine.Store(to)
	}
	return err
}

// URL returns the proxy's address.
func (p *Proxy) URL() string { return p.server.URL }

// Lag makes indexes lag behind their tables by n writes: reads of an index do not see the last n write
// requests, of whatever size. With math.MaxInt the indexes never change. What has become visible remains
// visible: a larger n applies to subsequent writes. Reads of the tables themselves see everything.
//
// Lag must be called before a table is created through the proxy: only then it has a copy. The copy's name is
// that of the table and LateSuffix. It is deleted with the table. After Lag, writes are sent to the engine
// one at a time.
func (p *Proxy) Lag(n int) { p.index.set(n) }

// CatchUp makes all previous writes visible in the indexes.
func (p *Proxy) CatchUp() { p.index.catchUp() }

// Down makes the proxy behave as if the engine had died: it closes connections, both new ones and those with
// requests in flight. When Down returns, no previous request will have any further effect.
func (p *Proxy) Down() {
	p.down.Store(true)
	p.server.CloseClientConnections()
	p.inFlight.Lock()
	defer p.inFlight.Unlock()
}

// Up ends the effect of Down.
func (p *Proxy) Up() { p.down.Store(false) }

// Close stops the proxy and the requests in flight, even if the engine does not respond. It may be called
// more than once.
func (p *Proxy) Close() {
	p.end()
	p.Down()
	p.server.Close()
	p.toEngine.CloseIdleConnections()
}
