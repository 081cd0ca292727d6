package grid_test

import (
	"testing"

	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestCostOfIndexedEmpties checks law 1 of tracker.Empties: with entries of the empty values, a page of any
// part of the grid takes at most 3 Queries and 2 keys for each row, whatever share of the rows has a value.
func TestCostOfIndexedEmpties(t *testing.T) {
	shares := []int{0, 1, 50, 99, 100} // rows of 100 with a value
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.SampledFrom(shares).Draw(t, "share")
		rows := make([]row, 3000)
		for i := range rows {
			if rows[i].num = int64(i + 1); i*37%100 < share {
				rows[i].value = ints[i%len(ints)]
			}
		}
		o := newOracle(byIndexed, rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "nullsFirst"),
			rows)
		s := o.column.fill(rows)
		a := pageQuery{size: rapid.IntRange(20, 500).Draw(t, "size"),
			backward: rapid.Bool().Draw(t, "backward"), next: true, previous: true}
		if n := rapid.IntRange(0, len(rows)).Draw(t, "after"); n > 0 {
			at := &o.rows[n-1]
			if a.backward {
				a.before = at
			} else {
				a.after = at
			}
		}
		page, got := o.read(t, s, a)
		o.check(t, a, got)
		if w := page.Work; w.Queries > 3 || w.Keys > 2*a.size {
			t.Errorf("%d Queries and %d keys for a page of %d rows of a column filled to %d %%",
				w.Queries, w.Keys, a.size, share)
		}
	})
}

// TestCallsOfIndexedEmpties checks the calls in and next to the part without a value.
func TestCallsOfIndexedEmpties(t *testing.T) {
	for _, c := range []struct {
		name       string
		rows       []row
		nullsFirst bool
		inside     bool // with the position of row 1000, and both flags
		want       string
	}{
		{"no row lacks a value", plain(5000, 0), true, false,
			"3fe6 empties limit 105, 3fe6 limit 105, fetch 100"},
		{"no row has one", plain(0, 5000), false, false, "3fe6 empties limit 105, 3fe6 limit 105, fetch 100"},
		{"few rows lack one", plain(5000, 3), true, false,
			"3fe6 empties limit 105, 3fe6 limit 102, fetch 100"},
		{"inside", plain(90, 3000), false, true,
			"3fe6 empties from limit 105, 3fe6 empties to descending limit 5, fetch 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, a := newOracle(byIndexed, false, c.nullsFirst, c.rows), pageQuery{size: 100, next: true}
			if c.inside {
				a.after, a.previous = &row{num: 1000}, true
			}
			o.costs(t, o.column.fill(c.rows), a, c.want)
		})
	}
}

// TestFiltersOnIndexedEmpties checks the work of a page of 100 rows with filters on a column in which 95 % of
// 5,000 issues have a value.
func TestFiltersOnIndexedEmpties(t *testing.T) {
	rows := make([]row, 5000)
	for i := range rows {
		if rows[i].num = int64(i + 1); i%20 > 0 {
			rows[i].value = ints[i%len(ints)]
		}
	}
	s := byIndexed.fill(rows)
	for id, doc := range s.docs {
		if r := rows[doc.Num-1]; id.Project == project && r.value != nil {
			doc.Values = map[tracker.FieldID]tracker.Value{"3fe6": tracker.Int(r.value.(int64))}
		}
	}
	d := tracker.NewDefinition(indexedDefinition.Project, indexedDefinition.Fields)
	d.MaxIssueNum = 5000
	one := filter.Equal(sortkey.Int(1))
	none := filter.In{Column: "3fe6", Values: filter.Values{None: true}}
	for _, c := range []struct {
		name            string
		where           filter.Condition
		by              tracker.Column
		keys, documents int // at most
	}{
		{"is null, by number", none, tracker.ColumnNum, 160, 101},
		{"is null, by itself", none, "3fe6", 160, 101},
		{"is not null, by number", filter.Negate(none), tracker.ColumnNum, 365, 101},
		{"is not null, by itself", filter.Negate(none), "3fe6", 160, 101},
		{"is not a value, by number", filter.Negate(filter.In{Column: "3fe6", Values: one}),
			tracker.ColumnNum, 2100, 250},
		{"is not a value, by itself", filter.Negate(filter.In{Column: "3fe6", Values: one}),
			"3fe6", 400, 101},
	} {
		page := readPage(t, s.source(), c.by, grid.Request{Definition: d, Where: c.where, Size: 100,
			NeedNext: true, Order: grid.Order{{NullsFirst: true}}, Explain: true})
		w := page.Work
		if len(page.Rows) != 100 || w.Keys > c.keys || w.Documents > c.documents {
			t.Errorf("%s: %d rows with %d keys and %d documents\n%s", c.name, len(page.Rows), w.Keys,
				w.Documents, page.Plan.Text())
		}
	}
}
