package grid_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"issuegrid/grid"
)

// plain returns rows with a value followed by rows without one, numbered from 1.
func plain(with, without int) []row {
	rows := make([]row, with+without)
	for i := range rows {
		rows[i].num = int64(i + 1)
		if i < with {
			rows[i].value = int64(i / 3)
		}
	}
	return rows
}

// ghosts turns the rows first to last, counted from 1, into ghosts.
func ghosts(rows []row, first, last int) []row {
	for i := first; i <= last; i++ {
		rows[i-1].ghost = true
	}
	return rows
}

// TestCost checks G5 and costs beyond it: every request of a page, with its limit, and every fetch.
func TestCost(t *testing.T) {
	both := func(size int) pageQuery { return pageQuery{size: size, next: true, previous: true} }
	next := func(size int) pageQuery { return pageQuery{size: size, next: true} }
	previous := func(size int) pageQuery { return pageQuery{size: size, previous: true} }
	neither := func(size int) pageQuery { return pageQuery{size: size} }
	back := func(a pageQuery) pageQuery { a.backward = true; return a }
	all := plain(5000, 0)

	for _, c := range []struct {
		name          string
		rows          []row
		query         pageQuery
		after, before int64 // numbers of rows; 0 for none
		want          string
	}{
		{"100 at the start", all, both(100), 0, 0, "3fe6 limit 105, fetch 100"},
		{"100 at the start, no flag", all, neither(100), 0, 0, "3fe6 limit 100, fetch 100"},
		{"100 deep, no flag", all, neither(100), 4000, 0, "3fe6 from limit 100, fetch 100"},
		{"100 deep, next", all, next(100), 4000, 0, "3fe6 from limit 105, fetch 100"},
		{"100 deep, previous", all, previous(100), 4000, 0,
			"3fe6 from limit 100, 3fe6 to descending limit 5, fetch 100"},
		{"100 deep, both", all, both(100), 4000, 0,
			"3fe6 from limit 105, 3fe6 to descending limit 5, fetch 100"},
		{"100 backward from the end", all, back(both(100)), 0, 0,
			"3fe6 descending limit 105, num without 3fe6 descending limit 420, " +
				"num without 3fe6 to descending, fetch 100"},
		{"100 backward deep, previous", all, back(previous(100)), 0, 4000,
			"3fe6 to descending limit 105, fetch 100"},
		{"100 backward deep, both", all, back(both(100)), 0, 4000,
			"3fe6 from limit 5, 3fe6 to descending limit 105, fetch 100"},
		{"99 deep, next", all, next(99), 4000, 0, "3fe6 from limit 100, fetch 100"},
		{"99 deep, previous", all, previous(99), 4000, 0,
			"3fe6 from limit 99, 3fe6 to descending limit 1, fetch 100"},
		{"99 deep, both", all, both(99), 4000, 0,
			"3fe6 from limit 100, 3fe6 to descending limit 5, fetch 100"},
		{"98 deep, both", all, both(98), 4000, 0,
			"3fe6 from limit 99, 3fe6 to descending limit 1, fetch 100"},
		{"101 deep, both", all, both(101), 4000, 0,
			"3fe6 from limit 102, 3fe6 to descending limit 1, fetch 103"},
		{"101 deep, no flag", all, neither(101), 4000, 0, "3fe6 from limit 101, fetch 101"},
		{"500 deep, both", all, both(500), 4000, 0,
			"3fe6 from limit 505, 3fe6 to descending limit 5, fetch 500"},
		{"500 deep, no flag", all, neither(500), 4000, 0, "3fe6 from limit 500, fetch 500"},
		{"1 deep, both", all, both(1), 4000, 0, "3fe6 from limit 2, 3fe6 to descending limit 1, fetch 3"},
		{"between cursors", all, both(10), 4000, 4005,
			"3fe6 from limit 1, 3fe6 from to limit 11, 3fe6 to descending limit 1, fetch 6"},
		{"more rows between cursors than the size", all, next(3), 4000, 4005,
			"3fe6 from to limit 4, fetch 4"},
		{"nothing between cursors", all, both(3), 4001, 4001,
			"3fe6 from limit 1, 3fe6 to descending limit 1, fetch 2"},

		{"exactly 100 between cursors", all, next(100), 4000, 4101,
			"3fe6 from limit 5, 3fe6 from to limit 105, fetch 100"},
		{"104 between cursors", all, next(100), 4000, 4105, "3fe6 from to limit 105, fetch 100, fetch 4"},

		// The end of the grid. If fewer keys are left than assumedAlive, their documents are fetched.
		{"the last rows, no flag", plain(100, 0), neither(100), 0, 0, "3fe6 limit 100, fetch 100"},
		{"the last rows, next", plain(100, 0), next(100), 0, 0,
			"3fe6 limit 105, num without 3fe6 limit 200, fetch 100"},
		{"four rows after the page", plain(104, 0), next(100), 0, 0, "3fe6 limit 105, fetch 100, fetch 4"},
		{"five rows after the page", plain(105, 0), next(100), 0, 0, "3fe6 limit 105, fetch 100"},
		{"four rows before the page", plain(500, 0), previous(100), 4, 0,
			"3fe6 from limit 100, 3fe6 to descending limit 5, fetch 100, fetch 4"},
		{"an empty page", plain(100, 0), both(100), 100, 0,
			"3fe6 from limit 105, 3fe6 to descending limit 5, num without 3fe6 limit 420, fetch 1"},

		// The tail of rows without a value.
		{"the tail's first key", plain(100, 50), next(100), 0, 0,
			"3fe6 limit 105, num without 3fe6 limit 200, fetch 100"},
		{"into the tail", plain(90, 3000), next(100), 0, 0,
			"3fe6 limit 105, num without 3fe6 limit 200, fetch 100"},
		{"in the tail", plain(90, 3000), both(100), 1000, 0,
			"num without 3fe6 from limit 420, num without 3fe6 to descending limit 200, fetch 100"},
		{"in the tail, a page of 10", plain(90, 3000), both(10), 1000, 0,
			"num without 3fe6 from limit 200, num without 3fe6 to descending limit 1, fetch 12"},
		{"a large page in the tail", plain(90, 3000), next(300), 1000, 0,
			"num without 3fe6 from limit 1220, fetch 300"},
		{"a far tail", plain(1000, 3), next(10), 1000, 0,
			"3fe6 from limit 11, num without 3fe6 from, num without 3fe6 limit 200, fetch 3"},
		{"not as far as the tail", plain(105, 50), next(100), 4, 0,
			"3fe6 from limit 105, fetch 100, fetch 1"},

		// Ghosts.
		{"a ghost in a page of 100", ghosts(plain(5000, 0), 4050, 4050), next(100), 4000, 0,
			"3fe6 from limit 105, fetch 100, fetch 5"},
		{"a ghost in a page of 10", ghosts(plain(5000, 0), 4005, 4005), next(10), 4000, 0,
			"3fe6 from limit 11, fetch 11, 3fe6 from limit 5, fetch 5"},
		{"a ghost in a page of 10, no flag", ghosts(plain(5000, 0), 4005, 4005), neither(10), 4000, 0,
			"3fe6 from limit 10, fetch 10, 3fe6 from limit 6, fetch 6"},
		{"a ghost right after a page of 10", ghosts(plain(5000, 0), 4011, 4011), next(10), 4000, 0,
			"3fe6 from limit 11, fetch 11, 3fe6 from limit 5, fetch 5"},
		{"a ghost at the cursor", ghosts(plain(5000, 0), 4000, 4000), previous(10), 4000, 0,
			"3fe6 from limit 10, 3fe6 to descending limit 1, fetch 11, 3fe6 to descending limit 5, " +
				"fetch 5"},
		{"a run of ghosts", ghosts(plain(5000, 0), 4001, 4200), neither(1), 4000, 0,
			"3fe6 from limit 1, fetch 1, 3fe6 from limit 6, fetch 6, 3fe6 from limit 11, fetch 11, " +
				"3fe6 from limit 21, fetch 21, 3fe6 from limit 41, fetch 41, 3fe6 from limit 51, fetch 51, " +
				"3fe6 from limit 51, fetch 51, 3fe6 from limit 51, fetch 51"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := newOracle(byField, false, false, c.rows)
			s := o.column.fill(c.rows)
			a := c.query
			for i := range o.rows {
				switch o.rows[i].num {
				case c.after:
					a.after = &o.rows[i]
				case c.before:
					a.before = &o.rows[i]
				}
			}
			if c.before == c.after {
				a.before = a.after
			}
			o.costs(t, s, a, c.want)
		})
	}
}

