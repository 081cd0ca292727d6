package httpd

import (
	"context"
	"errors"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"issuegrid/internal/account"
	"issuegrid/internal/importer"
	"issuegrid/internal/operation"
	"issuegrid/internal/refusal"
	"issuegrid/internal/telemetry"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

// Bounds limit the load of the server.
type Bounds struct {
	Rates      traffic.Rates // of each tenant per second; zero means no limit
	Requests   int           // in progress at a time
	Operations int           // in execution at a time; half as many wait
	Memory     int64         // bytes of data that all operations together hold
	// bytes that one operation holds, and at most three quarters of a tenant's share of Memory
	OperationMemory int64
	OperationCPU    time.Duration // CPU time of one operation
	Timeout         time.Duration // of one operation; 0 means none
}

// Control limits the load of the server: the capacity that each tenant consumes, and for all tenants together
// the number of requests, the number of running operations, their memory and their CPU time.
type Control struct {
	operation.Server
	inside  *traffic.Queue
	imports *traffic.Memory
}

const (
	// importMemory is the memory of an import, and importsMemory that of all imports of a server, which is
	// not that of requests. A tenant can hold half of it.
	importMemory  = 64 << 20
	importsMemory = 160 << 20
)

// NewControl returns a Control with the given limits.
func NewControl(b Bounds) *Control {
	memory := traffic.NewMemory(b.Memory)
	return &Control{
		Server: operation.Server{
			Queue:     traffic.NewQueue(b.Operations, max(1, b.Operations/2)),
			Memory:    memory,
			Processor: traffic.NewProcessor(runtime.GOMAXPROCS(0)),
			Buckets:   traffic.NewBuckets(b.Rates, nil),
			// Less than a tenant's share, so that an operation that needs too much fails at its own limit.
			Limits:  account.Limits{CPU: b.OperationCPU, Memory: min(b.OperationMemory, memory.Share()/4*3)},
			Timeout: b.Timeout,
		},
		inside: traffic.NewQueue(b.Requests, 0), imports: traffic.NewMemory(importsMemory),
	}
}

// Requests returns how many requests may be in progress at a time.
func (c *Control) Requests() int {
	requests, _ := c.inside.Size()
	return requests
}

// Load returns the current load, for metrics.
func (c *Control) Load() (s telemetry.Load) {
	s.Slots, s.MaxWaiting = c.Queue.Size()
	s.Running, s.Waiting = c.Queue.Load()
	m := c.Memory.State()
	s.MemorySize, s.MemoryUsed, s.MemoryWaiting = m.Size, m.Used, m.Waiting
	s.CPUWaiting = c.Processor.Waiting()
	return s
}

// counted rejects requests while so many are in progress that their bodies and responses would take too much
// memory.
func (c *Control) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := c.inside.Enter(r.Context(), principal(r.Context()).Tenant)
		if e, ok := errors.AsType[*tracker.Error](err); ok {
			refusal.WriteError(w, e)
			return
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}

// operated makes each request an operation, which ends after the response has been sent. The operation is
// reported to telemetry, and the RateLimit headers of its response show the capacity that is left.
func (c *Control) operated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, o := c.Begin(r.Context(), principal(r.Context()))
		o.Show = func(left traffic.State) { showLimit(w.Header(), left) }
		defer func() {
			o.Close()
			report(ctx, o)
		}()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Background counts CPU time that background work of a tenant has used, and waits until it may use more. It
// does not count against the tenant's requests, and waits as those of a tenant with heavy load.
func (c *Control) Background(ctx context.Context, t tracker.TenantID, cpu time.Duration) error {
	id := "-background-" + t // no tenant has such an id
	c.Processor.Spent(id, cpu)
	return c.Processor.Wait(ctx, id)
}

// ImportMemory opens the memory of an import of a tenant. The caller must close it.
func (c *Control) ImportMemory(t tracker.TenantID) (memory importer.Memory, closeMemory func()) {
	a := account.New(t, account.Limits{Memory: importMemory}, c.imports, nil)
	return a, a.Close
}

// Charge charges the tenant of a principal for a cost that is not that of an operation.
func (c *Control) Charge(p tracker.Principal, cost account.Cost) {
	if p.Confined() {
		operation.Charge(c.Buckets, p.Tenant, cost)
	}
}

// showLimit sets the RateLimit headers of a response, as the IETF draft defines them.
func showLimit(header http.Header, left traffic.State) {
	header.Set("RateLimit-Limit", strconv.FormatFloat(left.Limit, 'f', -1, 64))
	header.Set("RateLimit-Remaining", strconv.Itoa(int(left.Remaining)))
	header.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(left.Reset.Seconds()))))
}
