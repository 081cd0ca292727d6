package grid_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// worlds is the number of random projects, and queriesEach the number of queries on each.
var worlds = uint64(tier.Cases(25, 250))

const queriesEach = 20

// continued is the number of counts that began where another one had ended.
var continued int

// worldsOf are random projects in turn, with grids on each.
type worldsOf struct {
	first, number uint64 // seeds
	sizes         []int  // up to how many issues they have, in turn
	grids         int
	prepare       func(*world)
}

var allSizes = []int{12, 60, 200}

// each calls try for each of the grids, the errors of which name it.
func (of worldsOf) each(t *testing.T, try func(*world) error) {
	t.Helper()
	for seed := of.first; seed < of.first+of.number; seed++ {
		w := newWorld(seed, of.sizes[seed%uint64(len(of.sizes))])
		w.split([]int{1, 2, 7}[seed%3], seed%2 == 0)
		if of.prepare != nil {
			of.prepare(w)
		}
		for n := range of.grids {
			if err := try(w); err != nil {
				t.Fatalf("seed %d, grid %d of a project with %d issues: %v", seed, n, len(w.issues), err)
			}
		}
	}
}

// TestFilteredWalks compares every plan for a filter with an evaluation in memory, for random projects,
// filters, orders, page sizes and budgets, with issues inserted, deleted and changed between pages. One walk
// reads each page with a random plan, so that each plan continues where another stopped. A second walk uses
// the planner's own choice.
func TestFilteredWalks(t *testing.T) {
	worldsOf{0, worlds, []int{60}, queriesEach, nil}.each(t, func(w *world) error {
		q := w.query()
		if err := cmp.Or(q.everyPlan(), q.sorted(true).walk(), q.sorted(false).walk(), q.count(),
			q.checkAnchors()); err != nil {
			return fmt.Errorf("%w\n%v", err, q)
		}
		return nil
	})
	if continued < 4*int(worlds) {
		t.Errorf("only %d counts continued", continued)
	}
}

// filtered is a filtered grid, with its expected rows.
type filtered struct {
	world     *world
	filter    testFilter
	request   grid.Request
	positions map[*tracker.Issue]sortPosition
}

func (f *filtered) String() string {
	return fmt.Sprintf("%s, order %+v, size %d, backward %t, budget %d", f.filter.description,
		f.request.Order, f.request.Size, f.request.Backward, f.request.Budget)
}

func (w *world) query() *filtered {
	r := w.random
	columns := []tracker.Column{tracker.ColumnNum, tracker.ColumnNum, tracker.ColumnName, tracker.ColumnState,
		tracker.ColumnCreated, tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy,
		fText.Column(), fInt.Column(), fNumber.Column(), fDate.Column(), fInstant.Column(), fBool.Column(),
		fSelect.Column(), fUser.Column()}
	order, err := grid.OrderBy(w.definition, pickOne(r, columns), r.IntN(2) == 0, r.IntN(2) == 0)
	if err != nil {
		panic(err)
	}
	f := &filtered{world: w, filter: w.filter(1 + r.IntN(3)), positions: map[*tracker.Issue]sortPosition{}}
	f.request.Order = order
	if len(w.issues) > 0 && r.IntN(3) == 0 {
		f.sameValue(pickOne(r, w.issues))
	}
	f.request = grid.Request{Project: project, Definition: w.definition, Order: order,
		Where: f.filter.condition, Size: 1 + r.IntN(9), Backward: r.IntN(3) == 0,
		NeedNext: true, NeedPrevious: r.IntN(2) == 0, Explain: r.IntN(2) == 0}
	if f.request.Backward {
		f.request.NeedNext, f.request.NeedPrevious = f.request.NeedPrevious, true
	}
	if r.IntN(4) == 0 {
		f.request.Budget = 1 + r.IntN(20)
	}
	if w.distinct != nil { // else a walk takes thousands of pages
		f.request.Budget *= 100
	}
	return f
}

// sameValue restricts the filter to the issues that have the same value as an issue in the column of the
// order, so that the rows are in the order of their numbers.
func (f *filtered) sameValue(of *tracker.Issue) {
	column, before := f.request.Order[0].Column, f.filter
	values := filter.NoValue()
	subject := filter.NewMatcher(f.world.definition).Subject(of)
	if v, ok, _ := subject.SortValue(column); ok {
		values = filter.Equal(v)
	}
	want, has := f.value(of)
	f.filter = testFilter{filter.And{before.condition,
		filter.In{Column: column, Values: values}}, func(i *tracker.Issue) bool {
		v, ok := f.value(i)
		return before.matches(i) && ok == has && bytes.Equal(v, want) &&
			(column != tracker.ColumnNum || i.Num == of.Num)
	}, before.description + " and the same value as " + fmt.Sprint(of.Num)}
}

