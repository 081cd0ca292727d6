package grid

import (
	"context"
	"sync"
	"time"
)

// plannedRegion is a region that is being read. It is planned once per page, however many streams read it,
// and again if its documents show that the plan was wrong.
type plannedRegion struct {
	source  *pageSource
	region  *region
	tallies []tally // one for each condition

	mu        sync.Mutex
	execution *execution // nil until the region is planned
	rejected  []Rejected // of the last plan
	revised   int        // the number of documents by which it was last planned again; 0 if it was not
}

func newPlannedRegion(x *pageSource, g *region) *plannedRegion {
	return &plannedRegion{source: x, region: g, tallies: make([]tally, len(g.conditions))}
}

// prepare plans the region on the first call, and collects the sets that its plan needs.
func (r *plannedRegion) prepare(ctx context.Context) (*execution, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.execution != nil {
		return r.execution, nil
	}
	start := time.Now()
	s := guess(r.region)
	plan := choose(r.region, s)
	if plan.worthProbing() {
		s, err := r.source.probe(ctx, r.region, s)
		if err != nil {
			return nil, err
		}
		plan = choose(r.region, s)
	}
	q := r.region.request
	if q.window > 0 && !plan.whole() {
		q.Size, q.window = q.window, 0
		plan = choose(r.region, plan.stats)
	}
	if err := r.execute(ctx, plan); err != nil {
		return nil, err
	}
	if q.window > 0 { // decided for the first region
		if m := r.execution.plan.method; m != Sort && m != List { // it was more than expected
			q.Size = q.window
		}
		q.window = 0
	}
	r.observe(ctx, start)
	return r.execution, nil
}

// revise plans the region again by statistics from so many of its documents, and reports whether the region
// is read differently from now on. It must not run concurrently with other reads of the region.
func (r *plannedRegion) revise(ctx context.Context, documents int) (changed bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	start, before := time.Now(), r.execution
	r.revised = documents
	if err := r.execute(ctx, choose(r.region, before.plan.corrected(r.tallies))); err != nil {
		return false, err
	}
	r.observe(ctx, start)
	return r.execution != before, nil
}

// enough returns how many documents show whether the plan was wrong: several times as many as those by which
// the region was planned again, because its estimate was then as good as they allow.
func (r *plannedRegion) enough() int { return max(minExamined, maxErrorFactor*r.revised) }

// execute starts to execute a plan. While a plan turns out to be too expensive, it chooses another.
func (r *plannedRegion) execute(ctx context.Context, plan Plan) error {
	var before *Candidate
	if r.execution != nil {
		before = &r.execution.plan.Candidate
	}
	for {
		if before != nil && plan.same(before) {
			r.execution.plan = plan // its sets are collected already
			break
		}
		e, better, err := r.source.execute(ctx, plan)
		if err != nil {
			return err
		}
		if e != nil {
			r.execution = e
			break
		}
		plan = plan.chooseAgain(better)
	}
	if r.source.request.Explain {
		r.rejected = r.execution.plan.rejects(before)
	}
	return nil
}

// current returns the plan by which the region is read, or nil before it is planned.
func (r *plannedRegion) current() *Plan {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.execution == nil {
		return nil
	}
	return &r.execution.plan
}

// observe reports the plan of the region to Request.Planned.
func (r *plannedRegion) observe(ctx context.Context, start time.Time) {
	if planned, p := r.source.request.Planned, &r.execution.plan; planned != nil {
		planned(ctx, Decision{Start: start, Duration: time.Since(start), Method: p.method.String(),
			Candidates: len(p.candidates), Tail: r.region.tail, Revised: r.revised > 0})
	}
}
