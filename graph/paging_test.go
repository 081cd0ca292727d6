package graph_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/sample"
	"issuegrid/tracker"
)

// pagingProjects returns a project of 60 rows, another one of its tenant with as many, and the worked
// example.
func pagingProjects() (first, second sample.Project, all []sample.Project) {
	first = sample.Generated()
	first.Issues = first.Issues[:60]
	second = sample.Generated()
	second.Project.ID, second.Project.Key, second.Project.Name = "d0cc", "DOCK", "Docks"
	second.Issues = nil
	return first, second, append(sample.Worked(), first, second)
}

func TestGridPaging(t *testing.T) {
	p, empty, all := pagingProjects()
	s := load(t, all...)
	project := projectID(&p)
	issues := func(arguments string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(%s) { nodes { num } } } }`, project, arguments)
	}
	rows := func(from, to int) []int {
		out := []int{}
		for n := from; n <= to; n++ {
			out = append(out, n)
		}
		return out
	}

	t.Run("sizes", func(t *testing.T) {
		for _, c := range []struct {
			arguments string
			want      []int
		}{
			{"", rows(1, 50)},
			{"first: null, last: null, after: null, before: null", rows(1, 50)},
			{"first: 1", rows(1, 1)},
			{"first: 500", rows(1, 60)},
			{"first: 60", rows(1, 60)},
			{"last: 1", rows(60, 60)},
			{"last: 500", rows(1, 60)},
			{"last: 7", rows(54, 60)},
			{"last: 7, first: null", rows(54, 60)},
		} {
			t.Run(c.arguments, func(t *testing.T) {
				if diff := cmp.Diff(c.want, s.grid(t, &p, c.arguments).nums()); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
			})
		}
	})

	all60 := s.grid(t, &p, "first: 60")
	cursor := func(num int) string { return all60.Project.Issues.Edges[num-1].Cursor }
	t.Run("between cursors", func(t *testing.T) {
		for _, c := range []struct {
			first, last, after, before int // 0 means not given
			want                       []int
			next, previous             bool
		}{
			{3, 0, 10, 0, rows(11, 13), true, true},
			{3, 0, 10, 13, rows(11, 12), true, true},
			{3, 0, 10, 14, rows(11, 13), true, true},
			{3, 0, 10, 15, rows(11, 13), true, true},
			{0, 3, 10, 15, rows(12, 14), true, true},
			{0, 3, 12, 15, rows(13, 14), true, true},
			{0, 3, 0, 3, rows(1, 2), true, false},
			{3, 0, 58, 0, rows(59, 60), false, true},
			{3, 0, 60, 0, rows(1, 0), false, true},
			{0, 3, 0, 1, rows(1, 0), true, false},
			{5, 0, 10, 11, rows(1, 0), true, true},
			{5, 0, 10, 10, rows(1, 0), true, true},
			{5, 0, 30, 10, rows(1, 0), true, true},
			{0, 5, 30, 10, rows(1, 0), true, true},
			{0, 0, 10, 0, rows(11, 60), false, true},
		} {
			var arguments []string
			for name, n := range map[string]int{"first": c.first, "last": c.last} {
				if n > 0 {
					arguments = append(arguments, fmt.Sprintf("%s: %d", name, n))
				}
			}
			for name, num := range map[string]int{"after": c.after, "before": c.before} {
				if num > 0 {
					arguments = append(arguments, fmt.Sprintf("%s: %q", name, cursor(num)))
				}
			}
			t.Run(fmt.Sprintf("first %d last %d after %d before %d", c.first, c.last, c.after,
				c.before), func(t *testing.T) {
				g := s.grid(t, &p, strings.Join(arguments, ", "))
				if diff := cmp.Diff(c.want, g.nums()); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				if info := g.Project.Issues.PageInfo; info.HasNextPage != c.next ||
					info.HasPreviousPage != c.previous {
					t.Errorf("hasNextPage %t, hasPreviousPage %t", info.HasNextPage, info.HasPreviousPage)
				}
			})
		}
	})

	t.Run("a cursor is valid for any direction and size, and without its row", func(t *testing.T) {
		down := "orderBy: [{column: {builtin: NUM}, direction: DESC}]"
		if diff := cmp.Diff([]int{9, 8},
			s.grid(t, &p, fmt.Sprintf("first: 2, after: %q, %s", cursor(10), down)).nums()); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
		var created struct {
			CreateIssue struct{ Issue struct{ ID string } }
		}
		s.data(t,
			fmt.Sprintf(
				`mutation { createIssue(input: {project: %q, issue: {name: "gone", values: [{field: %q, value: {option: %q}}]}}) { issue { id } } }`,
				project, fieldID(&p, "f08"), optionID(&p, "f08", "p1")),
			nil, &created)
		last := s.grid(t, &p, "last: 2")
		var gone any
		s.data(t, fmt.Sprintf(`mutation { deleteIssue(input: {id: %q}) { deletedIssueId } }`,
			created.CreateIssue.Issue.ID), nil, &gone)
		g := s.grid(t, &p, "last: 3, before: "+null(*last.Project.Issues.PageInfo.EndCursor))
		if diff := cmp.Diff([]int{58, 59, 60}, g.nums()); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	})

	t.Run("walks by every sortable column", func(t *testing.T) {
		columns := []string{"builtin: NUM", "builtin: NAME", "builtin: STATE", "builtin: CREATED_AT",
			"builtin: UPDATED_AT"}
		for _, f := range p.Fields {
			if f.Type.Sortable() {
				columns = append(columns, fmt.Sprintf("field: %q", fieldID(&p, string(f.ID))))
			}
		}
		if len(columns) != 13 {
			t.Fatalf("%d columns", len(columns))
		}
		for _, column := range columns {
			t.Run(column, func(t *testing.T) {
				up := s.walks(t, &p, "orderBy: [{column: {"+column+"}}]", 17)
				if got := slices.Sorted(slices.Values(up)); !slices.Equal(got, rows(1, 60)) {
					t.Errorf("rows: %v", got)
				}
				down := s.walks(t, &p, "orderBy: [{column: {"+column+"}, direction: DESC, nulls: FIRST}]", 17)
				slices.Reverse(down)
				if diff := cmp.Diff(up, down); diff != "" {
					t.Errorf("descending with nulls first is not the reverse (-ascending +descending, "+
						"reversed):\n%s", diff)
				}
			})
		}
	})

	t.Run("an empty project", func(t *testing.T) {
		answer := s.post(t, fmt.Sprintf(
			`{ project(id: %q) { issues(first: 3) { nodes { num } edges { cursor node { num } } totalCount totalCountPrecision pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
			projectID(&empty)),
			nil)
		want :=
			`{"data":{"project":{"issues":{"nodes":[],"edges":[],"totalCount":0,"totalCountPrecision":"EXACT","pageInfo":{"hasNextPage":false,"hasPreviousPage":false,"startCursor":null,"endCursor":null}}}}}`
		if diff := cmp.Diff(want, answer.body); diff != "" {
			t.Errorf("response (-want +got):\n%s", diff)
		}
	})

	t.Run("equivalent arguments", func(t *testing.T) {
		want := s.post(t, issues("first: 2"), nil).body
		for name, query := range map[string]string{
			"inline fragment": fmt.Sprintf(
				`{ project(id: %q) { ... on Project { issues(first: 2) { ... { nodes { ... on Issue { num } } } } } } }`,
				project),
			"named fragments": fmt.Sprintf(
				`query { project(id: %q) { ...P } } fragment P on Project { issues(first: 2) { ...C } } fragment C on IssueConnection { nodes { ...I } } fragment I on Issue { num }`,
				project),
			"directives": fmt.Sprintf(
				`query { project(id: %q) { issues(first: 2) { nodes { id @skip(if: true) num @include(if: true) ... @include(if: false) { name } } edges @skip(if: true) { cursor } } } }`,
				project),
			"repeated": fmt.Sprintf(
				`query { project(id: %q) { issues(first: 2) { nodes { num } nodes { num num } } issues(first: 2) { nodes { num } } } }`,
				project),
		} {
			t.Run(name, func(t *testing.T) {
				if got := s.post(t, query, nil).body; got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
		t.Run("variables", func(t *testing.T) {
			query :=
				`query($p: ID!, $first: Int = 2, $order: [IssueOrder!], $skip: Boolean!) { project(id: $p) { issues(first: $first, orderBy: $order) { nodes { id @skip(if: $skip) num @include(if: true) } } } }`
			order := []any{map[string]any{"column": map[string]any{"builtin": "NUM"}, "direction": "ASC"}}
			if got := s.post(t, query, map[string]any{"p": project, "order": order,
				"skip": true}).body; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
		t.Run("aliases", func(t *testing.T) {
			got := s.post(t,
				fmt.Sprintf(
					`{ p: project(id: %q) { a: issues(first: 1) { rows: nodes { n: num m: num } } b: issues(last: 1) { rows: nodes { num } } } }`,
					project),
				nil).body
			if want := `{"data":{"p":{"a":{"rows":[{"n":1,"m":1}]},"b":{"rows":[{"num":60}]}}}}`; got !=
				want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	})

	tampered := []byte(cursor(10))
	tampered[len(tampered)/2] ^= 1
	byName := s.grid(t, &p, `first: 1, orderBy: [{column: {builtin: NAME}}]`).Project.Issues.Edges[0].Cursor
	byCost := s.grid(t, &p, "first: 1, "+orderBy(&p, "f04")).Project.Issues.Edges[0].Cursor
	var list struct {
		Tenants struct{ Edges []struct{ Cursor string } }
	}
	s.data(t, `{ tenants(first: 1) { edges { cursor } } }`, nil, &list)
	withCursor := func(name, cursor string) []refusal {
		return []refusal{
			{name: "after " + name, query: issues(fmt.Sprintf("first: 2, after: %q", cursor)),
				code: tracker.BadInput, argument: "after"},
			{name: "before " + name, query: issues(fmt.Sprintf("last: 2, before: %q", cursor)),
				code: tracker.BadInput, argument: "before"},
		}
	}
	refusals := slices.Concat(
		withCursor("a tampered cursor", string(tampered)), withCursor("half a cursor", cursor(10)[:10]),
		withCursor("an empty cursor", ""),
		withCursor("no base64", "%%%"),
		withCursor("a padded cursor", base64.URLEncoding.EncodeToString([]byte("x"))),
		withCursor("a cursor with a line end", cursor(10)+"\n"),
		withCursor("a cursor by another column", byName), withCursor("a cursor by a custom column", byCost),
		withCursor("a cursor of a list", list.Tenants.Edges[0].Cursor),
		withCursor("a very long one", strings.Repeat("A", 100_000)), withCursor("an id", project),
	)
	for _, n := range []string{"-1", "501", "2147483647", "-2147483648"} {
		for _, argument := range []string{"first", "last"} {
			refusals = append(refusals, refusal{name: argument + " " + n, query: issues(argument + ": " + n),
				code: tracker.BadInput, argument: argument, says: []string{n, "0 to 500"}})
		}
	}
	order := func(column string) string { return issues("orderBy: [{column: " + column + "}]") }
	variable :=
		`query($p: ID!, $o: [IssueOrder!]) { project(id: $p) { issues(orderBy: $o) { nodes { num } } } }`
	column := func(c map[string]any) map[string]any {
		return map[string]any{"p": project, "o": []any{map[string]any{"column": c}}}
	}
	const inField = "orderBy[0].column.field"
	refusals = append(refusals,
		refusal{name: "first and last", query: issues("first: 1, last: 1"), code: tracker.BadInput,
			argument: "last", says: []string{"first"}},
		refusal{name: "five columns", query: issues("orderBy: [{column: {builtin: NUM}}, " +
			"{column: {builtin: NAME}}, {column: {builtin: STATE}}, {column: {builtin: CREATED_AT}}, " +
			"{column: {builtin: UPDATED_AT}}]"), code: tracker.BadInput, argument: "orderBy",
			says: []string{"4 columns"}},
		refusal{name: "a field that is none", query: order(`{field: "x"}`), code: tracker.BadInput,
			argument: inField},
		refusal{name: "a field that there is not",
			query: order(fmt.Sprintf(`{field: %q}`, fieldID(&p, "nope"))), code: tracker.BadInput,
			argument: inField},
		refusal{name: "a field of another project",
			query: order(fmt.Sprintf(`{field: %q}`, fieldID(&empty, "f04"))), code: tracker.BadInput,
			argument: inField},
		refusal{name: "a field of another tenant",
			query: order(fmt.Sprintf(`{field: %q}`, fieldID(&all[0], "3812"))), code: tracker.BadInput,
			argument: inField},
		refusal{name: "no field but a project", query: order(fmt.Sprintf(`{field: %q}`, project)),
			code: tracker.BadInput, argument: inField},
		refusal{name: "LONG_TEXT", query: order(fmt.Sprintf(`{field: %q}`, fieldID(&p, "f02"))),
			code: tracker.BadInput, argument: inField, says: []string{"LONG_TEXT"}},
		refusal{name: "MULTI_SELECT", query: order(fmt.Sprintf(`{field: %q}`, fieldID(&p, "f09"))),
			code: tracker.BadInput, argument: inField, says: []string{"MULTI_SELECT"}},
		refusal{name: "TAGS", query: order(fmt.Sprintf(`{field: %q}`, fieldID(&p, "f10"))),
			code: tracker.BadInput, argument: inField, says: []string{"TAGS"}},
		refusal{name: "literal with no member", query: order(`{}`), code: tracker.BadInput,
			argument: "orderBy[0].column", says: []string{"exactly one"}},
		refusal{name: "literal with two members",
			query: order(fmt.Sprintf(`{builtin: NUM, field: %q}`, fieldID(&p, "f04"))),
			code:  tracker.BadInput, argument: "orderBy[0].column", says: []string{"exactly one"}},
		refusal{name: "literal null", query: order(`{builtin: null}`), code: tracker.BadInput,
			argument: "orderBy[0].column.builtin", says: []string{"must not be null"}},
		refusal{name: "a variable that may be null",
			query: fmt.Sprintf(
				`query($b: BuiltinColumn) { project(id: %q) { issues(orderBy: [{column: {builtin: $b}}]) { nodes { num } } } }`,
				project),
			code: tracker.BadInput, says: []string{"non-null"}},
		refusal{name: "variable with no member", query: variable, variables: column(map[string]any{}),
			code: tracker.BadInput, argument: "orderBy[0].column", says: []string{"exactly one"}},
		refusal{name: "variable with two members", query: variable,
			variables: column(map[string]any{"builtin": "NUM", "field": fieldID(&p, "f04")}),
			code:      tracker.BadInput, argument: "orderBy[0].column", says: []string{"exactly one"}},
		refusal{name: "variable null", query: variable, variables: column(map[string]any{"builtin": nil}),
			code: tracker.BadInput, argument: "orderBy[0].column.builtin",
			says: []string{"must not be null"}},
		refusal{name: "an unknown built-in column", query: order(`{builtin: SIZE}`), code: tracker.BadInput,
			argument: "orderBy[0].column.builtin", says: []string{"SIZE"}},
		refusal{name: "an unknown built-in column as variable", query: variable,
			variables: column(map[string]any{"builtin": "SIZE"}), code: tracker.BadInput,
			argument: "orderBy[0].column.builtin", says: []string{"SIZE"}},
		refusal{name: "an unknown direction",
			query: issues(`orderBy: [{column: {builtin: NUM}, direction: DOWN}]`), code: tracker.BadInput,
			argument: "orderBy[0].direction", says: []string{"DOWN"}},
		refusal{name: "no column", query: issues(`orderBy: [{direction: DESC}]`), code: tracker.BadInput,
			argument: "orderBy[0].column", says: []string{"must be given"}},
	)
	t.Run("refused", func(t *testing.T) { s.refuses(t, refusals) })
}

// inBrackets returns arguments in parentheses, or nothing if there are none.
func inBrackets(arguments string) string {
	if arguments == "" {
		return ""
	}
	return "(" + arguments + ")"
}
