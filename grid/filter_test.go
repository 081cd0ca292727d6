package grid_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"issuegrid/account"
	"issuegrid/columns"
	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// regressions are seeds that once failed.
var regressions = []uint64{}

// worlds is how many projects are made, and queriesEach how many queries of each are asked: 10,000 in all.
var worlds uint64 = 500

const queriesEach = 20

// TestFilteredWalks compares every way to answer a filter with an evaluation in memory: random projects,
// filters, orders, page sizes and budgets, with issues that come and go between the pages. Each page of a
// walk is read in another way, so that each goes on from where another has stopped, and then the whole walk
// by the planner's own choice.
func TestFilteredWalks(t *testing.T) {
	seeds := slices.Clone(regressions)
	for seed := range worlds {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		w := newWorld(seed, 60)
		for n := range queriesEach {
			q := w.query()
			check := func(what string, err error) {
				if err != nil {
					t.Fatalf("seed %d, query %d, %s: %v\n%v", seed, n, what, err, q)
				}
			}
			check("forced in turn", q.everyPlan())
			check("forced", q.walk(true))
			check("planned", q.walk(false))
			check("counted", q.count())
			check("anchored", q.anchors())
		}
	}
}

// filtered is a filtered grid to walk through.
type filtered struct {
	world   *world
	asked   asked
	request grid.Request
	disturb bool
	open    func() *account.Account // opens the account of each page; nil for none
	places  map[*tracker.Issue]place
}

func (f *filtered) String() string {
	return fmt.Sprintf("%d issues, %s, order %+v, size %d, backward %t, budget %d", len(f.world.issues),
		f.asked.words, f.request.Order, f.request.Size, f.request.Backward, f.request.Budget)
}

func (w *world) query() *filtered {
	r := w.random
	columns := []tracker.Column{tracker.ColumnNum, tracker.ColumnNum, tracker.ColumnName, tracker.ColumnState,
		tracker.ColumnCreated, tracker.ColumnUpdated,
		fText.Column(), fInt.Column(), fNumber.Column(), fDate.Column(), fInstant.Column(), fBool.Column(),
		fSelect.Column(), fUser.Column()}
	order, err := grid.NewOrder(w.definition, pickOne(r, columns), r.IntN(2) == 0, r.IntN(2) == 0)
	if err != nil {
		panic(err)
	}
	f := &filtered{world: w, asked: w.filter(1 + r.IntN(3)), disturb: r.IntN(3) == 0,
		places: map[*tracker.Issue]place{}}
	f.request.Order = order
	if len(w.issues) > 0 && r.IntN(3) == 0 {
		f.level(pickOne(r, w.issues))
	}
	f.request = grid.Request{Project: project, Definition: w.definition, Order: order,
		Where: f.asked.condition, Size: 1 + r.IntN(9), Backward: r.IntN(3) == 0,
		NeedNext: true, NeedPrevious: r.IntN(2) == 0, Explain: r.IntN(2) == 0}
	if f.request.Backward {
		f.request.NeedNext, f.request.NeedPrevious = f.request.NeedPrevious, true
	}
	if r.IntN(4) == 0 {
		f.request.Budget = 1 + r.IntN(20)
	}
	return f
}

// level demands of the rows what an issue has in the column of the order, so that they are in the order of
// their numbers.
func (f *filtered) level(of *tracker.Issue) {
	column, before := f.request.Order.Column, f.asked
	values := filter.NoValue()
	subject := filter.NewMatcher(f.world.definition).Subject(of)
	if v, ok, _ := subject.SortValue(column); ok {
		values = filter.Equal(v)
	}
	want, has := f.value(of)
	f.asked = asked{filter.And{before.condition,
		filter.In{Column: column, Values: values}}, func(i *tracker.Issue) bool {
		v, ok := f.value(i)
		return before.meets(i) && ok == has && bytes.Equal(v, want) &&
			(column != tracker.ColumnNum || i.Num == of.Num)
	}, before.words + " and the same value as " + fmt.Sprint(of.Num)}
}

