package grid_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/groups"
	"issuegrid/internal/relative"
	"issuegrid/tracker"
)

// TestGroups walks through the groups of random grids, and compares them with those of the same issues in
// memory: by all columns and kinds of ranges, in one level or two, with random filters, directions, positions
// of the group without a value, page sizes, budgets and numbers of shards, and with issues inserted, deleted
// and changed between pages. If nothing changes, the counts of the groups add up to that of the issues.
func TestGroups(t *testing.T) {
	var all tally
	worldsOf{40_000, worlds, allSizes, queriesEach, nil}.each(t, func(w *world) error {
		g := w.grouped()
		g.levels = 1 + w.random.IntN(2)
		err := g.walk()
		all.add(&g.tally)
		return err
	})
	if n := int(worlds); all.stopped < n/2 || all.counted < all.found/3 || all.inner < 3*n ||
		all.sums < 8*n || all.innerSums < 2*n {
		t.Errorf("too few to test them: %+v", all)
	}
}

// tally has numbers of what was tested.
type tally struct {
	stopped, found   int // pages that their budget ended, and groups
	counted          int // groups that were counted when they were found
	inner            int // walks through the groups of groups
	sums, innerSums  int // pages up to which the counts of groups were added up; those of groups of groups
	unfinished, size int // walks whose counts are not known to be exact; the most groups of a walk
}

func (t *tally) add(of *tally) {
	t.stopped, t.found, t.counted = t.stopped+of.stopped, t.found+of.found, t.counted+of.counted
	t.inner, t.sums, t.innerSums = t.inner+of.inner, t.sums+of.sums, t.innerSums+of.innerSums
	t.unfinished, t.size = t.unfinished+of.unfinished, max(t.size, of.size)
}

// TestGroupsWhileRebuilding is TestGroups while a job moves states and options: the index has their values of
// before.
func TestGroupsWhileRebuilding(t *testing.T) {
	worldsOf{50_000, worlds / 8, []int{60}, queriesEach, (*world).move}.each(t, func(w *world) error {
		g := w.grouped()
		g.disturb = false
		return g.walk()
	})
}

// grouped is a grid whose issues are grouped.
type grouped struct {
	world    *world
	filter   testFilter
	column   tracker.Column
	ranges   groups.Ranges
	grouping *groups.Grouping
	request  groups.Request
	disturb  bool
	open     func() *account.Account // opens the account of each page; nil for no account

	descending, nullsFirst bool
	levels                 int // of groups; 0 is 1
	tally

	all     []expected // of the version of the world
	version int
}

func (g *grouped) String() string {
	return fmt.Sprintf("%s, by %s %+v, descending %t, nulls first %t, size %d, backward %t, "+
		"empty %t, prefix %q, budget %d", g.filter.description, g.column, g.ranges,
		g.descending, g.nullsFirst, g.request.Size, g.request.Backward, g.request.Empty, g.request.Prefix,
		g.request.Budget)
}

var periods = []relative.Unit{relative.Day, relative.Week, relative.Month, relative.Quarter, relative.Year}

func (w *world) grouped() *grouped {
	r := w.random
	g := &grouped{world: w, filter: w.filter(1 + r.IntN(2)), disturb: r.IntN(3) == 0,
		descending: r.IntN(2) == 0, nullsFirst: r.IntN(2) == 0}
	if r.IntN(2) == 0 {
		g.filter = noFilter
	}
	g.column = pickOne(r, []tracker.Column{tracker.ColumnNum, tracker.ColumnName, tracker.ColumnState,
		tracker.ColumnCreated, tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy,
		fText.Column(), fInt.Column(), fNumber.Column(), fDate.Column(), fInstant.Column(), fBool.Column(),
		fSelect.Column(), fUser.Column(), fMulti.Column(), fTags.Column()})
	switch g.column {
	case tracker.ColumnNum:
		g.ranges.Width = pickOne(r, []float64{1, 7, 100, 1e300})
	case tracker.ColumnCreated, tracker.ColumnUpdated, fInstant.Column(), fDate.Column():
		zone, err := time.LoadLocation(pickOne(r, []string{"UTC", "Europe/Berlin", "America/New_York"}))
		if err != nil {
			panic(err)
		}
		g.ranges.Zone, g.ranges.Period = zone, pickOne(r, periods)
	case fInt.Column():
		g.ranges.Width = pickOne(r, []float64{0, 1, 10, 1e15, 1e300})
	case fNumber.Column():
		g.ranges.Width = pickOne(r, []float64{0, 0.1, 1, 2.5, 1e300, 5e-324})
	case tracker.ColumnName, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy, fText.Column(), fUser.Column():
		g.ranges.FirstLetter = r.IntN(2) == 0
	}
	var err error
	g.grouping, err = groups.New(w.definition, g.column, g.ranges, g.descending, g.nullsFirst)
	if err != nil {
		panic(err)
	}
	g.request = groups.Request{Request: grid.Request{Project: project, Definition: w.definition,
		Where: g.filter.condition, NeedNext: r.IntN(2) == 0, NeedPrevious: r.IntN(2) == 0},
		Tags: w.Tags, Size: 1 + r.IntN(5), Backward: r.IntN(3) == 0, Empty: r.IntN(5) == 0}
	if r.IntN(4) == 0 {
		g.request.Budget = 1 + r.IntN(60)
	}
	if w.distinct != nil { // else a walk takes thousands of pages
		g.request.Size += r.IntN(len(w.issues) / 200)
		g.request.Budget *= 50
	}
	if g.grouping.CheckPrefix() == nil {
		g.request.Prefix = pickOne(r, []string{"", "", "a", "br", "u", "long long", "o", "d", "gree", "r"})
	}
	return g
}

