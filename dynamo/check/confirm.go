package check

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// subject is a unit of checking that can be read again.
type subject interface {
	// inspect reads the subject consistently and returns its findings.
	inspect(ctx context.Context) ([]Finding, error)
	// repair repairs the findings of one kind, all of which were returned by the last inspection. It returns
	// Conflict or client.ErrStale if an item has changed since then.
	repair(ctx context.Context, kind FindingKind, all []Finding) error
}

// suspect is a subject with the findings of its previous inspection.
type suspect struct {
	subject
	findings []Finding
	// reported contains the findings that are in the report and could not be repaired.
	reported []Finding
}

// ofProject reports whether the subject is the partition of a project.
func (s *suspect) ofProject() bool {
	p, ok := s.subject.(*partitionSubject)
	return ok && layout.ParsePartition(p.pk).Kind == layout.PartitionProject
}

// suspect reads a subject with findings again. If it still has any, it is kept for the last inspection.
func (c *checker) suspect(ctx context.Context, s subject) error {
	findings, err := s.inspect(ctx)
	if err != nil || len(findings) == 0 {
		return err
	}
	if p, ok := s.(*partitionSubject); ok {
		p.last = nil // it is read again before it is repaired
	}
	c.mu.Lock()
	c.suspects = append(c.suspects, &suspect{subject: s, findings: findings})
	full := len(c.suspects) >= maxSuspects
	c.mu.Unlock()
	if full {
		return c.confirmAll(ctx)
	}
	return nil
}

// confirmAll checks the suspects for the last time, and repairs them.
func (c *checker) confirmAll(ctx context.Context) error {
	c.mu.Lock()
	suspects := c.suspects
	c.suspects = nil
	c.mu.Unlock()
	var projects, others []*suspect
	for _, s := range suspects {
		if s.ofProject() {
			projects = append(projects, s)
		} else {
			others = append(others, s)
		}
	}
	repaired, err := c.recheck(ctx, others, c.confirm)
	if err != nil {
		return err
	}
	// Which tags of a project are used is known after the entries of its issues are repaired.
	more, err := c.recheck(ctx, projects, c.confirm)
	if err != nil {
		return err
	}
	// A bulk write may have been about to write the document of an entry that had none. So check the repaired
	// subjects once more, after another pause.
	_, err = c.recheck(ctx, append(repaired, more...), c.verify)
	return err
}

// recheck pauses and then calls each for the suspects in parallel. It returns those that were repaired.
func (c *checker) recheck(ctx context.Context, suspects []*suspect,
	each func(context.Context, *suspect) (repaired bool, err error)) ([]*suspect, error) {
	if len(suspects) == 0 {
		return nil, nil
	}
	if err := client.Wait(ctx, c.options.Settle); err != nil {
		return nil, err
	}
	var repaired []*suspect
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.options.Segments)
	for _, s := range suspects {
		group.Go(func() error {
			fixed, err := each(ctx, s)
			c.mu.Lock()
			defer c.mu.Unlock()
			if fixed {
				repaired = append(repaired, s)
			}
			done++
			c.progress(Progress{StageRecheck, done, len(suspects)})
			return err
		})
	}
	return repaired, group.Wait()
}

// confirm reports the findings that are present again.
func (c *checker) confirm(ctx context.Context, s *suspect) (bool, error) {
	now, err := s.inspect(ctx)
	if err != nil {
		return false, err
	}
	findings := slices.DeleteFunc(slices.Clone(now), func(f Finding) bool { return !contains(s.findings, f) })
	if len(findings) == 0 {
		return false, nil
	}
	return c.conclude(ctx, s, now, findings)
}

// verify reports the findings that are present after a repair.
func (c *checker) verify(ctx context.Context, s *suspect) (bool, error) {
	now, err := s.inspect(ctx)
	if err != nil {
		return false, err
	}
	return c.conclude(ctx, s, now, slices.DeleteFunc(slices.Clone(now), func(f Finding) bool {
		return contains(s.reported, f)
	}))
}

// conclude repairs a subject, if requested, and reports the findings.
func (c *checker) conclude(ctx context.Context, s *suspect, now, findings []Finding) (repaired bool,
	err error) {
	left := now
	if c.options.Repair {
		left, repaired, err = c.repair(ctx, s, now)
		for _, f := range left { // findings that became visible by repairing others
			if f.Kind.repairable() && !contains(now, f) {
				findings = append(findings, f)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range findings {
		remains := contains(left, f)
		if c.found.add(f, !remains); remains {
			s.reported = append(s.reported, f)
		}
	}
	return repaired, err
}

// repairRounds is larger than the number of kinds that can be repaired one after another.
const repairRounds = 20

// repair repairs a subject as far as possible, one kind at a time, and checks it after each. It returns the
// remaining findings.
func (c *checker) repair(ctx context.Context, s *suspect, now []Finding) (left []Finding, repaired bool,
	err error) {
	for range repairRounds {
		kind, all := nextKind(now)
		if len(all) == 0 {
			return now, repaired, nil
		}
		err := s.subject.repair(ctx, kind, all)
		if code := tracker.CodeOf(err); err != nil && !errors.Is(err, client.ErrStale) &&
			code != tracker.Conflict && code != tracker.NotFound {
			return now, repaired, err
		}
		repaired = repaired || err == nil
		inspected, err := s.inspect(ctx)
		if err != nil {
			return now, repaired, err
		}
		now = inspected
	}
	return now, repaired, nil
}

// nextKind returns the findings of the kind to be repaired first.
func nextKind(all []Finding) (FindingKind, []Finding) {
	repairable := slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return !f.Kind.repairable() })
	if len(repairable) == 0 {
		return "", nil
	}
	kind := slices.MinFunc(repairable, func(a, b Finding) int {
		return cmp.Compare(a.Kind.rank(), b.Kind.rank())
	}).Kind
	return kind, slices.DeleteFunc(repairable, func(f Finding) bool { return f.Kind != kind })
}

func contains(all []Finding, f Finding) bool {
	return slices.ContainsFunc(all, func(g Finding) bool { return g.identity() == f.identity() })
}

// partitionSubject is a table partition to be read again.
type partitionSubject struct {
	c    *checker
	pk   string
	last partition
}

// maxReads is how often a partition is read again because it changed while it was read.
const maxReads = 10

// inspect reads the partition until its version is the same before and after, because a Query is not a
// snapshot either. A partition that keeps changing has no findings: its writers would notice any damage.
func (s *partitionSubject) inspect(ctx context.Context) ([]Finding, error) {
	for range maxReads {
		s.last = s.c.newPartition(s.pk)
		err := s.c.db.Partition(ctx, s.pk, func(m layout.Item) error {
			s.last.add(m)
			return nil
		})
		if err != nil {
			return nil, err
		}
		findings, err := s.last.check(ctx, true)
		if err != nil || len(findings) == 0 {
			return nil, err
		}
		if moved, err := s.last.moved(ctx); err != nil || !moved {
			return findings, err
		}
	}
	return nil, nil
}

func (s *partitionSubject) repair(ctx context.Context, kind FindingKind, all []Finding) error {
	return s.last.repair(ctx, kind, all)
}
