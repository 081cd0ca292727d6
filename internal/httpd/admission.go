package httpd

import (
	"context"
	"errors"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/internal/account"
	"issuegrid/internal/importer"
	"issuegrid/internal/refusal"
	"issuegrid/internal/telemetry"
	"issuegrid/internal/traffic"
	"issuegrid/tracker"
)

const (
	// baseMemory is what every request takes in addition to what it reads: buffers, stacks, and the writer
	// that compresses the response.
	baseMemory = 1 << 20
	// memoryPerRCU is reserved for each read capacity unit of an operation's estimate: a unit reads 8 KiB,
	// which take this much while they are decoded. At most maxReserved is reserved in advance; memory for
	// more is held as data is read.
	memoryPerRCU = 16 << 10
	maxReserved  = 16 << 20

	// requestCPU is the CPU time that a request takes in addition to what is counted: connection, parsing and
	// sending.
	requestCPU = 100 * time.Microsecond
	// freeCPU is the CPU time that an admitted operation may use without charge: three times what a page of
	// 100 rows and 8 columns takes. Each further millisecond, and each of a request that is refused, costs
	// its tenant cpuRCU read capacity units.
	freeCPU = 10 * time.Millisecond
	cpuRCU  = 1
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
}

// Control limits the load of the server: the capacity that each tenant consumes, and for all tenants together
// the number of requests, the number of running operations, their memory and their CPU time.
type Control struct {
	buckets   *traffic.Buckets
	inside    *traffic.Queue
	queue     *traffic.Queue
	memory    *traffic.Memory
	imports   *traffic.Memory
	processor *traffic.Processor
	limits    account.Limits // of one operation
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
		buckets: traffic.NewBuckets(b.Rates, nil),
		inside:  traffic.NewQueue(b.Requests, 0),
		queue:   traffic.NewQueue(b.Operations, max(1, b.Operations/2)),
		memory:  memory, imports: traffic.NewMemory(importsMemory),
		processor: traffic.NewProcessor(runtime.GOMAXPROCS(0)),
		// Less than a tenant's share, so that an operation that needs too much fails at its own limit.
		limits: account.Limits{CPU: b.OperationCPU, Memory: min(b.OperationMemory, memory.Share()/4*3)},
	}
}

// Requests returns how many requests may be in progress at a time.
func (c *Control) Requests() int {
	requests, _ := c.inside.Size()
	return requests
}

// Load returns the current load, for metrics.
func (c *Control) Load() (s telemetry.Load) {
	s.Slots, s.MaxWaiting = c.queue.Size()
	s.Running, s.Waiting = c.queue.Load()
	m := c.memory.State()
	s.MemorySize, s.MemoryUsed, s.MemoryWaiting = m.Size, m.Used, m.Waiting
	s.CPUWaiting = c.processor.Waiting()
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

// withAccount gives each request an account, and closes it after the response has been sent.
func (c *Control) withAccount(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := account.New(principal(r.Context()).Tenant, c.limits, c.memory, c.processor)
		defer a.Close()
		next.ServeHTTP(w, r.WithContext(account.With(r.Context(), a)))
	})
}

// Enter waits until the request may run and there is memory for it. It refuses a request of a tenant without
// read capacity, which no operation is admitted without, before its query is parsed.
func (c *Control) Enter(ctx context.Context) (guard.Slot, error) {
	p := principal(ctx)
	leave, err := c.queue.Enter(ctx, p.Tenant)
	if err != nil {
		return nil, err
	}
	a := account.From(ctx)
	if p.Confined() {
		if err = c.buckets.Left(p.Tenant, false); err != nil {
			c.show(ctx, p, false)
		}
	}
	a.Spend(requestCPU)
	if err == nil {
		err = a.Pace(ctx)
	}
	if err == nil {
		err = a.Reserve(ctx, baseMemory)
	}
	if err != nil {
		leave()
		return nil, err
	}
	a.Begin(ctx)
	return &slot{account: a, leave: leave, bill: func() { c.bill(p, a, 0) }}, nil
}

// slot is a slot in the queue, and the memory of the response.
type slot struct {
	account     *account.Account
	leave, bill func()
}

// ResponseReady passes the slot to the next request, and releases the memory that was needed to make the
// response; the rest is held until the response is sent.
func (p *slot) ResponseReady(bytes int) {
	p.account.Keep(baseMemory + int64(bytes))
	p.leave()
}

