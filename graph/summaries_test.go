package graph_test

import (
	"fmt"
	"math/big"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issuegrid/graph"
	"issuegrid/sample"
	"issuegrid/tracker"
)

// columnSummary is a summary in a response.
type columnSummary struct {
	Filled, Empty, Distinct, Checked     *int
	Sum, Average, Median, PercentChecked *float64
	Min, Max                             *string
	Precision, ReadAt                    string
}

// summaryOf computes the summary of a field in memory.
func summaryOf(issues []tracker.Issue, f *tracker.Field) columnSummary {
	var filled, checked int
	distinct := map[string]bool{}
	var numbers []*big.Rat
	var shown []string
	for i := range issues {
		v := issues[i].Values[f.ID]
		if v.Kind == tracker.KindNone {
			continue
		}
		filled++
		distinct[strings.ToLower(f.Display(v))] = true
		shown = append(shown, f.Display(v))
		switch f.Type {
		case tracker.TypeInteger:
			numbers = append(numbers, big.NewRat(v.Int(), 1))
		case tracker.TypeNumber:
			numbers = append(numbers, new(big.Rat).SetFloat64(v.Float()))
		case tracker.TypeBoolean:
			if v.Bool() {
				checked++
			}
		}
	}
	empty, n := len(issues)-filled, len(distinct)
	out := columnSummary{Filled: &filled, Empty: &empty, Distinct: &n, Precision: "EXACT"}
	if f.Type == tracker.TypeBoolean {
		percent := 100 * float64(checked) / float64(len(issues))
		out.Checked, out.PercentChecked = &checked, &percent
	}
	if f.Type == tracker.TypeDate || f.Type == tracker.TypeDateTime {
		least, greatest := slices.Min(shown), slices.Max(shown)
		out.Min, out.Max = &least, &greatest
	}
	if len(numbers) > 0 {
		slices.SortFunc(numbers, (*big.Rat).Cmp)
		sum := new(big.Rat)
		for _, n := range numbers {
			sum.Add(sum, n)
		}
		float := func(r *big.Rat) *float64 { f, _ := r.Float64(); return &f }
		out.Sum, out.Average = float(sum), float(new(big.Rat).Quo(sum, big.NewRat(int64(filled), 1)))
		middle := new(big.Rat).Add(numbers[(filled-1)/2], numbers[filled/2])
		out.Median = float(middle.Quo(middle, big.NewRat(2, 1)))
		show := func(r *big.Rat) *string {
			v := tracker.Float(*float(r))
			if f.Type == tracker.TypeInteger {
				v = tracker.Int(r.Num().Int64())
			}
			s := f.Display(v)
			return &s
		}
		out.Min, out.Max = show(numbers[0]), show(numbers[filled-1])
	}
	return out
}

// parts returns the parts of a summary that a type of field has.
func parts(kind tracker.FieldType) string {
	switch {
	case kind == tracker.TypeInteger, kind == tracker.TypeNumber:
		return "filled empty distinct sum average median min max precision"
	case kind == tracker.TypeDate, kind == tracker.TypeDateTime:
		return "filled empty distinct min max precision"
	case kind == tracker.TypeBoolean:
		return "filled empty distinct checked percentChecked precision"
	case kind.Sortable():
		return "filled empty distinct precision"
	}
	return "filled empty precision"
}

func (c columnSummary) String() string {
	var out []string
	add := func(name string, value any, known bool) {
		if known {
			out = append(out, fmt.Sprint(name, " ", value))
		}
	}
	number := func(name string, f *float64) {
		if f != nil {
			add(name, strconv.FormatFloat(*f, 'g', -1, 64), true)
		}
	}
	count := func(name string, n *int) {
		if n != nil {
			add(name, *n, true)
		}
	}
	count("filled", c.Filled)
	count("empty", c.Empty)
	count("distinct", c.Distinct)
	number("sum", c.Sum)
	number("average", c.Average)
	number("median", c.Median)
	count("checked", c.Checked)
	number("percentChecked", c.PercentChecked)
	if c.Min != nil && c.Max != nil {
		add("from", *c.Min+" to "+*c.Max, true)
	}
	add("precision", c.Precision, true)
	return strings.Join(out, ", ")
}

