package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/sample"
)

// filteredPage is the part of a page's response that the tests of filters examine.
type filteredPage struct {
	Project struct {
		Issues struct {
			Nodes               []struct{ Num int64 }
			TotalCount          int
			TotalCountPrecision string
			Incomplete          bool
			PageInfo            pageInfo
		}
	}
}

const filteredQuery = `query($id: ID!, $where: IssueFilter, $by: [IssueOrder!], $first: Int, $after: String, $last: Int, $before: String, $count: Boolean = true) {
	project(id: $id) { issues(where: $where, orderBy: $by, first: $first, after: $after, last: $last, before: $before) {
		nodes { num } totalCount @include(if: $count) totalCountPrecision @include(if: $count) incomplete pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`

// TestFilters runs the tests of filtered grids on one project. Package grid compares their rows with the
// issues in memory.
func TestFilters(t *testing.T) {
	p := sample.Generated()
	s := load(t, append(sample.Worked(), p)...)
	for name, test := range map[string]func(*testing.T, *server, *sample.Project){
		"work budget": workBudget, "explain": explains, "cost": filterCost, "cursorAt": cursorsAt,
		"alternatives": alternativesCost, "unknown is null": unknownIsNull,
		"summary of a continued count": continuedSummary} {
		t.Run(name, func(t *testing.T) { test(t, s, &p) })
	}
}

// cursorsAt opens grids at values and at issues.
func cursorsAt(t *testing.T, s *server, p *sample.Project) {
	beside := func(order, at, page string) int {
		t.Helper()
		cursor := get[string](t, s, "project.cursor", fmt.Sprintf(`{ project(id: %q) { %s } }`, projectID(p),
			cursorField(order+", "+at)), nil)
		return nums(get[[]struct{ Num int }](t, s, "project.issues.nodes", fmt.Sprintf(
			`{ project(id: %q) { issues(%s: %q, %s) { nodes { num } } } }`, projectID(p), page, cursor, order), nil))[0]
	}
	const after, before, up = "first: 1, after", "last: 1, before", "orderBy: []"
	const down = "orderBy: [{column: {builtin: NUM}, direction: DESC}]"
	const byState = "orderBy: [{column: {builtin: STATE}}]"
	byDate, byText := orderBy(p, "f05"), orderBy(p, "f01")
	for _, test := range []struct {
		order, at     string
		after, before int
	}{
		{byDate, `value: {date: "2024-09-10"}`, 383, 675},
		{byText, `value: {text: "f"}`, 7, 1998},
		{byState, fmt.Sprintf(`value: {optionId: %q}`, stateID(p, "done")), 4, 1987},
		{orderBy(p, "f08"), fmt.Sprintf(`value: {optionId: %q}`, optionID(p, "f08", "p2")), 9, 1983},
		{up, `value: {integer: 1990}`, 1990, 1989},
		{up, `num: 777`, 777, 776},
		{down, `num: 777`, 777, 778},
		{byDate, `num: 777`, 777, 531},
		{fmt.Sprintf(`orderBy: [{column: {fieldId: %q}, nulls: FIRST}]`, fieldID(p, "f11")), `num: 777`, 777, 776},
		{fmt.Sprintf(`orderBy: [{column: {fieldId: %q}}, {column: {builtin: STATE}}]`, fieldID(p, "f08")), `num: 777`,
			777, 715},
	} {
		same(t, test.order+" at "+test.at, [2]int{test.after, test.before},
			[2]int{beside(test.order, test.at, after), beside(test.order, test.at, before)})
	}
	same(t, "from the greatest number on", 2000, beside(down, `value: {integer: "99999999999"}`, after))
	for at, want := range map[string]string{
		up + `, value: {}`:                    "BAD_USER_INPUT value",
		`value: {text: "x"}`:                  "BAD_USER_INPUT value.text",
		byState + `, value: {optionId: "no"}`: "BAD_USER_INPUT value.optionId",
		`orderBy: [{column: {builtin: CREATED_AT}}], value: {date: "2026-01-01"}`: "BAD_USER_INPUT value.date",
		byDate + `, value: {text: "x"}`:                                           "BAD_USER_INPUT value.text",
		"num: 5000":                                                               "NOT_FOUND",
	} {
		same(t, at, want, s.ask(t, fmt.Sprintf(`{ project(id: %q) { %s } }`, projectID(p),
			cursorField(at)), nil).outcome())
	}
}

// cursorField returns the field with a cursor: at an issue if its number is given, and otherwise at a value.
func cursorField(arguments string) string {
	if strings.Contains(arguments, "num: ") {
		return "cursor: cursorAtIssue(" + arguments + ")"
	}
	return "cursor: cursorAt(" + arguments + ")"
}
