package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/sample"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// filteredPage is the part of a page's response that the tests of filters examine.
type filteredPage struct {
	Project struct {
		Issues struct {
			Nodes               []struct{ Num int64 }
			TotalCount          int
			TotalCountPrecision string
			Incomplete          bool
			PageInfo            struct {
				HasNextPage, HasPreviousPage bool
				StartCursor, EndCursor       *string
			}
			Explain struct {
				Text     string
				Root     planNode
				Rejected []struct {
					Label, Reason                         string
					Keys, Documents, Rcu, SequentialCalls float64
				}
			}
		}
	}
}

const filteredQuery = `query($id: ID!, $where: IssueFilter, $by: [IssueOrder!], $first: Int, $after: String, $last: Int, $before: String, $count: Boolean = true) {
	project(id: $id) { issues(where: $where, orderBy: $by, first: $first, after: $after, last: $last, before: $before) {
		nodes { num } totalCount @include(if: $count) totalCountPrecision @include(if: $count) incomplete pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

// holds reports whether an issue of the sample matches a filter, computed independently of the server.
type holds func(*tracker.Issue) bool

// sampleFilters returns filters of the generated project with their meanings.
func sampleFilters(p *sample.Project) []struct {
	name  string
	where map[string]any
	holds holds
} {
	field := func(f, member string, operators map[string]any) map[string]any {
		return map[string]any{"fields": []any{map[string]any{"field": fieldID(p, f), member: operators}}}
	}
	text := func(i *tracker.Issue, f tracker.FieldID) string { return sortkey.Fold(i.Values[f].Text()) }
	return []struct {
		name  string
		where map[string]any
		holds holds
	}{
		{"a state", map[string]any{"state": map[string]any{"eq": stateID(p, "doing")}},
			func(i *tracker.Issue) bool {
				return i.State == "doing"
			}},
		{"states", map[string]any{"state": map[string]any{"in": []any{stateID(p, "new"),
			stateID(p, "done")}}}, func(i *tracker.Issue) bool {
			return i.State == "new" || i.State == "done"
		}},
		{"an option, not", field("f08", "option",
			map[string]any{"neq": optionID(p, "f08", "p3")}), func(i *tracker.Issue) bool {
			return i.Values["f08"].Text() != "p3"
		}},
		{"a date range", field("f05", "date",
			map[string]any{"gte": "2024-09-01", "lt": "2024-11-01"}), func(i *tracker.Issue) bool {
			d := i.Values["f05"].Text()
			return d >= "2024-09-01" && d < "2024-11-01"
		}},
		{"a text without accents", field("f01", "text",
			map[string]any{"startsWith": "bjorn"}), func(i *tracker.Issue) bool {
			return strings.HasPrefix(text(i, "f01"), "bjorn")
		}},
		{"a text in any case", field("f01", "text",
			map[string]any{"eq": "ÉDITH"}), func(i *tracker.Issue) bool {
			return text(i, "f01") == "edith"
		}},
		{"a missing user", field("f11", "user",
			map[string]any{"isNull": true}), func(i *tracker.Issue) bool {
			return i.Values["f11"].Kind == tracker.KindNone
		}},
		{"a long text", field("f02", "text",
			map[string]any{"contains": "900 RPM"}), func(i *tracker.Issue) bool {
			return strings.Contains(text(i, "f02"), "900 rpm")
		}},
		{"all of two members", field("f09", "options",
			map[string]any{"hasAll": []any{optionID(p, "f09", "s1"),
				optionID(p, "f09", "s2")}}), func(i *tracker.Issue) bool {
			return slices.Contains(i.Values["f09"].Set(), "s1") &&
				slices.Contains(i.Values["f09"].Set(), "s2")
		}},
		{"none of two tags", field("f10", "tags",
			map[string]any{"hasNone": []any{"RUST", "leak"}}), func(i *tracker.Issue) bool {
			return !slices.Contains(i.Values["f10"].Set(), "rust") &&
				!slices.Contains(i.Values["f10"].Set(), "leak")
		}},
		{"nested", map[string]any{"or": []any{
			map[string]any{"and": []any{map[string]any{"state": map[string]any{"eq": stateID(p, "done")}},
				field("f08", "option", map[string]any{"eq": optionID(p, "f08", "p1")})}},
			map[string]any{"not": map[string]any{"num": map[string]any{"gt": 100}}}}},
			func(i *tracker.Issue) bool {
				return i.State == "done" && i.Values["f08"].Text() == "p1" || i.Num <= 100
			}},
		{"never", map[string]any{"num": map[string]any{"eq": 3, "gt": 5}}, func(*tracker.Issue) bool {
			return false
		}},
	}
}

// TestFilters runs the tests of filtered grids on one project.
func TestFilters(t *testing.T) {
	p := sample.Generated()
	s := load(t, append(sample.Worked(), p)...)
	for name, test := range map[string]func(*testing.T, *server, *sample.Project){
		"grids": filteredGrids, "work budget": workBudget, "explain": explains, "cost": filterCost,
		"cursorAt": cursorsAt} {
		t.Run(name, func(t *testing.T) { test(t, s, &p) })
	}
}

// filteredGrids walks filtered grids over HTTP, forwards by number and backwards by a date, and counts them.
func filteredGrids(t *testing.T, s *server, p *sample.Project) {
	for _, test := range sampleFilters(p) {
		for _, by := range []any{nil, []any{
			map[string]any{"column": map[string]any{"field": fieldID(p, "f05")}, "direction": "DESC",
				"nulls": "FIRST"}}} {
			backward := by != nil
			t.Run(fmt.Sprintf("%s, by date %t", test.name, by != nil), func(t *testing.T) {
				var want []int64
				for i := range p.Issues {
					if test.holds(&p.Issues[i]) {
						want = append(want, p.Issues[i].Num)
					}
				}
				if by != nil {
					slices.SortFunc(want, func(a, b int64) int {
						return byDateDescending(&p.Issues[a-1], &p.Issues[b-1])
					})
				}
				got, total, exact := walkFiltered(t, s,
					map[string]any{"id": projectID(p), "where": test.where, "by": by}, 200, backward)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("rows (-want +got):\n%.2000s", diff)
				}
				// A count that needs documents ends at the budget of a page.
				if total > len(want) || total != len(want) &&
					(exact || !strings.Contains(test.name, "none")) {
					t.Errorf("totalCount %d, exact %t, want %d", total, exact, len(want))
				}
			})
		}
	}
}

// byDateDescending is the order by f05, descending, with rows without a date first.
func byDateDescending(a, b *tracker.Issue) int {
	x, y := a.Values["f05"].Text(), b.Values["f05"].Text()
	if (x == "") != (y == "") {
		if x == "" {
			return -1
		}
		return 1
	}
	if c := strings.Compare(y, x); c != 0 {
		return c
	}
	return int(b.Num - a.Num)
}

// walkFiltered reads a grid to its end and accepts pages of any size.
func walkFiltered(t *testing.T, s *server, variables map[string]any, size int, backward bool) (nums []int64,
	total int, exact bool) {
	t.Helper()
	for pages := 0; ; pages++ {
		variables["first"], variables["last"], variables["count"] = any(size), any(nil), pages == 0
		if backward {
			variables["first"], variables["last"] = nil, size
		}
		var got filteredPage
		s.data(t, filteredQuery, variables, &got)
		c := got.Project.Issues
		if pages == 0 {
			total, exact = c.TotalCount, c.TotalCountPrecision == "EXACT"
		}
		var page []int64
		for _, n := range c.Nodes {
			page = append(page, n.Num)
		}
		more := c.PageInfo.HasNextPage
		if backward {
			nums = append(page, nums...)
			variables["before"], more = c.PageInfo.StartCursor, c.PageInfo.HasPreviousPage
		} else {
			nums = append(nums, page...)
			variables["after"] = c.PageInfo.EndCursor
		}
		if c.Incomplete && !more {
			t.Fatal("an incomplete page reports that there is no further page")
		}
		if !more {
			return nums, total, exact
		}
		if pages > 2000 {
			t.Fatal("the walk does not end")
		}
	}
}

// reverse returns the reversed order, or false for one of several columns and for one without an order.
func reverse(order string) (string, bool) {
	switch {
	case order == "" || strings.Contains(order, "}}, {column"):
		return "", false
	case strings.Contains(order, "direction: DESC"):
		return strings.Replace(order, "direction: DESC", "direction: ASC", 1), true
	}
	return strings.Replace(order, "}", "}, direction: DESC", 1), true
}

// cursorsAt opens grids at values and at issues.
func cursorsAt(t *testing.T, s *server, p *sample.Project) {
	cursorAt := func(order, at string) string {
		var cursor struct{ Project struct{ CursorAt string } }
		s.data(t, fmt.Sprintf(`{ project(id: %q) { cursorAt(%s %s) } }`, projectID(p), order, at), nil,
			&cursor)
		return cursor.Project.CursorAt
	}
	beside := func(cursor, order, page string) int64 {
		var got filteredPage
		s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(%s: %q %s) { nodes { num } } } }`,
			projectID(p), page, cursor, order), nil, &got)
		if len(got.Project.Issues.Nodes) == 0 {
			return 0
		}
		return got.Project.Issues.Nodes[0].Num
	}
	const forward, backward = "first: 1, after", "last: 1, before"
	first := func(order, at string) int64 { return beside(cursorAt(order, at), order, forward) }
	byDate := fmt.Sprintf(`orderBy: [{column: {field: %q}}],`, fieldID(p, "f05"))
	byText := fmt.Sprintf(`orderBy: [{column: {field: %q}}],`, fieldID(p, "f01"))
	least := func(meets holds, value func(*tracker.Issue) string) int64 {
		best := (*tracker.Issue)(nil)
		for i := range p.Issues {
			if issue := &p.Issues[i]; meets(issue) && (best == nil || value(issue) < value(best)) {
				best = issue
			}
		}
		return best.Num
	}
	date := func(i *tracker.Issue) string { return i.Values["f05"].Text() }
	name := func(i *tracker.Issue) string { return sortkey.Fold(i.Values["f01"].Text()) }
	if got, want := first(byDate, `value: {date: "2024-09-10"}`), least(func(i *tracker.Issue) bool {
		return date(i) >= "2024-09-10"
	}, date); got != want {
		t.Errorf("from 2024-09-10 on: #%d, want #%d", got, want)
	}
	if got, want := first(byText, `value: {text: "f"}`), least(func(i *tracker.Issue) bool {
		return name(i) >= "f"
	}, name); got != want {
		t.Errorf("from f on: #%d, want #%d", got, want)
	}
	for _, order := range []string{"", byDate, byText, `orderBy: [{column: {builtin: NUM}, direction: DESC}],`,
		`orderBy: [{column: {builtin: STATE}, direction: DESC}],`,
		fmt.Sprintf(`orderBy: [{column: {field: %q}}, {column: {builtin: STATE}}],`, fieldID(p, "f08")),
		fmt.Sprintf(`orderBy: [{column: {field: %q}, nulls: FIRST}],`, fieldID(p, "f11"))} {
		at := cursorAt(order, "num: 777")
		if got := beside(at, order, forward); got != 777 {
			t.Errorf("%s from 777 on: #%d", order, got)
		}
		// Before the cursor is the row whose next one is 777, and reversing the order exchanges the two.
		before := beside(at, order, backward)
		var two filteredPage
		s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 2, after: %q %s) { nodes { num } } } }`,
			projectID(p), cursorAt(order, fmt.Sprint("num: ", before)), order), nil, &two)
		if nodes := two.Project.Issues.Nodes; len(nodes) != 2 || nodes[1].Num != 777 {
			t.Errorf("%s: %+v, want 777 after %d", order, nodes, before)
		}
		if reversed, ok := reverse(order); ok {
			if got := beside(at, reversed, forward); got != before {
				t.Errorf("%s from 777 on: #%d, want #%d", reversed, got, before)
			}
			if got := beside(at, reversed, backward); got != 777 {
				t.Errorf("%s before 777: #%d", reversed, got)
			}
		}
	}
	byState := `orderBy: [{column: {builtin: STATE}}],`
	byPriority := fmt.Sprintf(`orderBy: [{column: {field: %q}}],`, fieldID(p, "f08"))
	num := func(i *tracker.Issue) string { return fmt.Sprintf("%08d", i.Num) }
	if got, want := first(byState, fmt.Sprintf(`value: {option: %q}`, stateID(p, "done"))),
		least(func(i *tracker.Issue) bool {
			return i.State == "done"
		}, num); got != want {
		t.Errorf("from the state on: #%d, want #%d", got, want)
	}
	if got, want := first(byPriority, fmt.Sprintf(`value: {option: %q}`, optionID(p, "f08", "p2"))),
		least(func(i *tracker.Issue) bool {
			return i.Values["f08"].Text() == "p2"
		}, num); got != want {
		t.Errorf("from the option on: #%d, want #%d", got, want)
	}
	if got := first("", `value: {integer: 1990}`); got != 1990 {
		t.Errorf("at number 1990: #%d", got)
	}
	if got := first(`orderBy: [{column: {builtin: NUM}, direction: DESC}],`,
		`value: {integer: "99999999999"}`); got != 2000 {
		t.Errorf("from the greatest number on: #%d", got)
	}
	for at, argument := range map[string]string{
		"": "value", `num: 1, value: {integer: 1}`: "value", `value: {text: "x"}`: "value.text",
		`orderBy: [{column: {builtin: STATE}}], value: {option: "nope"}`:          "value.option",
		`orderBy: [{column: {builtin: CREATED_AT}}], value: {date: "2026-01-01"}`: "value.date",
		byDate + `value: {text: "x"}`:                                             "value.text",
	} {
		if at == "" {
			at = `orderBy: []`
		}
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { cursorAt(%s) } }`, projectID(p), at), nil)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "BAD_USER_INPUT" ||
			a.Errors[0].Extensions["argument"] != argument {
			t.Errorf("%s: %+v, want an error at %s", at, a.Errors, argument)
		}
	}
	if a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { cursorAt(num: 5000) } }`, projectID(p)),
		nil); len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "NOT_FOUND" {
		t.Errorf("before a missing issue: %+v", a.Errors)
	}
}
