package grid_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// planWorld returns a project of 4,000 issues: 1 % are red, 60 % are open, 1 % have the integer 7, 30 % have
// no integer, one in ten is tagged urgent, and every 40th has a long text that contains "needle".
func planWorld() *world {
	w := newWorld(1, 1)
	w.megabyte = 0
	r := rand.New(rand.NewPCG(3, 4))
	for num := int64(1); num <= 4000; num++ {
		i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "closed",
			Created: day(r.IntN(1000)), Updated: day(r.IntN(1000)),
			Values: map[tracker.FieldID]tracker.Value{}}
		if r.IntN(10) < 6 {
			i.State = "open"
		}
		i.Values[fSelect] = tracker.Text("blue")
		if r.IntN(100) == 0 {
			i.Values[fSelect] = tracker.Text("red")
		}
		if r.IntN(10) < 7 {
			i.Values[fInt] = tracker.Int(int64(r.IntN(70)))
		}
		if r.IntN(10) == 0 {
			i.Values[fTags] = tracker.Set([]string{"Urgent"})
		}
		if num%40 == 0 {
			i.Values[fText] = tracker.Text(strings.Repeat("hay ", 100) + "needle")
		}
		w.issues = append(w.issues, i)
		w.index(i, true)
	}
	w.definition.MaxIssueNum = 4000
	w.calls = nil
	return w
}

func day(n int) time.Time { return time.Date(2023, 1, 1+n, 0, 0, 0, 0, time.UTC) }

var (
	isRed    = filter.In{Column: fSelect.Column(), Values: filter.Equal(sortkey.Rank(0))}
	isOpen   = filter.In{Column: tracker.ColumnState, Values: filter.Equal(sortkey.Rank(0))}
	isSeven  = filter.In{Column: fInt.Column(), Values: filter.Equal(sortkey.Int(7))}
	isUrgent = filter.Has{Column: fTags.Column(), Member: "urgent"}
	early    = filter.In{Column: tracker.ColumnCreated, Values: filter.Less(sortkey.Time(day(50)), false)}
	needle   = filter.Contains{Column: fText.Column(), Folded: "needle"}
)

// someNumbers are seven numbers, most of them far apart.
var someNumbers = func() (v filter.Values) {
	for _, n := range []int64{3, 700, 1200, 1201, 2500, 3300, 9000} {
		v = v.Or(filter.Equal(sortkey.Num(n)))
	}
	return v
}()

// plans are queries, with the maximum number of Queries and documents to read one page.
var plans = []struct {
	name               string
	where              filter.Condition
	order              tracker.Column
	queries, documents int
}{
	{"one equality by number", isOpen, tracker.ColumnNum, 1, 10},
	{"a member of a set by number", isUrgent, tracker.ColumnNum, 1, 10},
	{"either of two states by number",
		filter.Or{isOpen, filter.In{Column: tracker.ColumnState, Values: filter.Equal(sortkey.Rank(1))}},
		tracker.ColumnNum, 2, 10},
	{"either of two columns by number", filter.Or{isRed, isSeven}, tracker.ColumnNum, 2, 10},
	{"a range of the column of the order", early, tracker.ColumnCreated, 1, 10},
	{"some values of the column of the order",
		filter.In{Column: fInt.Column(),
			Values: filter.Equal(sortkey.Int(7)).Or(filter.Equal(sortkey.Int(9)))}, fInt.Column(), 1, 10},
	{"a prefix of the column of the order",
		filter.In{Column: tracker.ColumnName, Values: filter.StartsWith("iss")}, tracker.ColumnName, 1, 10},
	{"numbers", filter.In{Column: tracker.ColumnNum, Values: filter.Greater(sortkey.Num(3990), true)},
		tracker.ColumnNum, 1, 10},
	{"some numbers by another column", filter.In{Column: tracker.ColumnNum, Values: someNumbers},
		tracker.ColumnName, 6, 10},
	{"the first numbers by another column",
		filter.In{Column: tracker.ColumnNum, Values: filter.Less(sortkey.Num(400), false)},
		tracker.ColumnCreated, 6, 10},
	{"a number at which encodings grow, by another column",
		filter.In{Column: tracker.ColumnNum, Values: filter.Equal(sortkey.Num(63))}, tracker.ColumnCreated, 2,
		1},
	{"a condition that the index filters beside one that it has",
		filter.And{isOpen, filter.In{Column: fSelect.Column(), Values: filter.NoValue()}}, tracker.ColumnNum,
		9, 0},
	{"the last numbers of a tail",
		filter.And{filter.In{Column: tracker.ColumnNum, Values: filter.Greater(sortkey.Num(3900), false)},
			filter.In{Column: fInt.Column(), Values: filter.NoValue()}}, fInt.Column(), 2, 10},
	{"two equalities by number", filter.And{isRed, isOpen}, tracker.ColumnNum, 5, 25},
	{"two rare equalities by number", filter.And{isRed, isSeven}, tracker.ColumnNum, 8, 45},
	{"a rare equality by another column", isRed, tracker.ColumnCreated, 4, 50},
	{"a common equality by another column", isOpen, tracker.ColumnCreated, 4, 200},
	{"what no index tells, by number", needle, tracker.ColumnNum, 8, 450},
	{"an empty value by number", filter.In{Column: fInt.Column(), Values: filter.NoValue()},
		tracker.ColumnNum, 1, 10},
	{"the tail of a column", filter.And{isRed, filter.In{Column: fInt.Column(), Values: filter.NoValue()}},
		fInt.Column(), 8, 45},
	{"two equalities by number, 7 shards", filter.And{isRed, isOpen}, tracker.ColumnNum, 6, 25},
	{"a rare equality by another column, 7 shards", isRed, tracker.ColumnCreated, 4, 50},
	{"never", filter.And{isRed, filter.Negate(isRed)}, tracker.ColumnNum, 0, 0},
	{"never, of a set", filter.And{isUrgent, filter.Negate(isUrgent)}, tracker.ColumnNum, 0, 0},
}