// costs reads a page, checks it, and compares the calls.
func (o oracle) costs(t *testing.T, s *store, a pageQuery, want string) {
	t.Helper()
	_, got := o.read(t, s, a)
	o.check(t, a, got)
	equal(t, "calls", want, strings.Join(s.transcript(), ", "))
}

// TestCostWithoutTail checks that no request is sent for the tail of a column in which every row has a value.
func TestCostWithoutTail(t *testing.T) {
	for c, rows := range map[*column][]row{&byNum: plain(0, 100), &byState: plain(100, 0)} {
		for backward, direction := range map[bool]string{false: "", true: " descending"} {
			newOracle(*c, false, true, rows).costs(t, c.fill(rows),
				pageQuery{size: 100, backward: backward, next: true, previous: true},
				string(c.id)+direction+" limit 105, fetch 100")
		}
	}
}

// TestCostOfMegabytes checks that a page continues after a response that ends at 1 MB, and only as far as it
// needs.
func TestCostOfMegabytes(t *testing.T) {
	o := newOracle(byField, false, false, plain(1000, 0))
	s := o.column.fill(o.rows)
	s.megabyte = 51
	o.costs(t, s, pageQuery{size: 100, next: true}, "3fe6 from limit 54, 3fe6 limit 105, fetch 100, fetch 2")
}

