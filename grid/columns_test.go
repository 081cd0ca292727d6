package grid_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"testing"

	"issuegrid/grid"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// TestOrdersOfSeveralColumns walks through random grids that are sorted by 2 to 4 columns, and compares every
// page with the same rows sorted in memory: with random filters, directions, positions of the rows without a
// value, page sizes, budgets and numbers of shards, and with issues inserted, deleted and changed between
// pages.
func TestOrdersOfSeveralColumns(t *testing.T) {
	stopped := 0
	worldsOf{0, worlds / 4, allSizes, queriesEach, nil}.each(t, func(w *world) error {
		s := w.severalColumns()
		err := s.walk()
		stopped += s.stopped
		return err
	})
	if stopped < int(worlds)/2 {
		t.Errorf("only %d pages were ended by their budget", stopped)
	}
}

// sorted is a grid sorted by one column or several, with its expected rows.
type sorted struct {
	world   *world
	columns []*filtered // a grid of each column, all with the same filter
	request grid.Request
	disturb bool
	forced  bool // each page uses a random plan
	stopped int  // pages that their budget ended
	pages   int
	far     *tracker.Issue          // where the walk ends, exclusively, or nil
	open    func() *account.Account // opens the account of each page; nil for no account
	// refused counts the pages that were too large for their account, which are read without one.
	refused int

	sorted  []*tracker.Issue // the rows of the version of the world
	version int
}

func (s *sorted) String() string {
	return fmt.Sprintf("%s, order %+v, size %d, backward %t, budget %d", s.columns[0].filter.description,
		s.request.Order, s.request.Size, s.request.Backward, s.request.Budget)
}

// sorted returns a grid in the order of one column.
func (f *filtered) sorted(forced bool) *sorted {
	return &sorted{world: f.world, columns: []*filtered{f}, forced: forced,
		disturb: f.world.random.IntN(3) == 0,
		request: f.request}
}

