package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// Package grid compares groups and their issues with those in memory. Here are the arguments and the members
// of groups.

// issueGroup is a group in a response.
type issueGroup struct {
	Key                  string
	Name, Text, From, To *string
	State, Option        *struct{ ID, Name string }
	Boolean              *bool
	Collapsed            bool
	TotalCount           int
	TotalCountPrecision  string
	Issues               *connection[struct{ Num int }]
	Groups               *connection[issueGroup]
	Summary              *columnSummary
}

const groupMembers = `key name text from to state { id name } option { id name } boolean collapsed totalCount
	totalCountPrecision`

// line shows the name of a group, its other members and its count.
func (x issueGroup) line() string {
	out, name := fmt.Sprint(shown(x.Name), " ", x.TotalCount), shown(x.Name)
	for member, value := range map[string]*string{"text": x.Text, "from": x.From} {
		if value != nil && *value == name {
			out += " " + member
		}
	}
	if x.To != nil {
		out += " to " + *x.To
	}
	if x.State != nil && x.State.Name == name {
		out += " state"
	}
	if x.Option != nil && x.Option.Name == name {
		out += " option"
	}
	if x.Boolean != nil {
		out += fmt.Sprint(" ", *x.Boolean)
	}
	if x.TotalCountPrecision != "EXACT" {
		out += " " + x.TotalCountPrecision
	}
	return out
}

// groups reads a page of groups.
func (s *server) groups(t testing.TB, p *sample.Project, arguments, below string) connection[issueGroup] {
	t.Helper()
	return get[connection[issueGroup]](t, s, "project.groups", fmt.Sprintf(`{ project(id: %q) { groups(%s) {
		nodes { %s %s } incomplete `+flags+` } } }`, projectID(p), arguments, groupMembers, below), nil)
}

// generated returns the first issues of the generated project.
func generated(issues int) sample.Project {
	p := sample.Generated()
	p.Issues = p.Issues[:issues]
	return p
}

// TestGroups groups by all types of columns and all kinds of ranges.
func TestGroups(t *testing.T) {
	p := generated(60)
	s := load(t, p)
	field := func(id string) string { return fmt.Sprintf("column: {fieldId: %q}", fieldID(&p, id)) }
	state, priority := "column: {builtin: STATE}", field("f08")
	for _, test := range []struct{ name, by, arguments, want string }{
		{"states", state, "", `New 8 state, Planned 7 state, In Progress 5 state, Won't Do 27 state`},
		{"states in the opposite order, filtered", state + ", direction: DESC", "where: {num: {lt: 20}}",
			`Won't Do 9 state, Done 2 state, In Review 1 state, New 1 state`},
		{"the first letter", "column: {builtin: NAME}, firstLetter: true", "",
			"c 17 text, g 8 text, o 4 text, w 10 text"},
		{"months in a zone", "column: {builtin: CREATED_AT}, period: MONTH", `timeZone: "Europe/Berlin"`,
			"2023-11-30T23:00:00Z 1 from to 2023-12-31T23:00:00Z, " +
				"2023-12-31T23:00:00Z 59 from to 2024-01-31T23:00:00Z"},
		{"ranges of numbers", "column: {builtin: NUM}, width: 25", "",
			"0 24 from to 25, 25 25 from to 50, 50 11 from to 75"},
		{"texts", field("f01"), "", "Aurora 9 text, Björn 5 text, Cormorant 7 text, - 1"},
		{"texts with a prefix in another case", field("f01"), `prefix: "ED"`, "Édith 6 text"},
		{"integers", field("f03") + ", width: 5000", "", "0 20 from to 5000, 5000 19 from to 10000, - 21"},
		{"quarters, none first", field("f05") + ", period: QUARTER, nulls: FIRST", "",
			"- 17, 2024-01-01 20 from to 2024-04-01, 2024-04-01 21 from to 2024-07-01, " +
				"2024-07-01 2 from to 2024-10-01"},
		{"booleans", field("f07"), "", "false 43 false, true 7 true, - 10"},
		{"options", priority, "", "Critical 10 option, High 12 option, Medium 12 option, Low 26 option"},
		{"options of sets", field("f09"), "", "Engine 16 option, Hull 18 option, Electric 19 option, - 13"},
		{"tags", field("f10"), "", "class-survey 9 text, dry-dock 7 text, leak 6 text, - 36"},
		{"users", field("f11"), "",
			"Ada Lindqvist 7 text, Bram de Vries 7 text, Chidi Okafor 5 text, - 14"},
		{"empty states", state, "empty: true, where: {num: {lt: 2}}",
			`New 0 state, Planned 0 state, In Progress 0 state, Won't Do 1 state`},
		{"empty options", priority, "empty: true, where: {num: {lt: 2}}",
			"Critical 0 option, High 0 option, Medium 1 option, - 0"},
		{"empty booleans", field("f07"), "empty: true, where: {num: {lt: 2}}",
			"false 0 false, true 1 true, - 0"},
		{"empty states with a prefix", state, `empty: true, prefix: "DO"`, "Done 8 state"},
		{"a prefix with a space", state, `empty: true, prefix: " DO"`, ""},
	} {
		all := walkPages(t, 3, func(paging string) connection[issueGroup] {
			page := s.groups(t, &p, fmt.Sprintf("%s, by: [{%s}], %s", paging, test.by, test.arguments), "")
			if page.Incomplete {
				t.Errorf("%s: the page is incomplete", test.name)
			}
			return page
		})
		whole := s.groups(t, &p, fmt.Sprintf("first: 100, by: [{%s}], %s", test.by, test.arguments), "").Nodes
		same(t, test.name+" in one page", whole, append([]issueGroup{}, all...))
		issues := 0
		for _, x := range all {
			issues += x.TotalCount
		}
		ofSets := strings.Contains(test.name, "sets") || test.name == "tags"
		if test.arguments == "" && !ofSets && issues != len(p.Issues) {
			t.Errorf("%s: the counts add up to %d of %d issues", test.name, issues, len(p.Issues))
		}
		var lines []string
		for i, x := range all {
			if i < 3 || i == len(all)-1 {
				lines = append(lines, x.line())
			}
		}
		same(t, test.name, test.want, strings.Join(lines, ", "))
	}
}

