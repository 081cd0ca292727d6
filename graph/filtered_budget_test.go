package graph_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/graph"
	"issuegrid/sample"
	"issuegrid/session"
)

// workBudget checks that pages end at a budget, report that they are incomplete, and skip no row.
func workBudget(t *testing.T, s *server, p *sample.Project) {
	const budget = 60
	frugal := httptest.NewServer(graph.NewHandler(session.NewFactory(s.db, session.Anonymous, nil, nil),
		graph.Options{PageBudget: budget}))
	t.Cleanup(frugal.Close)
	f := &server{Server: frugal, db: s.db, wire: s.wire}
	where := map[string]any{"name": map[string]any{"contains": "gangway"}}
	variables := map[string]any{"id": projectID(p), "where": where, "first": 50, "by": nil}
	var got filteredPage
	s.wire.Reset()
	a := f.ask(t, filteredQuery, map[string]any{"id": projectID(p), "where": where, "first": 50,
		"count": false})
	calls := s.wire.Calls()
	f.data(t, filteredQuery, variables, &got)
	if c := got.Project.Issues; !c.Incomplete || !c.PageInfo.HasNextPage || len(c.Nodes) >= 50 ||
		c.PageInfo.EndCursor == nil {
		t.Errorf("the page is not incomplete: %+v", c)
	}
	if c := got.Project.Issues; c.TotalCountPrecision != "AT_LEAST" {
		t.Errorf("the precision of a count that reads documents is %s beyond its budget",
			c.TotalCountPrecision)
	}
	if calls["BatchGetItem"] > 3 || calls["Query"] > 3 {
		t.Errorf("a budget of %d documents took %v", budget, calls)
	}
	if a.Extensions.Cost == nil || a.Extensions.Cost.StoppedPages != 1 {
		t.Errorf("extensions.cost does not report the incomplete page: %+v", a.Extensions.Cost)
	}
	var want []int64
	for i := range p.Issues {
		if strings.Contains(strings.ToLower(p.Issues[i].Name), "gangway") {
			want = append(want, p.Issues[i].Num)
		}
	}
	query := map[string]any{"id": projectID(p), "where": where, "by": nil, "count": false}
	for _, backward := range []bool{false, true} {
		delete(query, "before")
		delete(query, "after")
		var nums []int64
		for more := true; more; {
			query["first"], query["last"] = any(50), any(nil)
			if backward {
				query["first"], query["last"] = nil, 50
			}
			var page filteredPage
			f.data(t, filteredQuery, query, &page)
			c := page.Project.Issues
			var found []int64
			for _, n := range c.Nodes {
				found = append(found, n.Num)
			}
			if backward {
				nums, query["before"], more = append(found, nums...), c.PageInfo.StartCursor,
					c.PageInfo.HasPreviousPage
			} else {
				nums, query["after"], more = append(nums, found...), c.PageInfo.EndCursor,
					c.PageInfo.HasNextPage
			}
		}
		if diff := cmp.Diff(want, nums); diff != "" {
			t.Errorf("backward %t, rows (-want +got):\n%.2000s", backward, diff)
		}
	}
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
		want            map[string]int
	}{
		{"an equality by number", fmt.Sprintf(`where: {state: {eq: %q}}`, stateID(p, "done")),
			map[string]int{"Query": 1, "BatchGetItem": 1}},
		{"a custom equality by number",
			fmt.Sprintf(`where: {fields: [{field: %q, option: {eq: %q}}]}`, fieldID(p, "f08"),
				optionID(p, "f08", "p2")), map[string]int{"Query": 1, "BatchGetItem": 1}},
		{"a tag by number", fmt.Sprintf(`where: {fields: [{field: %q, tags: {hasAny: ["rust"]}}]}`,
			fieldID(p, "f10")), map[string]int{"Query": 1, "BatchGetItem": 1}},
		{"a range of the column of the order",
			fmt.Sprintf(
				`where: {fields: [{field: %[1]q, date: {gte: "2024-08-01"}}]}, orderBy: [{column: {field: %[1]q}}]`,
				fieldID(p, "f05")),
			map[string]int{"Query": 1, "BatchGetItem": 1}},
		{"an equality of the column of the order",
			fmt.Sprintf(`where: {state: {eq: %q}}, orderBy: [{column: {builtin: STATE}}]`,
				stateID(p, "done")), map[string]int{"Query": 1, "BatchGetItem": 1}},
		{"a contradiction", `where: {num: {lt: 3, gt: 5}}`, map[string]int{}},
	} {
		t.Run(test.name, func(t *testing.T) { s.costs(t, q(test.arguments), test.want) })
	}
}