// TestPlans compares the chosen plan with a golden file, and checks the number of calls, and that Planned is
// called once for each region that is read, with the method and the number of candidates.
func TestPlans(t *testing.T) {
	w := planWorld()
	for _, test := range plans {
		t.Run(test.name, func(t *testing.T) {
			w.split(1, false)
			if strings.Contains(test.name, "7 shards") {
				w.split(7, false)
			}
			w.calls = nil
			var decisions []grid.Decision
			started := time.Now()
			page := readPage(t, w.source(), test.order, grid.Request{Definition: w.definition,
				Where: test.where, Size: 9, NeedNext: true, Explain: true,
				Planned: func(_ context.Context, d grid.Decision) { decisions = append(decisions, d) }})
			queries, documents := w.spent()
			if queries > test.queries || documents > test.documents {
				t.Errorf("got %d queries and %d documents, want at most %d and %d", queries, documents,
					test.queries, test.documents)
			}
			if (test.queries == 0) != (len(decisions) == 0) {
				t.Errorf("up to %d queries are allowed, but got %d decisions", test.queries, len(decisions))
			}
			seen := map[bool]int{}
			for _, d := range decisions {
				if !d.Revised {
					seen[d.Tail]++
				}
				if seen[d.Tail] > 1 || d.Candidates < 1 || d.Start.Before(started) || d.Duration < 0 ||
					time.Since(d.Start) < d.Duration || !strings.Contains(page.Plan.Text(), d.Method) {
					t.Errorf("unexpected decision %+v in %+v\n%s", d, decisions, page.Plan.Text())
				}
			}
			golden(t, page)
		})
	}
}

var unsafeName = regexp.MustCompile(`[^a-z0-9]+`)

// golden compares the plan of a page with a golden file.
func golden(t *testing.T, page grid.Page) {
	t.Helper()
	got := page.Plan.Text()
	for _, r := range page.Rejected {
		got += fmt.Sprintf("rejected %s: keys %.0f, documents %.0f, RCU %.1f, steps %.0f, because %s\n",
			r.Label, r.Keys, r.Documents, r.RCU, r.Steps, r.Reason)
	}
	name := strings.TrimPrefix(t.Name()[strings.LastIndex(t.Name(), "/")+1:], "Test")
	name = unsafeName.ReplaceAllString(strings.ToLower(name), "-")
	grid.Golden(t, filepath.Join("plans", name+".txt"), got)
}

