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

// subject is something that is judged as one, and can be looked at again.
type subject interface {
	// look reads it consistently and says what is wrong.
	look(ctx context.Context) ([]Finding, error)
	// mend sets right what the findings of one kind say, all of which the last look has brought. A refusal
	// because something is not any more as it was then is a Conflict or client.ErrStale.
	mend(ctx context.Context, kind FindingKind, all []Finding) error
}

// suspect is a subject with what was wrong with it.
type suspect struct {
	subject
	was []Finding
	// reported are findings of it that are in the report and could not be mended.
	reported []Finding
}

// suspect looks at a subject that seemed to be wrong. If it still does, it is kept for the last look.
func (c *checker) suspect(ctx context.Context, s subject) error {
	findings, err := s.look(ctx)
	if err != nil || len(findings) == 0 {
		return err
	}
	c.mu.Lock()
	c.suspects = append(c.suspects, &suspect{subject: s, was: findings})
	full := len(c.suspects) >= maxSuspects
	c.mu.Unlock()
	if full {
		return c.confirmAll(ctx)
	}
	return nil
}

// confirmAll looks at the suspects for the last time, and mends them.
func (c *checker) confirmAll(ctx context.Context) error {
	c.mu.Lock()
	suspects := c.suspects
	c.suspects = nil
	c.mu.Unlock()
	mended, err := c.again(ctx, suspects, c.confirm)
	if err != nil {
		return err
	}
	// A bulk write may have been about to write the document of an entry that had none. So what was mended is
	// looked at once more, in its turn.
	_, err = c.again(ctx, mended, c.verify)
	return err
}

// again lets some time pass and then does each of the suspects, side by side. It returns those that were
// mended.
func (c *checker) again(ctx context.Context, suspects []*suspect,
	each func(context.Context, *suspect) (mended bool, err error)) ([]*suspect, error) {
	if len(suspects) == 0 {
		return nil, nil
	}
	if err := client.Wait(ctx, c.options.Settle); err != nil {
		return nil, err
	}
	var mended []*suspect
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(c.options.Segments)
	for _, s := range suspects {
		group.Go(func() error {
			was, err := each(ctx, s)
			c.mu.Lock()
			defer c.mu.Unlock()
			if was {
				mended = append(mended, s)
			}
			done++
			c.progress(Progress{StageAgain, done, len(suspects)})
			return err
		})
	}
	return mended, group.Wait()
}

// confirm takes for findings what was wrong before and still is.
func (c *checker) confirm(ctx context.Context, s *suspect) (bool, error) {
	now, err := s.look(ctx)
	if err != nil {
		return false, err
	}
	findings := slices.DeleteFunc(slices.Clone(now), func(f Finding) bool { return !contains(s.was, f) })
	if len(findings) == 0 {
		return false, nil
	}
	return c.conclude(ctx, s, now, findings)
}

// verify takes for findings what is wrong behind a repair.
func (c *checker) verify(ctx context.Context, s *suspect) (bool, error) {
	now, err := s.look(ctx)
	if err != nil {
		return false, err
	}
	return c.conclude(ctx, s, now, slices.DeleteFunc(slices.Clone(now), func(f Finding) bool {
		return contains(s.reported, f)
	}))
}

// conclude mends a subject if that is asked for, and tells the findings.
func (c *checker) conclude(ctx context.Context, s *suspect, now, findings []Finding) (mended bool,
	err error) {
	left := now
	if c.options.Repair {
		left, mended, err = c.mend(ctx, s, now)
		for _, f := range left { // what only came to light by mending
			if f.Kind.mends() && !contains(now, f) {
				findings = append(findings, f)
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range findings {
		is := contains(left, f)
		if c.found.add(f, !is); is {
			s.reported = append(s.reported, f)
		}
	}
	return mended, err
}

// mendRounds is more than there are kinds to be mended one behind the other.
const mendRounds = 20

// mend mends what it can of a subject, a kind at a time, and looks again after each. It returns what is left.
func (c *checker) mend(ctx context.Context, s *suspect, now []Finding) (left []Finding, mended bool,
	err error) {
	for range mendRounds {
		kind, all := first(now)
		if len(all) == 0 {
			return now, mended, nil
		}
		err := s.subject.mend(ctx, kind, all)
		if code := tracker.CodeOf(err); err != nil && !errors.Is(err, client.ErrStale) &&
			code != tracker.Conflict && code != tracker.NotFound {
			return now, mended, err
		}
		mended = mended || err == nil
		looked, err := s.look(ctx)
		if err != nil {
			return now, mended, err
		}
		now = looked
	}
	return now, mended, nil
}

// first picks the findings of the kind that is to be mended first.
func first(all []Finding) (FindingKind, []Finding) {
	mends := slices.DeleteFunc(slices.Clone(all), func(f Finding) bool { return !f.Kind.mends() })
	if len(mends) == 0 {
		return "", nil
	}
	kind := slices.MinFunc(mends, func(a, b Finding) int {
		return cmp.Compare(a.Kind.place(), b.Kind.place())
	}).Kind
	return kind, slices.DeleteFunc(mends, func(f Finding) bool { return f.Kind != kind })
}

func contains(all []Finding, f Finding) bool {
	return slices.ContainsFunc(all, func(g Finding) bool { return g.same() == f.same() })
}

// partitionSubject is a table partition that is to be looked at again.
type partitionSubject struct {
	c    *checker
	pk   string
	last partition
}

// maxLooks is how often a partition is read again because a writer was faster.
const maxLooks = 10

// look reads the partition until there is the same version before and after: a Query is no snapshot either.
// One that is never at rest has nothing wrong that its writers do not see.
func (s *partitionSubject) look(ctx context.Context) ([]Finding, error) {
	for range maxLooks {
		s.last = s.c.open(s.pk)
		err := s.c.db.Partition(ctx, s.pk, func(m layout.Item) error {
			s.last.add(m)
			return nil
		})
		if err != nil {
			return nil, err
		}
		findings, err := s.last.judge(ctx, true)
		if err != nil || len(findings) == 0 {
			return nil, err
		}
		if moved, err := s.last.moved(ctx); err != nil || !moved {
			return findings, err
		}
	}
	return nil, nil
}

func (s *partitionSubject) mend(ctx context.Context, kind FindingKind, all []Finding) error {
	return s.last.mend(ctx, kind, all)
}
