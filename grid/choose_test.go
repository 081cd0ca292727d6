package grid

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// plannedFields are the fields of the test project: a select field with two options, and three integer
// fields.
var plannedFields = []*tracker.Field{
	{ID: "priority", Name: "Priority", Type: tracker.TypeSelect,
		Options: []tracker.Option{{ID: "low", Name: "Low"}, {ID: "high", Name: "High"}}},
	{ID: "a", Name: "A", Type: tracker.TypeInteger},
	{ID: "b", Name: "B", Type: tracker.TypeInteger},
	{ID: "c", Name: "C", Type: tracker.TypeInteger}}

// regionOf returns the first region of a request for 99 rows in the order of a column, in a project with the
// given number of issues.
func regionOf(t testing.TB, issues int64, by tracker.Column, where ...filter.Condition) *region {
	t.Helper()
	states := []tracker.State{{ID: "open", Name: "open"}, {ID: "done", Name: "done"}}
	d := tracker.NewDefinition(tracker.Project{ID: "p", States: states}, plannedFields)
	d.MaxIssueNum = issues
	order, err := OrderBy(d, by, false, false)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Project: "p", Definition: d, Order: order, Where: filter.And(where), Size: 99}
	regions := newRegions(r, filter.Normalize(r.Where))
	if len(regions) == 0 {
		t.Fatal("no regions")
	}
	return regions[0]
}

func equals(field tracker.FieldID, n int64) filter.Condition {
	return filter.In{Column: field.Column(), Values: filter.Equal(sortkey.Int(n))}
}

func below(field tracker.FieldID, n int64) filter.Condition {
	return filter.In{Column: field.Column(), Values: filter.Less(sortkey.Int(n), false)}
}

// counted returns statistics with exact counts for the conditions after the region's own.
func counted(g *region, counts ...float64) Stats {
	s := guess(g)
	for i, n := range counts {
		s.conditions[i+1] = estimate{count: n, keys: n, known: true}
	}
	return s
}

const byDay, byNum = tracker.ColumnCreated, tracker.ColumnNum

var (
	open     = filter.In{Column: tracker.ColumnState, Values: filter.Equal(sortkey.Rank(0))}
	priority = equals("priority", 1)
	letter   = filter.Contains{Column: tracker.ColumnName, Folded: "x"}
	rare     = []filter.Condition{priority}
	both     = []filter.Condition{priority, equals("a", 7)}
)

// choices are regions of 100,000 issues with statistics. Some are pairs that differ by one issue and result
// in different plans.
var choices = []struct {
	name   string
	by     tracker.Column
	where  []filter.Condition
	counts []float64
	setup  func(*region, *Stats)
}{
	{name: "all", by: byDay},
	{name: "nothing but documents tell", by: byDay, where: []filter.Condition{letter}},
	{name: "one condition in the order of the numbers", by: byNum, where: []filter.Condition{open}},

	{name: "a rare one is sorted", by: byDay, where: rare, counts: []float64{577}},
	{name: "with one issue more, it is joined", by: byDay, where: rare, counts: []float64{578}},
	{name: "still joined", by: byDay, where: rare, counts: []float64{17_524}},
	{name: "with one issue more, the grid is walked", by: byDay, where: rare, counts: []float64{17_525}},
	{name: "joined at half of the budget", by: byDay, where: rare, counts: []float64{12_000},
		setup: func(g *region, _ *Stats) { g.request.Budget = 600 }},
	{name: "walked at less", by: byDay, where: rare, counts: []float64{12_000},
		setup: func(g *region, _ *Stats) { g.request.Budget = 599 }},

	{name: "two are listed", by: byNum, where: both, counts: []float64{1150, 10_000}},
	{name: "with one issue more, they are intersected", by: byNum, where: both,
		counts: []float64{1151, 10_000}},
	{name: "beside a common one, a rarer one is enough", by: byNum, where: both,
		counts: []float64{6396, 70_000}},
	{name: "with one issue more, both are needed", by: byNum, where: both,
		counts: []float64{6397, 70_000}},

	{name: "a collection that was given up", by: byDay, where: rare, counts: []float64{2000},
		setup: func(_ *region, s *Stats) { s.conditions[1].tooMany = true }},
	{name: "a set that was too much to sort", by: byDay, where: rare, counts: []float64{100},
		setup: func(_ *region, s *Stats) { s.tooLarge = true }},
	{name: "what documents have corrected", by: byNum, where: []filter.Condition{open},
		counts: []float64{99_000}, setup: func(_ *region, s *Stats) { s.fromDocuments = true }},
	{name: "another is forced", by: byDay, where: rare, counts: []float64{100},
		setup: func(g *region, _ *Stats) { g.request.Force = 2 }},
	{name: "what was probed", by: byDay, where: rare, counts: []float64{100},
		setup: func(_ *region, s *Stats) { s.probes = Work{Queries: 2, Keys: 161, RCU: 2.5} }},
}

