package loaders

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"issuegrid/tracker"
)

// Definition returns a project with its fields. The error is NotFound if there is none.
//
// Law: all calls of a request return the same definition, until Renew or ForgetDefinitions is called.
func (t *Tenant) Definition(ctx context.Context, p tracker.ProjectID) (*tracker.Definition, error) {
	if d := t.used(p); d != nil {
		return d, nil
	}
	d, err := t.store.Definition(ctx, p)
	if err != nil {
		return nil, err
	}
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	if first := t.definitions[p]; first != nil { // of a call that ran in parallel
		return first, nil
	}
	t.definitions[p] = d
	return d, nil
}

// used returns the definition that the request uses, or nil if it has not used one.
func (t *Tenant) used(p tracker.ProjectID) *tracker.Definition {
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	return t.definitions[p]
}

// ForgetDefinitions makes the next calls of Definition and Get return what may be newer than what the request
// has used so far.
func (s *Set) ForgetDefinitions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tenants {
		clear(t.definitions)
		t.tenant.loader.ClearAll()
	}
}

// Renew is called when err may be due to an outdated definition ([tracker.Outdated]). It reads the
// definitions that the request has used, unless they were read after it began, and reports whether one of
// them has changed. From then on Definition returns the current ones.
func (s *Set) Renew(ctx context.Context, err error) (changed bool, _ error) {
	since := s.began
	if errors.Is(err, tracker.ErrDefinitionChanged) {
		since = s.db.Now()
	}
	s.mu.Lock()
	tenants := make([]*Tenant, 0, len(s.tenants))
	for _, t := range s.tenants {
		tenants = append(tenants, t)
	}
	s.mu.Unlock()
	var some atomic.Bool
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(renewParallel)
	for _, t := range tenants {
		for _, used := range t.allUsed() {
			group.Go(func() error {
				changed, err := t.renew(ctx, used, since)
				if changed {
					some.Store(true)
				}
				return err
			})
		}
	}
	err = group.Wait()
	return some.Load(), err
}

// renewParallel is the number of definitions that Renew reads in parallel.
const renewParallel = 8

// renew replaces the definition of a project by one that was the current one at since or later, and reports
// whether it differs.
func (t *Tenant) renew(ctx context.Context, used *tracker.Definition, since time.Time) (changed bool,
	_ error) {
	if !used.Read.Before(since) {
		return false, nil
	}
	p := used.Project.ID
	now, err := t.store.Renewed(ctx, p, since)
	if err != nil && tracker.CodeOf(err) != tracker.NotFound {
		return false, err
	}
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	if now == nil { // the project was deleted
		delete(t.definitions, p)
		return true, nil
	}
	t.definitions[p] = now
	return now.Project.Version != used.Project.Version, nil
}

// allUsed returns all definitions that the request uses.
func (t *Tenant) allUsed() (all []*tracker.Definition) {
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	for _, d := range t.definitions {
		all = append(all, d)
	}
	return all
}
