package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"issuegrid/sample"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// sortColumn is a column of an order in these tests.
type sortColumn struct {
	column, more string // the column, and its direction and nulls
	key          func(*tracker.Issue) (string, bool)
}

func numberKey(f tracker.FieldID) func(*tracker.Issue) (string, bool) {
	return func(i *tracker.Issue) (string, bool) {
		v := i.Values[f]
		return string(sortkey.Int(v.Int())), v.Kind != tracker.KindNone
	}
}

// sortColumns returns some columns of a flatProject, in all directions.
func sortColumns(p *sample.Project) map[string]sortColumn {
	field := func(f tracker.FieldID) string { return fmt.Sprintf("{field: %q}", fieldID(p, string(f))) }
	return map[string]sortColumn{
		"state": {"{builtin: STATE}", "", func(i *tracker.Issue) (string, bool) {
			n, _ := p.Project.StateRank(i.State)
			return string(sortkey.Rank(n)), true
		}},
		"name": {"{builtin: NAME}", "direction: DESC", func(i *tracker.Issue) (string, bool) {
			return string(sortkey.Text(i.Name)), true
		}},
		"created": {"{builtin: CREATED_AT}", "direction: DESC", func(i *tracker.Issue) (string, bool) {
			return string(sortkey.Time(i.Created)), true
		}},
		"few":  {field("few"), "nulls: FIRST", numberKey("few")},
		"half": {field("half"), "direction: DESC, nulls: FIRST", numberKey("half")},
		"most": {field("most"), "direction: DESC", numberKey("most")},
		"all":  {field("all"), "", numberKey("all")},
		"num": {"{builtin: NUM}", "direction: DESC", func(*tracker.Issue) (string, bool) {
			return "", true
		}},
	}
}

// sortedBy returns the argument for the order by columns.
func sortedBy(by []sortColumn) string {
	var parts []string
	for _, c := range by {
		parts = append(parts, fmt.Sprintf("{column: %s, %s}", c.column, c.more))
	}
	return "orderBy: [" + strings.Join(parts, ", ") + "]"
}

// inOrder returns the numbers of issues in the order by columns.
func inOrder(issues []tracker.Issue, by []sortColumn) (nums []int) {
	sorted := make([]*tracker.Issue, len(issues))
	for i := range issues {
		sorted[i] = &issues[i]
	}
	slices.SortFunc(sorted, func(a, b *tracker.Issue) int {
		descending := false
		for _, c := range by {
			descending = strings.Contains(c.more, "DESC")
			x, has := c.key(a)
			y, hasToo := c.key(b)
			if has != hasToo {
				if has == strings.Contains(c.more, "FIRST") {
					return 1
				}
				return -1
			}
			if has && x != y {
				if (x < y) == descending {
					return 1
				}
				return -1
			}
		}
		if descending {
			return cmp.Compare(b.Num, a.Num)
		}
		return cmp.Compare(a.Num, b.Num)
	})
	for _, i := range sorted {
		nums = append(nums, int(i.Num))
	}
	return nums
}

