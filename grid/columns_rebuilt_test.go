package grid_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"issuegrid/grid"
	"issuegrid/tracker"
)

// move gives the options of the field of SELECT and the states other ranks, with new ones in front of them,
// while only a part of the index entries is up to date.
func (w *world) move() {
	done := slices.DeleteFunc(slices.Clone(w.issues), func(*tracker.Issue) bool {
		return w.random.IntN(2) == 0
	})
	for _, i := range done {
		w.index(i, false)
	}
	p := w.definition.Project
	p.Moving = w.random.IntN(3) > 0
	if p.Moving {
		p.States = slices.Concat([]tracker.State{{ID: "new", Name: "new"}}, p.States[1:], p.States[:1])
	}
	var fields []*tracker.Field
	for _, f := range w.definition.Fields {
		if f.ID == fSelect && (!p.Moving || w.random.IntN(2) == 0) {
			moved := *f
			moved.Moving = true
			moved.Options = slices.Concat([]tracker.Option{{ID: "new", Name: "New"}}, f.Options[1:],
				f.Options[:1])
			f = &moved
		}
		fields = append(fields, f)
	}
	most := w.definition.MaxIssueNum
	w.definition = tracker.NewDefinition(p, fields)
	w.definition.MaxIssueNum = most
	for _, i := range done {
		w.index(i, true)
	}
}

// TestRebuiltSortColumns walks through grids while jobs rebuild index entries of states and options. Rows may
// be out of order, but none is missing or repeated.
func TestRebuiltSortColumns(t *testing.T) {
	rebuilt := 0
	worldsOf{30_000, worlds / 4, allSizes, queriesEach, (*world).move}.each(t, func(w *world) error {
		s := w.severalColumns()
		s.request.Before, s.request.After, s.far = nil, nil, nil
		if w.random.IntN(3) == 0 {
			s.request.Order, s.columns = s.request.Order[:1], s.columns[:1]
		}
		if !s.request.Order.Rebuilding() {
			return nil
		}
		rebuilt++
		got, err := s.collect()
		want := numsOf(s.rows())
		slices.Sort(got)
		if slices.Sort(want); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("got %v, %v, want %v\n%v", got, err, want, s)
		}
		return nil
	})
	if rebuilt < int(worlds)/8 {
		t.Errorf("only %d grids", rebuilt)
	}
}

// collect returns the numbers of the rows that a walk shows, in its order.
func (s *sorted) collect() ([]int64, error) {
	w, r := s.world, s.request
	r.NeedNext, r.NeedPrevious = true, true
	var got []int64
	for pages, more := 0, true; more; pages++ {
		if pages > mostPages {
			return nil, fmt.Errorf("the walk did not end after %d pages", pages)
		}
		page, err := grid.Read(context.Background(), w.source(), r)
		if err != nil {
			return nil, err
		}
		nums := summary(page).nums
		if once := slices.Compact(slices.Sorted(slices.Values(nums))); len(once) < len(nums) {
			return nil, fmt.Errorf("an issue is twice on the page %v", nums)
		}
		if r.Backward {
			slices.Reverse(nums)
		}
		got = append(got, nums...)
		at := page.Position
		if n := len(page.Rows); at == nil && n > 0 {
			last := page.Rows[n-1]
			if r.Backward {
				last = page.Rows[0]
			}
			if at, err = last.Cursor(); err != nil {
				return nil, err
			}
		}
		if more = page.HasNext; r.Backward {
			more, r.Before = page.HasPrevious, at
		} else {
			r.After = at
		}
	}
	return got, nil
}