// value is the sort value of an issue, by the oracle's own account of the order.
func (f *filtered) value(i *tracker.Issue) (sortkey.Value, bool) {
	w, c := f.world, f.request.Order.Column
	switch c {
	case tracker.ColumnNum:
		return nil, true
	case tracker.ColumnName:
		return sortkey.Text(i.Name), true
	case tracker.ColumnState:
		n, _ := w.definition.Project.StateRank(i.State)
		return sortkey.Rank(n), true
	case tracker.ColumnCreated:
		return sortkey.Time(i.Created), true
	case tracker.ColumnUpdated:
		return sortkey.Time(i.Updated), true
	}
	v, ok := i.Values[c.Field()]
	if !ok {
		return nil, false
	}
	switch f := w.definition.Field(c.Field()); f.Type {
	case tracker.TypeText, tracker.TypeUser:
		return sortkey.Text(v.Text()), true
	case tracker.TypeInteger:
		return sortkey.Int(v.Int()), true
	case tracker.TypeNumber:
		return sortkey.Float(v.Float()), true
	case tracker.TypeBoolean:
		return sortkey.Bool(v.Bool()), true
	case tracker.TypeSelect:
		n, _ := f.OptionRank(tracker.OptionID(v.Text()))
		return sortkey.Rank(n), true
	default:
		return sortkey.Text(v.Text()), true // dates and instants of one form
	}
}

// place is a position as the oracle knows it.
type place struct {
	has   bool
	value string
	num   int64
}

func (f *filtered) place(i *tracker.Issue) place {
	p, ok := f.places[i]
	if !ok {
		v, has := f.value(i)
		p = place{has, string(v), i.Num}
		f.places[i] = p
	}
	return p
}