// TestSeveralSortColumns walks through grids that are sorted by 2 to 4 columns, in both directions, and
// compares every row with the issues sorted in memory.
func TestSeveralSortColumns(t *testing.T) {
	p := flatProject(500, false)
	s := load(t, p)
	columns := sortColumns(&p)
	names := slices.Sorted(maps.Keys(columns))
	random := rand.New(rand.NewPCG(18, 1))
	inState := fmt.Sprintf("where: {state: {eq: %q}}", p.Project.States[0].Name)
	open := slices.DeleteFunc(slices.Clone(p.Issues), func(i tracker.Issue) bool {
		return i.State != p.Project.States[0].ID
	})
	for range 8 {
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		var by []sortColumn
		for _, name := range names[:2+random.IntN(3)] {
			by = append(by, columns[name])
		}
		where, issues := "where: null", p.Issues
		if random.IntN(3) == 0 {
			where, issues = inState, open
		}
		size, want := 60+random.IntN(200), inOrder(issues, by)
		for _, ways := range [][2]string{{"first", "after"}, {"last", "before"}} {
			cursor, got := "", []int(nil)
			for more := true; more; {
				var found page
				s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(%s: %d, %s: %s, %s, %s) { nodes { num }
					totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
					projectID(&p), ways[0], size, ways[1], null(cursor), where, sortedBy(by)), nil, &found)
				rows, info := found.Project.Issues.Nodes, found.Project.Issues.PageInfo
				if *found.Project.Issues.TotalCount != len(want) {
					t.Fatalf("%s: %d issues, want %d", sortedBy(by), *found.Project.Issues.TotalCount,
						len(want))
				}
				first := len(got) == 0
				cursor, more = info.EndCursor, *info.HasNextPage
				against := *info.HasPreviousPage
				if ways[0] == "last" {
					slices.Reverse(rows)
					cursor, more, against = info.StartCursor, *info.HasPreviousPage, *info.HasNextPage
				}
				if against == first || len(rows) == 0 || more && len(rows) != size {
					t.Fatalf("%s: %d rows of %d, flag %t against the direction of paging", sortedBy(by),
						len(rows), size, against)
				}
				for _, row := range rows {
					got = append(got, row.Num)
				}
			}
			if ways[0] == "last" {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %s, %s %d: got %v, want %v", sortedBy(by), where, ways[0], size, got, want)
			}
		}
	}

	t.Run("anchors", func(t *testing.T) {
		by := []sortColumn{columns["all"], columns["name"]}
		want := inOrder(p.Issues, by)
		for argument, from := range map[string]int{
			fmt.Sprint("num: ", want[300]): 300,
			"value: {integer: 500}": slices.IndexFunc(want, func(num int) bool {
				return p.Issues[num-1].Values["all"].Int() >= 500
			}),
		} {
			var at struct{ Project struct{ CursorAt string } }
			s.data(t, fmt.Sprintf(`{ project(id: %q) { cursorAt(%s, %s) } }`, projectID(&p), argument,
				sortedBy(by)), nil, &at)
			var found page
			s.data(t, pageQuery(&p, fmt.Sprintf("first: 2, after: %q, %s", at.Project.CursorAt,
				sortedBy(by)), ""), nil, &found)
			got := found.Project.Issues.Nodes
			if len(got) != 2 || got[0].Num != want[from] || got[1].Num != want[from+1] {
				t.Errorf("%s: got %v, want %v", argument, got, want[from:from+2])
			}
		}
	})

	t.Run("explain", func(t *testing.T) {
		var got struct {
			Project struct {
				Issues struct {
					Explain struct {
						Text string
						Root struct {
							Kind     string
							Children []struct{ Kind, Label string }
						}
					}
				}
			}
		}
		s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 10, %s) { nodes { num } explain { text
			root { kind children { kind label } } } } } }`, projectID(&p),
			sortedBy([]sortColumn{columns["state"], columns["half"]})), nil, &got)
		e := got.Project.Issues.Explain
		if len(e.Root.Children) != 2 || e.Root.Children[0].Label != "by state" ||
			e.Root.Children[1].Label != `by "half", of state = "New"` ||
			!strings.HasPrefix(e.Text, `page by state, then by "half"`) {
			t.Errorf("%+v", e)
		}
	})
}

// TestInvalidSortColumns checks the errors of orders by several columns and of their cursors.
func TestInvalidSortColumns(t *testing.T) {
	p := flatProject(300, false)
	s := load(t, p)
	c := sortColumns(&p)
	cursorOf := func(arguments string) string {
		var found page
		s.data(t, pageQuery(&p, "first: 3, "+arguments, ""), nil, &found)
		return found.Project.Issues.PageInfo.EndCursor
	}
	stateAll := []sortColumn{c["state"], c["all"]}
	good := cursorOf(sortedBy(stateAll))
	first, last, _ := strings.Cut(good, "~")
	five := sortedBy([]sortColumn{c["state"], c["all"], c["few"], c["most"], c["half"]})
	for _, test := range []struct{ name, arguments, path, says string }{
		{"five columns", five, "orderBy", "more than 4 columns"},
		{"a column twice", sortedBy([]sortColumn{c["state"], c["all"], c["state"]}), "orderBy[2].column",
			"give each column once"},
		{"a wrong column", `orderBy: [{column: {builtin: STATE}}, {column: {field: "x"}}]`,
			"orderBy[1].column.field", "no such field"},
		{"a cursor of the first column", fmt.Sprintf("after: %q, %s", cursorOf(sortedBy(stateAll[:1])),
			sortedBy(stateAll)), "after", "other columns"},
		{"a cursor of more columns", fmt.Sprintf("before: %q, %s", good, sortedBy(stateAll[:1])), "before",
			"other columns"},
		{"a cursor of another order", fmt.Sprintf("after: %q, %s", good,
			sortedBy([]sortColumn{c["all"], c["state"]})), "after", "another column"},
		{"swapped parts", fmt.Sprintf("after: %q, %s", last+"~"+first, sortedBy(stateAll)), "after",
			"another column"},
		{"a part twice", fmt.Sprintf("after: %q, %s", good+"~"+last, sortedBy(stateAll)), "after",
			"other columns"},
		{"an empty part", fmt.Sprintf("after: %q, %s", first+"~", sortedBy(stateAll)), "after",
			"not a cursor"},
		{"a row's position in the first part", fmt.Sprintf("after: %q, %s",
			cursorOf(sortedBy(stateAll[:1]))+"~"+last, sortedBy(stateAll)), "after", "other columns"},
	} {
		a := s.ask(t, pageQuery(&p, "first: 3, "+test.arguments, ""), nil)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "BAD_USER_INPUT" ||
			a.Errors[0].Extensions["argument"] != test.path ||
			!strings.Contains(a.Errors[0].Message, test.says) {
			t.Errorf("%s: %+v", test.name, a.Errors)
		}
	}
	// The columns after the number have no effect.
	byNum := cursorOf(sortedBy([]sortColumn{c["num"]}))
	if got := cursorOf(sortedBy([]sortColumn{c["num"], c["all"]})); got != byNum {
		t.Errorf("the cursor %s, want %s", got, byNum)
	}
	// A part of a cursor is a position before a group.
	if got := cursorOf(fmt.Sprintf("after: %q, %s", first, sortedBy(stateAll))); got != good {
		t.Errorf("the cursor %s, want %s", got, good)
	}
}

// costOfSortColumns checks what the first pages of grids cost that are sorted by several columns.
func (s *server) costOfSortColumns(t *testing.T, p *sample.Project) {
	columns := sortColumns(p)
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
		var by []sortColumn
		for _, name := range strings.Fields(test.columns) {
			by = append(by, columns[name])
		}
		want, cursor := inOrder(p.Issues, by), ""
		for n := range 4 {
			s.wire.Reset()
			var got page
			a := s.data(t, pageQuery(p, fmt.Sprintf("first: 100, after: %s, %s", null(cursor), sortedBy(by)),
				""), nil, &got)
			calls, rcu := 0, a.Extensions.Cost.RCU
			for _, n := range s.wire.Calls() {
				calls += n
			}
			if calls > test.calls || rcu > test.rcu {
				t.Errorf("%d issues by %s, page %d: %d calls, %g RCU", len(p.Issues), test.columns, n, calls,
					rcu)
			}
			for i, row := range got.Project.Issues.Nodes {
				if row.Num != want[n*100+i] {
					t.Fatalf("%d issues by %s: row %d is #%d, want #%d", len(p.Issues), test.columns,
						n*100+i, row.Num, want[n*100+i])
				}
			}
			cursor = got.Project.Issues.PageInfo.EndCursor
		}
	}
}
