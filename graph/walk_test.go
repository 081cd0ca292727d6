package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"issuegrid/tracker"
)

// TestUndisturbedWalk checks that walks through a grid, in all its orders, are correct while issues are
// created, deleted and changed between their pages. Each walk must have every row that did not move exactly
// once, and no page may have a row twice.
func TestUndisturbedWalk(t *testing.T) {
	const (
		stable  = 84 // number of issues whose value of the column does not change
		victims = 24 // number of issues that are created, deleted or moved
		size    = 7
		changes = 3 // between two pages
	)
	s := load(t)
	w := newWorld(t, s)
	column := w.fields[tracker.TypeInteger]
	// Every third issue has no value. Of the others, groups of three have the same value.
	valuesOf := func(n int) []any {
		if n%3 == 2 {
			return nil
		}
		return []any{w.given(tracker.TypeInteger, n/9)}
	}
	const create = `mutation($p: ID!, $i: [NewIssueInput!]!) { createIssues(input: {project: $p, issues: $i}) { results { issue { id num } } } }`
	type made struct {
		CreateIssues struct {
			Results []struct {
				Issue struct {
					ID  string
					Num int
				}
			}
		}
	}
	inputs := func(values ...[]any) map[string]any {
		out := make([]any, len(values))
		for i, v := range values {
			out[i] = map[string]any{"name": "walk", "values": v}
		}
		return map[string]any{"p": w.project, "i": out}
	}
	var values [][]any
	for n := range stable {
		values = append(values, valuesOf(n))
	}
	var those, others made
	s.data(t, create, inputs(values...), &those)
	s.data(t, create, inputs(slices.Repeat([][]any{nil}, victims)...), &others)
	var stays []string
	var expected []int
	for _, r := range those.CreateIssues.Results {
		stays, expected = append(stays, r.Issue.ID), append(expected, r.Issue.Num)
	}
	slices.Sort(expected)

	r := rand.New(rand.NewPCG(1, 9))
	var mine []string
	for _, one := range others.CreateIssues.Results {
		mine = append(mine, one.Issue.ID)
	}
	do := func(t *testing.T, mutation string, input map[string]any) {
		t.Helper()
		s.data(t, mutation, map[string]any{"i": input}, new(any))
	}
	// change makes a random change, as another client would between two pages.
	change := func(t *testing.T) {
		t.Helper()
		one := r.IntN(len(mine))
		value := any(map[string]any{"field": column, "value": nil})
		if r.IntN(3) > 0 {
			value = w.given(tracker.TypeInteger, r.IntN(stable/9+2)-1)
		}
		switch r.IntN(4) {
		case 0: // replaces an issue
			do(t, `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
				map[string]any{"id": mine[one]})
			var got made
			s.data(t, create, inputs([]any{value}), &got)
			mine[one] = got.CreateIssues.Results[0].Issue.ID
		case 1: // changes a stable issue in another column
			do(t, updateMutation, map[string]any{"id": stays[r.IntN(stable)],
				"name":   fmt.Sprint("walk ", r.IntN(100)),
				"values": []any{w.given(tracker.TypeUser, fmt.Sprint(r.IntN(9)))}})
		default: // moves an issue
			do(t, updateMutation, map[string]any{"id": mine[one], "values": []any{value}})
		}
	}

	for _, direction := range []string{"ASC", "DESC"} {
		for _, nulls := range []string{"FIRST", "LAST"} {
			for _, backward := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s nulls %s backward %t", direction, nulls, backward), func(t *testing.T) {
					var seen []int
					cursor := "null"
					for pages := 0; ; pages++ {
						if pages > 20*(stable+victims)/size {
							t.Fatal("the walk does not end")
						}
						arguments := fmt.Sprintf("first: %d, after: %s", size, cursor)
						if backward {
							arguments = fmt.Sprintf("last: %d, before: %s", size, cursor)
						}
						var got grid
						s.data(t,
							fmt.Sprintf(
								`{ project(id: %q) { issues(%s, orderBy: [{column: {field: %q}, direction: %s, nulls: %s}]) { nodes { num } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
								w.project, arguments, column, direction, nulls), nil, &got)
						nums := got.nums()
						if twice := slices.Clone(nums); len(slices.Compact(sorted(twice))) != len(nums) {
							t.Fatalf("a row occurs twice in a page: %v", nums)
						}
						seen = append(seen, nums...)
						info := got.Project.Issues.PageInfo
						more := info.HasNextPage
						next := info.EndCursor
						if backward {
							more, next = info.HasPreviousPage, info.StartCursor
						}
						if !more {
							break
						}
						if len(nums) != size {
							t.Fatalf("a page of %d rows, but there are more", len(nums))
						}
						cursor = null(*next)
						for range changes {
							change(t)
						}
					}
					var stayed []int
					for _, num := range seen {
						if _, ok := slices.BinarySearch(expected, num); ok {
							stayed = append(stayed, num)
						}
					}
					same(t, "rows that did not move, each once", expected, sorted(stayed))
				})
			}
		}
	}
}

func sorted(nums []int) []int {
	slices.Sort(nums)
	return nums
}