// TestChoose compares the plan for each of choices, with all candidates and costs, with a golden file. It
// uses no index.
func TestChoose(t *testing.T) {
	var got strings.Builder
	for _, test := range choices {
		g := regionOf(t, 100_000, test.by, test.where...)
		s := counted(g, test.counts...)
		if test.setup != nil {
			test.setup(g, &s)
		}
		p := choose(g, s)
		fmt.Fprintf(&got, "# %s\n%s\n", test.name, p.String())
	}
	Golden(t, "choose.txt", got.String())
}

// TestChooseBoundaries checks that, as a condition becomes more common, each method is followed once by the
// next one, and not before the next one costs less.
func TestChooseBoundaries(t *testing.T) {
	g := regionOf(t, 100_000, tracker.ColumnCreated, rare...)
	last := choose(g, counted(g, 1))
	methods := []Method{last.method}
	for n := 2.0; n <= 20_000; n++ {
		p := choose(g, counted(g, n))
		if p.method != last.method {
			methods = append(methods, p.method)
			i := slices.IndexFunc(last.candidates, func(c Candidate) bool { return c.same(&p.Candidate) })
			if last.candidates[i].cost.score() < last.cost.score() {
				t.Errorf("at %.0f issues, %s already costs less", n-1, p.method)
			}
		}
		last = p
	}
	if want := []Method{Sort, SemiJoin, Walk}; !slices.Equal(methods, want) {
		t.Errorf("methods: got %v, want %v", methods, want)
	}
}

// TestChooseLaws checks on random filters and statistics that the planner is deterministic, chooses the
// cheapest of the allowed candidates, gives a reason for every other candidate, and chooses the same again
// from the same statistics.
func TestChooseLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := []filter.Condition{open, priority, letter, equals("a", 1), below("a", 9), equals("b", 2),
		below("b", 9),
		below("c", 9),
		filter.In{Column: tracker.FieldID("c").Column(), Values: filter.NoValue()},
		filter.In{Column: tracker.ColumnNum, Values: filter.Less(sortkey.Num(500), false)},
		filter.In{Column: tracker.ColumnCreated, Values: filter.Less(sortkey.Int(500), false)}}
	columns := []tracker.Column{byNum, byDay, tracker.ColumnState, tracker.FieldID("a").Column()}
	methods := map[Method]int{}
	reasons := map[string]int{}
	for n := range 5000 {
		var where []filter.Condition
		for range r.IntN(7) {
			where = append(where, all[r.IntN(len(all))])
		}
		d := []int64{10, 1000, 100_000, 10_000_000}[r.IntN(4)]
		by := columns[r.IntN(len(columns))]
		if filter.Normalize(filter.And(where)).Never {
			continue
		}
		g := regionOf(t, d, by, where...)
		g.request.Size, g.request.Budget = 1+r.IntN(500), r.IntN(5000)
		s := guess(g)
		for i := range s.conditions {
			if !g.conditions[i].trivial && r.IntN(3) > 0 {
				keys := r.Float64() * r.Float64() * float64(d)
				s.conditions[i] = estimate{count: keys * r.Float64(), keys: keys, known: true,
					tooMany: r.IntN(9) == 0}
			}
		}
		s.tooLarge, s.fromDocuments = r.IntN(9) == 0, r.IntN(3) == 0
		before := s.clone()

		p := choose(g, s)
		if again := choose(g, s.clone()); again.String() != p.String() || !reflect.DeepEqual(again, p) {
			t.Fatalf("case %d: two calls choose different plans:\n%v\n%v", n, &p, &again)
		}
		if !reflect.DeepEqual(before, s) {
			t.Fatalf("case %d: choose modified the statistics", n)
		}
		methods[p.method]++
		chosen := 0
		for i := range p.candidates {
			c := &p.candidates[i]
			reasons[c.rejected]++
			switch {
			case c.same(&p.Candidate):
				if chosen++; c.rejected != "" {
					t.Fatalf("case %d: the chosen candidate is rejected:\n%v", n, &p)
				}
			case c.rejected == "":
				t.Fatalf("case %d: a candidate is rejected without a reason:\n%v", n, &p)
			case c.rejected == costsMore && c.cost.score() < p.cost.score():
				t.Fatalf("case %d: the rejected method %s costs less:\n%v", n, c.method, &p)
			case c.rejected != costsMore && c.rejected != dominated && !c.collects():
				t.Fatalf("case %d: %s collects nothing but is rejected: %s:\n%v", n, c.method, c.rejected, &p)
			}
		}
		if chosen != 1 {
			t.Fatalf("case %d: got %d chosen candidates, want 1:\n%v", n, chosen, &p)
		}
		if p.collects() && float64(budgetKeys(g.request.Budget))/2 < s.conditions[p.uses[0]].keys {
			t.Fatalf("case %d: collecting keys takes more than half of the budget:\n%v", n, &p)
		}
		for _, i := range p.uses {
			if p.collects() && s.conditions[i].tooMany {
				t.Fatalf("case %d: the plan collects a set that was given up before:\n%v", n, &p)
			}
		}
		// With the same statistics, a revision does not change the plan.
		same := p.chooseAgain(s)
		if same.String() != p.String() {
			t.Fatalf("case %d: the same statistics change the plan\n%vto\n%v", n, &p, &same)
		}
		collects(t, p, s, r)
	}
	if len(methods) != 5 {
		t.Errorf("got only the methods %v, want all five", methods)
	}
	for _, why := range []string{costsMore, dominated, overBudget, gaveUp, tooLarge} {
		if reasons[why] == 0 {
			t.Errorf("no candidate was rejected because %s", why)
		}
	}
}