// TestNumbersOfGroups checks that there are at least as many groups as are shown, however early the budget
// ends the page and the count, and exactly so many if the count is exact.
func TestNumbersOfGroups(t *testing.T) {
	p := generated(600)
	s := load(t, p)
	precisions := map[string]int{}
	for budget := 1; budget <= 1<<11; budget *= 2 {
		got := get[struct {
			Nodes               []struct{ Key string }
			TotalCount          int
			TotalCountPrecision string
			PageInfo            struct{ HasNextPage bool }
		}](t, s.frugal(t, budget), "project.groups", fmt.Sprintf(`{ project(id: %q) { groups(by: [{column: {
			fieldId: %q}, width: 100}], first: 100, where: {description: {contains: "a"}}) { nodes { key } totalCount
			totalCountPrecision pageInfo { hasNextPage } } } }`, projectID(&p), fieldID(&p, "f03")), nil)
		precisions[got.TotalCountPrecision]++
		n, of := len(got.Nodes), got.TotalCount
		all := got.TotalCountPrecision == "EXACT" && !got.PageInfo.HasNextPage
		if n > of || all && n < of {
			t.Errorf("with a budget of %d: %d groups of %d %s", budget, n, of, got.TotalCountPrecision)
		}
	}
	if precisions["EXACT"] == 0 || precisions["AT_LEAST"] == 0 {
		t.Errorf("%v; both must occur", precisions)
	}
}

