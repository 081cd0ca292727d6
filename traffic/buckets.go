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
	// Burst is for how many seconds of its rate a bucket holds: a tenant that has asked for nothing so long may consume that at once.
	Burst = 10
	// maxBuckets is from how many tenants on those are forgotten that have used nothing lately.
	maxBuckets = 10_000
)

// Rates are what a tenant may consume in a second, in DynamoDB's capacity units; 0 is as much as it likes.
type Rates struct{ RCU, WCU float64 }

// Buckets hold what each tenant may consume. What an operation costs is known when it has ended: it is let in while there is anything left, and its
// cost is taken then, also below nothing. So a small tenant is never refused for what a query might have cost.
type Buckets struct {
	rates Rates
	now   func() time.Time
	mu    sync.Mutex
	all   map[tracker.TenantID]*pair
}

type pair struct{ reads, writes *rate.Limiter }

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

// Admit refuses a tenant that has consumed what it may: RateLimited, with the time after which there is something left of all that it needs.
func (b *Buckets) Admit(t tracker.TenantID, write bool) error {
	now, p := b.now(), b.of(t)
	kind, after := "read", empty(p.reads, now)
	if write {
		if behind := empty(p.writes, now); behind > after {
			kind, after = "write", behind
		}
	}
	if after == 0 {
		return nil
	}
	return &tracker.Error{Code: tracker.RateLimited, RetryAfter: after,
		Message: "the tenant has consumed what it may of DynamoDB's " + kind + " capacity units; try again later, ask for smaller pages, or have the limit raised"}
}

// empty is for how long there is nothing left, in whole seconds.
func empty(l *rate.Limiter, now time.Time) time.Duration {
	tokens := l.TokensAt(now)
	if l.Limit() == rate.Inf || tokens >= 1 {
		return 0
	}
	return time.Duration(math.Ceil((1-tokens)/float64(l.Limit()))) * time.Second
}

// Wait returns when there is something left of what a tenant reads and writes with, or ctx ends.
func (b *Buckets) Wait(ctx context.Context, t tracker.TenantID) error {
	for {
		err, refused := errors.AsType[*tracker.Error](b.Admit(t, true))
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

// Charge takes what an operation has consumed.
func (b *Buckets) Charge(t tracker.TenantID, rcu, wcu float64) {
	now, p := b.now(), b.of(t)
	take(p.reads, rcu, now)
	take(p.writes, wcu, now)
}

// take takes more than the bucket holds, if it must, in parts: a limiter refuses to take more than that at once.
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
	return state(p.reads, now), state(p.writes, now)
}

func state(l *rate.Limiter, now time.Time) State {
	if l.Limit() == rate.Inf {
		return State{}
	}
	tokens, full := l.TokensAt(now), float64(l.Burst())
	return State{Limit: full * unit, Remaining: math.Max(0, tokens) * unit, Reset: time.Duration((full - tokens) / float64(l.Limit()) * float64(time.Second))}
}

func (b *Buckets) of(t tracker.TenantID) *pair {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.all[t]
	if p == nil {
		b.forget()
		p = &pair{limiter(b.rates.RCU), limiter(b.rates.WCU)}
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
		if full(p.reads, now) && full(p.writes, now) {
			delete(b.all, t)
		}
	}
}

func full(l *rate.Limiter, now time.Time) bool {
	return l.Limit() == rate.Inf || l.TokensAt(now) >= float64(l.Burst())
}

func limiter(rates float64) *rate.Limiter {
	if rates == 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	perSecond := rates / unit
	return rate.NewLimiter(rate.Limit(perSecond), max(1, int(perSecond*Burst)))
}
