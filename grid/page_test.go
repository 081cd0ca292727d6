package grid_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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

// TestAnyPage reads pages between any two cursors: small ones, and those whose size is close to a multiple of
// 100, where the free slots in the calls of Fetch matter. So a walk by the cursors of rows shows all.
func TestAnyPage(t *testing.T) {
	for _, c := range []struct {
		name        string
		rows, pages int
		sizes, keys []int // of pages, and of a response
	}{
		{"small", 40, 10, []int{1, 2, 3, 4, 5, 6, 7}, []int{0, 1, 2, 3, 7}},
		{"large", 450, 4, []int{98, 99, 100, 101, 199, 200, 201}, []int{0, 0, 30, 150}},
	} {
		t.Run(c.name, rapid.MakeCheck(func(t *rapid.T) {
			o := drawOracle(t, c.rows)
			s := o.fill(t, c.keys...)
			for range c.pages {
				a := pageQuery{size: rapid.SampledFrom(c.sizes).Draw(t, "size"),
					backward: rapid.Bool().Draw(t, "backward"),
					after:    o.drawPosition(t, "after"), before: o.drawPosition(t, "before"),
					next: rapid.Bool().Draw(t, "next"), previous: rapid.Bool().Draw(t, "previous")}
				page, got := o.read(t, s, a)
				o.check(t, a, got)
				for _, r := range page.Rows {
					i := slices.IndexFunc(o.rows, func(known row) bool { return known.num == r.Issue.Num })
					equal(t, "cursor", o.cursor(t, &o.rows[i]), o.cursorOf(t, r))
				}
			}
		}))
	}
}
