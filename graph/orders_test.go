package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/internal/sample"
)

// sortedBy returns the argument for the order by some columns of a flatProject, in all directions.
func sortedBy(p *sample.Project, names string) string {
	field := func(f string) string { return fmt.Sprintf("{fieldId: %q}", fieldID(p, f)) }
	columns := map[string]string{
		"state": "{builtin: STATE}", "name": "{builtin: NAME}, direction: DESC",
		"created": "{builtin: CREATED_AT}, direction: DESC", "num": "{builtin: NUM}, direction: DESC",
		"few": field("few") + ", nulls: FIRST", "half": field("half") + ", direction: DESC, nulls: FIRST",
		"most": field("most") + ", direction: DESC", "all": field("all"),
	}
	var parts []string
	for name := range strings.FieldsSeq(names) {
		parts = append(parts, "{column: "+columns[name]+"}")
	}
	return "orderBy: [" + strings.Join(parts, ", ") + "]"
}

// TestSeveralSortColumns walks through grids that are sorted by 2 to 4 columns. Package grid compares their
// rows with the issues sorted in memory.
func TestSeveralSortColumns(t *testing.T) {
	p := flatProject(60, false)
	s := load(t, p)
	rows := func(arguments string) connection[struct{ Num int }] {
		return get[connection[struct{ Num int }]](t, s, "project.issues", fmt.Sprintf(
			`{ project(id: %q) { issues(%s) { nodes { num } totalCount `+flags+` } } }`, projectID(&p), arguments), nil)
	}
	for _, test := range []struct{ columns, want string }{
		{"state half name", "[57 55 51 49 53 45 59 47 1 60 54 52 46 2 56 58 48 50]"},
		{"half state all", "[49 57 55 51 60 46 54 52 2 53 56 45 58 59 47 48 50 1]"},
		{"few most created", "[51 2 52 53 54 56 57 45 58 46 59 47 60 48 49 50 55 1]"},
		{"most half all name", "[51 2 52 53 54 56 57 45 58 46 59 47 60 48 49 50 1 55]"},
	} {
		got := walkPages(t, 7, func(paging string) connection[struct{ Num int }] {
			const where = ", where: {not: {num: {between: {from: 3, to: 44}}}}, "
			return rows(paging + where + sortedBy(&p, test.columns))
		})
		same(t, test.columns, test.want, fmt.Sprint(nums(got)))
	}

	byAll := sortedBy(&p, "all name")
	for argument, want := range map[string][]int{"num: 20": {20, 57}, "value: {integer: 500}": {7, 44}} {
		at := get[string](t, s, "project.cursor", fmt.Sprintf(`{ project(id: %q) { %s } }`, projectID(&p),
			cursorField(argument+", "+byAll)), nil)
		same(t, argument, want, nums(rows(fmt.Sprintf("first: 2, after: %q, %s", at, byAll)).Nodes))
	}

	e := get[struct {
		Text string
		Root struct{ Children []struct{ Label string } }
	}](t, s, "project.issues.explain", fmt.Sprintf(`{ project(id: %q) { issues(first: 10, %s) { nodes { num }
		explain { text root { children { label } } } } } }`, projectID(&p), sortedBy(&p, "state half")), nil)
	same(t, "the plan", []struct{ Label string }{{"by state"}, {`by "half", of state = "New"`}}, e.Root.Children)
	if !strings.HasPrefix(e.Text, `page by state, then by "half"`) {
		t.Error(e.Text)
	}
}

