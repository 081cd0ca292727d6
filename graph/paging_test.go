package graph_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// pagingProjects returns a project of 60 rows, another one of its tenant with as many, and the worked
// example.
func pagingProjects() (first, second sample.Project, all []sample.Project) {
	first = generated(60)
	return first, docks(), append(sample.Worked(), first, docks())
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

	cursors := map[int]string{}
	for _, e := range s.grid(t, &p, "first: 60").Edges {
		cursors[e.Node.Num] = e.Cursor
	}
	cursor := func(num int) string { return cursors[num] }
	between := func(arguments string, after, before int) string {
		return fmt.Sprintf("%s, after: %q, before: %q", arguments, cursor(after), cursor(before))
	}
	t.Run("pages", func(t *testing.T) {
		for _, c := range []struct {
			arguments      string
			from, to       int
			next, previous bool
		}{
			{"", 1, 50, true, false},
			{"first: null, last: null, after: null, before: null", 1, 50, true, false},
			{"first: 1", 1, 1, true, false},
			{"first: 500", 1, 60, false, false},
			{"last: 1", 60, 60, false, true},
			{"last: 500", 1, 60, false, false},
			{"last: 7, first: null", 54, 60, false, true},
			{between("first: 3", 10, 15), 11, 13, true, true},
			{between("last: 3", 10, 15), 12, 14, true, true},
			{between("first: 3", 10, 13), 11, 12, true, true},
			{between("first: 3", 30, 10), 1, 0, true, true},
			{fmt.Sprintf("after: %q", cursor(10)), 11, 60, false, true},
			{fmt.Sprintf("last: 3, before: %q", cursor(1)), 1, 0, true, false},
		} {
			g := s.grid(t, &p, c.arguments)
			same(t, c.arguments, rows(c.from, c.to), append([]int{}, nums(g.Nodes)...))
			same(t, "the flags of "+c.arguments, [2]bool{c.next, c.previous},
				[2]bool{g.PageInfo.HasNextPage, g.PageInfo.HasPreviousPage})
		}
	})

	t.Run("a cursor is valid for any direction and size, and without its row", func(t *testing.T) {
		down := "orderBy: [{column: {builtin: NUM}, direction: DESC}]"
		same(t, "in the other direction", []int{9, 8},
			nums(s.grid(t, &p, fmt.Sprintf("first: 2, after: %q, %s", cursor(10), down)).Nodes))
		values := []any{inputOf("fieldId", fieldID(&p, "f08"), "value",
			inputOf("optionId", optionID(&p, "f08", "p1")))}
		created := do(t, s, "createIssue.issue.id", "projectId", project, "issue",
			inputOf("name", "gone", "values", values))
		last := s.grid(t, &p, "last: 2")
		do(t, s, "deleteIssue.deletedIssueId", "id", created)
		same(t, "before a row that is gone", []int{58, 59, 60},
			nums(s.grid(t, &p, "last: 3, before: "+null(*last.PageInfo.EndCursor)).Nodes))
	})

	t.Run("by every sortable column", func(t *testing.T) {
		columns := []string{"builtin: NUM", "builtin: NAME", "builtin: STATE", "builtin: CREATED_AT",
			"builtin: UPDATED_AT"}
		for _, f := range p.Fields {
			if f.Type.Sortable() {
				columns = append(columns, fmt.Sprintf("fieldId: %q", fieldID(&p, string(f.ID))))
			}
		}
		if len(columns) != 13 {
			t.Fatalf("%d columns", len(columns))
		}
		for _, column := range columns {
			by := func(more string) []int {
				return nums(s.grid(t, &p, "first: 60, orderBy: [{column: {"+column+"}"+more+"}]").Nodes)
			}
			up, down := by(""), by(", direction: DESC, nulls: FIRST")
			slices.Reverse(down)
			same(t, column, up, down)
			same(t, "the rows by "+column, rows(1, 60), slices.Sorted(slices.Values(up)))
		}
	})

	t.Run("an empty project", func(t *testing.T) {
		same(t, "the response", `{"data":{"project":{"issues":{"nodes":[],"edges":[],"totalCount":0,`+
			`"totalCountPrecision":"EXACT","pageInfo":{"hasNextPage":false,"hasPreviousPage":false,`+
			`"startCursor":null,"endCursor":null}}}}}`, s.post(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 3) {
			nodes { num } edges { cursor node { num } } totalCount totalCountPrecision `+flags+` } } }`,
			projectID(&empty)), nil).body)
	})

	t.Run("equivalent arguments", func(t *testing.T) {
		want := s.post(t, issues("first: 2"), nil).body
		for name, query := range map[string]string{
			"inline fragment": `query($p: ID!) { project(id: $p) { ... on Project { issues(first: 2) { ... { nodes { ... on Issue { num } } } } } } }`,
			"named fragments": `query($p: ID!) { project(id: $p) { ...P } } fragment P on Project { issues(first: 2) { ...C } } fragment C on IssueConnection { nodes { ...I } } fragment I on Issue { num }`,
			"directives":      `query($p: ID!) { project(id: $p) { issues(first: 2) { nodes { id @skip(if: true) num @include(if: true) ... @include(if: false) { name } } edges @skip(if: true) { cursor } } } }`,
			"repeated":        `query($p: ID!) { project(id: $p) { issues(first: 2) { nodes { num } nodes { num num } } issues(first: 2) { nodes { num } } } }`,
			"variables":       `query($p: ID!, $first: Int = 2, $o: [IssueOrder!], $skip: Boolean!) { project(id: $p) { issues(first: $first, orderBy: $o) { nodes { id @skip(if: $skip) num @include(if: true) } } } }`,
		} {
			same(t, name, want, s.post(t, query, inputOf("p", project, "skip", true, "o",
				[]any{inputOf("column", inputOf("builtin", "NUM"), "direction", "ASC")})).body)
		}
		same(t, "aliases", `{"data":{"p":{"a":{"rows":[{"n":1,"m":1}]},"b":{"rows":[{"num":60}]}}}}`, s.post(t,
			fmt.Sprintf(`{ p: project(id: %q) { a: issues(first: 1) { rows: nodes { n: num m: num } } b: issues(last: 1) {
			rows: nodes { num } } } }`, project), nil).body)
	})

	tampered := []byte(cursor(10))
	tampered[len(tampered)/2] ^= 1
	byName := s.grid(t, &p, `first: 1, orderBy: [{column: {builtin: NAME}}]`).Edges[0].Cursor
	byCost := s.grid(t, &p, "first: 1, "+orderBy(&p, "f04")).Edges[0].Cursor
	ofList := get[string](t, s, "tenants.pageInfo.endCursor", `{ tenants(first: 1) { pageInfo { endCursor } } }`, nil)
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
		withCursor("a cursor of a list", ofList),
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
	bad := func(name, query, argument string, says ...string) {
		refusals = append(refusals, refusal{name: name, query: query, code: tracker.BadInput,
			argument: argument, says: says})
	}
	field := func(name, id string, says ...string) {
		bad(name, order(fmt.Sprintf(`{fieldId: %q}`, id)), "orderBy[0].column.fieldId", says...)
	}
	given := func(name, argument, says string, members ...any) {
		refusals = append(refusals, refusal{name: name, query: variable, code: tracker.BadInput,
			argument: argument, says: []string{says},
			variables: inputOf("p", project, "o", []any{inputOf("column", inputOf(members...))})})
	}
	const column, builtin = "orderBy[0].column", "orderBy[0].column.builtin"
	bad("first and last", issues("first: 1, last: 1"), "last", "first")
	field("a field that is none", "x")
	field("an unknown field", fieldID(&p, "nope"))
	field("a field of another project", fieldID(&empty, "f04"))
	field("a field of another tenant", fieldID(&all[0], "3812"))
	field("no field but a project", project)
	field("LONG_TEXT", fieldID(&p, "f02"), "LONG_TEXT")
	field("MULTI_SELECT", fieldID(&p, "f09"), "MULTI_SELECT")
	field("TAGS", fieldID(&p, "f10"), "TAGS")
	bad("literal with no member", order(`{}`), column, "exactly one")
	bad("literal with two members", order(fmt.Sprintf(`{builtin: NUM, fieldId: %q}`, fieldID(&p, "f04"))), column,
		"exactly one")
	bad("literal null", order(`{builtin: null}`), column, "exactly one")
	bad("a variable that may be null", fmt.Sprintf(`query($b: BuiltinColumn) { project(id: %q) {
		issues(orderBy: [{column: {builtin: $b}}]) { nodes { num } } } }`, project), "", "non-null")
	given("variable with no member", column, "exactly one")
	given("variable with two members", column, "exactly one", "builtin", "NUM", "fieldId", fieldID(&p, "f04"))
	given("variable null", column, "exactly one", "builtin", nil)
	bad("an unknown built-in column", order(`{builtin: SIZE}`), builtin, "SIZE")
	given("an unknown built-in column as variable", builtin, "SIZE", "builtin", "SIZE")
	bad("an unknown direction", issues(`orderBy: [{column: {builtin: NUM}, direction: DOWN}]`),
		"orderBy[0].direction", "DOWN")
	bad("no column", issues(`orderBy: [{direction: DESC}]`), column, "must be given")
	t.Run("refused", func(t *testing.T) { s.refuses(t, refusals) })
}

// inBrackets returns arguments in parentheses, or nothing if there are none.
func inBrackets(arguments string) string {
	if arguments == "" {
		return ""
	}
	return "(" + arguments + ")"
}
