package grid_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// largeWorld returns a project of 100,000 issues. Each value of fInt and of fNumber is in a random 1 % of
// them, and fBool is true in 40 %. A response holds 9,000 keys.
func largeWorld() *world {
	w := newWorld(1, 1)
	w.megabyte = 9000
	r := rand.New(rand.NewPCG(5, 6))
	add := func(c tracker.Column, id tracker.IssueID, ss []byte) {
		p := partition{project: project, column: c}
		w.partitions[p] = append(w.partitions[p], entry{id: id, ss: ss})
	}
	const issues = 100_000
	for num := int64(1); num <= issues; num++ {
		i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "open",
			Created: day(r.IntN(3000)), Values: map[tracker.FieldID]tracker.Value{
				fInt: tracker.Int(int64(r.IntN(100))), fNumber: tracker.Float(float64(r.IntN(100))),
				fBool: tracker.Bool(r.IntN(10) < 4)}}
		w.docs[i.ID] = i
		add(tracker.ColumnNum, i.ID, sortkey.Num(num))
		add(tracker.ColumnCreated, i.ID, sortkey.Join(sortkey.Time(i.Created), num))
		add(fInt.Column(), i.ID, sortkey.Join(sortkey.Int(i.Values[fInt].Int()), num))
		add(fNumber.Column(), i.ID, sortkey.Join(sortkey.Float(i.Values[fNumber].Float()), num))
		add(fBool.Column(), i.ID, sortkey.Join(sortkey.Bool(i.Values[fBool].Bool()), num))
	}
	for _, rows := range w.partitions {
		slices.SortFunc(rows, func(a, b entry) int { return bytes.Compare(a.ss, b.ss) })
	}
	w.definition.MaxIssueNum = issues
	return w
}

// TestCostLimits checks the maximum cost of filters on 100,000 issues, for a page of 100 rows at the start or
// in the middle.
func TestCostLimits(t *testing.T) {
	w := largeWorld()
	rareValue := filter.In{Column: fInt.Column(), Values: filter.Equal(sortkey.Int(7))}
	otherRareValue := filter.In{Column: fNumber.Column(), Values: filter.Equal(sortkey.Float(7))}
	commonValue := filter.In{Column: fBool.Column(), Values: filter.Equal(sortkey.Bool(true))}
	range20 := filter.In{Column: fInt.Column(),
		Values: filter.Values{Ranges: []filter.Range{{To: sortkey.Int(20)}}}}
	rareNames := filter.In{Column: tracker.ColumnUpdated, Values: filter.Less(sortkey.Time(day(1)), false)}
	for _, test := range []struct {
		name                          string
		where                         filter.Condition
		order                         tracker.Column
		at                            int64 // a number or a day to start at; 0 for the start of the grid
		queries, calls, fetched, keys int
	}{
		{"an equality by number", rareValue, tracker.ColumnNum, 0, 1, 2, 100, 105},
		{"an equality by number, from the middle", rareValue, tracker.ColumnNum, 50_000, 1, 2, 100, 105},
		{"a common equality by number", commonValue, tracker.ColumnNum, 0, 1, 2, 100, 105},
		{"two equalities by number", filter.And{rareValue, otherRareValue}, tracker.ColumnNum, 0, 9, 11, 100,
			2500},
		{"two equalities by another column", filter.And{rareValue, otherRareValue}, tracker.ColumnCreated,
			0, 9, 11, 100, 2500},
		{"an equality by another column", rareValue, tracker.ColumnCreated, 0, 10, 11, 105, 12_500},
		{"an equality by another column, from the middle", rareValue, tracker.ColumnCreated, 1500, 10, 11,
			105, 12_500},
		{"a common equality by another column", commonValue, tracker.ColumnCreated, 0, 10, 20, 400, 1000},
		{"few issues of a large set, by another column", filter.Or{filter.And{range20, otherRareValue},
			filter.And{rareValue, otherRareValue}}, tracker.ColumnCreated, 0, 10, 13, 210, 22_000},
		{"alternatives of a common and a rare value, by another column", filter.Or{filter.And{commonValue,
			rareValue}, filter.And{range20, otherRareValue}}, tracker.ColumnCreated, 0, 15, 27, 1150, 23_500},
		{"alternatives of a common and a rare value, by number", filter.Or{filter.And{commonValue,
			rareValue}, filter.And{range20, otherRareValue}}, tracker.ColumnNum, 0, 12, 18, 600, 2600},
		{"a common value or two rare ones, by another column", filter.Or{filter.And{rareValue,
			otherRareValue}, commonValue}, tracker.ColumnCreated, 0, 8, 12, 272, 760},
		{"a common value or two rare ones, by number", filter.Or{filter.And{rareValue, otherRareValue},
			commonValue}, tracker.ColumnNum, 0, 9, 10, 100, 840},
		{"a common value or three rare ones, by another column", filter.Or{filter.And{rareValue,
			otherRareValue, rareNames}, commonValue}, tracker.ColumnCreated, 0, 12, 16, 272, 760},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := grid.Request{Definition: w.definition, Where: test.where, Size: 100, NeedNext: true,
				Explain: true}
			if test.at > 0 {
				value := sortkey.Value(sortkey.Num(test.at))
				if test.order == tracker.ColumnCreated {
					value = sortkey.Time(day(int(test.at)))
				}
				var err error
				if r.After, err = ascending(t, w.definition, test.order).AtValue(value); err != nil {
					t.Fatal(err)
				}
			}
			w.calls = nil
			page := readPage(t, w.source(), test.order, r)
			queries, documents := w.spent()
			calls := queries
			for _, c := range w.calls {
				calls += (c.fetched + 99) / 100
			}
			if queries > test.queries || calls > test.calls || documents > test.fetched ||
				page.Work.Keys > test.keys {
				t.Errorf("got %d queries, %d calls, %d keys and %d documents for %d rows; "+
					"want at most %d, %d, %d and %d:\n%s", queries, calls, page.Work.Keys, documents,
					len(page.Rows), test.queries, test.calls, test.keys, test.fetched, page.Plan.Text())
			}
			if len(page.Rows) == 0 || page.Stopped {
				t.Errorf("the page has %d rows; it is incomplete: %t", len(page.Rows), page.Stopped)
			}
		})
	}
}