// TestBoard checks groups of two levels with their issues in one operation, collapsed groups, groups by their
// keys, and that groups read their issues in parallel and in shared batches.
func TestBoard(t *testing.T) {
	p := generated(600)
	s := load(t, p)
	byState := "{column: {builtin: STATE}}"
	by := fmt.Sprintf("by: [%s, {column: {fieldId: %q}}]", byState, fieldID(&p, "f08"))
	const order = "orderBy: [{column: {builtin: NAME}}]"
	const issues = "issues(first: 20) { nodes { num } totalCount pageInfo { hasNextPage endCursor } }"
	const below = issues + " groups { nodes { " + groupMembers + " " + issues + " } }"
	board := s.groups(t, &p, by+", "+order, below).Nodes
	var keys []string
	check := func(x issueGroup, where string) {
		t.Helper()
		want := get[connection[struct{ Num int }]](t, s, "project.issues", fmt.Sprintf(
			`{ project(id: %q) { issues(first: 20, where: {%s}, %s) { nodes { num } totalCount } } }`, projectID(&p),
			where, order), nil)
		same(t, where, want.Nodes, x.Issues.Nodes)
		same(t, "the counts of "+where, [2]int{want.TotalCount, want.TotalCount},
			[2]int{x.TotalCount, x.Issues.TotalCount})
		keys = append(keys, x.Key)
	}
	for _, x := range board {
		inState := fmt.Sprintf("state: {eqId: %q}", x.State.ID)
		for _, y := range x.Groups.Nodes {
			condition := "isNull: true"
			if y.Option != nil {
				condition = fmt.Sprintf("option: {eqId: %q}", y.Option.ID)
			}
			check(y, fmt.Sprintf("%s, fields: [{fieldId: %q, %s}]", inState, fieldID(&p, "f08"), condition))
		}
		check(x, inState)
	}
	if len(board) != len(p.Project.States) || len(keys) < 3*len(board) {
		t.Fatalf("%d groups, and %d with those of the second level", len(board), len(keys))
	}

	again := s.groups(t, &p, fmt.Sprintf("keys: [%q, %q], %s", keys[1], keys[len(keys)-1], by), "").Nodes
	if len(again) != 2 || again[0].Key != keys[1] || again[1].Key != keys[len(keys)-1] ||
		again[0].TotalCount != board[0].Groups.Nodes[1].TotalCount {
		t.Errorf("groups by their keys: %+v", again)
	}
	next := s.groups(t, &p, fmt.Sprintf("keys: [%q], %s, %s", board[0].Key, by, order), fmt.Sprintf(
		`issues(first: 5, after: %q) { nodes { num } }`, *board[0].Issues.PageInfo.EndCursor)).Nodes[0]
	all := s.groups(t, &p, by+", "+order, "issues(first: 25) { nodes { num } }").Nodes[0]
	same(t, "the next issues of a group", all.Issues.Nodes[20:], next.Issues.Nodes)

	collapsed := s.groups(t, &p, fmt.Sprintf("collapsed: [%q, %q], %s", board[0].Key,
		board[1].Groups.Nodes[0].Key, by), below).Nodes
	first, second := collapsed[0], collapsed[1]
	if !first.Collapsed || first.Issues != nil || first.Groups != nil || first.TotalCount == 0 ||
		second.Collapsed || second.Issues == nil || !second.Groups.Nodes[0].Collapsed ||
		second.Groups.Nodes[0].Issues != nil || second.Groups.Nodes[1].Issues == nil {
		t.Errorf("collapsed groups: %+v\n%+v", first, second)
	}

	s.wire.Reset()
	s.groups(t, &p, "by: ["+byState+"]", "issues(first: 20) { nodes { num name } }")
	if calls := s.wire.Calls(); calls["BatchGetItem"] > 3 {
		t.Errorf("a board of %d groups takes %v", len(board), calls)
	}
}

