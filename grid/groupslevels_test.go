package grid_test

import (
	"context"
	"fmt"
	"slices"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/groups"
	"issuegrid/tracker"
)

// inside walks through the groups of a group by another column.
func (g *grouped) inside(x *groups.Group, want expected) error {
	w := g.world
	inner := w.grouped()
	for inner.column == g.column {
		inner = w.grouped()
	}
	inner.filter = testFilter{filter.Both(g.filter.condition, g.grouping.Condition(x)),
		func(i *tracker.Issue) bool {
			return g.filter.matches(i) && slices.ContainsFunc(g.values(i), func(of expected) bool {
				return of.none == want.none && of.name == want.name
			})
		}, fmt.Sprintf("%s, in the group %q (none: %t) by %s", g.filter.description, want.name, want.none,
			g.column)}
	inner.request.Where, inner.request.Prefix = inner.filter.condition, ""
	inner.request.Empty = g.request.Empty
	inner.disturb = inner.disturb && g.disturb
	if err := inner.walk(); err != nil {
		return err
	}
	g.inner++
	g.innerSums += inner.sums
	g.stopped += inner.stopped
	g.unfinished += inner.unfinished
	return nil
}

// count counts the issues that match a condition, possibly with ghosts. exact is false if the count does not
// end.
func (w *world) count(c filter.Condition) (n int, exact bool, err error) {
	r, source := grid.Request{Project: project, Definition: w.definition, Where: c}, w.source()
	for range 60 {
		got, err := grid.Count(context.Background(), source, r)
		if err != nil || got.Next == nil {
			return got.N, got.Exact, err
		}
		if r.CountFrom, err = grid.ParseCountPosition(got.Next.String(), r); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// sum adds up the counts of the groups of a walk. At every page, that of the groups so far and the issues of
// those that follow are all issues of the grid, and each of them is in one group (Q1). Ghosts may be counted.
type sum struct {
	of      *grouped
	version int // of the world; -1 if it is not tested
	total   int
	shown   int
}

// maxCounted is the maximum number of groups that are counted one by one.
const maxCounted = 2000

func (g *grouped) newSum() (*sum, error) {
	s := &sum{of: g, version: -1}
	if g.disturb || g.column == fMulti.Column() || g.column == fTags.Column() || g.request.Prefix != "" ||
		len(g.expected()) > maxCounted {
		return s, nil
	}
	n, exact, err := g.world.count(g.filter.condition)
	if err != nil || !exact {
		g.unfinished++
		return s, err
	}
	s.total, s.version = n, g.world.version
	return s, nil
}

// add adds the counts of the groups of a page.
func (s *sum) add(got []groups.Group, rest []expected) error {
	if s.version != s.of.world.version {
		return nil
	}
	for i := range got {
		x := &got[i]
		n, exact := x.Count, x.Counted
		if !exact {
			var err error
			n, exact, err = s.of.world.count(filter.Both(s.of.filter.condition, s.of.grouping.Condition(x)))
			if err != nil {
				return err
			}
		}
		if !exact {
			s.of.unfinished++
			s.version = -1
			return nil
		}
		s.shown += n
	}
	left := 0
	for _, x := range rest {
		left += len(x.issues)
	}
	if more := s.shown + left - s.total; more > s.of.world.ghosts || -more > s.of.world.ghosts {
		return fmt.Errorf("the groups so far have %d issues, and those that follow %d, of %d", s.shown, left,
			s.total)
	}
	s.of.sums++
	return nil
}
