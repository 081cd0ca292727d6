package traffic

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"issuegrid/tracker"
)

const (
	// unit is the amount that one token of a bucket stands for: half a capacity unit, the least that DynamoDB
	// bills for a read.
	unit = 0.5
	// Burst is the capacity of a bucket, in seconds of its rate: a tenant that has been idle for so long may
	// consume that amount at once.
	Burst = 10
	// maxBuckets is the number of buckets from which full ones are dropped.
	maxBuckets = 10_000
)

// Rates are what a tenant may consume per second, in DynamoDB's capacity units; 0 means no limit.
type Rates struct{ RCU, WCU float64 }

// Buckets limit what each tenant consumes. The cost of an operation is known only when it has ended; until
// then its estimated cost is reserved. An operation is admitted while the bucket holds more than is reserved,
// so that of many parallel operations only one is admitted on the last unit. When the operation has ended,
// its actual cost replaces the reservation, even if that takes the bucket below zero.
//
// A reservation is at most a quarter of the bucket, so that a small tenant is not rejected for an
// overestimated query, and can run several in parallel.
type Buckets struct {
	rates Rates
	now   func() time.Time
	mu    sync.Mutex
	all   map[tracker.TenantID]*pair
}

type pair struct {
	reads, writes bucket
	// more is how many times the estimate the tenant's operations have read lately, because its documents may
	// be large. At least 1; guarded by Buckets.mu.
	more float64
}

// learn updates more with what an operation was estimated to read and has read. An increase counts at once, a
// decrease gradually.
func (p *pair) learn(estimated, read float64) {
	if estimated > 0 {
		ratio := min(max(1, read/estimated), mostMore)
		p.more = max(ratio, 0.8*p.more+0.2*ratio)
	}
}

// mostMore limits more: documents of 400 KB are 100 times as large as the estimate assumes.
const mostMore = 100

// bucket limits what a tenant reads, or what it writes.
type bucket struct {
	*rate.Limiter
	reserved float64 // tokens reserved by running operations; guarded by Buckets.mu
}

// reservable is the part of a bucket that one operation may reserve.
const reservable = 0.25

// NewBuckets returns full buckets. If now is nil, the clock is time.Now.
func NewBuckets(rates Rates, now func() time.Time) *Buckets {
	if now == nil {
		now = time.Now
	}
	return &Buckets{rates: rates, now: now, all: map[tracker.TenantID]*pair{}}
}

// State is the state of a tenant's bucket. Limit is 0 if there is no limit.
type State struct {
	// Limit is the capacity of the bucket in capacity units, and Remaining is what is left of it, at least 0.
	Limit, Remaining float64
	// Reset is the time until the bucket is full again if nothing is consumed.
	Reset time.Duration
}