// issuesOf returns the numbers of those of some issues that match the filter and the condition of a group.
func (g *grouped) issuesOf(x *groups.Group, among []*tracker.Issue) []int64 {
	m := filter.NewMatcher(g.world.definition)
	var out []int64
	for _, i := range among {
		s := m.Subject(i)
		if truth, err := s.Meets(g.grouping.Condition(x)); err == nil && truth == filter.Yes &&
			g.filter.matches(i) {
			out = append(out, i.Num)
		}
	}
	return out
}

// among returns the issues with which the n-th group of some is tested: all, or, in a large world, its own,
// those of the groups next to it, and some others.
func (g *grouped) among(all []expected, n int) []*tracker.Issue {
	w := g.world
	if len(w.issues) <= manyIssues {
		return w.issues
	}
	var nums []int64
	for _, x := range all[max(0, n-1):min(len(all), n+2)] {
		nums = append(nums, x.issues...)
	}
	for range 5 {
		nums = append(nums, pickOne(w.random, w.issues).Num)
	}
	slices.Sort(nums)
	var out []*tracker.Issue
	for _, num := range slices.Compact(nums) {
		out = append(out, w.issue(num))
	}
	return out
}

// walk reads all pages of groups and checks them.
func (g *grouped) walk() (err error) {
	w, r, pages := g.world, g.request, 0
	sum, err := g.newSum()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("page %d: %w\n%v", pages, err, g)
		}
	}()
	var done []expected // the groups that were shown
	for ; ; pages++ {
		if pages > 2000 {
			return errors.New("the walk did not end")
		}
		if w.distinct != nil && pages == manyPages {
			return nil
		}
		ctx := context.Background()
		if g.open != nil {
			ctx = account.With(ctx, g.open())
		}
		page, err := g.grouping.Find(ctx, w.source(), r)
		if err != nil {
			return err
		}
		all := g.expected()
		rest := slices.DeleteFunc(slices.Clone(all), func(x expected) bool {
			if len(done) == 0 {
				return false
			}
			c := g.compare(x, done[len(done)-1])
			return c <= 0 && !r.Backward || c >= 0 && r.Backward
		})
		got, more, against := slices.Clone(page.Groups), page.HasNext, page.HasPrevious
		if r.Backward {
			slices.Reverse(got)
			more, against = against, more
		}
		if len(got) == 1 && page.Stopped != nil && (len(rest) == 0 ||
			g.check(&got[0], rest, 0) != nil) && len(g.issuesOf(&got[0], w.issues)) == 0 {
			got = nil // the budget did not suffice to find out
		}
		if len(got) > min(r.Size, len(rest)) || len(got) < min(r.Size, len(rest)) && page.Stopped == nil {
			return fmt.Errorf("%d groups of %v", len(got), rest[:min(len(rest), 100)])
		}
		for n := range got {
			if err := g.check(&got[n], rest, n); err != nil {
				return fmt.Errorf("group %d: %w", n, err)
			}
			g.found++
		}
		left := len(rest) - len(got)
		if more != (left > 0) && page.Stopped == nil {
			return fmt.Errorf("has more %t, and %d groups are left", more, left)
		}
		if needed := r.NeedPrevious && !r.Backward || r.NeedNext && r.Backward; needed && len(done) > 0 &&
			page.Stopped == nil && r.Budget == 0 && against != (len(rest) < len(all)) {
			return fmt.Errorf("flag %t against the direction of paging, %d of %d groups are left", against,
				len(rest), len(all))
		}
		done = append(done, rest[:len(got)]...)
		g.size = max(g.size, len(done))
		if err := sum.add(got, rest[len(got):]); err != nil {
			return err
		}
		if n := len(got); g.levels == 2 && n > 0 && (g.inner == 0 || w.sometimes()) {
			n = w.random.IntN(n)
			if err := g.inside(&got[n], rest[n]); err != nil {
				return err
			}
		}
		if page.Stopped != nil {
			g.stopped++
		}
		at := page.Stopped
		if at == nil && left == 0 {
			return nil
		} else if at == nil {
			at = groups.At(&got[len(got)-1])
		}
		parsed, err := g.grouping.ParsePosition(g.grouping.Encode(at))
		if err != nil {
			return err
		}
		if r.After = parsed; r.Backward {
			r.After, r.Before = nil, parsed
		}
		if g.disturb && w.sometimes() {
			w.disturb()
		}
	}
}

// check compares a group with the n-th one of those expected.
func (g *grouped) check(x *groups.Group, all []expected, n int) error {
	want, among := all[n], g.among(all, n)
	if got := g.issuesOf(x, among); x.None != want.none || !slices.Equal(got, want.issues) {
		return fmt.Errorf("%+v has the issues %v, want %+v", x, got, want)
	}
	if x.Counted {
		if g.counted++; x.Count < len(want.issues) || x.Count > len(want.issues)+g.world.ghosts {
			return fmt.Errorf("%+v has %d issues, and %d ghosts are in the index", x, len(want.issues),
				g.world.ghosts)
		}
	}
	again, err := g.grouping.ParseKey(g.grouping.Key(x))
	if err != nil || g.grouping.Key(&again) != g.grouping.Key(x) ||
		!slices.Equal(g.issuesOf(&again, among), want.issues) {
		return fmt.Errorf("the key %q of %+v is that of %+v, %v", g.grouping.Key(x), x, again, err)
	}
	return nil
}