// value returns the sort value of an issue, as the oracle computes it.
func (f *filtered) value(i *tracker.Issue) (sortkey.Value, bool) {
	v, ok := f.world.plain(f.request.Order[0].Column, i)
	if !ok || f.request.Order[0].Column == tracker.ColumnNum {
		return nil, ok
	}
	return encodePlain(v), true
}

// sortPosition is a position in the oracle's order.
type sortPosition struct {
	has   bool
	value string
	num   int64
}

func (f *filtered) position(i *tracker.Issue) sortPosition {
	p, ok := f.positions[i]
	if !ok {
		v, has := f.value(i)
		p = sortPosition{has, string(v), i.Num}
		f.positions[i] = p
	}
	return p
}

func (f *filtered) compare(a, b sortPosition) int {
	o := f.request.Order[0]
	if a.has != b.has {
		if a.has == o.NullsFirst {
			return 1
		}
		return -1
	}
	c := cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.num, b.num))
	if o.Descending {
		return -c
	}
	return c
}

// rows returns all rows of the grid, in the direction of paging.
func (f *filtered) rows() []*tracker.Issue {
	var out []*tracker.Issue
	for _, i := range f.world.issues {
		if f.filter.matches(i) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b *tracker.Issue) int { return f.compare(f.position(a), f.position(b)) })
	if f.request.Backward {
		slices.Reverse(out)
	}
	return out
}

// everyPlan reads the first page with every candidate plan.
func (f *filtered) everyPlan() error {
	w, r := f.world, f.request
	r.Budget, r.Explain = 0, true
	rows := f.rows()
	var want []int64
	for _, i := range rows[:min(r.Size, len(rows))] {
		want = append(want, i.Num)
	}
	if r.Backward {
		slices.Reverse(want)
	}
	for n := 1; n > 0; n-- {
		page, err := grid.Read(context.Background(), w.source(), r)
		if err != nil {
			return err
		}
		if got := summary(page).nums; !slices.Equal(got, want) {
			return fmt.Errorf("got %v, want %v, with the plan\n%s", got, want, page.Plan.Text())
		}
		if r.Force == 0 {
			n = 2 + len(page.Rejected) // candidates of one region, or of both
		}
		r.Force++
	}
	return nil
}

// count compares Count with the number of rows. Ghosts may be counted. If a count ends before all is counted,
// it continues there, in half of the cases with responses of one key, so that many counts are needed.
func (f *filtered) count() error {
	w, r := f.world, f.request
	source := w.source()
	if w.random.IntN(2) == 0 {
		defer func(keys int) { w.megabyte = keys }(w.megabyte)
		w.megabyte = 1 + len(w.issues)/200
	}
	r.Force = w.random.IntN(3) * w.random.IntN(10)
	want := len(f.rows())
	for calls := 1; ; calls++ {
		got, err := grid.Count(context.Background(), source, r)
		n, exact := got.N, got.Exact
		if err != nil || n > want+w.ghosts || exact && n < want ||
			!exact && got.Next == nil && r.Budget == 0 {
			return fmt.Errorf("count %d: got %d, exact %t, next %v, %v; want %d plus up to %d ghosts", calls,
				n, exact, got.Next, err, want, w.ghosts)
		}
		if got.Next == nil { // exact, or a tiny budget allowed no progress
			continued += calls - 1
			return nil
		}
		if r.CountFrom, err = grid.ParseCountPosition(got.Next.String(), r); err != nil {
			return err
		}
	}
}

func (f *filtered) positionOf(c grid.Position) sortPosition {
	p := sortPosition{c.HasValue, string(c.Value), c.Num}
	column := f.request.Order[0].Column
	if !c.HasValue || column == tracker.ColumnNum {
		return p
	}
	if d := f.world.definition.Field(column.Field()); !column.Builtin() &&
		(d.Type == tracker.TypeDate || d.Type == tracker.TypeDateTime) {
		// The oracle compares dates as strings.
		decoded, _ := sortkey.Decode(sortkey.KindInt, c.Value)
		n, _ := decoded.(int64)
		text := time.UnixMicro(n).UTC().Format(time.RFC3339)
		if d.Type == tracker.TypeDate {
			text = time.Unix(n*86400, 0).UTC().Format(time.DateOnly)
		}
		p.value = string(sortkey.Text(text))
	}
	return p
}

func numsOf(issues []*tracker.Issue) []int64 {
	out := make([]int64, len(issues))
	for i := range issues {
		out[i] = issues[i].Num
	}
	return out
}