// Admit reserves the estimated cost of an operation. The caller calls settle once, with the actual cost, when
// the operation has ended. If the tenant's capacity is used up, Admit fails with RateLimited and the time
// after which there is capacity of each kind that the operation needs. An operation needs write capacity only
// if write is true.
func (b *Buckets) Admit(t tracker.TenantID, estimate Rates, write bool) (settle func(rcu, wcu float64),
	err error) {
	now, p := b.now(), b.of(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := p.refuse(now, write); err != nil {
		return nil, err
	}
	reads, writes := p.reads.reserve(estimate.RCU*p.more), p.writes.reserve(estimate.WCU)
	return func(rcu, wcu float64) {
		b.mu.Lock()
		defer b.mu.Unlock() // around both changes, so that no operation is admitted in between
		p.reads.reserved -= reads
		p.writes.reserved -= writes
		p.learn(estimate.RCU, rcu)
		p.charge(rcu, wcu, b.now())
	}, nil
}

// refuse returns an error unless capacity is left.
func (p *pair) refuse(now time.Time, write bool) error {
	kind, after := "read", p.reads.empty(now)
	if write {
		if w := p.writes.empty(now); w > after {
			kind, after = "write", w
		}
	}
	if after == 0 {
		return nil
	}
	return &tracker.Error{Code: tracker.RateLimited, RetryAfter: after,
		Message: "the tenant has used up its DynamoDB " + kind +
			" capacity, or its running operations have reserved it; try again later, request " +
			"smaller pages, or ask for a higher limit"}
}

// reserve reserves the tokens for an estimated number of capacity units, and returns how many it reserved.
func (l *bucket) reserve(capacity float64) float64 {
	if l.Limit() == rate.Inf {
		return 0
	}
	n := min(capacity/unit, max(1, reservable*float64(l.Burst())))
	l.reserved += n
	return n
}

// empty returns how long it takes until a token is available, in whole seconds. If tokens are only reserved,
// it returns one second, because the end of running operations is unknown.
func (l *bucket) empty(now time.Time) time.Duration {
	tokens := l.TokensAt(now)
	switch {
	case l.Limit() == rate.Inf || tokens-l.reserved >= 1:
		return 0
	case tokens >= 1:
		return time.Second
	}
	return time.Duration(math.Ceil((1-tokens)/float64(l.Limit()))) * time.Second
}

// Wait waits until the tenant has both read and write capacity. It returns the error of ctx if ctx ends
// first.
func (b *Buckets) Wait(ctx context.Context, t tracker.TenantID) error {
	for {
		err, refused := errors.AsType[*tracker.Error](b.Left(t, true))
		if !refused {
			return ctx.Err()
		}
		if err := Sleep(ctx, err.RetryAfter); err != nil {
			return err
		}
	}
}

// Sleep waits for a time. If ctx ends first, it returns the error of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Left returns the error of Admit if the tenant has no read capacity, or if write is true, no write capacity.
func (b *Buckets) Left(t tracker.TenantID, write bool) error {
	now, p := b.now(), b.of(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.refuse(now, write)
}

// Charge subtracts what a tenant has consumed.
func (b *Buckets) Charge(t tracker.TenantID, rcu, wcu float64) {
	b.of(t).charge(rcu, wcu, b.now())
}

func (p *pair) charge(rcu, wcu float64, now time.Time) {
	take(p.reads.Limiter, rcu, now)
	take(p.writes.Limiter, wcu, now)
}

// take subtracts capacity from l, in parts of at most its burst because ReserveN accepts no more. The balance
// may become negative.
func take(l *rate.Limiter, capacity float64, now time.Time) {
	if l.Limit() == rate.Inf {
		return
	}
	for n := int(math.Round(capacity / unit)); n > 0; n -= l.Burst() {
		l.ReserveN(now, min(n, l.Burst()))
	}
}

// Read returns the states of a tenant's read and write capacity.
func (b *Buckets) Read(t tracker.TenantID) (reads, writes State) {
	now, p := b.now(), b.of(t)
	return state(p.reads.Limiter, now), state(p.writes.Limiter, now)
}

func state(l *rate.Limiter, now time.Time) State {
	if l.Limit() == rate.Inf {
		return State{}
	}
	tokens, full := l.TokensAt(now), float64(l.Burst())
	return State{Limit: full * unit, Remaining: math.Max(0, tokens) * unit,
		Reset: time.Duration((full - tokens) / float64(l.Limit()) * float64(time.Second))}
}

func (b *Buckets) of(t tracker.TenantID) *pair {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.all[t]
	if p == nil {
		b.forget()
		p = &pair{bucket{Limiter: limiter(b.rates.RCU)}, bucket{Limiter: limiter(b.rates.WCU)}, 1}
		b.all[t] = p
	}
	return p
}

// forget drops full buckets when there are many. A bucket that is created again is full, so nothing changes.
func (b *Buckets) forget() {
	if len(b.all) < maxBuckets {
		return
	}
	now := b.now()
	for t, p := range b.all {
		if p.reads.full(now) && p.writes.full(now) {
			delete(b.all, t)
		}
	}
}

func (l *bucket) full(now time.Time) bool {
	return l.reserved == 0 && (l.Limit() == rate.Inf || l.TokensAt(now) >= float64(l.Burst()))
}

func limiter(rates float64) *rate.Limiter {
	if rates == 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	perSecond := rates / unit
	return rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond*Burst)))
}
