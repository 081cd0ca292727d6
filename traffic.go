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

	"golang.org/x/sync/semaphore"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/telemetry"
	"issuegrid/tracker"
	"issuegrid/traffic"
)

// trafficFlags bound what the server takes on.
type trafficFlags struct {
	TenantRCU   float64       `name:"tenant-rcu" help:"Read capacity units that a tenant may consume in a second, of each server; ${default} if not set, 0 is no limit. What it saves up lasts for 10 seconds of it. Its background jobs may consume half as much besides." default:"2000" placeholder:"N"`
	TenantWCU   float64       `name:"tenant-wcu" help:"Write capacity units, likewise; ${default} if not set." default:"1000" placeholder:"N"`
	Timeout     time.Duration `help:"How long an operation may take, 1s to 5m; ${default} if not set. What is under way in DynamoDB is ended then." default:"30s" placeholder:"TIME"`
	Requests    int           `help:"How many requests are under way at a time, those whose body or answer is on its way included; others are refused. If not set, 32 for each of --concurrency." placeholder:"N"`
	Concurrency int           `help:"How many operations run at a time; as many as half of that wait, and others are refused. If not set, 16 for each CPU." placeholder:"N"`
}

const (
	perCPU   = 16
	perPlace = 32
	// sendingBytes is how many bytes of answers may be on their way to clients, who may be slow, while the next requests are worked at.
	sendingBytes = 128 << 20
	maxCapacity  = 1e9
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
	if f.Concurrency < 0 || f.Concurrency > 100_000 {
		return tracker.Bad("--concurrency", "%d is out of range: 1 to 100000", f.Concurrency)
	}
	if f.Requests < 0 || f.Requests > 10_000_000 {
		return tracker.Bad("--requests", "%d is out of range: 1 to 10000000", f.Requests)
	}
	return nil
}

// control is the server's traffic: tenants by their buckets, and all together by how many requests are under way, and how many of them are worked at.
type control struct {
	buckets *traffic.Buckets
	inside  *traffic.Queue
	queue   *traffic.Queue
	sending *semaphore.Weighted // bytes of answers that are on their way
}

func (f *trafficFlags) control() *control {
	places := f.Concurrency
	if places == 0 {
		places = perCPU * runtime.GOMAXPROCS(0)
	}
	return &control{traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU, WCU: f.TenantWCU}, nil), traffic.NewQueue(cmp.Or(f.Requests, perPlace*places), 0),
		traffic.NewQueue(places, max(1, places/2)), semaphore.NewWeighted(sendingBytes)}
}

// pace gives the jobs of each tenant, in the background, buckets of their own, of half of what it may consume: so they keep it from nothing, and it can't have work
// done for nothing by them.
func (f *trafficFlags) pace(d *dynamo.Settings) {
	jobs := traffic.NewBuckets(traffic.Rates{RCU: f.TenantRCU / 2, WCU: f.TenantWCU / 2}, nil)
	d.Spent = func(t tracker.TenantID, cost dynamo.Cost) { charge(jobs, t, cost) }
	d.Pace = jobs.Wait
}

// stands tells how the queue does, for metrics.
func (c *control) stands() (s telemetry.Queue) {
	s.Places, s.Room = c.queue.Size()
	s.Running, s.Waiting = c.queue.Load()
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

// Enter waits until the request is worked at.
func (c *control) Enter(ctx context.Context) (graph.Place, error) {
	leave, err := c.queue.Enter(ctx, principal(ctx).Tenant)
	if err != nil {
		return nil, err
	}
	return &place{c: c, leave: leave}, nil
}

// place is a place in the queue, and the memory of the answer.
type place struct {
	c     *control
	leave func()
	bytes int64 // of the answer, when the place has been left to another request
}

// Answered leaves the place, unless the answers that are on their way take too much memory already: then it is kept until this one is sent, so that
// no more are made than are taken.
func (p *place) Answered(bytes int) {
	if p.c.sending.TryAcquire(int64(bytes)) {
		p.bytes = int64(bytes)
		p.leave()
	}
}

// Leave ends it.
func (p *place) Leave() {
	p.c.sending.Release(p.bytes)
	p.bytes = 0
	p.leave()
}

// Admit lets an operation run when its tenant has capacity. Operators have no bucket: they work for all tenants.
func (c *control) Admit(ctx context.Context, p tracker.Principal, write bool) (done func(dynamo.Cost), err error) {
	if p.Confined() {
		if err := c.buckets.Admit(p.Tenant, write); err != nil {
			c.show(ctx, p, write)
			return nil, err
		}
	}
	return func(cost dynamo.Cost) {
		if p.Confined() {
			c.Late(p, cost)
			c.show(ctx, p, write)
		}
	}, nil
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
