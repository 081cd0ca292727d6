package grid_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"issuegrid/account"
	"issuegrid/grid"
	"issuegrid/multisort"
	"issuegrid/tracker"
)

// TestOrdersOfSeveralColumns walks through random grids that are sorted by 2 to 4 columns, and compares every
// page with the same rows sorted in memory: with random filters, directions, positions of the rows without a
// value, page sizes, budgets and numbers of shards, and with issues inserted and deleted between pages.
func TestOrdersOfSeveralColumns(t *testing.T) {
	stopped := 0
	for seed := range worlds / 4 {
		w := newWorld(seed, []int{12, 60, 200}[seed%3])
		w.split([]int{1, 2, 7}[seed%3], seed%2 == 0)
		for n := range queriesEach {
			s := w.severalColumns()
			if err := s.walk(); err != nil {
				t.Fatalf("seed %d, query %d: %v\n%v", seed, n, err, s)
			}
			stopped += s.stopped
		}
	}
	if stopped < int(worlds)/2 {
		t.Errorf("only %d pages were ended by their budget", stopped)
	}
}

// severalColumns is a grid sorted by several columns, with its expected rows.
type severalColumns struct {
	world   *world
	columns []*filtered // a grid of each column, all with the same filter
	request multisort.Request
	disturb bool
	stopped int                     // pages
	far     *tracker.Issue          // where the walk ends, exclusively, or nil
	open    func() *account.Account // opens the account of each page; nil for no account
}

func (s *severalColumns) String() string {
	return fmt.Sprintf("%d issues, %s, order %+v, size %d, backward %t, budget %d", len(s.world.issues),
		s.columns[0].filter.description, s.request.Order, s.request.Size, s.request.Backward,
		s.request.Budget)
}

func (w *world) severalColumns() *severalColumns {
	first := w.query()
	s := &severalColumns{world: w, request: multisort.Request{Request: first.request},
		disturb: w.random.IntN(3) == 0}
	if s.request.Budget > 0 && len(w.issues) > 60 { // else a walk takes thousands of pages
		s.request.Budget += 40
	}
	if w.random.IntN(2) == 0 {
		first.filter = testFilter{nil, func(*tracker.Issue) bool { return true }, "no filter"}
		s.request.Where = nil
	}
	number := 2 + w.random.IntN(3)
	var orders []grid.Order
	for len(orders) < number {
		f := w.query()
		column := f.request.Order.Column
		if slices.ContainsFunc(orders, func(o grid.Order) bool { return o.Column == column }) {
			continue
		}
		f.filter = first.filter
		orders = append(orders, f.request.Order)
		s.columns = append(s.columns, f)
	}
	var err error
	if s.request.Order, err = multisort.NewOrder(orders...); err != nil {
		panic(err)
	}
	s.columns = s.columns[:len(s.request.Order)]
	if w.random.IntN(3) == 0 {
		s.request.Size = 1 + w.random.IntN(80)
	}
	if len(w.issues) > 0 && w.random.IntN(3) == 0 {
		s.far = pickOne(w.random, w.issues)
		far, err := multisort.AtIssue(context.Background(), w.definition, s.request.Order, s.far, w.texts)
		if err != nil {
			panic(err)
		}
		far[len(far)-1].Num = s.far.Num
		if s.request.Backward {
			s.request.After = far
		} else {
			s.request.Before = far
		}
	}
	return s
}

