package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/sample"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// TestBoard checks groups of two levels with their issues in one operation, collapsed groups, groups by their
// keys, and that groups read their issues in parallel and in shared batches.
func TestBoard(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:600]
	s := load(t, p)
	groupings := generatedGroupings(&p)
	by := fmt.Sprintf("by: [{%s}, {%s}]", groupings["state"].by, groupings["option"].by)
	const order = "orderBy: [{column: {builtin: NAME}}]"
	const issues = "issues(first: 20) { nodes { num } pageInfo { hasNextPage endCursor } }"
	s.groups(t, &p, "first: 1, "+by, "")
	s.wire.Reset()
	board, _ := s.groups(t, &p, by+", "+order, issues+" groups { nodes { "+groupMembers+" "+issues+" } }")
	states := groupings["state"].of(p.Issues)
	byNum := func(nums []int) []int {
		slices.SortFunc(nums, func(a, b int) int {
			return strings.Compare(nameKey(&p, a), nameKey(&p, b))
		})
		return nums[:min(20, len(nums))]
	}
	if len(board.Nodes) != len(states) {
		t.Fatalf("%d groups, want %d", len(board.Nodes), len(states))
	}
	var keys []string
	for i, x := range board.Nodes {
		want := states[i]
		if *x.Name != want.name || x.TotalCount != len(want.issues) ||
			!slices.Equal(numsOf(x.Issues), byNum(slices.Clone(want.issues))) {
			t.Errorf("group %d: %s of %d: %v, want %+v", i, *x.Name, x.TotalCount, numsOf(x.Issues), want)
		}
		inState := slices.DeleteFunc(slices.Clone(p.Issues), func(i tracker.Issue) bool {
			return !slices.Contains(want.issues, int(i.Num))
		})
		below := groupings["option"].of(inState)
		if len(x.Groups.Nodes) != len(below) {
			t.Fatalf("%s has %d groups, want %d", *x.Name, len(x.Groups.Nodes), len(below))
		}
		for n, y := range x.Groups.Nodes {
			if *y.Name != below[n].name || y.TotalCount != len(below[n].issues) ||
				!slices.Equal(numsOf(y.Issues), byNum(slices.Clone(below[n].issues))) || y.Groups != nil {
				t.Errorf("%s, %s of %d: %v, want %+v", *x.Name, *y.Name, y.TotalCount, numsOf(y.Issues),
					below[n])
			}
			keys = append(keys, y.Key)
		}
		keys = append(keys, x.Key)
	}

	again, _ := s.groups(t, &p, fmt.Sprintf("keys: [%q, %q], %s", keys[1], keys[len(keys)-1], by), "")
	if len(again.Nodes) != 2 || again.Nodes[0].Key != keys[1] || again.Nodes[1].Key != keys[len(keys)-1] ||
		again.Nodes[0].TotalCount != board.Nodes[0].Groups.Nodes[1].TotalCount {
		t.Errorf("groups by their keys: %+v", again.Nodes)
	}
	next, _ := s.groups(t, &p, fmt.Sprintf("keys: [%q], %s, %s", board.Nodes[0].Key, by, order),
		fmt.Sprintf("issues(first: 5, after: %q) { nodes { num } }",
			*board.Nodes[0].Issues.PageInfo.EndCursor))
	inState := slices.Clone(states[0].issues)
	slices.SortFunc(inState, func(a, b int) int { return strings.Compare(nameKey(&p, a), nameKey(&p, b)) })
	if got := numsOf(next.Nodes[0].Issues); !slices.Equal(got, inState[20:25]) {
		t.Errorf("the next issues of a group are %v, want %v", got, inState[20:25])
	}

	collapsed, _ := s.groups(t, &p, fmt.Sprintf("collapsed: [%q, %q], %s", board.Nodes[0].Key,
		board.Nodes[1].Groups.Nodes[0].Key, by), issues+" groups { nodes { "+groupMembers+" "+issues+" } }")
	first, second := collapsed.Nodes[0], collapsed.Nodes[1]
	if !first.Collapsed || first.Issues != nil || first.Groups != nil || first.TotalCount == 0 ||
		second.Collapsed || second.Issues == nil || !second.Groups.Nodes[0].Collapsed ||
		second.Groups.Nodes[0].Issues != nil || second.Groups.Nodes[1].Issues == nil {
		t.Errorf("collapsed groups: %+v\n%+v", first, second)
	}

	s.wire.Reset()
	s.groups(t, &p, "by: [{"+groupings["state"].by+"}]", "issues(first: 20) { nodes { num name } }")
	if calls := s.wire.Calls(); calls["BatchGetItem"] > 3 {
		t.Errorf("a board of %d groups takes %v", len(states), calls)
	}
}

// nameKey returns a string that sorts like the issue with a number in the order by name.
func nameKey(p *sample.Project, num int) string {
	i := slices.IndexFunc(p.Issues, func(i tracker.Issue) bool { return int(i.Num) == num })
	return string(sortkey.Join(sortkey.Text(p.Issues[i].Name), p.Issues[i].Num))
}

func numsOf(page *issuePage) (out []int) {
	for _, n := range page.Nodes {
		out = append(out, n.Num)
	}
	return out
}

