package grid

import (
	"context"
	"sync"
	"time"
)

// reading is a region that is being read: planned once for a page, however many streams read it, and once
// more if its documents show that the plan was wrong.
type reading struct {
	run     *run
	region  *region
	tallies []tally // of the conditions

	mu        sync.Mutex
	execution *execution // nil until it is planned
	rejected  []Rejected // of the last plan
	revised   bool
}

func newReading(x *run, g *region) *reading {
	return &reading{run: x, region: g, tallies: make([]tally, len(g.conditions))}
}

// prepare plans the region, and collects what that takes first.
func (r *reading) prepare(ctx context.Context) (*execution, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.execution != nil {
		return r.execution, nil
	}
	start := time.Now()
	s := guess(r.region)
	plan := choose(r.region, s)
	if plan.worthProbing() {
		s, err := r.run.probe(ctx, r.region, s)
		if err != nil {
			return nil, err
		}
		plan = choose(r.region, s)
	}
	if err := r.execute(ctx, plan); err != nil {
		return nil, err
	}
	r.observe(ctx, start)
	return r.execution, nil
}

// revise plans the region again, by what its documents have told, and reports whether it is read differently
// from here on. Nothing else reads the region meanwhile.
func (r *reading) revise(ctx context.Context) (changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	start, before := time.Now(), r.execution
	r.revised = true
	if err := r.execute(ctx, choose(r.region, before.plan.corrected(r.tallies))); err != nil {
		return false, err
	}
	r.observe(ctx, start)
	return r.execution != before, nil
}

// execute begins to execute a plan, and chooses again for as long as one turns out to be too much.
func (r *reading) execute(ctx context.Context, plan Plan) error {
	var before *Candidate
	if r.execution != nil {
		before = &r.execution.plan.Candidate
	}
	for {
		if before != nil && plan.same(before) {
			r.execution.plan = plan // what it needs is there
			break
		}
		e, better, err := r.run.execute(ctx, plan)
		if err != nil {
			return err
		}
		if e != nil {
			r.execution = e
			break
		}
		plan = plan.again(better)
	}
	if r.run.request.Explain {
		r.rejected = r.execution.plan.rejects(before)
	}
	return nil
}

// current is the plan by which the region is read; nil until it is planned.
func (r *reading) current() *Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.execution == nil {
		return nil
	}
	return &r.execution.plan
}

// observe tells the request's observer how the region is planned.
func (r *reading) observe(ctx context.Context, start time.Time) {
	if planned, p := r.run.request.Planned, &r.execution.plan; planned != nil {
		planned(ctx, Decision{Start: start, Duration: time.Since(start), Method: p.method.String(),
			Ways: len(p.candidates), Tail: r.region.tail, Revised: r.revised})
	}
}