// TestInvalidSortColumns checks the errors of orders by several columns and of their cursors.
func TestInvalidSortColumns(t *testing.T) {
	p := flatProject(300, false)
	s := load(t, p)
	by := func(names string) string { return sortedBy(&p, names) }
	cursorOf := func(arguments string) string {
		t.Helper()
		return get[string](t, s, "project.issues.pageInfo.endCursor",
			pageQuery(&p, "first: 3, "+arguments, ""), nil)
	}
	good, ofState := cursorOf(by("state all")), cursorOf(by("state"))
	first, last, _ := strings.Cut(good, "~")
	after := func(cursor, names string) string { return fmt.Sprintf("after: %q, %s", cursor, by(names)) }
	var refusals []refusal
	for _, test := range []struct{ name, arguments, path, says string }{
		{"five columns", by("state all few most half"), "orderBy", "more than 4 columns"},
		{"a column twice", by("state all state"), "orderBy[2].column", "give each column once"},
		{"a wrong column", `orderBy: [{column: {builtin: STATE}}, {column: {fieldId: "x"}}]`,
			"orderBy[1].column.fieldId", "no such field"},
		{"a cursor of the first column", after(ofState, "state all"), "after", "other columns"},
		{"a cursor of more columns", after(good, "state"), "after", "other columns"},
		{"a cursor of another order", after(good, "all state"), "after", "another column"},
		{"swapped parts", after(last+"~"+first, "state all"), "after", "another column"},
		{"a part twice", after(good+"~"+last, "state all"), "after", "other columns"},
		{"an empty part", after(first+"~", "state all"), "after", "not a cursor"},
		{"a row's position in the first part", after(ofState+"~"+last, "state all"), "after",
			"other columns"},
	} {
		refusals = append(refusals, refusal{name: test.name, code: "BAD_USER_INPUT", argument: test.path,
			query: pageQuery(&p, "first: 3, "+test.arguments, ""), says: []string{test.says}})
	}
	s.refuses(t, refusals)
	same(t, "the cursor without the columns after the number", cursorOf(by("num")), cursorOf(by("num all")))
	same(t, "the cursor after a part of one, a position before a group", good,
		cursorOf(after(first, "state all")))
}

// costOfSortColumns checks what the first pages of grids cost that are sorted by several columns.
func (s *server) costOfSortColumns(t *testing.T, p *sample.Project) {
	for _, test := range []struct {
		columns string
		calls   int
		rcu     float64
	}{
		{"state all", 10, 116},
		{"state half name", 24, 240},
		{"half state all", 31, 290},
		{"all name", 7, 64},
		{"created name", 7, 54},
		{"few created", 7, 71},
		{"most half all name", 6, 63},
	} {
		cursor := ""
		for n := range 4 {
			query := pageQuery(p, fmt.Sprintf("first: 100, after: %s, %s", null(cursor),
				sortedBy(p, test.columns)), "")
			what := fmt.Sprintf("%d issues by %s, page %d", len(p.Issues), test.columns, n)
			cursor = s.atMost(t, what, query, test.calls, test.rcu).Project.Issues.PageInfo.EndCursor
		}
	}
}

// costOfFilteredOrders checks what the first pages of grids cost that are sorted by several columns, and
// whose filter leaves few issues. These are read once and sorted in memory, so that several columns cost no
// more than one, up to four times the size of the page.
func (s *server) costOfFilteredOrders(t *testing.T, p *sample.Project) {
	for _, test := range []struct {
		rows    int
		columns string
		calls   int
		rcu     float64
	}{
		{2, "name", 6, 4},
		{2, "state half name", 6, 4},
		{60, "name", 6, 34},
		{60, "state half name", 6, 34},
		{60, "half state all", 10, 38},
		{60, "state all", 6, 34},
		{60, "all name", 11, 39},
		{150, "state half name", 7, 80},
		{150, "all name", 12, 85},
		{500, "name", 8, 104},
		{500, "state half name", 32, 211},
	} {
		before := time.Date(2024, 1, 1, 0, 0, test.rows, 0, time.UTC).Format(time.RFC3339)
		query := pageQuery(p, fmt.Sprintf("first: 50, where: {createdAt: {lt: %q}}, %s", before,
			sortedBy(p, test.columns)), "")
		what := fmt.Sprintf("%d of %d issues by %s", test.rows, len(p.Issues), test.columns)
		got := s.atMost(t, what, query, test.calls, test.rcu)
		if n := len(got.Project.Issues.Nodes); n != min(test.rows, 50) {
			t.Errorf("%s: %d rows", what, n)
		}
	}
}