// TestBudgetWithNothingBetweenCursors checks that a page ends at its budget even if only its flags are
// pending.
func TestBudgetWithNothingBetweenCursors(t *testing.T) {
	w := planWorld()
	c, err := ascending(t, w.definition, tracker.ColumnNum).AtValue(sortkey.Num(5))
	if err != nil {
		t.Fatal(err)
	}
	page := readPage(t, w.source(), tracker.ColumnNum, grid.Request{Definition: w.definition, Size: 9,
		Where: filter.Contains{Column: tracker.ColumnName, Folded: "zzz"}, After: c, Before: c,
		NeedNext: true, NeedPrevious: true, Budget: 10})
	if !page.Stopped || !page.HasNext || len(page.Rows) > 0 || page.Work.Documents > 100 {
		t.Errorf("got stopped %t, next %t, %d rows, %+v", page.Stopped, page.HasNext, len(page.Rows),
			page.Work)
	}
}

// TestRevised checks that a page is planned again if far fewer documents than estimated are rows, and that it
// continues from its position. A quarter of all issues match, all at the end of the order.
func TestRevised(t *testing.T) {
	w := planWorld()
	for _, i := range w.issues {
		w.index(i, false)
		i.Values[fInt] = tracker.Int(i.Num % 1000)
		if i.Created = day(int(i.Num)); i.Num > 3000 {
			i.Values[fInt] = tracker.Int(1000 + i.Num%1000)
		}
		w.index(i, true)
	}
	page := readPage(t, w.source(), tracker.ColumnCreated, grid.Request{Definition: w.definition, Size: 9,
		NeedNext: true, Explain: true, Budget: 10_000,
		Where: filter.In{Column: fInt.Column(), Values: filter.Greater(sortkey.Int(1000), true)}})
	equal(t, "rows", []int64{3001, 3002, 3003, 3004, 3005, 3006, 3007, 3008, 3009}, summary(page).nums)
	if !page.HasNext {
		t.Error("the page has no next one")
	}
	if page.Work.Documents > 200 || page.Work.Queries > 12 {
		t.Errorf("too much work: %+v", page.Work)
	}
	golden(t, page)
}

// TestRevisedTwice checks that a plan that was chosen again is given up as soon as enough documents show that
// it is wrong, too, and that sets are collected once: nine of ten issues meet each of two conditions, but the
// first fifth of the order meets either of them, and not both.
func TestRevisedTwice(t *testing.T) {
	w := newWorld(1, 1)
	w.megabyte = 0
	for num := int64(1); num <= 10_000; num++ {
		value := func(matches bool) int64 { // nine of ten values match
			if matches {
				return num * 7 % 9000
			}
			return 9000 + num%1000
		}
		i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "open",
			Created: day(int(num)), Updated: day(1), Values: map[tracker.FieldID]tracker.Value{
				fInt:    tracker.Int(value(num%2 == 0 || num > 2000)),
				fNumber: tracker.Float(float64(value(num%2 == 1 || num > 2000)))}}
		w.issues = append(w.issues, i)
		w.index(i, true)
	}
	w.definition.MaxIssueNum = 10_000
	alone := grid.Source{Index: w, Fetch: w.fetchHeld, Texts: w.texts} // which forgets what was read
	page := readPage(t, alone, tracker.ColumnCreated, grid.Request{Definition: w.definition, Size: 50,
		Explain: true, Budget: 100_000, Where: filter.And{
			filter.In{Column: fInt.Column(), Values: filter.Less(sortkey.Int(9000), false)},
			filter.In{Column: fNumber.Column(), Values: filter.Less(sortkey.Float(9000), false)}}})
	if len(page.Rows) != 50 || page.Rows[0].Issue.Num != 2001 || page.Work.Documents > 350 ||
		page.Work.Keys > 22_000 {
		t.Errorf("%d rows with %+v\n%s", len(page.Rows), page.Work, page.Plan.Text())
	}
}

