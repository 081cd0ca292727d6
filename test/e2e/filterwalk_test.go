//go:build realdata

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
)

// operatorsOf returns the operators of a type.
func operatorsOf(kind string) []string {
	switch kind {
	case "BOOLEAN":
		return []string{"eq", "neq", "isNull"}
	case "SELECT":
		return []string{"eq", "neq", "in", "notIn", "isNull"}
	case "MULTI_SELECT", "TAGS":
		return []string{"hasAny", "hasAll", "hasNone", "isNull"}
	}
	all := []string{"eq", "neq", "in", "notIn", "lt", "lte", "gt", "gte", "between", "isNull"}
	if kind == "TEXT" || kind == "LONG_TEXT" || kind == "USER" {
		all = append(all, "startsWith", "contains")
	}
	return all
}

// withIDs replaces the names of fields, options and states in a filter with the IDs of a project, and the
// operators with those that take IDs. It returns an error if the project has no such field, option or state.
func withIDs(p *project, where map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for member, v := range where {
		var err error
		switch member {
		case "and", "or":
			out[member], err = eachWithIDs(v.([]any), func(m map[string]any) (map[string]any, error) {
				return withIDs(p, m)
			})
		case "not":
			out[member], err = withIDs(p, v.(map[string]any))
		case "state":
			out[member], err = optionIDs(p.States, v.(map[string]any))
		case "fields":
			out[member], err = eachWithIDs(v.([]any), func(m map[string]any) (map[string]any, error) {
				return fieldWithIDs(p, m)
			})
		default:
			out[member] = v
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func eachWithIDs(list []any, with func(map[string]any) (map[string]any, error)) ([]any, error) {
	out := make([]any, len(list))
	for i := range list {
		var err error
		if out[i], err = with(list[i].(map[string]any)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func fieldWithIDs(p *project, m map[string]any) (map[string]any, error) {
	m = maps.Clone(m)
	f := p.field(m["field"].(string))
	if f == nil {
		return nil, fmt.Errorf("%s has no field %s", p.Key, m["field"])
	}
	delete(m, "field")
	m["fieldId"] = f.ID
	for _, member := range []string{"option", "options"} {
		if v, ok := m[member]; ok {
			var err error
			if m[member], err = optionIDs(f.Options, v.(map[string]any)); err != nil {
				return nil, err
			}
		}
	}
	return m, nil
}

func optionIDs(options []option, operators map[string]any) (map[string]any, error) {
	id := func(name any) (any, error) {
		i := slices.IndexFunc(options, func(o option) bool { return o.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no option %q", name)
		}
		return options[i].ID, nil
	}
	out := map[string]any{}
	for operator, v := range operators {
		var err error
		switch v := v.(type) {
		case string: // eqId for eq
			out[operator+"Id"], err = id(v)
		case []any: // inIds for in
			list := slices.Clone(v)
			for i := range list {
				if list[i], err = id(v[i]); err != nil {
					break
				}
			}
			out[operator+"Ids"] = list
		default:
			out[operator] = v
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// walks runs walks in parallel, at most as many as the flag -parallel allows.
type walks struct {
	list                []func(t *testing.T)
	pages, rows, counts atomic.Int64
}

// add queues a walk. want returns its expected rows and is called when the walk starts.
func (q *walks) add(w walk, want func() []int) {
	q.list = append(q.list, func(t *testing.T) {
		rows, pages := w.run(t, want())
		q.rows.Add(int64(rows))
		q.pages.Add(int64(pages))
		q.counts.Add(int64(pickInt(w.count, 1, 0)))
	})
}

func (q *walks) run(t *testing.T) {
	next := make(chan func(*testing.T), len(q.list))
	for _, walk := range q.list {
		next <- walk
	}
	close(next)
	t.Run("walks", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for walk := range next {
					walk(t)
				}
			})
		}
	})
}

func (q *walks) String() string {
	return fmt.Sprintf("%d walks: %d pages, %d rows; %d counts", len(q.list), q.pages.Load(), q.rows.Load(),
		q.counts.Load())
}

// walk is a walk through a grid, which may be filtered.
type walk struct {
	api      *api
	name     string
	project  *project
	where    map[string]any // nil for all issues; the flags for pages in both directions are then exact
	orderBy  []any
	backward bool
	size     int  // of pages
	most     int  // maximum number of rows to read; 0 means all
	patient  bool // continue regardless of the number of incomplete pages
	count    bool
}

// filterPage is the size of a page with a filter. patience is the number of incomplete pages after which a
// walk ends.
const filterPage, patience = 100, 2

const countFiltered = `query($id: ID!, $where: IssueFilter) { project(id: $id) { issues(where: $where) { totalCount totalCountPrecision } } }`

const forwards = `query($id: ID!, $where: IssueFilter, $by: [IssueOrder!], $size: Int!, $at: String) { project(id: $id) {
	issues(first: $size, after: $at, where: $where, orderBy: $by) { nodes { num } incomplete
	pageInfo { more: hasNextPage less: hasPreviousPage cursor: endCursor } } } }`

const backwards = `query($id: ID!, $where: IssueFilter, $by: [IssueOrder!], $size: Int!, $at: String) { project(id: $id) {
	issues(last: $size, before: $at, where: $where, orderBy: $by) { nodes { num } incomplete
	pageInfo { more: hasPreviousPage less: hasNextPage cursor: startCursor } } } }`

const explainFiltered = `query($id: ID!, $where: IssueFilter, $by: [IssueOrder!], $size: Int!) { project(id: $id) {
	issues(first: $size, where: $where, orderBy: $by) { nodes { num } pageInfo { hasNextPage } explain { text } } } }`

// run compares the rows of every page, the flag for further pages, and the total count with the expected
// rows. It returns the number of rows and pages that it read.
func (w *walk) run(t *testing.T, want []int) (rows, pages int) {
	variables := map[string]any{"id": w.project.ID, "where": w.where, "by": w.orderBy,
		"size": w.size}
	fail := func(format string, args ...any) {
		t.Helper()
		var plan struct {
			Project struct {
				Issues struct{ Explain struct{ Text string } }
			}
		}
		w.api.ask(t, explainFiltered, variables, &plan)
		filter, _ := json.Marshal(w.where)
		t.Errorf("%s, backward %t, page %d: %s\n%s\n%s", w.name, w.backward, pages,
			fmt.Sprintf(format, args...), filter, plan.Project.Issues.Explain.Text)
	}
	if w.count {
		w.checkCount(t, len(want), variables, fail)
	}
	query, left := forwards, want
	if w.backward {
		query, left = backwards, slices.Clone(want)
		slices.Reverse(left)
	}
	at, incomplete := "", 0
	for ; ; pages++ {
		var got struct {
			Project struct {
				Issues struct {
					Nodes      []struct{ Num int }
					Incomplete bool
					PageInfo   struct {
						More, Less bool
						Cursor     *string
					}
				}
			}
		}
		of := maps.Clone(variables)
		if at != "" {
			of["at"] = at
		}
		w.api.ask(t, query, of, &got)
		page := got.Project.Issues
		nums := make([]int, len(page.Nodes))
		for i, node := range page.Nodes {
			nums[i] = node.Num
		}
		if w.backward {
			slices.Reverse(nums)
		}
		expected := left[:min(w.size, len(left))]
		if page.Incomplete {
			expected = expected[:min(len(nums), len(expected))]
		}
		if !slices.Equal(nums, expected) {
			fail("got %v, want %v", nums, expected)
			return rows, pages
		}
		left = left[len(nums):]
		rows += len(nums)
		switch {
		case page.Incomplete && (!page.PageInfo.More || page.PageInfo.Cursor == nil ||
			*page.PageInfo.Cursor == at):
			fail("an incomplete page after which one cannot go on: %+v", page.PageInfo)
			return rows, pages
		case !page.Incomplete && page.PageInfo.More != (len(left) > 0):
			fail("there are more: %t; but %d rows are left", page.PageInfo.More, len(left))
			return rows, pages
		case w.where == nil && (page.Incomplete || page.PageInfo.Less != (pages > 0)):
			fail("incomplete %t, rows before the page %t", page.Incomplete, page.PageInfo.Less)
			return rows, pages
		}
		incomplete += pickInt(page.Incomplete, 1, 0)
		if !page.PageInfo.More || w.most > 0 && rows >= w.most || incomplete == patience && !w.patient {
			return rows, pages + 1
		}
		at = *page.PageInfo.Cursor
	}
}

func (w *walk) checkCount(t *testing.T, want int, variables map[string]any, fail func(string, ...any)) {
	t.Helper()
	var got struct {
		Project struct {
			Issues struct {
				TotalCount          int
				TotalCountPrecision string
			}
		}
	}
	w.api.ask(t, countFiltered, map[string]any{"id": w.project.ID, "where": variables["where"]}, &got)
	switch n, exact := got.Project.Issues.TotalCount, got.Project.Issues.TotalCountPrecision; {
	case exact == "EXACT" && n != want, exact == "AT_LEAST" && n > want:
		fail("totalCount is %d, %s; there are %d", n, exact, want)
	case exact != "EXACT" && exact != "AT_LEAST":
		fail("totalCountPrecision is %s", exact)
	}
}
