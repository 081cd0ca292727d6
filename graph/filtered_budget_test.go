package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/sample"
)

// workBudget checks that pages end at a budget, report that they are incomplete, and skip no row.
func workBudget(t *testing.T, s *server, p *sample.Project) {
	const budget = 60
	f := s.frugal(t, budget)
	where := map[string]any{"name": map[string]any{"contains": "gangway"}}
	query := map[string]any{"id": projectID(p), "where": where, "first": 50, "count": false}
	s.wire.Reset()
	a := f.ask(t, filteredQuery, query)
	if calls := s.wire.Calls(); calls["BatchGetItem"] > 3 || calls["Query"] > 4 {
		t.Errorf("a budget of %d documents took %v", budget, calls)
	}
	if a.Extensions.Cost == nil || a.Extensions.Cost.StoppedPages != 1 {
		t.Errorf("extensions.cost does not report the incomplete page: %+v", a.Extensions.Cost)
	}
	var got filteredPage
	f.data(t, filteredQuery, input(query, "count", true)["i"].(map[string]any), &got)
	if c := got.Project.Issues; !c.Incomplete || !c.PageInfo.HasNextPage || len(c.Nodes) >= 50 ||
		c.PageInfo.EndCursor == nil || c.TotalCountPrecision != "AT_LEAST" {
		t.Errorf("the page is not incomplete: %+v", c)
	}
	var want []int64
	for i := range p.Issues {
		if strings.Contains(strings.ToLower(p.Issues[i].Name), "gangway") {
			want = append(want, p.Issues[i].Num)
		}
	}
	countsContinue(t, f, p, where, len(want))
	// The position contains the time of the first request, without which the filter would be another one.
	countsContinue(t, f, p, map[string]any{"and": where, "createdAt": map[string]any{
		"relative": map[string]any{"lt": map[string]any{"base": "NOW"}}}}, len(want))
	for _, ways := range [][2]string{{"first", "after"}, {"last", "before"}} {
		query := map[string]any{"id": projectID(p), "where": where, "count": false, ways[0]: 50}
		var rows []int64
		for more := true; more; {
			var page filteredPage
			f.data(t, filteredQuery, query, &page)
			c := page.Project.Issues
			var found []int64
			for _, n := range c.Nodes {
				found = append(found, n.Num)
			}
			if ways[0] == "last" {
				rows, more, query["before"] = append(found, rows...), c.PageInfo.HasPreviousPage,
					c.PageInfo.StartCursor
			} else {
				rows, more, query["after"] = append(rows, found...), c.PageInfo.HasNextPage,
					c.PageInfo.EndCursor
			}
		}
		same(t, ways[0], want, rows)
	}
	noRowsAtTheBudget(t, s, map[string]any{"id": projectID(p), "where": where, "count": false}, want)
}

// noRowsAtTheBudget pages with a budget of one document and without rows. The cursors pass no row.
func noRowsAtTheBudget(t *testing.T, s *server, query map[string]any, want []int64) {
	f := s.frugal(t, 1)
	query["first"] = 0
	for range 1000 {
		var page filteredPage
		f.data(t, filteredQuery, query, &page)
		if c := page.Project.Issues.PageInfo.EndCursor; c != nil {
			query["after"] = c
			continue
		}
		query["first"] = 1
		s.data(t, filteredQuery, query, &page)
		if rows := page.Project.Issues.Nodes; len(rows) != 1 || rows[0].Num != want[0] {
			t.Errorf("pages without rows passed rows: got %+v, want #%d", rows, want[0])
		}
		return
	}
	t.Error("pages without rows find no row")
}

// filterCost checks the calls on the wire for pages of filtered grids.
func filterCost(t *testing.T, s *server, p *sample.Project) {
	s.data(t, filteredQuery, map[string]any{"id": projectID(p), "first": 1}, &filteredPage{})
	q := func(arguments string) string {
		return fmt.Sprintf(
			`{ project(id: %q) { issues(first: 100, %s) { nodes { id num } pageInfo { hasNextPage endCursor } } } }`,
			projectID(p), arguments)
	}
	for _, test := range []struct {
		name, arguments string
		queries, gets   int
	}{
		{"an equality by number", fmt.Sprintf(`where: {state: {eqId: %q}}`, stateID(p, "done")),
			1, 1},
		{"a custom equality by number",
			fmt.Sprintf(`where: {fields: [{fieldId: %q, option: {eqId: %q}}]}`, fieldID(p, "f08"),
				optionID(p, "f08", "p2")), 1, 1},
		{"a tag by number", fmt.Sprintf(`where: {fields: [{fieldId: %q, tags: {hasAny: ["rust"]}}]}`,
			fieldID(p, "f10")), 1, 1},
		{"a range of the column of the order",
			fmt.Sprintf(
				`where: {fields: [{fieldId: %[1]q, date: {gte: "2024-08-01"}}]}, orderBy: [{column: {fieldId: %[1]q}}]`,
				fieldID(p, "f05")),
			1, 1},
		{"an equality of the column of the order",
			fmt.Sprintf(`where: {state: {eqId: %q}}, orderBy: [{column: {builtin: STATE}}]`,
				stateID(p, "done")), 1, 1},
		{"a contradiction", `where: {num: {lt: 3, gt: 5}}`, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) { s.costs(t, q(test.arguments), reads(test.queries, test.gets)) })
	}
}

// countsContinue checks that a count that stopped at its budget continues with countAfter to the exact
// number, and that countAfter is checked.
func countsContinue(t *testing.T, s *server, p *sample.Project, where map[string]any, want int) {
	const query = `query($id: ID!, $where: IssueFilter, $from: String) { project(id: $id) {
		issues(first: 1, where: $where, countAfter: $from) {
			nodes { num } totalCount totalCountPrecision totalCountCursor } } }`
	variables := map[string]any{"id": projectID(p), "where": where, "from": nil}
	var first string
	for steps := 0; ; steps++ {
		c := get[struct {
			Nodes               []struct{ Num int }
			TotalCount          int
			TotalCountPrecision string
			TotalCountCursor    *string
		}](t, s, "project.issues", query, variables)
		if exact := c.TotalCountPrecision == "EXACT"; exact != (c.TotalCountCursor == nil) ||
			exact && c.TotalCount != want || c.TotalCount > want || len(c.Nodes) > 1 {
			t.Fatalf("count %d of %d, %s, cursor %v", c.TotalCount, want, c.TotalCountPrecision,
				c.TotalCountCursor)
		}
		if c.TotalCountCursor == nil {
			break
		}
		if variables["from"] = c.TotalCountCursor; steps == 0 {
			first = *c.TotalCountCursor
		} else if first == *c.TotalCountCursor || steps > 200 {
			t.Fatal("the count makes no progress")
		}
	}
	for _, bad := range []map[string]any{
		{"from": "x"}, {"from": ""}, {"from": first[1:]}, {"from": first, "where": nil},
		{"from": first, "where": map[string]any{"name": map[string]any{"contains": "gang"}}},
	} {
		for name, value := range variables {
			if _, given := bad[name]; !given {
				bad[name] = value
			}
		}
		same(t, fmt.Sprint("countAfter ", bad["from"]), "BAD_USER_INPUT countAfter",
			s.ask(t, query, bad).outcome())
	}
}
