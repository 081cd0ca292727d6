package grid_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"issuegrid/tracker"
)

// editor changes the issues of a world before requests, also between those of one page. Outdated index
// entries of an issue remain for a while.
type editor struct {
	world   *world
	grid    *sorted
	left    int              // edits, so that walks end
	oneIn   int              // requests
	moved   map[int64]bool   // the numbers of issues that were deleted or changed
	new     map[int64]bool   // the numbers of issues that were inserted
	pending []*tracker.Issue // whose entries remain
}

// edit begins to edit the issues of the world, with a copy of its definition.
func (s *sorted) edit() *editor {
	w := s.world
	own := *w.definition // insert changes it
	w.definition = &own
	e := &editor{world: w, grid: s, left: 40, oneIn: 1 + w.random.IntN(6), moved: map[int64]bool{},
		new: map[int64]bool{}}
	w.before = func(call) error {
		if e.left > 0 && w.random.IntN(e.oneIn) == 0 {
			e.left--
			e.edit()
		}
		return nil
	}
	return e
}

// edit inserts an issue, deletes one, gives one other values, or removes the outdated entries.
func (e *editor) edit() {
	w := e.world
	kind := w.random.IntN(6)
	switch {
	case kind == 0 || len(w.issues) == 0:
		w.insert()
		e.new[w.nextNum] = true
	case kind == 1:
		e.settle()
	default:
		n := w.random.IntN(len(w.issues))
		i := w.issues[n]
		e.moved[i.Num] = true
		e.pending = append(e.pending, i)
		if kind == 2 {
			w.issues = slices.Delete(w.issues, n, n+1)
			delete(w.docs, i.ID)
		} else {
			w.issues[n] = e.redraw(i)
			w.index(w.issues[n], true)
		}
		if w.random.IntN(2) == 0 {
			e.settle()
		}
	}
}

// settle removes the outdated index entries.
func (e *editor) settle() {
	w := e.world
	for _, i := range e.pending {
		doc := w.docs[i.ID]
		if w.index(i, false); doc == nil {
			continue
		}
		n := slices.IndexFunc(w.issues, func(o *tracker.Issue) bool { return o.ID == i.ID })
		w.index(w.issues[n], true)
	}
	e.pending = nil
}

// redraw returns an issue with other values: random ones in all columns or in one field, which leaves it in
// the groups of the other columns, or those of an issue that is near to it in the grid.
func (e *editor) redraw(i *tracker.Issue) *tracker.Issue {
	w := e.world
	other := w.draw(i.Num)
	switch w.random.IntN(4) {
	case 0:
	case 1:
		f := pickOne(w.random, w.definition.Fields).ID
		v, has := other.Values[f]
		*other = *i
		other.Values = maps.Clone(i.Values)
		if delete(other.Values, f); has {
			other.Values[f] = v
		}
	default:
		rows := e.grid.rows()
		if n := slices.IndexFunc(rows, func(o *tracker.Issue) bool { return o.ID == i.ID }); n >= 0 {
			*other = *rows[min(n+w.random.IntN(9), len(rows)-1)]
			other.ID, other.Num = i.ID, i.Num
		}
	}
	return other
}

// TestEditsBetweenRequests walks through grids in the order of several columns while issues are inserted,
// deleted and changed before any request, also between those of one page. Each row that was there before the
// walk and does not move is shown exactly once, in its order, one that was inserted at most once, and no
// issue is twice on a page (G3).
func TestEditsBetweenRequests(t *testing.T) {
	edits, unmoved := 0, 0
	worldsOf{40_000, worlds, allSizes, 4, nil}.each(t, func(w *world) error {
		s := w.severalColumns()
		s.request.Before, s.request.After, s.far = nil, nil, nil
		before := numsOf(s.rows())
		e := s.edit()
		got, err := s.collect()
		e.settle()
		if w.before = nil; err != nil {
			return fmt.Errorf("%w\n%v", err, s)
		}
		moved := func(num int64) bool { return e.moved[num] }
		got = slices.DeleteFunc(got, moved)
		if once := slices.Compact(slices.Sorted(slices.Values(got))); len(once) < len(got) {
			return fmt.Errorf("rows of %v are shown twice\n%v", got, s)
		}
		got = slices.DeleteFunc(got, func(num int64) bool { return e.new[num] })
		if want := slices.DeleteFunc(before, moved); !slices.Equal(got, want) {
			return fmt.Errorf("got %v of the unmoved rows, want %v\n%v", got, want, s)
		}
		edits, unmoved = edits+len(e.moved)+len(e.new), unmoved+len(got)
		return nil
	})
	if edits < 20*int(worlds) || unmoved < 20*int(worlds) {
		t.Errorf("%d edits, and %d other rows were shown; too few to test them", edits, unmoved)
	}
}