// TestSummaries compares the summaries of all fields with those in memory: of the whole grid, of a filtered
// one, and of the groups of a state.
func TestSummaries(t *testing.T) {
	s, p, state, inState := loadGenerated(t, 600)
	for i := range p.Fields {
		f := &p.Fields[i]
		selection := fmt.Sprintf("summary(column: {field: %q}) { %s }", fieldID(p, string(f.ID)),
			parts(f.Type))
		var got struct {
			Project struct {
				All, Filtered struct{ Summary columnSummary }
				Groups        groupPage
			}
		}
		s.data(t, fmt.Sprintf(`{ project(id: %q) { all: issues(first: 0) { %[3]s }
			filtered: issues(first: 0, where: {state: {eq: %[2]q}}) { %[3]s }
			groups(by: [{column: {builtin: STATE}}]) { nodes { name %[3]s } } } }`, projectID(p), state.Name,
			selection), nil, &got)
		all, filtered := summaryOf(p.Issues, f), summaryOf(inState, f)
		if !f.Type.Sortable() {
			all.Distinct, filtered.Distinct = nil, nil
		}
		if have, want := got.Project.All.Summary.String(), all.String(); have != want {
			t.Errorf("%s: got %s, want %s", f.Name, have, want)
		}
		if have, want := got.Project.Filtered.Summary.String(), filtered.String(); have != want {
			t.Errorf("%s in a state: got %s, want %s", f.Name, have, want)
		}
		for _, x := range got.Project.Groups.Nodes {
			if have, want := x.Summary.String(), filtered.String(); *x.Name == state.Name && have != want {
				t.Errorf("%s of a group: got %s, want %s", f.Name, have, want)
			}
		}
	}
}

// TestSummaryOfContinuedCount checks that a summary covers the whole grid beside a count that continues one,
// and that what the budget does not reach is null or a lower bound.
func TestSummaryOfContinuedCount(t *testing.T) {
	p := sample.Generated()
	s := load(t, p)
	small := &server{Server: httptest.NewServer(graph.NewHandler(sessions(s.db),
		graph.Options{PageBudget: 3})), db: s.db, wire: s.wire}
	t.Cleanup(small.Close)
	type response struct {
		TotalCount          int
		TotalCountPrecision string
		TotalCountCursor    *string
		Summary             columnSummary
	}
	ask := func(on *server, after string) response {
		t.Helper()
		var got struct{ Project struct{ Issues response } }
		on.data(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 0, countAfter: %s,
			where: {description: {contains: "a"}, fields: [{field: %q, integer: {gte: -1000000000}}]}) { totalCount
			totalCountPrecision totalCountCursor summary(column: {field: %[3]q}) { filled empty distinct sum average
			precision } } } }`, projectID(&p), after, fieldID(&p, "f03")), nil, &got)
		return got.Project.Issues
	}
	whole := ask(s, "null")
	if of := whole.Summary; whole.TotalCount != *of.Filled || *of.Empty != 0 || of.Sum == nil ||
		of.Precision != "EXACT" {
		t.Fatalf("%d issues, %v", whole.TotalCount, of)
	}
	part := ask(small, "null")
	if of := part.Summary; part.TotalCountPrecision != "AT_LEAST" ||
		*of.Filled > *whole.Summary.Filled || *of.Distinct > *whole.Summary.Distinct ||
		of.Precision != "AT_LEAST" {
		t.Errorf("with a small budget: %+v, %v", part, of)
	}
	again := ask(small, null(*part.TotalCountCursor))
	if again.Summary.String() != part.Summary.String() || again.TotalCount <= part.TotalCount {
		t.Errorf("beside a continued count: %+v, %v, want %v", again, again.Summary, part.Summary)
	}
}