func (f *filtered) compare(a, b place) int {
	o := f.request.Order
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

// rows are all rows of the grid, in the direction of paging.
func (f *filtered) rows() []*tracker.Issue {
	var out []*tracker.Issue
	for _, i := range f.world.issues {
		if f.asked.meets(i) {
			out = append(out, i)
		}
	}
	slices.SortFunc(out, func(a, b *tracker.Issue) int { return f.compare(f.place(a), f.place(b)) })
	if f.request.Backward {
		slices.Reverse(out)
	}
	return out
}

// walk goes through the grid to its end and compares every page.
func (f *filtered) walk(forced bool) error {
	w, r := f.world, f.request
	var at *place
	beyond := func(i *tracker.Issue) bool {
		if at == nil {
			return true
		}
		c := f.compare(f.place(i), *at)
		return c > 0 && !r.Backward || c < 0 && r.Backward
	}
	for pages := 0; ; pages++ {
		if pages > 3000 {
			return fmt.Errorf("no end after %d pages", pages)
		}
		if forced {
			r.Force = 1 + w.random.IntN(50)
		}
		ctx := context.Background()
		if f.open != nil {
			ctx = account.With(ctx, f.open())
		}
		page, err := grid.Read(ctx, grid.Source{Index: w, Fetch: w.fetchHeld, Texts: w.texts}, r)
		if err != nil {
			return err
		}
		var want []*tracker.Issue
		for _, i := range f.rows() {
			if beyond(i) {
				want = append(want, i)
			}
		}
		got := slices.Clone(page.Rows)
		more, against := page.HasNext, page.HasPrevious
		if r.Backward {
			slices.Reverse(got)
			more, against = against, more
		}
		if len(got) > r.Size || len(got) < min(r.Size, len(want)) && !page.Stopped {
			return fmt.Errorf("page %d: %d rows of %d, want %v", pages, len(got), r.Size, numsOf(want))
		}
		if len(got) > len(want) {
			return fmt.Errorf("page %d: %d rows, only %d are left", pages, len(got), len(want))
		}
		for n := range got {
			if got[n].Issue.Num != want[n].Num {
				return fmt.Errorf("page %d, row %d: #%d, want %v", pages, n, got[n].Issue.Num, numsOf(want))
			}
		}
		if left := len(want) - len(got); more != (left > 0) && !page.Stopped && left < 5 {
			return fmt.Errorf("page %d: more is %t, %d are left", pages, more, left)
		}
		if page.Position != nil && (!page.Stopped || !more) {
			return fmt.Errorf("page %d: stopped, and says that there is no more", pages)
		}
		needAgainst := r.Backward && r.NeedNext || !r.Backward && r.NeedPrevious
		if needAgainst && at != nil && !page.Stopped {
			has := slices.ContainsFunc(f.rows(), func(i *tracker.Issue) bool { return !beyond(i) })
			if against != has {
				return fmt.Errorf("page %d: against the direction %t, want %t", pages, against, has)
			}
		}
		if !more {
			return nil
		}
		cursor, err := f.next(page, got)
		if err != nil {
			return err
		}
		text, err := grid.ParseCursor(cursor.String(), r.Order)
		if err != nil {
			return err
		}
		next := f.placeOf(text)
		if at != nil {
			if c := f.compare(next, *at); c == 0 || (c > 0) == r.Backward {
				return fmt.Errorf("page %d: the walk does not get on from %v: %v", pages, *at, next)
			}
		}
		at = &next
		if r.Backward {
			r.Before = &text
		} else {
			r.After = &text
		}
		// Nothing between the last row and the position.
		if n := len(got); n < len(want) && page.Stopped && !beyond(want[n]) {
			return fmt.Errorf("page %d: #%d was left out", pages, want[n].Num)
		}
		if f.disturb && w.random.IntN(3) == 0 {
			w.insert()
			w.remove()
		}
	}
}

// everyPlan reads the first page in every way that there is.
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
		page, err := grid.Read(context.Background(), grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts}, r)
		if err != nil {
			return err
		}
		if got := summary(page).nums; !slices.Equal(got, want) {
			return fmt.Errorf("got %v, want %v, by\n%s", got, want, page.Plan.Text())
		}
		if r.Force == 0 {
			n = 2 + len(page.Rejected) // of one region, or of both
		}
		r.Force++
	}
	return nil
}

// count compares the count with the rows. Issues that are gone and still in the index may be counted.
func (f *filtered) count() error {
	w, r := f.world, f.request
	r.Force = w.random.IntN(3) * w.random.IntN(10)
	n, exact, err := grid.Count(context.Background(), grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts},
		r)
	if want := len(f.rows()); err != nil || n > want+w.ghosts || exact && n < want {
		return fmt.Errorf("count %d, exact %t, %v; want %d and up to %d ghosts", n, exact, err, want,
			w.ghosts)
	}
	return nil
}

// next is where the page after this one begins.
func (f *filtered) next(page grid.Page, got []grid.Row) (grid.Cursor, error) {
	if page.Position != nil {
		return *page.Position, nil
	}
	return got[len(got)-1].Cursor()
}

func (f *filtered) placeOf(c grid.Cursor) place {
	p := place{c.HasValue, string(c.Value), c.Num}
	if !c.HasValue || f.request.Order.Column == tracker.ColumnNum {
		return p
	}
	if d := f.world.definition.Field(c.Column.Field()); !c.Column.Builtin() &&
		(d.Type == tracker.TypeDate || d.Type == tracker.TypeDateTime) {
		// The oracle compares their texts, and finds the one that is encoded so.
		for _, day := range days {
			for _, text := range []string{day, day + "T00:00:00Z"} {
				if (d.Type == tracker.TypeDate) == (text == day) &&
					string(columns.SortValue(d, tracker.Text(text))) == string(c.Value) {
					p.value = string(sortkey.Text(text))
				}
			}
		}
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
