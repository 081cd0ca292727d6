package main

import (
	"cmp"
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

// trafficFlags bound what the server takes on.
type trafficFlags struct {
	TenantRCU   float64       `name:"tenant-rcu" help:"Read capacity units that a tenant may consume in a second, of each server; ${default} if not set, 0 is no limit. What it saves up lasts for 10 seconds of it. Its background jobs may consume half as much besides." default:"2000" placeholder:"N"`
	TenantWCU   float64       `name:"tenant-wcu" help:"Write capacity units, likewise; ${default} if not set." default:"1000" placeholder:"N"`
	Timeout     time.Duration `help:"How long an operation may take, 1s to 5m; ${default} if not set. What is under way in DynamoDB is ended then." default:"30s" placeholder:"TIME"`
	CPU         time.Duration `name:"operation-cpu" help:"Most CPU time that an operation may use, as the server counts it, 500ms to 1m; ${default} if not set. Pages end before it is spent, and go on from their cursors." default:"1s" placeholder:"TIME"`
	Memory      int64         `name:"operation-memory" help:"Most bytes of data that an operation may hold at a time, at least 25165824; ${default} if not set, and at most three eighths of --memory." default:"67108864" placeholder:"N"`
	AllMemory   int64         `name:"memory" help:"Bytes of data that all operations together may hold; others wait. If not set, a quarter of the memory limit, which is GOMEMLIMIT's or the container's, or 536870912 without one." placeholder:"N"`
	Requests    int           `help:"How many requests are under way at a time, those whose body or answer is on its way included; others are refused. If not set, 32 for each of --concurrency." placeholder:"N"`
	Concurrency int           `help:"How many operations run at a time; as many as half of that wait, and others are refused. If not set, 16 for each CPU." placeholder:"N"`
}

const (
	perCPU      = 16
	perPlace    = 32
	maxCapacity = 1e9

	// minOperationMemory and minOperationCPU are what a page needs to get on where documents and texts are the largest that there can be: ten documents of 400 KB
	// that are decoded, or 4 MiB of texts that are searched.
	minOperationMemory = 24 << 20
	minOperationCPU    = 500 * time.Millisecond
	// minMemory is the least that all operations may share.
	minMemory = 64 << 20
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

func (f *trafficFlags) check() error {
	for flag, n := range map[string]float64{"--tenant-rcu": f.TenantRCU, "--tenant-wcu": f.TenantWCU} {
		if !(n == 0 || n >= 1 && n <= maxCapacity) {
			return tracker.Bad(flag, "%g is out of range: 1 to %g capacity units, or 0 for no limit", n, float64(maxCapacity))
		}
	}
	if f.Timeout < time.Second || f.Timeout > 5*time.Minute {
		return tracker.Bad("--timeout", "%s is out of range: 1s to 5m", f.Timeout)
	}
	if f.CPU < minOperationCPU || f.CPU > time.Minute {
		return tracker.Bad("--operation-cpu", "%s is out of range: %s to 1m", f.CPU, minOperationCPU)
	}
	if f.Memory < minOperationMemory || f.Memory > 1<<40 {
		return tracker.Bad("--operation-memory", "%d is out of range: %d to %d bytes", f.Memory, minOperationMemory, int64(1)<<40)
	}
	if f.AllMemory != 0 && (f.AllMemory < minMemory || f.AllMemory > 1<<40) {
		return tracker.Bad("--memory", "%d is out of range: %d to %d bytes", f.AllMemory, minMemory, int64(1)<<40)
	}
	if f.Concurrency < 0 || f.Concurrency > 100_000 {
		return tracker.Bad("--concurrency", "%d is out of range: 1 to 100000", f.Concurrency)
	}
	if f.Requests < 0 || f.Requests > 10_000_000 {
		return tracker.Bad("--requests", "%d is out of range: 1 to 10000000", f.Requests)
	}
	return nil
}

// control is the server's traffic: tenants by their buckets, and all together by how many requests are under way, how many of them are worked at, and by
// the memory and the CPU time that they use.
type control struct {
	buckets   *traffic.Buckets
	inside    *traffic.Queue
	queue     *traffic.Queue
	memory    *traffic.Memory
	processor *traffic.Processor
	limits    account.Limits // of one operation
}

func (f *trafficFlags) control() *control {
	places := f.Concurrency
	if places == 0 {
		places = perCPU * runtime.GOMAXPROCS(0)
	}
	memory := traffic.NewMemory(f.allMemory())
	return &control{
		buckets: traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU, WCU: f.TenantWCU}, nil),
		inside:  traffic.NewQueue(cmp.Or(f.Requests, perPlace*places), 0),
		queue:   traffic.NewQueue(places, max(1, places/2)),
		memory:  memory, processor: traffic.NewProcessor(runtime.GOMAXPROCS(0)),
		// Less than a tenant's share, so that one operation finds out by itself that it asks for too much.
		limits: account.Limits{CPU: f.CPU, Memory: min(f.Memory, memory.Share()/4*3)},
	}
}

