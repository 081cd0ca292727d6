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

// Proxy is an HTTP server on 127.0.0.1 that speaks DynamoDB's API by asking an engine, and has faults on the way: for clients that are
// processes of their own, such as a server of the product that is started with the proxy's URL as its endpoint. Without faults it passes on
// everything as it is.
//
// What clients send meets first its Wire, which counts it and where a test can intercept it; then its Chaos; then the lagging indexes; then the
// engine. What reaches the copies of tables on behalf of the indexes meets nothing.
type Proxy struct {
	*Wire
	*Chaos
	index  *lateIndex
	server *httptest.Server
	// engine is where the engine is.
	engine atomic.Pointer[url.URL]
	// toEngine is the transport behind everything.
	toEngine *http.Transport
	end      context.CancelFunc // of requests that are at the engine
	down     atomic.Bool
	// underWay is held, for reading, by every request that has come.
	underWay sync.RWMutex
}

// NewProxy starts a proxy to the engine at the URL target, which the end of the test closes.
func NewProxy(t testing.TB, target string, seed uint64) *Proxy {
	t.Helper()
	p := &Proxy{Chaos: NewChaos(seed), index: &lateIndex{t: t, copied: map[string]bool{}},
		toEngine: &http.Transport{MaxIdleConnsPerHost: 512, DisableCompression: true}}
	if err := p.MoveTo(target); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	p.end = end
	behind := &Wire{next: p.toEngine}
	behind.Intercept(func(r *Request, send func(*Request) *Answer) *Answer {
		return p.Inject(r, func(r *Request) *Answer {
			sent := *r
			sent.http = r.http.WithContext(ctx) // the engine acts on what it was sent, whether or not the client still waits
			return p.index.serve(&sent, send)
		})
	})
	p.Wire = &Wire{next: behind}
	forward := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(p.engine.Load()) },
		Transport: p.Wire,
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) {
			panic(http.ErrAbortHandler) // the client's connection fails, too
		},
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.underWay.RLock()
		defer p.underWay.RUnlock()
		if p.down.Load() {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// MoveTo tells the proxy where the engine is from now on: one that was killed and started again may be elsewhere.
func (p *Proxy) MoveTo(target string) error {
	to, err := url.Parse(target)
	if err == nil {
		p.engine.Store(to)
	}
	return err
}

// URL is the proxy's address.
func (p *Proxy) URL() string { return p.server.URL }

// Lag makes indexes lag behind their tables: whoever reads an index does not see the last n writes, which are requests, of whatever size;
// math.MaxInt lets it stand still. What has been seen stays seen: a larger n holds for writes that are yet to come. Reads of the tables
// themselves see everything.
//
// Lag is called before the table is made, also by clients, because then a copy is made with it, whose name has LateSuffix behind that of the
// table, and which goes with the table. Writes are sent to the engine one after the other from then on.
func (p *Proxy) Lag(n int) { p.index.set(n) }

// CatchUp lets the indexes see all that was written before.
func (p *Proxy) CatchUp() { p.index.catchUp() }

// Down makes the proxy behave as if the engine had died: connections are closed, those that come and those with a request under way. When
// it returns, nothing that was sent before will act any more.
func (p *Proxy) Down() {
	p.down.Store(true)
	p.server.CloseClientConnections()
	p.underWay.Lock()
	defer p.underWay.Unlock()
}

// Up ends what Down began.
func (p *Proxy) Up() { p.down.Store(false) }

// Close ends the proxy and what is under way, also where the engine does not answer. It may be called more than once.
func (p *Proxy) Close() {
	p.end()
	p.Down()
	p.server.Close()
	p.toEngine.CloseIdleConnections()
}
