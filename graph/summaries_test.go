package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/sample"
)

// columnSummary is a summary in a response.
type columnSummary struct {
	Filled, Empty, Distinct, Checked     *int
	Sum, Average, Median, PercentChecked *float64
	Min, Max                             *string
	Precision, ReadAt                    string
}

// TestSummaries checks the parts of summaries by the types of columns, of a whole grid, of a filtered one,
// and of a group. Package grid compares summaries with those of the same issues in memory.
func TestSummaries(t *testing.T) {
	p := generated(600)
	s := load(t, p)
	where := fmt.Sprintf("where: {state: {eq: %q}}, ", p.Project.States[1].Name)
	for _, test := range []struct{ where, field, parts, want string }{
		{"", "f02", "filled empty precision", `"filled":370,"empty":230,"precision":"EXACT"`},
		{"", "f01", "filled empty distinct", `"filled":571,"empty":29,"distinct":8`},
		{"", "f03", "filled empty distinct sum", `"filled":423,"empty":177,"distinct":264,"sum":2.1563e+06`},
		{"", "f03", "average median min max", `"average":5097.635933806147,"median":5000,"min":"0","max":"9950"`},
		{where, "f03", "filled sum median max", `"filled":52,"sum":238075,"median":4200,"max":"9950"`},
		{"", "f04", "sum median min max", `"sum":3.00561852e+06,"median":11214.57,"min":"31.51","max":"19893.42"`},
		{"", "f05", "distinct min max", `"distinct":213,"min":"2024-01-15","max":"2024-12-18"`},
		{"", "f06", "min max", `"min":"2024-01-14T12:02:00Z","max":"2024-09-18T23:58:00Z"`},
		{"", "f07", "empty checked percentChecked", `"empty":122,"checked":113,"percentChecked":18.833333333333332`},
		{"", "f09", "filled empty", `"filled":451,"empty":149`},
		{"", "f11", "filled distinct", `"filled":415,"distinct":8`},
	} {
		got := get[struct {
			Issues struct{ Summary json.RawMessage }
			Groups struct {
				Nodes []struct{ Summary json.RawMessage }
			}
		}](t, s, "project", fmt.Sprintf(`{ project(id: %q) { issues(%s first: 0) { %[3]s }
			groups(by: [{column: {builtin: STATE}}]) { nodes { %[3]s } } } }`, projectID(&p), test.where,
			fmt.Sprintf("summary(column: {fieldId: %q}) { %s }", fieldID(&p, test.field), test.parts)), nil)
		same(t, test.where+test.field, "{"+test.want+"}", string(got.Issues.Summary))
		if test.where != "" {
			same(t, "the group of "+test.where, "{"+test.want+"}", string(got.Groups.Nodes[1].Summary))
		}
	}
}

// continuedSummary checks that a summary covers the whole grid beside a count that continues one,
// and that what the budget does not reach is null or a lower bound.
func continuedSummary(t *testing.T, s *server, p *sample.Project) {
	small := s.frugal(t, 3)
	type response struct {
		TotalCount          int
		TotalCountPrecision string
		TotalCountCursor    *string
		Summary             columnSummary
	}
	ask := func(on *server, after string) response {
		t.Helper()
		return get[response](t, on, "project.issues", fmt.Sprintf(`{ project(id: %q) { issues(first: 0, countAfter: %s,
			where: {description: {contains: "a"}, fields: [{fieldId: %q, integer: {gte: -1000000000}}]}) { totalCount
			totalCountPrecision totalCountCursor summary(column: {fieldId: %[3]q}) { filled empty distinct sum average
			precision } } } }`, projectID(p), after, fieldID(p, "f03")), nil)
	}
	whole := ask(s, "null")
	if of := whole.Summary; whole.TotalCount != *of.Filled || *of.Empty != 0 || of.Sum == nil ||
		of.Precision != "EXACT" {
		t.Fatalf("%d issues, %v", whole.TotalCount, of)
	}
	part := ask(small, "null")
	if of := part.Summary; part.TotalCountPrecision != "AT_LEAST" ||
		*of.Filled > *whole.Summary.Filled || *of.Distinct > *of.Filled ||
		of.Precision != "AT_LEAST" {
		t.Errorf("with a small budget: %+v, %v", part, of)
	}
	again := ask(small, null(*part.TotalCountCursor))
	if !cmp.Equal(again.Summary, part.Summary) || again.TotalCount <= part.TotalCount {
		t.Errorf("beside a continued count: %+v, %v, want %v", again, again.Summary, part.Summary)
	}
}
