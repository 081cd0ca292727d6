package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/sample"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// sharded returns a project with a number of shards, and the same issues.
func sharded(p sample.Project, n int) sample.Project {
	p.Project.Shards = n
	issues := make([]tracker.Issue, len(p.Issues))
	for i, issue := range p.Issues {
		issue.ID = p.Project.IssueID(issue.ID.Issue)
		issues[i] = issue
	}
	p.Issues = issues
	return p
}

// shardedTwins returns projects of the same issues with 1, 2 and 7 shards.
func shardedTwins(rows int) []sample.Project {
	var out []sample.Project
	for _, n := range []int{1, 2, 7} {
		p := flatProject(rows, n == 2)
		p.Project.ID += tracker.ProjectID(fmt.Sprint(n))
		p.Project.Key += fmt.Sprint(n)
		for i := range p.Issues {
			p.Issues[i].ID.Project = p.Project.ID
		}
		out = append(out, sharded(p, n))
	}
	return out
}

// shownGrid is what a client sees of a walk through a grid, apart from ids and cursors.
type shownGrid struct {
	Nums  []int
	Pages []string // size and flags
	Total int
}

// TestShards walks through the grids of projects that differ only in the number of their shards, and in their
// methods for empty values, in all orders and with filters, of which tier one tries every third. All of them
// show the same.
func TestShards(t *testing.T) {
	twins := shardedTwins(250)
	s := load(t, twins...)
	var grids []string
	order := func(column, direction, nulls string) string {
		return fmt.Sprintf("orderBy: [{column: {%s}, direction: %s, nulls: %s}]", column, direction, nulls)
	}
	for _, column := range []string{"builtin: NUM", "builtin: NAME", `field: "few"`, `field: "half"`,
		`field: "most"`, `field: "none"`} {
		for _, direction := range []string{"ASC", "DESC"} {
			for _, nulls := range []string{"FIRST", "LAST"} {
				grids = append(grids, order(column, direction, nulls))
			}
		}
	}
	for _, where := range []string{`{name: {contains: "invoice 4"}}`, `{name: {contains: "invoice 41"}}`,
		`{fields: [{field: "half", isNull: true}]}`, `{fields: [{field: "most", isNull: false}]}`,
		`{fields: [{field: "few", isNull: true}, {field: "all", integer: {gt: 500}}]}`,
		`{num: {gte: 100, lt: 350}, fields: [{field: "half", integer: {lt: 700}}]}`,
		`{fields: [{field: "all", integer: {in: [7, 19, 412]}}]}`, `{state: {eq: "Planned"}}`,
		`{not: {fields: [{field: "most", integer: {lt: 900}}]}}`} {
		grids = append(grids, order("builtin: NUM", "DESC", "LAST")+", where: "+where,
			order(`field: "most"`, "ASC", "FIRST")+", where: "+where)
	}
	for n := 0; n < len(grids); n += tier.Cases(3, 1) {
		arguments := grids[n]
		size := []int{37, 50, 99, 100, 500}[n%5]
		want := s.walkBothWays(t, &twins[0], arguments, size)
		for i := range twins[1:] {
			if d := cmp.Diff(want, s.walkBothWays(t, &twins[1+i], arguments, size)); d != "" {
				t.Errorf("%d shards, %s (-1 shard +more):\n%s", twins[1+i].Project.Shards, arguments, d)
			}
		}
	}
}