// collects collects the sets of a plan, and those of the plans that are chosen by their sizes. That must end
// within the budget, with the documents of a Sort.
func collects(t *testing.T, p Plan, s Stats, r *rand.Rand) {
	t.Helper()
	for step := 0; p.collects(); step++ {
		if step > len(s.conditions) {
			t.Fatalf("still collecting after %d plans:\n%v", step, &p)
		}
		s = s.clone()
		collected := true
		for _, use := range p.uses {
			if e := &s.conditions[use]; e.set == nil {
				collected = false
				s.spent += e.keys
				*e = estimate{count: e.count * r.Float64(), keys: e.keys, known: true, set: new(set)}
			}
		}
		if collected {
			break
		}
		p = p.chooseAgain(s)
	}
	left := float64(budgetKeys(p.region.request.Budget)) - s.spent
	if p.method == Sort {
		left -= p.cost.documents * keysPerDocument
	}
	if left < 0 {
		t.Fatalf("%.0f keys more than the budget:\n%v", -left, &p)
	}
}

// TestCollected checks that after a set is collected, the plan is chosen again by the actual size of the set,
// which then costs nothing: it may be another method with the same set, or one with another set, too.
func TestCollected(t *testing.T) {
	g := regionOf(t, 100_000, tracker.ColumnCreated, both...)
	s := counted(g, 900, 50_000)
	p := choose(g, s)
	if p.method != SemiJoin || !slices.Equal(p.uses, []int{1}) {
		t.Fatalf("unexpected first plan:\n%v", &p)
	}
	exact := s.clone()
	exact.conditions[1].count, exact.conditions[1].set = 3, new(set)
	if p = p.chooseAgain(exact); p.method != Sort || !slices.Equal(p.uses, []int{1}) {
		t.Errorf("with 3 issues for 900 keys, got a plan other than Sort:\n%v", &p)
	}
	// A set that is too large to be sorted is not, whatever the other methods cost.
	rare := s.clone()
	rare.conditions[2] = estimate{count: 100, keys: 90_000, known: true, tooMany: true}
	sorts := choose(g, rare)
	if sorts.method != Sort {
		t.Fatalf("unexpected plan:\n%v", &sorts)
	}
	rare.conditions[1] = estimate{count: 5000, keys: 5000, known: true, set: new(set)}
	if next := sorts.chooseAgain(rare); next.method != SemiJoin || !slices.Equal(next.uses, []int{1}) {
		t.Errorf("with 5,000 issues, got a plan other than SemiJoin:\n%v", &next)
	}
	// The keys of another condition cost less than the documents.
	many := s.clone()
	many.conditions[1] = estimate{count: 1500, keys: 90_000, known: true, set: new(set)}
	many.conditions[2] = estimate{count: 9000, keys: 9000, known: true}
	if next := choose(g, many); !slices.Equal(next.uses, []int{1, 2}) {
		t.Errorf("with 1,500 issues, and 9,000 of another condition, got a plan without it:\n%v", &next)
	}
}

