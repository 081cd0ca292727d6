package httpd

import (
	"context"
	"errors"
	"math"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"issuegrid/account"
	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/guard"
	"issuegrid/telemetry"
	"issuegrid/tracker"
	"issuegrid/traffic"
)

const (
	// baseMemory is what every request takes beside what it reads: buffers, stacks, and the writer that compresses the response.
	baseMemory = 1 << 20
	// memoryPerRCU is reserved for each read capacity unit that an operation is estimated to cost, which reads 8 KiB: as much as these take while they are
	// decoded. At most maxReserved is reserved in advance; what is read beyond is held as it comes.
	memoryPerRCU = 16 << 10
	maxReserved  = 16 << 20

	// requestCPU is the CPU time that a request takes beside what is counted of it: from its connection to its query, and back.
	requestCPU = 100 * time.Microsecond
	// freeCPU is the CPU time that an operation may use at no charge: three times what a page of 100 rows and 8 columns takes. Each millisecond
	// beyond costs its tenant cpuRCU read capacity units.
	freeCPU = 10 * time.Millisecond
	cpuRCU  = 1
)

// Bounds are what the server takes on.
type Bounds struct {
	Rates           traffic.Rates // of each tenant, in a second; zero is no limit
	Requests        int           // that are under way at a time
	Operations      int           // that run at a time; half as many wait
	Memory          int64         // bytes of data that all operations together may hold
	OperationMemory int64         // bytes that one may hold, and at most three quarters of a tenant's share of Memory
	OperationCPU    time.Duration // CPU time that one may use
}

// Control is the server's traffic: tenants by their buckets, and all together by how many requests are under way, how many of them are worked at, and by
// the memory and the CPU time that they use.
type Control struct {
	buckets   *traffic.Buckets
	inside    *traffic.Queue
	queue     *traffic.Queue
	memory    *traffic.Memory
	processor *traffic.Processor
	limits    account.Limits // of one operation
}

// NewControl lets as much through as the bounds say.
func NewControl(b Bounds) *Control {
	memory := traffic.NewMemory(b.Memory)
	return &Control{
		buckets: traffic.NewBuckets(b.Rates, nil),
		inside:  traffic.NewQueue(b.Requests, 0),
		queue:   traffic.NewQueue(b.Operations, max(1, b.Operations/2)),
		memory:  memory, processor: traffic.NewProcessor(runtime.GOMAXPROCS(0)),
		// Less than a tenant's share, so that one operation finds out by itself that it asks for too much.
		limits: account.Limits{CPU: b.OperationCPU, Memory: min(b.OperationMemory, memory.Share()/4*3)},
	}
}

// Requests is how many requests may be under way at a time.
func (c *Control) Requests() int {
	requests, _ := c.inside.Size()
	return requests
}

// Stands returns the load, for metrics.
func (c *Control) Stands() (s telemetry.Load) {
	s.Places, s.Room = c.queue.Size()
	s.Running, s.Waiting = c.queue.Load()
	m := c.memory.State()
	s.MemorySize, s.MemoryUsed, s.MemoryWaiting = m.Size, m.Used, m.Waiting
	s.CPUWaiting = c.processor.Waiting()
	return s
}

// counted refuses requests when so many are under way that their bodies and answers would take too much memory.
func (c *Control) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := c.inside.Enter(r.Context(), principal(r.Context()).Tenant)
		if e, ok := errors.AsType[*tracker.Error](err); ok {
			refuseForNow(w, e.RetryAfter, e.Message)
			return
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}

// accounted gives each request an account, and closes it when the response has been sent.
func (c *Control) accounted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := account.New(principal(r.Context()).Tenant, c.limits, c.memory, c.processor)
		defer a.Close()
		next.ServeHTTP(w, r.WithContext(account.With(r.Context(), a)))
	})
}

// Enter waits until the request is worked at, and until there is memory for it.
func (c *Control) Enter(ctx context.Context) (guard.Place, error) {
	leave, err := c.queue.Enter(ctx, principal(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	a := account.From(ctx)
	a.Spend(requestCPU)
	if err = a.Pace(ctx); err == nil {
		err = a.Reserve(ctx, baseMemory)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return &place{account: a, leave: leave}, nil
}

// place is a place in the queue, and the memory of the response.
type place struct {
	account *account.Account
	leave   func()
}

// Answered leaves the place to the next request, and gives back the memory that was needed to make the response: what is left is held until it is sent.
func (p *place) Answered(bytes int) {
	p.account.Keep(baseMemory + int64(bytes))
	p.leave()
}

// Leave ends it.
func (p *place) Leave() { p.leave() }

// Admit lets an operation run when its tenant has capacity and the server has memory for it. Operators have no bucket: they work for all tenants.
func (c *Control) Admit(ctx context.Context, p tracker.Principal, e graph.Estimate) (done func(dynamo.Cost), err error) {
	a := account.From(ctx)
	settle := func(rcu, wcu float64) {}
	if p.Confined() {
		if settle, err = c.buckets.Admit(p.Tenant, traffic.Rates{RCU: e.RCU, WCU: e.WCU}, e.Write); err != nil {
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
			settle(all.RCU+computed(a.CPU()), all.WCU)
			c.show(ctx, p, e.Write)
		}
	}, nil
}

// computed is what the CPU time of an operation costs, in read capacity units.
func computed(cpu time.Duration) float64 {
	return max(0, cpu-freeCPU).Seconds() * 1000 * cpuRCU
}

// Late charges what an operation has cost behind its end, too. Its answer has been sent, and shows nothing of it.
func (c *Control) Late(p tracker.Principal, cost dynamo.Cost) {
	if p.Confined() {
		Charge(c.buckets, p.Tenant, cost)
	}
}

// Charge takes what the engine took, whether or not it has said so.
func Charge(b *traffic.Buckets, t tracker.TenantID, cost dynamo.Cost) {
	all := cost.All()
	b.Charge(t, all.RCU, all.WCU)
}

// Capacity tells how a tenant stands.
func (c *Control) Capacity(p tracker.Principal) (reads, writes graph.Capacity) {
	if !p.Confined() {
		return reads, writes
	}
	r, w := c.buckets.Read(p.Tenant)
	return graph.Capacity(r), graph.Capacity(w)
}

// show tells the client in the headers of the answer how its tenant stands, as the draft of the RateLimit headers has it: with what it reads, or for a
// mutation, which also writes, with that of which less is left.
func (c *Control) show(ctx context.Context, p tracker.Principal, write bool) {
	header, ok := ctx.Value(headerKey{}).(http.Header)
	state, writes := c.buckets.Read(p.Tenant)
	if write && writes.Limit > 0 && (state.Limit == 0 || writes.Remaining/writes.Limit < state.Remaining/state.Limit) {
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

// bounded ends what a request has begun when its time is over, or its client has gone; and it lets what answers it set its headers.
func bounded(timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(context.WithValue(ctx, headerKey{}, w.Header())))
	})
}