// walkBothWays walks through a grid forward and backward.
func (s *server) walkBothWays(t *testing.T, p *sample.Project, arguments string,
	size int) (out [2]shownGrid) {
	t.Helper()
	for _, f := range p.Fields {
		arguments = strings.ReplaceAll(arguments, fmt.Sprintf("field: %q", f.ID),
			fmt.Sprintf("field: %q", fieldID(p, string(f.ID))))
	}
	for i, ways := range [][2]string{{"first", "after"}, {"last", "before"}} {
		shown := &out[i]
		for cursor, more := "", true; more; {
			var got struct {
				Project struct {
					Issues struct {
						Nodes      []struct{ Num int }
						TotalCount int
						PageInfo   struct {
							HasNextPage, HasPreviousPage bool
							StartCursor, EndCursor       string
						}
					}
				}
			}
			s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(%s: %d, %s: %s, %s) { totalCount nodes { num } `+
				`pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, projectID(p), ways[0], size,
				ways[1], null(cursor), arguments), nil, &got)
			page := got.Project.Issues
			for _, n := range page.Nodes {
				shown.Nums = append(shown.Nums, n.Num)
			}
			shown.Total = page.TotalCount
			shown.Pages = append(shown.Pages, fmt.Sprint(len(page.Nodes), page.PageInfo.HasNextPage,
				page.PageInfo.HasPreviousPage))
			more, cursor = page.PageInfo.HasNextPage, page.PageInfo.EndCursor
			if i == 1 {
				more, cursor = page.PageInfo.HasPreviousPage, page.PageInfo.StartCursor
			}
			if len(shown.Nums) > len(p.Issues) {
				t.Fatalf("%s: the walk shows more rows than there are", arguments)
			}
		}
		if shown.Total != len(shown.Nums) {
			t.Errorf("%s: %d rows of %d", arguments, len(shown.Nums), shown.Total)
		}
	}
	return out
}

// TestCostOfShards checks what shards add to the cost of a page: a Query for each, of at least 0.5 RCU.
func TestCostOfShards(t *testing.T) {
	for _, test := range []struct {
		shards int
		calls  map[string]int
		rcu    float64 // of the keys
	}{
		{1, map[string]int{"Query": 1, "BatchGetItem": 1}, 1},
		{2, map[string]int{"Query": 2, "BatchGetItem": 1}, 2},
		{7, map[string]int{"Query": 7, "BatchGetItem": 1}, 3.5},
		{16, map[string]int{"Query": 16, "BatchGetItem": 1}, 8},
	} {
		t.Run(fmt.Sprint(test.shards), func(t *testing.T) {
			p := sharded(flatProject(700, true), test.shards)
			s := load(t, p)
			s.data(t, pageQuery(&p, "first: 1", ""), nil, new(page)) // reads the definition
			for _, order := range []string{"all", "most"} {
				for _, cursor := range []string{"", "middle"} {
					if cursor != "" {
						var got page
						s.data(t, pageQuery(&p, "first: 500, "+orderBy(&p, order), ""), nil, &got)
						cursor = got.Project.Issues.PageInfo.EndCursor
					}
					s.wire.Reset()
					var got page
					a := s.data(t, pageQuery(&p, fmt.Sprintf("first: 100, after: %s, %s", null(cursor),
						orderBy(&p, order)), ""), nil, &got)
					if d := cmp.Diff(test.calls, s.wire.Calls()); d != "" {
						t.Errorf("by %s: calls (-want +got):\n%s", order, d)
					}
					rows := len(got.Project.Issues.Nodes)
					if rcu := a.Extensions.Cost.RCU - 50; rcu != test.rcu || rows != 100 {
						t.Errorf("by %s: %g RCU for the keys of %d rows, want %g", order,
							rcu, rows, test.rcu)
					}
				}
			}
		})
	}
}

// TestProjectWithShards creates projects with shards, and rejects wrong numbers.
func TestProjectWithShards(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	const create = `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { shards } } }`
	for n, key := range map[int]string{1: "ONE", 2: "TWO", tracker.MaxShards: "MOST"} {
		got := s.mutate(t, create, map[string]any{"tenant": w.tenant, "key": key, "name": key, "shards": n})
		if d := cmp.Diff(map[string]any{"project": map[string]any{"shards": float64(n)}}, got); d != "" {
			t.Errorf("%d shards (-want +got):\n%s", n, d)
		}
	}
	var refusals []refusal
	for _, n := range []int{-1, 0, tracker.MaxShards + 1} {
		refusals = append(refusals, refusal{name: fmt.Sprint(n, " shards"), query: create,
			variables: map[string]any{"i": map[string]any{"tenant": w.tenant, "key": "WRONG", "name": "x",
				"shards": n}},
			code: tracker.BadInput, argument: "input.shards", says: []string{"1 to 16 shards",
				fmt.Sprint(n)}})
	}
	s.refuses(t, refusals)
}