// compare compares the positions of two issues in the order of the grid.
func (s *severalColumns) compare(a, b *tracker.Issue) int {
	for n, f := range s.columns {
		x, y := f.position(a), f.position(b)
		if n < len(s.columns)-1 { // the number counts only in the last column
			x.num, y.num = 0, 0
		}
		if c := f.compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

// against compares a cursor with the position of an issue.
func (s *severalColumns) against(c multisort.Cursor, i *tracker.Issue) int {
	for n, f := range s.columns {
		x, y := f.positionOf(c[n]), f.position(i)
		if n < len(c)-1 {
			x.num, y.num = 0, 0
		}
		if d := f.compare(x, y); d != 0 || n == len(c)-1 {
			return d
		}
	}
	return 0
}

// cursors compares two cursors.
func (s *severalColumns) cursors(a, b multisort.Cursor) int {
	for n, f := range s.columns {
		x, y := f.positionOf(a[n]), f.positionOf(b[n])
		if n < len(a)-1 { // among the rows with the value
			x.num = 1
		}
		if n < len(b)-1 {
			y.num = 1
		}
		if c := f.compare(x, y); c != 0 || n == len(a)-1 || n == len(b)-1 {
			return c
		}
	}
	return 0
}

func (s *severalColumns) rows() []*tracker.Issue {
	rows := s.columns[0].rows()
	slices.SortFunc(rows, s.compare)
	if s.request.Backward {
		slices.Reverse(rows)
	}
	return rows
}

func (s *severalColumns) walk() error {
	w, r := s.world, s.request
	var at multisort.Cursor
	beyond := func(i *tracker.Issue) bool {
		if at == nil {
			return true
		}
		c := s.against(at, i)
		return c < 0 && !r.Backward || c > 0 && r.Backward
	}
	for pages := 0; ; pages++ {
		if pages > 3000 {
			return fmt.Errorf("the walk did not end after %d pages", pages)
		}
		ctx := context.Background()
		if s.open != nil {
			ctx = account.With(ctx, s.open())
		}
		page, err := multisort.Read(ctx, grid.Source{Index: w, Fetch: w.fetchHeld, Texts: w.texts}, r)
		if err != nil {
			return err
		}
		rows, after := s.rows(), false // there are rows at the end of the walk, or after it
		var want []*tracker.Issue
		for _, i := range rows {
			switch {
			case s.far != nil && (s.compare(i, s.far) >= 0) != r.Backward && i != s.far || i == s.far:
				after = true
			case beyond(i):
				want = append(want, i)
			}
		}
		if page.Stopped {
			s.stopped++
		}
		got, more, against := slices.Clone(page.Rows), page.HasNext, page.HasPrevious
		if r.Backward {
			slices.Reverse(got)
			more, against = against, more
		}
		if len(got) > min(r.Size, len(want)) || len(got) < min(r.Size, len(want)) && !page.Stopped {
			return fmt.Errorf("page %d: %d rows of %v", pages, len(got), numsOf(want))
		}
		for n := range got {
			if got[n].Issue.Num != want[n].Num {
				return fmt.Errorf("page %d, row %d: got #%d, want %v", pages, n, got[n].Issue.Num,
					numsOf(want))
			}
			c, err := got[n].Cursor()
			if err != nil {
				return err
			}
			if s.against(c, want[n]) != 0 {
				return fmt.Errorf("page %d, row %d: the cursor %+v is not at #%d", pages, n, c, want[n].Num)
			}
		}
		left := len(want) - len(got)
		needMore := !r.Backward && r.NeedNext || r.Backward && r.NeedPrevious
		if needMore && !more && (left > 0 || after) || more && left == 0 && !after && !page.Stopped {
			return fmt.Errorf("page %d: got more %t, but %d rows are left, and others after the end: %t",
				pages, more, left, after)
		}
		if at == nil && against {
			return fmt.Errorf("page %d: has a flag against the direction of paging, and no cursor", pages)
		}
		needAgainst := r.Backward && r.NeedNext || !r.Backward && r.NeedPrevious
		if needAgainst && at != nil && !page.Stopped {
			has := slices.ContainsFunc(rows, func(i *tracker.Issue) bool { return !beyond(i) })
			if against != has {
				return fmt.Errorf("page %d: got flag %t against the direction of paging, want %t", pages,
					against, has)
			}
		}
		if left == 0 {
			return nil
		}
		if page.Position == nil && len(got) == 0 {
			return fmt.Errorf("page %d: more rows, but neither a row nor a position", pages)
		}
		next := page.Position
		if next == nil {
			if next, err = got[len(got)-1].Cursor(); err != nil {
				return err
			}
		}
		parsed, err := multisort.ParseCursor(next.String(), r.Order)
		if err != nil {
			return err
		}
		before := at
		if at = parsed; before != nil && (s.cursors(before, at) < 0) == r.Backward {
			return fmt.Errorf("page %d: the walk does not progress from %+v to %+v", pages, before, at)
		}
		for n, i := range want {
			if beyond(i) == (n < len(got)) {
				return fmt.Errorf("page %d: #%d is on the wrong side of %+v", pages, i.Num, at)
			}
		}
		if r.Backward {
			r.Before = at
		} else {
			r.After = at
		}
		if s.disturb && w.random.IntN(5) == 0 {
			w.insert()
			w.remove()
		}
	}
}

// TestLimitedWalksOfSeveralColumns is TestLimitedWalks for orders of several columns.
func TestLimitedWalksOfSeveralColumns(t *testing.T) {
	stopped := map[string]int{}
	for seed := range worlds / 8 {
		w := newWorld(20_000+seed, 60)
		w.split([]int{1, 2, 7}[seed%3], seed%2 == 0)
		for n := range queriesEach / 2 {
			for name, open := range limitedAccounts(w) {
				s := w.severalColumns()
				s.request.Budget, s.open = 0, open
				if err := s.walk(); err != nil {
					t.Fatalf("seed %d, query %d, %s: %v\n%v", seed, n, name, err, s)
				}
				stopped[name] += s.stopped
			}
		}
	}
	if stopped["memory"] == 0 || stopped["CPU time"] == 0 {
		t.Errorf("%v: a limit was never used", stopped)
	}
}

// TestOneColumn checks that an order of one column has the pages and cursors of package grid.
func TestOneColumn(t *testing.T) {
	for seed := range worlds / 4 {
		w := newWorld(seed, 60)
		f := w.query()
		source := grid.Source{Index: w, Fetch: w.fetchHeld, Texts: w.texts}
		want, err := grid.Read(context.Background(), source, f.request)
		if err != nil {
			t.Fatal(err)
		}
		page, err := multisort.Read(context.Background(), source,
			multisort.Request{Request: f.request, Order: multisort.Order{f.request.Order}})
		if err != nil {
			t.Fatal(err)
		}
		if page.HasNext != want.HasNext || page.HasPrevious != want.HasPrevious ||
			page.Stopped != want.Stopped || len(page.Rows) != len(want.Rows) || page.Work != want.Work {
			t.Fatalf("seed %d: got %+v, want %+v", seed, page, want)
		}
		for n := range page.Rows {
			c, err := page.Rows[n].Cursor()
			wantCursor, wantErr := want.Rows[n].Cursor()
			if cmp.Or(err, wantErr) != nil || c.String() != wantCursor.String() {
				t.Fatalf("seed %d, row %d: got %v, %v, want %v", seed, n, c, err, wantCursor)
			}
		}
	}
}