// pace gives the jobs of each tenant, in the background, buckets of their own, of half of what it may consume: so they keep it from nothing, and it can't have work
// done for nothing by them.
func (f *trafficFlags) pace(d *dynamo.Settings) {
	d.DefinitionBytes = f.definitionBytes()
	jobs := traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU / 2, WCU: f.TenantWCU / 2}, nil)
	d.Spent = func(t tracker.TenantID, cost dynamo.Cost) { charge(jobs, t, cost) }
	d.Pace = jobs.Wait
}

// definitionBytes is how much memory the definitions of projects may take that are kept for a few seconds: a quarter of what operations may hold.
func (f *trafficFlags) definitionBytes() int64 {
	return min(dynamo.DefaultDefinitionBytes, f.allMemory()/4)
}

// allMemory is how many bytes all operations may hold together.
func (f *trafficFlags) allMemory() int64 { return cmp.Or(f.AllMemory, sharedMemory()) }

// stands returns the load, for metrics.
func (c *control) stands() (s telemetry.Load) {
	s.Places, s.Room = c.queue.Size()
	s.Running, s.Waiting = c.queue.Load()
	m := c.memory.State()
	s.MemorySize, s.MemoryUsed, s.MemoryWaiting = m.Size, m.Used, m.Waiting
	s.CPUWaiting = c.processor.Waiting()
	return s
}

// counted refuses requests when so many are under way that their bodies and answers would take too much memory.
func (c *control) counted(next http.Handler) http.Handler {
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
func (c *control) accounted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := account.New(principal(r.Context()).Tenant, c.limits, c.memory, c.processor)
		defer a.Close()
		next.ServeHTTP(w, r.WithContext(account.With(r.Context(), a)))
	})
}

// Enter waits until the request is worked at, and until there is memory for it.
func (c *control) Enter(ctx context.Context) (guard.Place, error) {
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
func (c *control) Admit(ctx context.Context, p tracker.Principal, e graph.Estimate) (done func(dynamo.Cost), err error) {
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
func (c *control) Late(p tracker.Principal, cost dynamo.Cost) {
	if p.Confined() {
		charge(c.buckets, p.Tenant, cost)
	}
}

// charge takes what the engine took, whether or not it has said so.
func charge(b *traffic.Buckets, t tracker.TenantID, cost dynamo.Cost) {
	all := cost.All()
	b.Charge(t, all.RCU, all.WCU)
}

// Capacity tells how a tenant stands.
func (c *control) Capacity(p tracker.Principal) (reads, writes graph.Capacity) {
	if !p.Confined() {
		return reads, writes
	}
	r, w := c.buckets.Read(p.Tenant)
	return graph.Capacity(r), graph.Capacity(w)
}

// show tells the client in the headers of the answer how its tenant stands, as the draft of the RateLimit headers has it: with what it reads, or for a
// mutation, which also writes, with that of which less is left.
func (c *control) show(ctx context.Context, p tracker.Principal, write bool) {
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