// TestFlagsAfterFullPage checks the exactness of the flags of a page of 100 rows: see assumedAlive.
func TestFlagsAfterFullPage(t *testing.T) {
	for n := range 8 {
		for _, backward := range []bool{false, true} {
			rows := plain(0, 100+n)
			if backward {
				ghosts(rows, 1, n)
			} else {
				ghosts(rows, 101, 100+n)
			}
			o := newOracle(byNum, false, false, rows)
			_, got := o.read(t, byNum.fill(rows),
				pageQuery{size: 100, backward: backward, next: true, previous: true})
			if len(got.nums) != 100 {
				t.Fatalf("got %d rows, want 100", len(got.nums))
			}
			if ahead := got.next || got.hasPrev; ahead != (n >= 5) {
				t.Errorf("%d ghosts and no row after the page, backward %t: got flag %t", n, backward,
					ahead)
			}
		}
	}
}

// TestFlagsAmongGhosts checks that keys are not assumed to be alive where their documents can be fetched for
// free or in a later round. All remaining keys are ghosts.
func TestFlagsAmongGhosts(t *testing.T) {
	next, previous := pageQuery{next: true}, pageQuery{previous: true}
	for _, c := range []struct {
		name          string
		rows          []row
		nullsFirst    bool
		query         pageQuery
		size          int
		after, before row
	}{
		{"a tail of ghosts after a page with free slots", ghosts(plain(10, 10), 11, 20), false, next, 10,
			row{}, row{}},
		{"a tail of ghosts before a page with free slots", ghosts(plain(10, 10), 11, 20), true, previous, 10,
			row{num: 1, value: int64(-1)}, row{}},
		{"100 rows up to the far cursor, one a ghost", ghosts(ghosts(plain(120, 0), 101, 120), 50, 50), false,
			next, 200, row{}, row{num: 101, value: int64(33)}},
		{"100 rows after the near cursor, one a ghost", ghosts(ghosts(plain(120, 0), 1, 20), 50, 50), false,
			previous, 200, row{num: 20, value: int64(6)}, row{}},
		{"100 ghosts, then 100 rows", ghosts(ghosts(plain(220, 0), 1, 100), 201, 220), false, next, 100,
			row{}, row{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, a := newOracle(byField, false, c.nullsFirst, c.rows), c.query
			a.size = c.size
			if c.after.num != 0 {
				a.after = &c.after
			}
			if c.before.num != 0 {
				a.before = &c.before
			}
			_, got := o.read(t, o.column.fill(c.rows), a)
			want, _, _ := o.page(a)
			if want.next || want.hasPrev || len(want.nums) < 9 {
				t.Fatalf("invalid test case: %+v", want)
			}
			equal(t, "rows", want.nums, got.nums)
			if got.next || got.hasPrev {
				t.Error("ghosts were assumed to be alive")
			}
		})
	}
}

// TestOneIssueOncePerPage checks that an issue with two index entries, as in an index that lags, is shown
// once per page.
func TestOneIssueOncePerPage(t *testing.T) {
	for _, c := range []struct {
		name   string
		second row // a second entry of #2, which otherwise has the value 0
		size   int
		want   pageResult
	}{
		{"later in the page", row{num: 2, value: int64(1)}, 10, pageResult{nums: []int64{1, 2, 3, 4, 5, 6}}},
		{"skipped, and the page is filled", row{num: 2, value: int64(1)}, 5,
			pageResult{nums: []int64{1, 2, 3, 4, 5}, next: true}},
		{"earlier in the page", row{num: 2, value: int64(-1)}, 3,
			pageResult{nums: []int64{2, 1, 3}, next: true}},
		{"on the next page, which shows it", row{num: 2, value: int64(9)}, 6,
			pageResult{nums: []int64{1, 2, 3, 4, 5, 6}, next: true}},
		{"in the tail, which comes later", row{num: 2}, 10, pageResult{nums: []int64{1, 2, 3, 4, 5, 6}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := plain(6, 0)
			s := byField.fill(rows)
			byField.put(s, project, c.second)
			_, got := newOracle(byField, false, false, rows).read(t, s, pageQuery{size: c.size, next: true})
			if got.nums == nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// fixedPage returns a function that reads a page of this size from calls that cost nothing.
func fixedPage(t testing.TB, size int) func() {
	o := newOracle(byField, false, false, plain(1000, 0))
	f, r := newFixed(o.column.fill(o.rows), size), o.request(t, pageQuery{size: size, next: true})
	return func() {
		if page, err := grid.Read(context.Background(), grid.Source{Index: f, Fetch: f.fetch},
			r); err != nil || len(page.Rows) != size {
			t.Errorf("got %d rows and error %v, want %d rows", len(page.Rows), err, size)
		}
	}
}

func TestAllocationsDoNotGrowWithRows(t *testing.T) {
	for _, size := range []int{100, 500} {
		if n := testing.AllocsPerRun(10, fixedPage(t, size)); n > 60 {
			t.Errorf("got %v allocations for a page of %d rows, want at most 60", n, size)
		}
	}
}