func (w *world) severalColumns() *sorted {
	first := w.query()
	s := &sorted{world: w, request: first.request,
		disturb: w.random.IntN(3) == 0}
	if s.request.Budget > 0 && len(w.issues) > 60 { // else a walk takes thousands of pages
		s.request.Budget += 40
	}
	if w.random.IntN(2) == 0 {
		first.filter = noFilter
		s.request.Where = nil
	}
	number := 2 + w.random.IntN(3)
	var orders []grid.OrderColumn
	for len(orders) < number {
		f := w.query()
		column := f.request.Order[0].Column
		if slices.ContainsFunc(orders, func(o grid.OrderColumn) bool { return o.Column == column }) {
			continue
		}
		f.filter = first.filter
		orders = append(orders, f.request.Order...)
		s.columns = append(s.columns, f)
	}
	var err error
	if s.request.Order, err = grid.NewOrder(orders...); err != nil {
		panic(err)
	}
	s.columns = s.columns[:len(s.request.Order)]
	if w.random.IntN(3) == 0 {
		s.request.Size = 1 + w.random.IntN(80)
	}
	if w.distinct != nil {
		s.request.Size += w.random.IntN(len(w.issues) / 200)
	}
	if len(w.issues) > 0 && w.random.IntN(3) == 0 {
		s.far = pickOne(w.random, w.issues)
		far, err := s.request.Order.AtIssue(context.Background(), w.definition, s.far, w.texts)
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
func (s *sorted) compare(a, b *tracker.Issue) int {
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
func (s *sorted) against(c grid.Cursor, i *tracker.Issue) int {
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
func (s *sorted) cursors(a, b grid.Cursor) int {
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

// rows returns all rows of the grid, in the direction of paging. The caller must not change the slice.
func (s *sorted) rows() []*tracker.Issue {
	if s.sorted != nil && s.version == s.world.version {
		return s.sorted
	}
	s.version = s.world.version
	s.sorted = s.columns[0].rows()
	slices.SortFunc(s.sorted, s.compare)
	if s.request.Backward {
		slices.Reverse(s.sorted)
	}
	return s.sorted
}

// mostPages is the maximum number of pages of a walk. Every page progresses, but if its budget is small, it
// may do so by one key without a row.
const mostPages = 20_000

// manyPages is how many pages a walk in a large world takes at most.
const manyPages = 40

// walk reads the grid to its end and checks every page. In a large world, it begins at a random row.
func (s *sorted) walk() error {
	r := s.request
	var at grid.Cursor
	if s.world.distinct != nil && s.world.random.IntN(2) == 0 {
		var err error
		if at, err = s.start(); err != nil {
			return err
		}
		if r.After = at; r.Backward {
			r.After, r.Before = s.request.After, at
		}
	}
	for pages := 0; pages <= mostPages; pages++ {
		if s.world.distinct != nil && pages == manyPages {
			return nil
		}
		next, err := s.step(&r, at)
		if err != nil {
			return fmt.Errorf("page %d: %w\n%v", pages, err, s)
		}
		if next == nil {
			return nil
		}
		if at = next; r.Backward {
			r.Before = at
		} else {
			r.After = at
		}
		if s.disturb && s.world.sometimes() {
			s.world.disturb()
		}
	}
	return fmt.Errorf("the walk did not end\n%v", s)
}

// start returns the position of a random row, or nil if there are no rows.
func (s *sorted) start() (grid.Cursor, error) {
	rows := s.rows()
	if len(rows) == 0 {
		return nil, nil
	}
	i := pickOne(s.world.random, rows)
	at, err := s.request.Order.AtIssue(context.Background(), s.world.definition, i, s.world.texts)
	if err != nil {
		return nil, err
	}
	at[len(at)-1].Num, at[len(at)-1].Issue = i.Num, i.ID.Issue
	return grid.ParseCursor(at.String(), s.request.Order)
}

// step reads and checks the page after a cursor. It returns the next cursor, or nil at the end.
func (s *sorted) step(r *grid.Request, at grid.Cursor) (grid.Cursor, error) {
	if s.forced {
		r.Force = 1 + s.world.random.IntN(50)
	}
	ctx := context.Background()
	if s.open != nil {
		ctx = account.With(ctx, s.open())
	}
	page, err := grid.Read(ctx, s.world.source(), *r)
	if errors.Is(err, account.ErrMemory) && s.open != nil {
		s.refused++
		page, err = grid.Read(context.Background(), s.world.source(), *r)
	}
	if err != nil {
		return nil, err
	}
	beyond := func(i *tracker.Issue) bool {
		if at == nil {
			return true
		}
		c := s.against(at, i)
		return c < 0 && !r.Backward || c > 0 && r.Backward
	}
	rows := s.rows()
	begin := sort.Search(len(rows), func(n int) bool { return beyond(rows[n]) })
	end := sort.Search(len(rows), func(n int) bool {
		if s.far == nil {
			return false
		}
		c := s.compare(rows[n], s.far)
		return c >= 0 && !r.Backward || c <= 0 && r.Backward
	})
	want, after := rows[min(begin, end):end], end < len(rows) // rows at the end of the walk, or after it
	if s.pages++; page.Stopped {
		s.stopped++
	}
	got, more, against := slices.Clone(page.Rows), page.HasNext, page.HasPrevious
	needMore, needAgainst := r.NeedNext, r.NeedPrevious
	if r.Backward {
		slices.Reverse(got)
		more, against, needMore, needAgainst = against, more, needAgainst, needMore
	}
	if len(got) > min(r.Size, len(want)) || len(got) < min(r.Size, len(want)) && !page.Stopped {
		return nil, fmt.Errorf("%d rows of %v", len(got), numsOf(want[:min(len(want), 100)]))
	}
	for n := range got {
		if got[n].Issue.Num != want[n].Num {
			return nil, fmt.Errorf("row %d: got #%d, want %v", n, got[n].Issue.Num, numsOf(want[:len(got)]))
		}
		if c, err := got[n].Cursor(); err != nil || s.against(c, want[n]) != 0 {
			return nil, fmt.Errorf("row %d: the cursor %+v is not at #%d, %v", n, c, want[n].Num, err)
		}
	}
	left := len(want) - len(got)
	if needMore && !more && (left > 0 || after) || more && left == 0 && !after && !page.Stopped {
		return nil, fmt.Errorf("got more %t, but %d rows are left, and others after the end: %t", more, left,
			after)
	}
	if page.Spent < page.Work.Queries {
		return nil, fmt.Errorf("spent %d for %d queries", page.Spent, page.Work.Queries)
	}
	if len(got) > 0 && page.Work == (grid.Work{}) {
		return nil, fmt.Errorf("has rows, and took no work")
	}
	if page.Position != nil && (!page.Stopped || needMore && !more) {
		return nil, fmt.Errorf("has a position, but is not stopped or has no more rows")
	}
	if at == nil && against {
		return nil, fmt.Errorf("has a flag against the direction of paging, and no cursor")
	}
	if needAgainst && at != nil && !page.Stopped {
		if has := begin > 0; against != has {
			return nil, fmt.Errorf("got flag %t against the direction of paging, want %t", against, has)
		}
	}
	next := page.Position
	switch {
	case left == 0 && (next == nil || s.far != nil):
		return nil, nil
	case next == nil && len(got) == 0:
		return nil, fmt.Errorf("more rows, but neither a row nor a position")
	case next == nil:
		if next, err = got[len(got)-1].Cursor(); err != nil {
			return nil, err
		}
	}
	parsed, err := grid.ParseCursor(next.String(), r.Order)
	if err != nil {
		return nil, err
	}
	if at != nil {
		if c := s.cursors(at, parsed); c == 0 || (c < 0) == r.Backward {
			return nil, fmt.Errorf("the walk does not progress from %+v to %+v", at, parsed)
		}
	}
	at = parsed
	for n := max(0, len(got)-1); n < min(len(want), len(got)+1); n++ {
		if beyond(want[n]) == (n < len(got)) {
			return nil, fmt.Errorf("#%d is on the wrong side of %+v", want[n].Num, at)
		}
	}
	return at, nil
}
