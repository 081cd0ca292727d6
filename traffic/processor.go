package traffic

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"issuegrid/tracker"
)

// Processor shares the CPU between tenants. A tenant uses up to an eighth of the CPUs as it likes. What it
// uses beyond is debt, and while it has debt its operations wait to pay it in a lane that takes half of the
// CPUs, where tenants get equal parts. So one that computes for long leaves more than a third of the CPUs to
// those that compute little, and those never wait; and where several compute much, all CPUs are used.
//
// A tenant that is alone waits for nobody: its debt is forgiven while no other tenant has used any CPU
// lately.
//
// CPU time is counted when it has been used, as debt, because what work costs is known only then. What a
// tenant can save is many times what is counted at once, because otherwise no operation would ever pass
// without waiting.
type Processor struct {
	own  float64 // CPUs that each tenant may use as it likes
	lane float64 // CPUs that all tenants with debt share

	mu      sync.Mutex
	tenants map[tracker.TenantID]*usage
	turns   []*usage      // those for which operations wait
	paid    time.Duration // what the tenant that was served last had paid before
	free    time.Time     // when the lane is free again
	timer   *time.Timer

	// latest is the tenant that has last used the CPU, at latestAt, and otherAt when another one has.
	latest            *usage
	latestAt, otherAt time.Time
}

// usage is what a tenant has used of the CPU.
type usage struct {
	tenant tracker.TenantID
	// saved is the CPU time that the tenant may use as it likes; below 0 it is debt. It is as of at.
	saved   time.Duration
	at      time.Time
	active  time.Time // when it last used some
	waiting []chan struct{}
	// paid is what the tenant has paid in the lane. The tenant that has paid least is served first; a
	// newcomer starts level with the others.
	paid time.Duration
}

const (
	// ownPart is the part of the CPUs that a tenant uses as it likes.
	ownPart = 8
	// ownBurst is how much CPU time a tenant that has used none may use at once, in that of a second.
	ownBurst = 0.8
	// leastPaid is what an operation pays at least to go on.
	leastPaid = time.Millisecond
	// laneBurst is how much the lane may give at once when nobody has used it.
	laneBurst = 10 * time.Millisecond
	// alone is for how long no other tenant has used any CPU time where a tenant is alone.
	alone = 250 * time.Millisecond
	// mostDebt bounds how long a tenant is kept waiting for what it has used, about.
	mostDebt = 2 * time.Second
	// maxUsages is from how many tenants on those are forgotten that have used nothing lately.
	maxUsages = 10_000
)

// NewProcessor shares so many CPUs, at least 1.
func NewProcessor(cpus int) *Processor {
	n := float64(max(1, cpus))
	return &Processor{own: n / ownPart, lane: n / 2, tenants: map[tracker.TenantID]*usage{}}
}

// Spent books CPU time that a tenant has used. It never waits.
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

// of is the usage of a tenant, with what it has saved by now.
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

// forget lets go of tenants that have used nothing for a time in which any debt is paid.
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

// Wait returns when a tenant may use more. Its error is that of ctx.
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

// isAlone reports whether no other tenant has used the CPU lately, and forgives the tenant's debt if so.
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

// serve lets those go on whose turn it is, and sees to it that it is called when the lane is free for the
// next one.
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