// TestCorrected checks that documents correct the statistics of the conditions that are checked on them, once
// enough documents were examined.
func TestCorrected(t *testing.T) {
	g := regionOf(t, 100_000, tracker.ColumnCreated, priority, letter)
	p := choose(g, counted(g, 90_000))
	if p.method != Walk {
		t.Fatalf("unexpected first plan:\n%v", &p)
	}
	tallies := []tally{{checked: 100}, {checked: 99, failed: 99}, {checked: minExamined/2 - 1, failed: 10}}
	s := p.corrected(tallies)
	if e := s.conditions[1]; !s.fromDocuments || e.count != 500 || e.keys != 90_000 {
		t.Errorf("corrected estimate: got %+v", e)
	}
	of := p.stats
	if s.conditions[2] != of.conditions[2] || s.conditions[0] != of.conditions[0] || of.fromDocuments {
		t.Errorf("other statistics changed: got %+v, from %+v", s, of)
	}
	if !slices.Equal(p.check, []bool{false, true, true}) || p.exact {
		t.Errorf("conditions checked on documents: got %v", p.check)
	}

	var people filter.Or // too many to be counted, so that most issues are assumed to have one
	for i := range 8 {
		people = append(people, filter.Has{Column: tracker.ColumnAssignees, Member: fmt.Sprint("u", i)})
	}
	g = regionOf(t, 100_000, tracker.ColumnUpdated, people)
	if p = choose(g, guess(g)); p.method != Walk {
		t.Fatalf("unexpected first plan:\n%v", &p)
	}
	if p = p.chooseAgain(p.corrected([]tally{{}, {checked: 100, failed: 100}})); p.method == Walk {
		t.Errorf("few issues of the documents match, and the plan stays a walk:\n%v", &p)
	}
}

// TestImpossibleWays checks that a filter with only open or only closed states reads only those issues of a
// participant, except while a job moves issues between the two.
func TestImpossibleWays(t *testing.T) {
	for _, test := range []struct {
		states []int // of the filter
		moving bool
		want   string
	}{
		{[]int{0}, false, "open"}, {[]int{0, 1}, false, "open"}, {[]int{2}, false, "closed"},
		{[]int{1, 2}, false, "open closed"}, {nil, false, "open closed"}, {[]int{0}, true, "open closed"},
		{[]int{2}, true, "open closed"},
	} {
		d := tracker.NewDefinition(tracker.Project{ID: "p", States: []tracker.State{{ID: "new", Open: true},
			{ID: "doing", Open: true}, {ID: "done"}}, Rebuild: tracker.Rebuild{Moving: test.moving}}, nil)
		where := filter.And{filter.Has{Column: tracker.ColumnAssignees, Member: "uada"}}
		if test.states != nil {
			var values []sortkey.Value
			for _, rank := range test.states {
				values = append(values, sortkey.Rank(rank))
			}
			where = append(where, filter.In{Column: tracker.ColumnState, Values: filter.OneOf(values...)})
		}
		order, err := OrderBy(d, tracker.ColumnNum, false, false)
		if err != nil {
			t.Fatal(err)
		}
		g := newRegions(&Request{Project: "p", Definition: d, Order: order}, filter.Normalize(where))[0]
		for i := range g.conditions {
			c := &g.conditions[i]
			if _, ok := c.expr.(filter.Has); !ok {
				continue
			}
			for name, ranges := range map[string][]indexRange{"ranges": c.cover.ranges,
				"ranges by number": c.cover.numberRanges} {
				var got []string
				for _, l := range ranges {
					got = append(got, map[bool]string{false: "open", true: "closed"}[l.way.Closed])
				}
				if strings.Join(got, " ") != test.want {
					t.Errorf("states %v, moving %t: %s %v, want %s", test.states, test.moving, name, got,
						test.want)
				}
			}
		}
	}
}
