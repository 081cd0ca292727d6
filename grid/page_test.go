package grid_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/grid"
)

var cmpUnexported = cmp.AllowUnexported(pageResult{})

func equal(t rapid.TB, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func drawRandom(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
}

func drawOracle(t *rapid.T, most int) oracle {
	c := rapid.SampledFrom(sortable).Draw(t, "column")
	c.shards = rapid.SampledFrom([]int{1, 2, 7}).Draw(t, "shards")
	return newOracle(c, rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "nullsFirst"),
		drawRows(t, c, most))
}

// drawPosition returns a position at a row, possibly a ghost, or next to one. It returns nil for no cursor.
func (o oracle) drawPosition(t *rapid.T, name string) *row {
	if len(o.rows) == 0 || rapid.IntRange(0, 3).Draw(t, name+"?") == 0 {
		return nil
	}
	r := rapid.SampledFrom(o.rows).Draw(t, name)
	r.num += int64(rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, name+"#"))
	return &r
}

// mayAssume reports whether the exception to G4 allows a flag to be true without a row on its side.
func mayAssume(rows, keys int, against bool) bool {
	return keys >= 5 && rows > 0 && (rows%100 == 0 || against && rows%100 == 99)
}

// check compares a page with what G3 and G4 require.
func (o oracle) check(t rapid.TB, a pageQuery, got pageResult) {
	t.Helper()
	want, ahead, behind := o.page(a)
	if a.backward {
		ahead, behind = behind, ahead // from here on, ahead is next and behind is previous
	}
	if got.next && a.next && mayAssume(len(got.nums), ahead, a.backward) {
		want.next = true
	}
	if got.hasPrev && a.previous && mayAssume(len(got.nums), behind, !a.backward) {
		want.hasPrev = true
	}
	if d := cmp.Diff(want, got, cmpUnexported); d != "" {
		t.Fatalf("%+v after %+v before %+v in %+v: page differs (-want +got):\n%s", a, a.after, a.before,
			o.rows, d)
	}
}

// TestAnyPage reads pages between any two cursors.
func TestAnyPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOracle(t, 40)
		s := o.fill(t, 0, 1, 2, 3, 7)
		for range 10 {
			a := pageQuery{size: rapid.IntRange(1, 7).Draw(t, "size"),
				backward: rapid.Bool().Draw(t, "backward"),
				after:    o.drawPosition(t, "after"), before: o.drawPosition(t, "before"),
				next: rapid.Bool().Draw(t, "next"), previous: rapid.Bool().Draw(t, "previous")}
			_, got := o.read(t, s, a)
			o.check(t, a, got)
		}
	})
}

// TestAnyLargePage reads pages whose size is close to a multiple of 100, where the free slots in the calls of
// Fetch matter.
func TestAnyLargePage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOracle(t, 450)
		s := o.fill(t, 0, 0, 30, 150)
		for range 4 {
			a := pageQuery{size: rapid.SampledFrom([]int{98, 99, 100, 101, 199, 200, 201}).Draw(t, "size"),
				backward: rapid.Bool().Draw(t, "backward"),
				after:    o.drawPosition(t, "after"), before: o.drawPosition(t, "before"),
				next: rapid.Bool().Draw(t, "next"), previous: rapid.Bool().Draw(t, "previous")}
			_, got := o.read(t, s, a)
			o.check(t, a, got)
		}
	})
}

// TestWalk reads a grid to its end by the cursors of its pages.
func TestWalk(t *testing.T) {
	walks := func(most int, sizes []int) func(t *rapid.T) {
		return func(t *rapid.T) {
			o := drawOracle(t, most)
			s := o.fill(t, 0, 2, 5, 90)
			size := rapid.SampledFrom(sizes).Draw(t, "size")
			o.walk(t, s, size, false)
			o.walk(t, s, size, true)
		}
	}
	t.Run("small", rapid.MakeCheck(walks(40, []int{1, 2, 3, 4, 5, 6, 7})))
	t.Run("large", rapid.MakeCheck(walks(450, []int{99, 100, 101, 200})))
}

func (o oracle) walk(t *rapid.T, s *store, size int, backward bool) {
	var walked, live []int64
	for _, r := range o.rows {
		if !r.ghost {
			live = append(live, r.num)
		}
	}
	a := pageQuery{size: size, backward: backward, next: true, previous: true}
	request := o.request(t, a)
	for more := true; more; {
		page, err := grid.Read(context.Background(), s.source(), request)
		if err != nil {
			t.Fatal(err)
		}
		got := summary(page)
		o.check(t, a, got)
		if more = got.next; backward {
			more = got.hasPrev
		}
		if len(got.nums) == 0 {
			break // check has accepted the empty page
		}
		first, last := o.at(t, page.Rows[0]), o.at(t, page.Rows[len(page.Rows)-1])
		if backward {
			walked = append(got.nums, walked...)
			a.before, request.Before = first.row, first.cursor
		} else {
			walked = append(walked, got.nums...)
			a.after, request.After = last.row, last.cursor
		}
	}
	equal(t, "rows of the walk", live, walked)
}

// position is a row of a page in the oracle, with its cursor.
type position struct {
	row    *row
	cursor *grid.Cursor
}

// at returns the position of a row, after checking its cursor.
func (o oracle) at(t *rapid.T, r grid.Row) position {
	i := slices.IndexFunc(o.rows, func(known row) bool { return known.num == r.Issue.Num })
	got, want := o.cursorOf(t, r), o.cursor(t, &o.rows[i])
	equal(t, "cursor", want, got)
	return position{&o.rows[i], got}
}
