package graph_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/internal/sample"
)

// These tests check the documented numbers of calls, counted on the wire.

func TestCost(t *testing.T) {
	big, small, all := costProjects()
	s := load(t, all...)
	cursorAt := func(t *testing.T, order string, row int) string {
		t.Helper()
		cursor := ""
		for row > 0 {
			n := min(row, 500)
			var got page
			s.data(t, pageQuery(&big, fmt.Sprintf("first: %d, after: %s, %s", n, null(cursor), order), ""),
				nil, &got)
			if len(got.Project.Issues.Nodes) != n {
				t.Fatalf("the grid has no row %d", row)
			}
			cursor, row = got.Project.Issues.PageInfo.EndCursor, row-n
		}
		return cursor
	}
	for _, p := range []*sample.Project{&big, &small} {
		s.data(t, pageQuery(p, "first: 1", ""), nil, new(page)) // reads the definition
	}

	t.Run("a page of 100", func(t *testing.T) { // at any depth: see package grid
		for order, rows := range map[string]int{"orderBy: [{column: {builtin: NAME}}]": costRows,
			orderBy(&big, "f11"): count(&big, "f11")} {
			forward := pageQuery(&big, fmt.Sprintf("first: 100, after: %q, %s", cursorAt(t, order, rows-110),
				order), "name")
			got := s.costs(t, forward, reads(1, 1)).Project.Issues
			if n := len(got.Nodes); n != 100 {
				t.Errorf("%d rows", n)
			}
			backward := pageQuery(&big, fmt.Sprintf("last: 100, before: %q, %s", got.PageInfo.EndCursor,
				order), "name")
			s.costs(t, strings.Replace(backward, "hasNextPage", "hasPreviousPage", 1), reads(1, 1))
			s.cold(t).costs(t, forward, reads(2, 1))
		}
	})

	t.Run("columns", func(t *testing.T) {
		cells := cellsOf(&big, 10)
		if n := strings.Count(cells, "value("); n != 10 {
			t.Fatalf("%d columns", n)
		}
		s.costs(t, pageQuery(&big, "first: 100",
			cells+"name state { name } createdAt updatedAt version project { name }"), reads(1, 1))
		s.costs(t, pageQuery(&big, "first: 100", "values { display field { id name type } }"), reads(1, 1))
	})

	t.Run("long texts", func(t *testing.T) {
		report := fmt.Sprintf(`r: value(fieldId: %q) { display }`, fieldID(&big, "f02"))
		none, some, both := "orderBy: []", "after: "+null(cursorAt(t, "orderBy: []", longDescriptions-51)),
			"after: "+null(cursorAt(t, "orderBy: []", longReports-1))
		for _, c := range []struct {
			name, where, cells string
			first              int
			gets               []int // numbers of keys of each BatchGetItem
		}{
			{"no row of the page has one", none, "description " + report, 100, []int{100}},
			{"half of the rows have one", some, "description", 100, []int{100, 50}},
			{"half of the rows have one, another column has none", some, "description " + report, 100,
				[]int{100, 50}},
			{"every row has one", both, "description", 100, []int{100, 100}},
			{"every row has one, in a custom field", both, report, 100, []int{100, 100}},
			{"two columns of every row", both, "description " + report, 100, []int{100, 100, 100}},
			{"two columns of 50 rows share", both, "description " + report, 50, []int{100, 51}},
			{"one column by two aliases", both,
				report + fmt.Sprintf(` again: value(fieldId: %q) { ... on LongTextValue { text } }`,
					fieldID(&big, "f02")), 100, []int{100, 100}},
			{"in values", both, fmt.Sprintf(`values(fieldIds: [%q, %q]) { display }`, fieldID(&big, "f02"),
				fieldID(&big, "f01")), 100, []int{100, 100}},
			{"in a single value taken for a list", both,
				fmt.Sprintf(`values(fieldIds: %q) { display }`, fieldID(&big, "f11")), 100, []int{100}},
			{"in all values", both, `values { display }`, 100, []int{100, 100}},
			{"in an edge", both, "description", 0, []int{100, 100}},
			{"the length alone", both, fmt.Sprintf(`r: value(fieldId: %q) { ... on LongTextValue { bytes } }`,
				fieldID(&big, "f02")), 100, []int{100}},
			{"the excerpt alone", both, fmt.Sprintf(`r: value(fieldId: %q) { ... on LongTextValue { excerpt } }`,
				fieldID(&big, "f02")), 100, []int{100}},
			{"the field alone", both, fmt.Sprintf(`values(fieldIds: [%q]) { field { name } }`,
				fieldID(&big, "f02")), 100, []int{100}},
			{"the type alone", both, `values { __typename }`, 100, []int{100}},
			{"not selected", both, "name", 100, []int{100}},
			{"skipped", both, "description @skip(if: true) ... @include(if: false) { " + report + " }", 100,
				[]int{100}},
		} {
			t.Run(c.name, func(t *testing.T) {
				query := pageQuery(&big, fmt.Sprintf("first: %d, %s", c.first, c.where), c.cells)
				if c.first == 0 {
					query = fmt.Sprintf(
						`{ project(id: %q) { issues(first: 100, %s) { edges { cursor node { id num %s } } } } }`,
						projectID(&big), c.where, c.cells)
				}
				watched := s.watch(t)
				s.costs(t, query, reads(1, len(c.gets)))
				same(t, "keys of each BatchGetItem", c.gets, watched.since())
			})
		}
		t.Run("of a single issue", func(t *testing.T) {
			watched := s.watch(t)
			s.wire.Reset()
			s.data(t, fmt.Sprintf(`{ issue(id: %q) { description %s } }`, issueID(&big, longReports), report),
				nil, new(any))
			// Whether both texts are read with the same call depends on the machine.
			keys := 0
			for _, n := range watched.since() {
				keys += n
			}
			if calls := s.wire.Calls(); keys != 3 || calls["Query"] != 0 {
				t.Errorf("%d keys in %v, want 3: the document and two texts", keys, calls)
			}
		})
	})

	t.Run("an issue requested many times is one key", func(t *testing.T) {
		watched := s.watch(t)
		id := issueID(&big, 7)
		s.costs(t,
			fmt.Sprintf(
				`{ node(id: %[1]q) { id ... on Issue { name } } nodes(ids: [%[1]q, %[1]q, %[1]q]) { id } issue(id: %[1]q) { name } again: issue(id: %[1]q) { num project { name } } }`,
				id),
			reads(0, 1))
		same(t, "keys of each BatchGetItem", []int{1}, watched.since())
	})

	t.Run("many issues by ID are batches of 100", func(t *testing.T) {
		ids := make([]string, 200)
		for i := range ids {
			ids[i] = issueID(&big, i)
		}
		s.wire.Reset()
		watched := s.watch(t)
		for i, n := range get[[]struct{ Num int }](t, s, "nodes",
			`query($ids: [ID!]!) { nodes(ids: $ids) { ... on Issue { num } } }`, map[string]any{"ids": ids}) {
			if n.Num != i+1 {
				t.Fatalf("node %d is #%d", i, n.Num)
			}
		}
		keys := 0
		for _, n := range watched.since() {
			keys += n
		}
		// The number of look-ups in progress within a millisecond depends on the machine, but each has one
		// key.
		if calls := s.wire.Calls(); keys != len(ids) || calls["BatchGetItem"] < 2 || calls["Query"] != 0 {
			t.Errorf("%d keys in %v", keys, calls)
		}
	})

	t.Run("a page of 500", func(t *testing.T) {
		watched := s.watch(t)
		s.costs(t, pageQuery(&big, "first: 500", "name state { name } updatedAt"), reads(1, 5))
		same(t, "keys of each BatchGetItem", []int{100, 100, 100, 100, 100}, watched.since())
	})

	t.Run("counts and flags", func(t *testing.T) {
		middle := cursorAt(t, "orderBy: []", 300)
		connection := func(arguments, selection string) string {
			return fmt.Sprintf(`{ project(id: %q) { issues(%s) { %s } } }`, projectID(&big), arguments,
				selection)
		}
		for _, c := range []struct {
			name, query string
			want        map[string]int
		}{
			{"a page and its count", connection("first: 100",
				"nodes { num } totalCount totalCountPrecision pageInfo { hasNextPage }"), reads(2, 1)},
			{"the count alone", connection("first: 100", "totalCount"), reads(1, 0)},
			{"the precision alone", connection("first: 100", "totalCountPrecision"), reads(1, 0)},
			{"neither rows nor count", connection("first: 100", "__typename"), reads(0, 0)},
			{"hasNextPage", connection(`first: 100, after: "`+middle+`"`,
				"nodes { num } pageInfo { hasNextPage endCursor }"), reads(1, 1)},
			{"both flags", connection(`first: 100, after: "`+middle+`"`,
				"nodes { num } pageInfo { hasNextPage hasPreviousPage }"), reads(2, 1)},
			{"both flags of an incomplete page",
				connection(`first: 50, after: "`+middle+`"`,
					"nodes { num } pageInfo { hasNextPage hasPreviousPage }"), reads(2, 1)},
			{"hasPreviousPage of the first page",
				connection(`first: 100`, "nodes { num } pageInfo { hasPreviousPage }"), reads(1, 1)},
			{"backwards, hasPreviousPage is the direction of paging",
				connection(`last: 100, before: "`+middle+`"`, "nodes { num } pageInfo { hasPreviousPage }"),
				reads(1, 1)},
			{"backwards, hasNextPage costs",
				connection(`last: 100, before: "`+middle+`"`, "nodes { num } pageInfo { hasNextPage }"),
				reads(2, 1)},
			{"a flag that is skipped", connection(`first: 100, after: "`+middle+`"`,
				"nodes { num } pageInfo { endCursor hasPreviousPage @skip(if: true) }"), reads(1, 1)},
			{"nodes and edges", connection("first: 100", "nodes { num } edges { cursor node { name } }"),
				reads(1, 1)},
			{"an issue by its number", fmt.Sprintf(`{ project(id: %q) { issue: issueByNum(num: 77) { num name } } }`,
				projectID(&big)), reads(1, 1)},
			{"a project with its fields", fmt.Sprintf(
				`{ project(id: %q) { key name states { name } fields { name options { name } } } }`,
				projectID(&big)), reads(0, 0)},
		} {
			t.Run(c.name, func(t *testing.T) { s.costs(t, c.query, c.want) })
		}
	})

	t.Run("grids of one request share batches", func(t *testing.T) {
		two := fmt.Sprintf(
			`{ project(id: %q) { a: issues(first: 50) { nodes { num } } b: issues(last: 50) { edges { cursor node { num } } } } }`,
			projectID(&big))
		projects := fmt.Sprintf(
			`{ a: project(id: %q) { issues(first: 49) { nodes { num } pageInfo { hasNextPage } } } b: project(id: %q) { issues(first: 49) { nodes { num } pageInfo { hasNextPage } } } }`,
			projectID(&big), projectID(&small))
		for _, c := range []struct{ name, query string }{{"two aliases", two}, {"two projects", projects}} {
			t.Run(c.name, func(t *testing.T) {
				// Both grids have begun before a Query ends: package loaders tests what happens otherwise.
				var queries atomic.Int64
				both := make(chan struct{})
				s.wire.Intercept(func(r *dynamotest.Request,
					send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
					if r.Operation == "Query" {
						if queries.Add(1) == 2 {
							close(both)
						}
						select {
						case <-both:
						case <-time.After(5 * time.Minute): // instead of a test that hangs
							t.Error("the second grid has not begun")
						}
					}
					return send(r)
				})
				defer s.wire.Intercept(nil)
				s.wire.Reset()
				s.data(t, c.query, nil, new(any))
				same(t, "calls", reads(2, 1), s.wire.Calls())
			})
		}
	})

	t.Run("refused requests cost nothing", func(t *testing.T) {
		for _, query := range []string{
			`{ project(id: "`,
			`{ nothing }`,
			fmt.Sprintf(`{ project(id: %q) { issues(first: 501) { nodes { num } } } }`, projectID(&big)),
			fmt.Sprintf(`{ project(id: %q) { issues(first: 1, last: 1) { nodes { num } } } }`,
				projectID(&big)),
			fmt.Sprintf(`{ project(id: %q) { issues(first: 1, after: "x") { nodes { num } } } }`,
				projectID(&big)),
			fmt.Sprintf(`{ project(id: %q) { issues(orderBy: [{column: {fieldId: "x"}}]) { nodes { num } } } }`,
				projectID(&big)),
			`{ project(id: "x") { name } issue(id: "x") { name } node(id: "x") { id } tenants(first: 101) { nodes { id } } }`,
			`mutation { createIssues(input: {projectId: "x", issues: []}) { results { errors { code } } } }`,
		} {
			s.wire.Reset()
			if a := s.ask(t, query, nil); len(a.Errors) == 0 {
				t.Errorf("%s: no error", query)
			}
			if calls := s.wire.Calls(); len(calls) > 0 {
				t.Errorf("%s: %v", query, calls)
			}
		}
	})

	t.Run("extensions.cost", func(t *testing.T) {
		query := pageQuery(&big, "first: 100", cellsOf(&big, 8))
		for _, value := range []string{"", "0", "true", "11"} {
			a := s.send(t, http.MethodGet, "?query="+url.QueryEscape(query), "", graph.CostHeader, value)
			if strings.Contains(a.body, "extensions") {
				t.Errorf("%s %q: %.100s", graph.CostHeader, value, a.body)
			}
		}
		if a := s.post(t, query, nil); strings.Contains(a.body, "extensions") {
			t.Error("extensions.cost is present without being requested")
		}
		var got page
		a := s.data(t, query, nil, &got)
		cost := a.Extensions.Cost
		if cost.RCU < 51.5 || cost.RCU > 52.5 {
			t.Errorf("%g RCU for a page of 100 small rows", cost.RCU)
		}
		// 100 rows, their keys, and up to 5 keys that show whether there is a next page
		if cost.WCU != 0 || cost.Items < 201 || cost.Items > 205 {
			t.Errorf("%d items, %g WCU", cost.Items, cost.WCU)
		}
		create := fmt.Sprintf(
			`mutation { createIssue(input: {projectId: %q, issue: {name: "cost", values: [{fieldId: %q, value: {optionId: %q}}]}}) { issue { num } } }`,
			projectID(&small), fieldID(&small, "f08"), optionID(&small, "f08", "p1"))
		s.wire.Reset()
		a = s.data(t, create, nil, &got)
		// BatchGetItem reads the version of the definition
		want := map[string]int{"UpdateItem": 1, "BatchGetItem": 1, "TransactWriteItems": 1}
		same(t, "calls", want, s.wire.Calls())
		if same(t, "calls of extensions.cost", want, a.Extensions.Cost.Calls); a.Extensions.Cost.WCU <= 0 {
			t.Errorf("WCU %g", a.Extensions.Cost.WCU)
		}
	})
}