// TestRevisedAgain checks that a page is planned again as often as its documents show that it was wrong. No
// issue matches: those with a value in the order have none where the filter requires it, although many others
// do, and each condition is met by many issues.
func TestRevisedAgain(t *testing.T) {
	w := newWorld(1, 1)
	w.megabyte = 0
	for _, f := range w.definition.Fields {
		f.Empties = tracker.EmptiesFiltered
	}
	for num := int64(1); num <= 12_000; num++ {
		i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "open",
			Created: day(int(num)), Updated: day(1), Values: map[tracker.FieldID]tracker.Value{
				fBool: tracker.Bool(num%5 > 0 || num%20 == 0)}}
		if num%20 > 0 {
			i.Values[fInt], i.Values[fText] = tracker.Int(num), tracker.Text("x")
		}
		w.issues = append(w.issues, i)
		w.index(i, true)
	}
	w.definition.MaxIssueNum = 12_000
	page := readPage(t, w.source(), fInt.Column(), grid.Request{Definition: w.definition, Size: 1,
		Explain: true, Where: filter.Both(filter.In{Column: fText.Column(), Values: filter.NoValue()},
			filter.In{Column: fBool.Column(), Values: filter.Equal(sortkey.Bool(true))})})
	if page.Stopped || len(page.Rows) != 1 || page.Work.Documents > 1000 {
		t.Errorf("%d rows with %+v\n%s", len(page.Rows), page.Work, page.Plan.Text())
	}
}

// TestDependentColumns checks that the first page has rows if there are some, at a bounded cost, although the
// filter and the order depend on each other: an id that grows with the number, and a column that only old or
// only new issues have. The documents show it, and the keys that match are then collected.
func TestDependentColumns(t *testing.T) {
	const issues = 12_000
	for _, filled := range []int{10, 50, 90} { // percent
		w := newWorld(1, 1)
		w.megabyte = 0
		for _, f := range w.definition.Fields {
			f.Empties = tracker.EmptiesFiltered
		}
		for num := int64(1); num <= issues; num++ {
			i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "open",
				Created: day(int(num)), Updated: day(1), Values: map[tracker.FieldID]tracker.Value{
					fInt: tracker.Int(50_000 + 3*num)}}
			if num > int64(issues*(100-filled)/100) {
				i.Values[fText] = tracker.Text(fmt.Sprint("x", num*7919%issues))
			}
			w.issues = append(w.issues, i)
			w.index(i, true)
		}
		w.definition.MaxIssueNum = issues
		for _, share := range []int64{5, 20, 45, 80} { // percent
			v := sortkey.Int(50_000 + 3*issues*share/100)
			for name, values := range map[string]filter.Values{"least": filter.Less(v, false),
				"greatest": filter.Greater(v, false)} {
				for _, backward := range []bool{false, true} {
					q := grid.Request{Definition: w.definition, Size: 50, NeedNext: true, Backward: backward,
						Explain: true, Where: filter.In{Column: fInt.Column(), Values: values}}
					page := readPage(t, w.source(), fText.Column(), q)
					if len(page.Rows) < 50 || page.Stopped || page.Work.Documents > 500 ||
						page.Work.Keys > 3*issues {
						t.Errorf("%d %% filled, the %s %d %%, backward %t: %d rows with %+v\n%s", filled,
							name, share, backward, len(page.Rows), page.Work, page.Plan.Text())
					}
				}
			}
		}
	}
}

// TestUnevenRange checks that a range is not taken for a common one because it covers most of the interval
// between the least and the greatest value, if keys are much denser at its beginning than at its end.
func TestUnevenRange(t *testing.T) {
	w := newWorld(1, 1)
	w.megabyte = 0
	r := rand.New(rand.NewPCG(1, 1))
	for num := int64(1); num <= 12_000; num++ {
		v := r.Int64N(300)
		if r.IntN(10) == 0 {
			v = 300 + 10_000/(1+r.Int64N(1000)) // most are little more than 300
		}
		i := &tracker.Issue{ID: issueID(project, num), Num: num, Name: "Issue", State: "open",
			Created: day(int(num)), Updated: day(1), Values: map[tracker.FieldID]tracker.Value{
				fInt: tracker.Int(v)}}
		w.issues = append(w.issues, i)
		w.index(i, true)
	}
	w.definition.MaxIssueNum = 12_000
	page := readPage(t, w.source(), tracker.ColumnCreated, grid.Request{Definition: w.definition, Size: 100,
		NeedNext: true, Explain: true,
		Where: filter.In{Column: fInt.Column(), Values: filter.Greater(sortkey.Int(300), true)}})
	if len(page.Rows) != 100 || page.Work.Documents > 101 {
		t.Errorf("%d rows with %+v\n%s", len(page.Rows), page.Work, page.Plan.Text())
	}
}
