package traffic

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/tracker"
)

// Processor shares the CPU between tenants. Each tenant may use one eighth of the CPUs freely. CPU time
// beyond that is debt. Operations of a tenant with debt wait until they can pay in a common lane, which
// provides half of the CPUs and which tenants share equally. So a tenant with heavy load leaves more than a
// third of the CPUs to tenants with light load, which never wait, and several tenants with heavy load use all
// CPUs.
//
// A tenant that is alone does not wait: its debt is cancelled while no other tenant has used the CPU lately.
//
// CPU time is counted after it was used, because the cost of work is known only then. So a tenant can save
// many times what is counted at once; otherwise no operation would run without waiting.
type Processor struct {
	own  float64 // CPUs that each tenant may use freely
	lane float64 // CPUs that tenants with debt share

	mu      sync.Mutex
	tenants map[tracker.TenantID]*usage
	turns   []*usage      // tenants with waiting operations
	paid    time.Duration // what the tenant served last had paid before
	free    time.Time     // when the lane is free
	timer   *time.Timer

	// latest is the tenant that used the CPU last, at latestAt; otherAt is when any other tenant last did.
	latest            *usage
	latestAt, otherAt time.Time
}

// usage is a tenant's use of the CPU.
type usage struct {
	tenant tracker.TenantID
	// saved is the CPU time that the tenant may use freely, as of at. Below 0 it is debt.
	saved   time.Duration
	at      time.Time
	active  time.Time // time of the last use
	waiting []chan struct{}
	// paid is what the tenant has paid in the lane. The tenant that has paid the least is served first. A
	// tenant that joins starts at the level of the others.
	paid time.Duration
}

const (
	// ownPart is the divisor of the CPUs that a tenant uses freely.
	ownPart = 8
	// ownBurst is the most CPU time that a tenant can save, in seconds of its own rate.
	ownBurst = 0.8
	// leastPaid is the least that an operation pays to continue.
	leastPaid = time.Millisecond
	// laneBurst is how much time the lane can save while it is unused.
	laneBurst = 10 * time.Millisecond
	// alone is how long all other tenants must have been idle for a tenant to count as alone.
	alone = 250 * time.Millisecond
	// mostDebt limits the debt of a tenant, and with it how long its operations wait.
	mostDebt = 2 * time.Second
	// maxUsages is the number of tenants from which idle ones are dropped.
	maxUsages = 10_000
)

// NewProcessor returns a Processor for the given number of CPUs, at least 1.
func NewProcessor(cpus int) *Processor {
	n := float64(max(1, cpus))
	return &Processor{own: n / ownPart, lane: n / 2, tenants: map[tracker.TenantID]*usage{}}
}

// Spent counts CPU time that a tenant has used. It never waits.
func (p *Processor) Spent(t tracker.TenantID, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	u := p.of(t, now)
	u.saved = max(u.saved-d, -mostDebt)
	u.active = now
	if p.latest != u {
		p.latest, p.otherAt = u, p.latestAt
	}
	p.latestAt = now
}

// of returns the usage of a tenant, with what it has saved by now.
func (p *Processor) of(t tracker.TenantID, now time.Time) *usage {
	most := time.Duration(p.own * ownBurst * float64(time.Second))
	u := p.tenants[t]
	if u == nil {
		p.forget(now)
		u = &usage{tenant: t, saved: most, at: now}
		p.tenants[t] = u
	}
	u.saved = min(most, u.saved+time.Duration(p.own*float64(now.Sub(u.at))))
	u.at = now
	return u
}

// forget drops tenants that have been idle long enough to pay any debt.
func (p *Processor) forget(now time.Time) {
	if len(p.tenants) < maxUsages {
		return
	}
	for t, u := range p.tenants {
		if len(u.waiting) == 0 && now.Sub(u.active) > time.Minute {
			delete(p.tenants, t)
		}
	}
}

// Wait waits until a tenant may use more CPU time. It returns the error of ctx if ctx ends first.
func (p *Processor) Wait(ctx context.Context, t tracker.TenantID) error {
	p.mu.Lock()
	now := time.Now()
	u := p.of(t, now)
	if u.saved >= 0 || p.isAlone(u, now) {
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	if len(u.waiting) == 0 {
		p.turns = append(p.turns, u)
		u.paid = max(u.paid, p.paid)
	}
	u.waiting = append(u.waiting, turn)
	p.serve(now)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(u.waiting, turn); i >= 0 {
		u.waiting = slices.Delete(u.waiting, i, i+1)
		if len(u.waiting) == 0 {
			p.turns = slices.DeleteFunc(p.turns, func(other *usage) bool { return other == u })
		}
	}
	return ctx.Err()
}

// isAlone reports whether no other tenant has used the CPU lately. If so, it cancels the tenant's debt.
func (p *Processor) isAlone(u *usage, now time.Time) bool {
	other := p.otherAt
	if p.latest != u {
		other = p.latestAt
	}
	if now.Sub(other) < alone {
		return false
	}
	u.saved = max(u.saved, 0)
	return true
}

// serve resumes operations while the lane is free, and schedules its next call if others wait.
func (p *Processor) serve(now time.Time) {
	if earliest := now.Add(-laneBurst); p.free.Before(earliest) {
		p.free = earliest
	}
	for len(p.turns) > 0 && !p.free.After(now) {
		u := slices.MinFunc(p.turns, func(a, b *usage) int { return cmp.Compare(a.paid, b.paid) })
		p.of(u.tenant, now)
		pay := max(-u.saved/time.Duration(len(u.waiting)), leastPaid)
		p.paid = u.paid
		u.paid += pay
		u.saved += pay
		p.free = p.free.Add(time.Duration(float64(pay) / p.lane))
		close(u.waiting[0])
		if u.waiting = u.waiting[1:]; len(u.waiting) == 0 {
			p.turns = slices.DeleteFunc(p.turns, func(other *usage) bool { return other == u })
		}
	}
	if len(p.turns) == 0 {
		return
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	p.timer = time.AfterFunc(p.free.Sub(now), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.serve(time.Now())
	})
}

// Waiting returns the number of operations that wait.
func (p *Processor) Waiting() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, u := range p.turns {
		n += len(u.waiting)
	}
	return n
}