// TestGroupsRefused checks groups and summaries that are refused, with the argument that is wrong.
func TestGroupsRefused(t *testing.T) {
	p := generated(3)
	s := load(t, p)
	field := func(id string) string { return fmt.Sprintf("{fieldId: %q}", fieldID(&p, id)) }
	groups := func(arguments string) string {
		return fmt.Sprintf(`{ project(id: %q) { groups(%s) { nodes { key } } } }`, projectID(&p), arguments)
	}
	by := func(by string) string { return groups("by: [{" + by + "}]") }
	summary := func(column, part string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(first: 0) { summary(column: %s) { %s } } } }`,
			projectID(&p), column, part)
	}
	const state = "by: [{column: {builtin: STATE}}]"
	bad := func(name, query, argument string, says ...string) refusal {
		return refusal{name: name, query: query, code: tracker.BadInput, argument: argument, says: says}
	}
	// The keys of groups by a column, which are also cursors, are those of no other grouping.
	refused := []refusal{}
	for _, from := range []string{"column: " + field("f03"), "column: " + field("f03") + ", width: 10",
		"column: " + field("f04"), "column: " + field("f05"), "column: {builtin: CREATED_AT}",
		"column: {builtin: CREATED_AT}, period: MONTH", "column: {builtin: NAME}, firstLetter: true"} {
		key := get[string](t, s, "project.groups.pageInfo.startCursor", fmt.Sprintf(
			`{ project(id: %q) { groups(by: [{%s}]) { nodes { key } pageInfo { startCursor } } } }`,
			projectID(&p), from), nil)
		for _, to := range []string{"column: " + field("f03") + ", width: 5",
			"column: " + field("f04") + ", width: 1", "column: {builtin: NUM}, width: 10",
			"column: {builtin: CREATED_AT}, period: YEAR, direction: DESC", "column: {builtin: NAME}",
			"column: {builtin: STATE}"} {
			other := func(argument string) string { return groups("by: [{" + to + "}], " + argument) }
			refused = append(refused,
				bad(from+" as "+to, other(fmt.Sprintf("after: %q", key)), "after"),
				bad(from+" as a key of "+to, other(fmt.Sprintf("keys: [%q]", key)), "keys[0]"))
		}
	}
	s.refuses(t, refused)
	s.refuses(t, []refusal{
		bad("no grouping", groups("by: []"), "by", "1 or 2"),
		bad("three groupings", groups("by: [{column: {builtin: STATE}}, {column: {builtin: NAME}}, "+
			"{column: {builtin: NUM}, width: 5}]"), "by", "3"),
		bad("the same column twice", groups("by: [{column: {builtin: STATE}}, {column: {builtin: STATE}}]"),
			"by[1].column"),
		bad("no such field", by(`column: {fieldId: "x"}`), "by[0].column.fieldId"),
		bad("a long text", by("column: "+field("f02")), "by[0].column.fieldId", "LONG_TEXT"),
		bad("numbers without a width", by("column: {builtin: NUM}"), "by[0].width"),
		bad("a width of zero", by("column: {builtin: NUM}, width: 0"), "by[0].width", "greater than 0"),
		bad("a negative width", by("column: "+field("f04")+", width: -0.5"), "by[0].width", "greater than 0"),
		bad("a fraction of integers", by("column: "+field("f03")+", width: 0.5"), "by[0].width", "integer"),
		bad("a width of texts", by("column: {builtin: NAME}, width: 5"), "by[0].width"),
		bad("a period of numbers", by("column: {builtin: NUM}, width: 5, period: DAY"), "by[0].period"),
		bad("letters of dates", by("column: "+field("f05")+", firstLetter: true"), "by[0].firstLetter"),
		bad("a page that is too large", groups(state+", first: 101"), "first", "100"),
		bad("a cursor of a grid", groups(state+`, after: "AQAAAA"`), "after"),
		bad("a group that does not exist", groups(state+`, after: "onone"`), "after"),
		bad("no keys", groups(state+", keys: []"), "keys", "1 to 100"),
		bad("a page of keys", groups(state+`, keys: ["onew"], first: 1`), "keys"),
		bad("a key of another grouping", groups(state+`, keys: ["vgA"]`), "keys[0]"),
		bad("a key of two levels", groups(state+`, keys: ["onew~onew"]`), "keys[0]"),
		bad("no such time zone", groups(state+`, timeZone: "Mars"`), "timeZone"),
		bad("a prefix of numbers", groups("by: [{column: "+field("f03")+`}], prefix: "a"`), "prefix"),
		bad("a prefix of letters", groups(`by: [{column: {builtin: NAME}, firstLetter: true}], prefix: "a"`),
			"prefix"),
		bad("a long prefix", groups(state+fmt.Sprintf(", prefix: %q", strings.Repeat("x", 256))), "prefix",
			"255"),
		bad("an order without a column", groups(state+", orderBy: [{column: {}}]"), "orderBy[0].column"),
		bad("too many collapsed groups", groups(state+", collapsed: ["+strings.Repeat(`"onew" `, 501)+"]"),
			"collapsed", "500"),
		bad("a sum of dates", summary(field("f05"), "sum"), "column", "sum", "INTEGER"),
		bad("a median of texts", summary("{builtin: NAME}", "median"), "column", "median"),
		bad("a minimum of texts", summary("{builtin: NAME}", "min"), "column", "min"),
		bad("checked numbers", summary(field("f03"), "checked"), "column", "checked", "BOOLEAN"),
		bad("different tags", summary(field("f10"), "distinct"), "column.fieldId", "TAGS"),
	})
}

// costOfGroups checks what groups and summaries cost. The costs that depend on the number of issues are those
// of counts and sums, which read all keys of the groups and of the filter; others are the same for 1,000 and
// 20,000 issues.
func (s *server) costOfGroups(t *testing.T, p *sample.Project) {
	field := func(name string) string { return fmt.Sprintf("{fieldId: %q}", fieldID(p, name)) }
	groups := func(arguments, below string) string {
		return fmt.Sprintf("groups(%s) { nodes { key %s } }", arguments, below)
	}
	summary := func(where, column, parts string) string {
		return fmt.Sprintf("issues(first: 0, where: %s) { summary(column: %s) { %s } }", where, column, parts)
	}
	inState := fmt.Sprintf("{state: {eq: %q}}", p.Project.States[0].Name)
	const state = "by: [{column: {builtin: STATE}}]"
	ranges := fmt.Sprintf("first: 10, where: %s, by: [{column: %s, width: 100}]", inState, field("half"))
	all := fmt.Sprintf("totalCount summary(column: %s) { sum } issues(first: 20) { nodes { num } }",
		field("all"))
	keys := float64(len(p.Issues)) / 1000 // thousands of keys, of which one costs about 8 RCU
	for _, c := range []struct {
		name, query string
		calls       int
		rcu         float64
	}{
		{"states", groups(state, "name"), 4, 3},
		{"a board of states", groups(state, "name issues(first: 20) { nodes { num name } }"), 7, 24},
		{"counts of states", groups(state, "totalCount"), 6, 3 + 8*keys},
		{"50 numbers", groups("first: 50, by: [{column: "+field("all")+"}]", "name totalCount"), 54, 62},
		{"10 texts with a prefix", groups(`first: 10, prefix: "sync invoice 1", by: [{column: {builtin: NAME}}]`,
			"name totalCount"), 2, 6},
		{"two levels", groups("by: [{column: {builtin: STATE}}, {column: "+field("all")+", width: 100}]",
			"name groups(first: 5) { nodes { key issues(first: 3) { nodes { num } } } }"), 135,
			170 + 17*keys},
		{"10 ranges of numbers", groups("first: 10, by: [{column: "+field("half")+", width: 100}]", "name"),
			13, 13},
		{"20 tags", groups("by: [{column: "+field("tags")+"}]", "name"), 26, 23},
		{"10 tags with a prefix", groups(`first: 10, prefix: "TAG 4", by: [{column: `+field("tags")+"}]",
			"name"), 15, 13},
		{"10 tags of issues in a state", groups("first: 10, where: "+inState+", by: [{column: "+
			field("tags")+"}]", "name"), 190, 115 + 10*keys},
		{"tags of few issues", groups(`where: {name: {eq: "Sync invoice 7"}}, by: [{column: `+field("tags")+
			"}]", "name totalCount"), 10, 7},
		{"the first and the last", summary("null", field("half"), "min max"), 4, 3},
		{"the median", summary("null", field("half"), "sum average median"), 4, 1 + 4.1*keys},
		{"a sum in a state", summary(inState, field("half"), "sum"), 6, 5 + 8*keys},
		{"filled and empty", summary("null", field("half"), "filled empty"), 3, 1 + 8.2*keys},
		{"10 ranges in a state, with counts", groups(ranges, "totalCount"), 135, 125 + 26*keys},
		{"10 ranges in a state, with counts, sums and issues", groups(ranges, all), 240, 400 + 45*keys},
		{"2 states of a rare name, with counts, sums and issues",
			groups(state+`, where: {name: {contains: "voice 19"}}`, all), 35, 75 + 24*keys},
	} {
		s.atMost(t, fmt.Sprintf("%s of %d issues", c.name, len(p.Issues)), fmt.Sprintf(
			"{ project(id: %q) { %s } }", projectID(p), c.query), c.calls, c.rcu)
	}
}
