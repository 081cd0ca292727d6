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
	// unit is what a bucket counts: half a capacity unit, the least that DynamoDB bills for a read.
	unit = 0.5
	// Burst is for how many seconds of its rate a bucket holds: a tenant that has asked for nothing so long
	// may consume that at once.
	Burst = 10
	// maxBuckets is from how many tenants on those are forgotten that have used nothing lately.
	maxBuckets = 10_000
)

// Rates are what a tenant may consume in a second, in DynamoDB's capacity units; 0 is as much as it likes.
type Rates struct{ RCU, WCU float64 }

// Buckets hold what each tenant may consume. What an operation costs is known when it has ended. Until then
// what it is estimated to cost is reserved: an operation is admitted while anything is left beside what
// others have reserved. So when one unit is left, one of many parallel operations is admitted. When it has
// ended, its cost is taken in the place of its reservation, also below nothing.
//
// A reservation is at most a quarter of the bucket, however much is estimated: a small tenant is not refused
// for what a query might have cost, and can run some in parallel.
type Buckets struct {
	rates Rates
	now   func() time.Time
	mu    sync.Mutex
	all   map[tracker.TenantID]*pair
}

type pair struct {
	reads, writes bucket
	// more is how many times as much as estimated the tenant's operations have read lately: its documents may
	// be large. At least 1; guarded by Buckets.mu.
	more float64
}

// learn notes what an operation has read, and what it was estimated to read. More than before counts at once,
// less by and by.
func (p *pair) learn(estimated, read float64) {
	if estimated > 0 {
		ratio := min(max(1, read/estimated), mostMore)
		p.more = max(ratio, 0.8*p.more+0.2*ratio)
	}
}

// mostMore bounds what is learned: documents of 400 KB are 100 times as large as those that are estimated.
const mostMore = 100

// bucket is what a tenant may read, or write.
type bucket struct {
	*rate.Limiter
	reserved float64 // tokens of operations under way; guarded by Buckets.mu
}

// reservable is the part of a bucket that one operation may reserve.
const reservable = 0.25

// NewBuckets makes full buckets. Now is the clock; nil is the system's.
func NewBuckets(rates Rates, now func() time.Time) *Buckets {
	if now == nil {
		now = time.Now
	}
	return &Buckets{rates: rates, now: now, all: map[tracker.TenantID]*pair{}}
}

// State is how a tenant's bucket stands. Limit is 0 where there is none.
type State struct {
	// Limit is how many capacity units the bucket holds, and Remaining how many are left, at least 0.
	Limit, Remaining float64
	// Reset is when it is full again, if nothing is consumed.
	Reset time.Duration
}

// Admit reserves what an operation is estimated to cost, and returns what is to be called once when it has
// ended, with its cost. It refuses a tenant that has consumed what it may: RateLimited, with the time after
// which there is something left of all that the operation needs. An operation that does not write needs no
// write capacity.
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
		defer b.mu.Unlock() // around both, so that nobody is admitted in between
		p.reads.reserved -= reads
		p.writes.reserved -= writes
		p.learn(estimate.RCU, rcu)
		p.charge(rcu, wcu, b.now())
	}, nil
}

// refuse returns an error unless something is left.
func (p *pair) refuse(now time.Time, write bool) error {
	kind, after := "read", p.reads.empty(now)
	if write {
		if behind := p.writes.empty(now); behind > after {
			kind, after = "write", behind
		}
	}
	if after == 0 {
		return nil
	}
	return &tracker.Error{Code: tracker.RateLimited, RetryAfter: after,
		Message: "the tenant has consumed what it may of DynamoDB's " + kind +
			" capacity units, or its operations under way have reserved it; try again later, ask for " +
			"smaller pages, or have the limit raised"}
}

// reserve takes as many tokens for a while as an operation is estimated to consume capacity units, and
// returns how many.
func (l *bucket) reserve(capacity float64) float64 {
	if l.Limit() == rate.Inf {
		return 0
	}
	n := min(capacity/unit, max(1, reservable*float64(l.Burst())))
	l.reserved += n
	return n
}

// empty is for how long there is nothing left, in whole seconds. Where it is reserved, that is until
// operations under way have ended, which no clock says.
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

// Wait returns when there is something left of what a tenant reads and writes with, or ctx ends.
func (b *Buckets) Wait(ctx context.Context, t tracker.TenantID) error {
	for {
		err, refused := errors.AsType[*tracker.Error](b.left(t))
		if !refused {
			return ctx.Err()
		}
		timer := time.NewTimer(err.RetryAfter)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// left refuses a tenant that has nothing left to read and write with.
func (b *Buckets) left(t tracker.TenantID) error {
	now, p := b.now(), b.of(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.refuse(now, true)
}

// Charge takes what an operation has consumed.
func (b *Buckets) Charge(t tracker.TenantID, rcu, wcu float64) {
	b.of(t).charge(rcu, wcu, b.now())
}

func (p *pair) charge(rcu, wcu float64, now time.Time) {
	take(p.reads.Limiter, rcu, now)
	take(p.writes.Limiter, wcu, now)
}

// take takes more than the bucket holds, if it must, in parts: a limiter refuses to take more than that at
// once.
func take(l *rate.Limiter, capacity float64, now time.Time) {
	if l.Limit() == rate.Inf {
		return
	}
	for n := int(math.Round(capacity / unit)); n > 0; n -= l.Burst() {
		l.ReserveN(now, min(n, l.Burst()))
	}
}

// Read returns the state of what a tenant reads with, and of what it writes with.
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

// forget lets go of full buckets when there are many, which is the same as having them.
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