// Leave returns the slot, and charges the tenant for CPU time that it has not been charged for: all of it, if
// the operation was not admitted.
func (p *slot) Leave() {
	p.leave()
	p.bill()
}

// Admit lets an operation run if its tenant has capacity and the server has memory for it. Operators have no
// bucket, because they work for all tenants.
func (c *Control) Admit(ctx context.Context, p tracker.Principal, e graph.Estimate) (done func(dynamo.Cost),
	err error) {
	a := account.From(ctx)
	settle := func(rcu, wcu float64) {}
	if p.Confined() {
		if settle, err = c.buckets.Admit(p.Tenant, traffic.Rates{RCU: e.RCU, WCU: e.WCU},
			e.Write); err != nil {
			c.show(ctx, p, e.Write)
			return nil, err
		}
	}
	if err := a.Reserve(ctx, baseMemory+int64(min(e.RCU*memoryPerRCU, maxReserved))); err != nil {
		settle(0, 0)
		return nil, err
	}
	return func(cost dynamo.Cost) {
		if p.Confined() {
			all := cost.All()
			settle(all.RCU+cpuCost(a.Bill(freeCPU)), all.WCU)
			c.show(ctx, p, e.Write)
		}
	}, nil
}

// cpuCost returns the cost of CPU time in read capacity units.
func cpuCost(cpu time.Duration) float64 { return cpu.Seconds() * 1000 * cpuRCU }

// bill charges a tenant for CPU time that it has not been charged for, except what is free.
func (c *Control) bill(p tracker.Principal, a *account.Account, free time.Duration) {
	if p.Confined() {
		c.buckets.Charge(p.Tenant, cpuCost(a.Bill(free)), 0)
	}
}

// billPart charges the tenant of ctx for the CPU time of sending or receiving a part of a file, of which some
// is free as in any operation.
func (c *Control) billPart(ctx context.Context) {
	c.bill(principal(ctx), account.From(ctx), freeCPU)
}

// Background counts CPU time that background work of a tenant has used, and waits until it may use more. It
// does not count against the tenant's requests, and waits as those of a tenant with heavy load.
func (c *Control) Background(ctx context.Context, t tracker.TenantID, cpu time.Duration) error {
	id := "-background-" + t // no tenant has such an id
	c.processor.Spent(id, cpu)
	return c.processor.Wait(ctx, id)
}

// ImportMemory opens the memory of an import of a tenant. The caller must close it.
func (c *Control) ImportMemory(t tracker.TenantID) (memory importer.Memory, closeMemory func()) {
	a := account.New(t, account.Limits{Memory: importMemory}, c.imports, nil)
	return a, a.Close
}

// ChargeLate charges costs that arise after the end of an operation. Its response has been sent, so its
// headers do not include them.
func (c *Control) ChargeLate(p tracker.Principal, cost dynamo.Cost) {
	if p.Confined() {
		Charge(c.buckets, p.Tenant, cost)
	}
}

// Charge charges a tenant for a cost, including what the engine used but did not report.
func Charge(b *traffic.Buckets, t tracker.TenantID, cost dynamo.Cost) {
	all := cost.All()
	b.Charge(t, all.RCU, all.WCU)
}

// Capacity returns the state of a tenant's buckets.
func (c *Control) Capacity(p tracker.Principal) (reads, writes graph.Capacity) {
	if !p.Confined() {
		return reads, writes
	}
	r, w := c.buckets.Read(p.Tenant)
	return graph.Capacity(r), graph.Capacity(w)
}

// show sets the RateLimit headers of the response, as the IETF draft defines them. They show the read
// capacity, or for a mutation, which also writes, the capacity with the smaller part left.
func (c *Control) show(ctx context.Context, p tracker.Principal, write bool) {
	header, ok := ctx.Value(headerKey{}).(http.Header)
	state, writes := c.buckets.Read(p.Tenant)
	if write && writes.Limit > 0 &&
		(state.Limit == 0 || writes.Remaining/writes.Limit < state.Remaining/state.Limit) {
		state = writes
	}
	if !ok || state.Limit == 0 {
		return
	}
	header.Set("RateLimit-Limit", strconv.FormatFloat(state.Limit, 'f', -1, 64))
	header.Set("RateLimit-Remaining", strconv.Itoa(int(state.Remaining)))
	header.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(state.Reset.Seconds()))))
}

type headerKey struct{}

// bounded ends the context of a request after the timeout, and puts the response headers into it for show.
func bounded(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, headerKey{}, w.Header())))
	})
}