// TestEmptyGroups checks the groups that no issue is in, and groups with a prefix.
func TestEmptyGroups(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:3]
	s := load(t, p)
	names := func(arguments string) string {
		t.Helper()
		var out []string
		page, _ := s.groups(t, &p, arguments, "")
		for _, x := range page.Nodes {
			if x.Name == nil {
				x.Name = new(string)
				*x.Name = "-"
			}
			out = append(out, fmt.Sprint(*x.Name, " ", x.TotalCount))
		}
		return strings.Join(out, ", ")
	}
	groupings := generatedGroupings(&p)
	for _, name := range []string{"state", "option", "options", "Boolean"} {
		g := groupings[name]
		count := map[string]int{}
		for _, x := range g.of(p.Issues) {
			if x.name == "" {
				x.name = "-"
			}
			count[x.name] = len(x.issues)
		}
		var all []string
		switch name {
		case "state":
			for _, s := range p.Project.States {
				all = append(all, s.Name)
			}
		case "Boolean":
			all = []string{"false", "true", "-"}
		default:
			f := p.Fields[7]
			if name == "options" {
				f = p.Fields[8]
			}
			for _, o := range f.Options {
				all = append(all, o.Name)
			}
			all = append(all, "-")
		}
		var empty, filled []string
		for _, n := range all {
			empty = append(empty, fmt.Sprint(n, " ", count[n]))
			if count[n] > 0 {
				filled = append(filled, fmt.Sprint(n, " ", count[n]))
			}
		}
		if got, want := names("empty: true, by: [{"+g.by+"}]"), strings.Join(empty, ", "); got != want {
			t.Errorf("%s with empty groups: %s, want %s", name, got, want)
		}
		if got, want := names("by: [{"+g.by+"}]"), strings.Join(filled, ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	state := p.Project.States[0].Name
	if got := names(fmt.Sprintf("empty: true, prefix: %q, by: [{%s}]", " "+strings.ToUpper(state[:2]),
		groupings["state"].by)); strings.Contains(got, state) {
		t.Errorf("a prefix with a space finds %s", got)
	}
	if got := names(fmt.Sprintf("empty: true, prefix: %q, by: [{%s}]", strings.ToUpper(state[:2]),
		groupings["state"].by)); !strings.Contains(got, state) {
		t.Errorf("a prefix in another case finds %s", got)
	}
}

// TestGroupsRefused checks groups and summaries that are refused, with the argument that is wrong.
func TestGroupsRefused(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:3]
	s := load(t, p)
	field := func(id string) string { return fmt.Sprintf("{field: %q}", fieldID(&p, id)) }
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
	s.refuses(t, []refusal{
		bad("no grouping", groups("by: []"), "by", "1 or 2"),
		bad("three groupings", groups("by: [{column: {builtin: STATE}}, {column: {builtin: NAME}}, "+
			"{column: {builtin: NUM}, width: 5}]"), "by", "3"),
		bad("the same column twice", groups("by: [{column: {builtin: STATE}}, {column: {builtin: STATE}}]"),
			"by[1].column"),
		bad("no such field", by(`column: {field: "x"}`), "by[0].column.field"),
		bad("a long text", by("column: "+field("f02")), "by[0].column.field", "LONG_TEXT"),
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
		bad("different tags", summary(field("f10"), "distinct"), "column.field", "TAGS"),
	})
}

// costOfGroups checks what groups and summaries cost. The costs that depend on the number of issues are those
// of counts and sums, which read all keys; others are the same for 1,000 and 20,000 issues.
func (s *server) costOfGroups(t *testing.T, p *sample.Project) {
	t.Helper()
	field := func(name string) string { return fmt.Sprintf("{field: %q}", fieldID(p, name)) }
	groups := func(arguments, below string) string {
		return fmt.Sprintf("groups(%s) { nodes { key %s } }", arguments, below)
	}
	summary := func(where, column, parts string) string {
		return fmt.Sprintf("issues(first: 0, where: %s) { summary(column: %s) { %s } }", where, column, parts)
	}
	inState := fmt.Sprintf("{state: {eq: %q}}", p.Project.States[0].Name)
	const state = "by: [{column: {builtin: STATE}}]"
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
		{"10 ranges of numbers", groups("first: 10, by: [{column: "+field("half")+", width: 100}]", "name"),
			13, 13},
		{"the first and the last", summary("null", field("half"), "min max"), 4, 3},
		{"the median", summary("null", field("half"), "sum average median"), 4, 1 + 4.1*keys},
		{"a sum in a state", summary(inState, field("half"), "sum"), 9, 5 + 12*keys},
		{"filled and empty", summary("null", field("half"), "filled empty"), 3, 1 + 8.2*keys},
	} {
		s.wire.Reset()
		a := s.data(t, fmt.Sprintf("{ project(id: %q) { %s } }", projectID(p), c.query), nil, &struct{}{})
		calls, rcu := 0, a.Extensions.Cost.RCU
		for _, n := range s.wire.Calls() {
			calls += n
		}
		if calls > c.calls || rcu > c.rcu || calls == 0 {
			t.Errorf("%s of %d issues: %d calls, %g RCU; want at most %d and %g", c.name, len(p.Issues),
				calls, rcu, c.calls, c.rcu)
		}
	}
}
