//go:build realdata

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
)

// filterCase is a filter of a grid that checkFilters does not generate, and the equivalent SQL.
type filterCase struct {
	// where is the filter, with the name of a field in `field` instead of its ID in `fieldId`, and with the
	// names of options and states.
	where string
	// sql is the condition after WHERE, on the tables of rowsDB. Filters use two-valued logic: `IS NOT` for
	// neq, COALESCE for negated conditions.
	sql string
}

// filterCases combine what generated filters combine rarely: none and several operators of a column, several
// columns, and and, or and not around nothing.
var filterCases = []filterCase{
	{`{"num": {"between": {"from": 9, "to": 3}}}`, `FALSE`},
	{`{"num": {"between": {"from": 100, "to": 400}, "notIn": [101, 102, 103]}}`,
		`number BETWEEN 100 AND 400 AND number NOT IN (101, 102, 103)`},
	{`{"num": {"in": []}}`, `FALSE`},
	{`{"fields": [{"field": "Labels", "tags": {"hasAny": []}}]}`, `FALSE`},
	{`{"fields": [{"field": "Labels", "tags": {"hasAny": ["parity"], "hasNone": ["android", "ios", "api"]}}]}`,
		`id IN (SELECT issue FROM labels WHERE member = 'parity') AND id NOT IN (SELECT issue FROM labels WHERE member IN ('android', 'ios', 'api'))`},
	{`{"fields": [{"field": "Reporter name", "text": {"eq": "HANS KNÖCHEL"}}]}`, `reporter_name = 'hans knochel'`},
	{`{"createdAt": {"between": {"from": "2013-05-01T02:00:00+02:00", "to": "2013-06-01T00:00:00Z"}}}`,
		`created BETWEEN unixepoch('2013-05-01') * 1000000 AND unixepoch('2013-06-01') * 1000000`},
	{`{"fields": [{"field": "Assignee active", "isNull": true}, {"field": "Assignee active", "boolean": {"isNull": true}}], "state": {"neq": "Closed"}}`,
		`assignee_active IS NULL AND status <> 'Closed'`},
	{`{"fields": [{"field": "Sprint end", "dateTime": {"isNull": true, "neq": "2015-01-01T00:00:00Z"}}, {"field": "Sprint", "option": {"isNull": false}}]}`,
		`sprint_end IS NULL AND sprint IS NOT NULL`},
	{`{"and": [{}, {"or": [{}]}], "num": {"lte": 4000}}`, `number <= 4000`},
	{`{"not": {}}`, `FALSE`},
	{`{"or": []}`, `FALSE`},
	{`{"and": [], "num": {"lte": 120}}`, `number <= 120`},
	{`{"not": {"not": {"not": {"fields": [{"field": "Attachments", "integer": {"lt": 5}}]}}}}`,
		`NOT COALESCE(attachment_count < 5, FALSE)`},
	{`{"or": [{"description": {"contains": "memory leak"}}, {"name": {"contains": "memory leak"}}], "createdAt": {"gte": "2014-01-01T00:00:00Z"}}`,
		`(COALESCE(instr(description, 'memory leak'), FALSE) OR instr(summary, 'memory leak')) AND created >= unixepoch('2014-01-01') * 1000000`},
	{`{"fields": [{"field": "Resolution", "option": {"eq": "Fixed"}}]}`, `resolution = 'Fixed'`},
}

// casesOf returns the filters that are compared in a project: filterCases, and generated ones for each
// operator of each type. none is the number of operators of which the project has no column.
func casesOf(t *testing.T, g *generator, rows *rowsDB, key string) (all []term, none int) {
	t.Helper()
	for _, c := range filterCases {
		var where map[string]any
		must(t, json.Unmarshal([]byte(c.where), &where))
		all = append(all, term{where, c.sql, nil})
	}
	for _, kind := range slices.Sorted(maps.Keys(memberOf)) {
		for _, operator := range operatorsOf(kind) {
			fits := slices.DeleteFunc(slices.Clone(g.columns), func(c *column) bool {
				return c.kind() != kind || c.To == "num" && operator == "isNull"
			})
			if len(fits) == 0 {
				none++
				continue
			}
			all = append(all, g.telling(rows, key, func() term {
				return g.condition(choose(g, fits), operator)
			}))
		}
	}
	return all, none
}

// checkFilters compares filtered grids with SQL on the same rows. In each project a case is walked in one of
// the four orders of a column, in rotation.
// A big project takes every fourth case, and AC, or the only project, every second. The walks of a big
// project end after two incomplete pages, because each of those reads 2,000 documents. If the environment
// variable ISSUEGRID_ALL_ORDERS is set, every project takes every case, in all four orders and to the end.
func checkFilters(t *testing.T, a *api, rows *rowsDB, file *table, projects map[string]*project) {
	var queue walks
	keys, all := slices.Sorted(maps.Keys(file.rows)), os.Getenv("ISSUEGRID_ALL_ORDERS") != ""
	cases, left := 0, 0
	for at, key := range keys {
		p, issues, alone := projects[key], len(file.rows[key]), len(keys) == 1
		g := newGenerator(t, rows, file, p, uint64(at))
		sortable := g.sortable()
		list, none := casesOf(t, g, rows, key)
		cases, left = cases+len(list), left+none
		for n, c := range list {
			where, err := withIDs(p, c.where)
			if err != nil {
				left++ // the project has no such field or option
				continue
			}
			turn, big := (n+at)%4, issues >= bigProject && !all
			if !all && (big && !alone && n%4 != 1 || (alone || issues > smallProject) && n%2 != 1) {
				continue
			}
			for way := range 4 {
				if way != turn && !all {
					continue
				}
				by := sortBy{sortable[n%len(sortable)], way&1 > 0, way&2 > 0}
				w := walk{api: a, project: p, where: where, orderBy: by.orderBy(p), size: filterPage,
					patient: !big, count: way == turn,
					name: fmt.Sprintf("%s: %v, that is %s with %v, by %s", key, c.where, c.sql, c.args, by)}
				queue.add(w, func() []int { return rows.numbers(t, key, c.sql, c.args, by) })
			}
		}
	}
	queue.run(t)
	t.Logf("%d filters in %d projects, %d left out for what their project has not; %v", cases,
		len(keys), left, &queue)
	if left > cases/4 || queue.rows.Load() < int64(10*cases) {
		t.Error("too few of them tell something")
	}
	t.Run("random", func(t *testing.T) { checkRandomFilters(t, a, rows, file, projects) })
	t.Run("orders, groups and summaries", func(t *testing.T) { checkQueries(t, a, rows, file, projects) })
}

// smallProject is the maximum number of issues of a project that takes all cases beside others.
// bigProject is the minimum number of issues of a project whose walks may end early.
const smallProject, bigProject = 2000, 10_000
