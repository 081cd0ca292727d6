//go:build unix

package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/local"
	"issuegrid/test/harness"
)

// table is the name of the table, which is the server's default when an endpoint is set.
const table = "issuegrid"

// death is a moment at which a process is killed: before the engine receives a request, or after it has
// executed the request and before the response arrives.
type death string

// The deaths. All of them happen during a write.
const (
	serverBefore death = "server before"
	serverAfter  death = "server after"
	engineBefore death = "engine before"
	engineAfter  death = "engine after"
	bothAfter    death = "both after"
)

var deaths = []death{serverBefore, serverAfter, serverAfter, engineBefore, engineAfter, bothAfter}

// rig is a server and an engine with a fault-injecting proxy between them. Both can be killed and restarted.
type rig struct {
	t     *testing.T
	data  string     // directory of the engine
	store *dynamo.DB // the table, through the proxy
	proxy *dynamotest.Proxy

	mu        sync.Mutex
	rng       *rand.Rand
	engine    *local.Engine
	server    *harness.Process // nil while no server runs
	serverURL string
	serves    chan struct{} // closed while a server runs
	every     int           // average number of writes between two deaths; 0 for none
	writes    int           // number of writes sent to the engine
	next      int           // number of the write during which a process dies
	died      map[death]int
	revive    chan death
	revived   sync.WaitGroup
}

// newRig starts an engine on an empty file, creates the table, and starts a server.
func newRig(t *testing.T, seed uint64, prepare func(*dynamotest.Proxy)) *rig {
	t.Helper()
	r := &rig{t: t, data: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 1)),
		serves: make(chan struct{}), died: map[death]int{},
		revive: make(chan death, 1)}
	var err error
	if r.engine, err = local.Start(t.Context(), local.Options{DataDir: r.data}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.engine.Stop(context.Background()) })
	r.proxy = dynamotest.NewProxy(t, r.engine.URL(), seed)
	prepare(r.proxy)
	db, err := dynamo.Open(t.Context(),
		dynamo.Settings{Table: table, Endpoint: r.proxy.URL(), Embedded: true, NoStream: true})
	if err != nil {
		t.Fatal(err)
	}
	if created, err := db.CreateTable(t.Context()); err != nil || !created {
		t.Fatalf("creating the table: %t, %v", created, err)
	}
	r.store = db
	r.startServer()
	return r
}

// url waits until a server runs and returns its URL.
func (r *rig) url() string {
	for {
		r.mu.Lock()
		serves, url := r.serves, r.serverURL
		r.mu.Unlock()
		select {
		case <-serves:
			return url
		case <-r.t.Context().Done():
			return url
		}
	}
}

func (r *rig) startServer() {
	p := harness.Start(r.t, []string{"serve", "--addr", "127.0.0.1:0", "--endpoint", r.proxy.URL(),
		"--limit-body", "8388608"}, harness.Own)
	url := p.Serving()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.server, r.serverURL = p, url
	close(r.serves)
}

// killServer must be called with mu held.
func (r *rig) killServer() {
	if r.server == nil {
		return
	}
	r.server.Signal(syscall.SIGKILL)
	r.server.Wants(-1)
	r.server, r.serves = nil, make(chan struct{})
}

// killEngine must be called with mu held.
func (r *rig) killEngine() {
	pids := harness.EnginePIDs(r.t, r.engine.URL())
	if len(pids) == 0 {
		r.t.Error("the engine had already exited")
	} else if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		r.t.Error(err)
	}
	<-r.engine.Done()
}

func (r *rig) startEngine() {
	engine, err := local.Start(r.t.Context(), local.Options{DataDir: r.data})
	if err == nil {
		err = r.proxy.MoveTo(engine.URL())
	}
	if err != nil {
		r.t.Error(err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine = engine
}

// writing holds the operations during which a process may die.
var writing = map[string]bool{"TransactWriteItems": true, "BatchWriteItem": true, "UpdateItem": true}

// rage kills processes about once per the given number of writes, until calm is called.
func (r *rig) rage(every int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.every = every
	r.plan()
	r.proxy.Intercept(r.intercept)
	r.revived.Go(func() {
		for d := range r.revive {
			if d != serverBefore && d != serverAfter {
				r.startEngine()
			}
			if d != engineBefore && d != engineAfter {
				r.startServer()
			}
			r.mu.Lock()
			r.plan()
			r.mu.Unlock()
		}
	})
}

// plan draws the next death, if deaths are enabled. It must be called with mu held.
func (r *rig) plan() {
	if r.every > 0 {
		r.next = r.writes + 1 + r.rng.IntN(2*r.every)
	}
}

// calm stops the deaths and the faults. All processes run again when it returns.
func (r *rig) calm() {
	r.mu.Lock()
	r.every = 0
	close(r.revive)
	r.mu.Unlock()
	r.revived.Wait()
	r.proxy.Intercept(nil)
	r.proxy.SetFaults(dynamotest.Faults{})
}

// intercept is called by the proxy for each request.
func (r *rig) intercept(request *dynamotest.Request,
	send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
	if !writing[request.Operation] {
		return send(request)
	}
	d := r.fate()
	switch d {
	case "":
		return send(request)
	case serverBefore, engineBefore:
		r.die(d)
		return send(request)
	}
	a := send(request)
	r.die(d)
	return a
}

// fate counts a write and returns the death that happens during it, or "".
func (r *rig) fate() death {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes++; r.every == 0 || r.writes != r.next {
		return ""
	}
	return deaths[r.rng.IntN(len(deaths))]
}

func (r *rig) die(d death) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.every == 0 {
		return
	}
	r.died[d]++
	if d != serverBefore && d != serverAfter {
		r.killEngine()
	}
	if d != engineBefore && d != engineAfter {
		r.killServer()
	}
	r.revive <- d // no other process dies before this is received
}

// end kills the server, waits until no request is being executed, and opens the table directly, with a clock
// advanced by later so that nothing is recent.
func (r *rig) end(later time.Duration) *dynamo.DB {
	r.mu.Lock()
	r.killServer()
	r.mu.Unlock()
	r.proxy.Down()
	r.proxy.Up()
	db, err := dynamo.Open(r.t.Context(),
		dynamo.Settings{Table: table, Endpoint: r.engine.URL(), Embedded: true, NoStream: true,
			// jobs do not wait for servers because none runs
			DefinitionTTL: time.Millisecond, WriteTime: time.Second / 2, IndexLag: time.Millisecond,
			Now: func() time.Time { return time.Now().Add(later) }})
	if err != nil {
		r.t.Fatal(err)
	}
	return db
}

// storm draws faults, from none to many.
func storm(rng *rand.Rand) dynamotest.Faults {
	few := func() float64 { return 0.02 * rng.Float64() }
	f := dynamotest.Faults{Latency: time.Duration(rng.IntN(6)) * time.Millisecond, DropBefore: few(),
		DropAfter: few(), ErrorBefore: few(), ErrorAfter: few(),
		Throttle: few(), Conflict: 2 * few(), Partial: 5 * few()}
	switch rng.IntN(6) {
	case 0, 1:
		return dynamotest.Faults{}
	case 2:
		// Responses are lost so often that some requests lose all their attempts, and the server soon uses up
		// its retry budget.
		f.DropAfter, f.ErrorAfter = 0.45, 0.2
	}
	return f
}

func (r *rig) String() string {
	return fmt.Sprintf("writes %d, deaths %v, faults %v", r.writes, r.died, r.proxy.Injected())
}
