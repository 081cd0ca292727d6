package editor

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Grid is an order and a filter of the project's issues, a direction of reading, and a position.
type Grid struct {
	order, where        any
	meets               func(*issue) bool
	compare             func(a, b *issue) int
	descending, nullsUp bool
	backward            bool
	cursor              *string
}

// column is a sort column of a grid: whether an issue has a value, and how two values compare.
type column struct {
	input   map[string]any
	has     func(*issue) bool
	compare func(a, b *issue) int
}

func (e *Editor) columns() []column {
	all := func(*issue) bool { return true }
	builtin := func(name string, compare func(a, b *issue) int) column {
		return column{map[string]any{"builtin": name}, all, compare}
	}
	return []column{
		builtin("NUM", func(a, b *issue) int { return 0 }),
		builtin("NAME", func(a, b *issue) int { return cmp.Compare(a.name, b.name) }),
		builtin("STATE", func(a, b *issue) int { return cmp.Compare(a.state, b.state) }),
		builtin("UPDATED_AT", func(a, b *issue) int { return a.updated.Compare(b.updated) }),
		{map[string]any{"fieldId": e.text}, func(i *issue) bool { return i.text != "" },
			func(a, b *issue) int { return cmp.Compare(a.text, b.text) }},
		{map[string]any{"fieldId": e.integer}, func(i *issue) bool { return i.integer != nil },
			func(a, b *issue) int { return cmp.Compare(*a.integer, *b.integer) }},
		{map[string]any{"fieldId": e.option}, func(i *issue) bool { return i.option >= 0 },
			func(a, b *issue) int { return cmp.Compare(a.option, b.option) }},
	}
}

// Grid draws a grid.
func (e *Editor) Grid() *Grid {
	c, g := pick(e.Rng, e.columns()), &Grid{}
	g.where, g.meets = e.filter()
	g.descending, g.nullsUp, g.backward = e.Rng.IntN(2) == 0, e.Rng.IntN(2) == 0, e.Rng.IntN(2) == 0
	g.order = map[string]any{"column": c.input,
		"direction": map[bool]string{true: "DESC", false: "ASC"}[g.descending],
		"nulls":     map[bool]string{true: "FIRST", false: "LAST"}[g.nullsUp]}
	g.compare = func(a, b *issue) int {
		d := 0
		switch {
		case c.has(a) != c.has(b) && c.has(a) == g.nullsUp:
			return 1
		case c.has(a) != c.has(b):
			return -1
		case c.has(a):
			d = c.compare(a, b)
		}
		if d = cmp.Or(d, cmp.Compare(a.num, b.num)); g.descending {
			return -d
		}
		return d
	}
	return g
}

func (g *Grid) String() string {
	return fmt.Sprintf("%v, backward %t, where %v", g.order, g.backward, g.where)
}

// filter draws a filter and returns a predicate that reports whether an issue matches it.
func (e *Editor) filter() (where any, meets func(*issue) bool) {
	least, state, option := e.Rng.Int64N(20)-10, e.Rng.IntN(len(e.states)), e.Rng.IntN(len(e.options))
	prefix := fmt.Sprint("name ", e.Rng.IntN(10))
	atLeast := func(i *issue) bool { return i.integer != nil && *i.integer >= least }
	in := func(i *issue) bool { return i.state == state }
	field := func(id, member, operator string, operand any) map[string]any {
		return map[string]any{"fields": []any{map[string]any{"fieldId": id,
			member: map[string]any{operator: operand}}}}
	}
	integer := field(e.integer, "integer", "gte", strconv.FormatInt(least, 10))
	ofState := map[string]any{"state": map[string]any{"eqId": e.states[state]}}
	switch e.Rng.IntN(9) {
	case 0:
		return integer, atLeast
	case 1:
		return ofState, in
	case 2:
		return map[string]any{"and": []any{integer, ofState}}, func(i *issue) bool {
			return atLeast(i) && in(i)
		}
	case 3:
		return map[string]any{"not": integer}, func(i *issue) bool { return !atLeast(i) }
	case 4:
		return field(e.option, "option", "eqId", e.options[option]), func(i *issue) bool {
			return i.option == option
		}
	case 5:
		return map[string]any{"name": map[string]any{"startsWith": prefix}}, func(i *issue) bool {
			return strings.HasPrefix(i.name, prefix)
		}
	}
	return nil, func(*issue) bool { return true }
}

// page reads a page after the position, in the direction of reading.
func (e *Editor) page(g *Grid, size int) (page []row, more bool, end *string, ok bool) {
	in := e.with(map[string]any{"by": []any{g.order}, "where": g.where})
	if g.backward {
		in["last"], in["before"] = size, g.cursor
	} else {
		in["first"], in["after"] = size, g.cursor
	}
	var got struct {
		Project struct {
			Issues struct {
				Nodes      []row
				Incomplete bool
				PageInfo   struct {
					HasNextPage, HasPreviousPage bool
					StartCursor, EndCursor       *string
				}
			}
		}
	}
	if !e.Send(`query($p: ID!, $t: ID!, $i: ID!, $o: ID!, $by: [IssueOrder!], $where: IssueFilter, $first: Int,
		$after: String, $last: Int, $before: String) { project(id: $p) { issues(first: $first, after: $after,
		last: $last, before: $before, orderBy: $by, where: $where) { nodes {`+selected+`} incomplete
		pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, in, &got) {
		return nil, false, nil, false
	}
	if got.Project.Issues.Incomplete {
		e.T.Errorf("a page of a small grid is incomplete: %v", g)
	}
	e.Pages++
	page, info := got.Project.Issues.Nodes, got.Project.Issues.PageInfo
	if g.backward {
		slices.Reverse(page)
		return page, info.HasPreviousPage, info.StartCursor, true
	}
	return page, info.HasNextPage, info.EndCursor, true
}

// Walk reads up to some pages of a grid, and checks that they are exact.
func (e *Editor) Walk(most int) {
	g, size := e.Grid(), 1+e.Rng.IntN(60)
	var want []*issue
	for _, i := range e.issues {
		if g.meets(i) {
			want = append(want, i)
		}
	}
	slices.SortFunc(want, g.compare)
	if g.backward {
		slices.Reverse(want)
	}
	for n := 0; n < most && !e.T.Failed(); n++ {
		page, more, end, ok := e.page(g, size)
		if !ok {
			return
		}
		var rows []row
		for _, i := range want[:min(size, len(want))] {
			rows = append(rows, e.row(i))
		}
		want = want[len(rows):]
		if len(page) > 0 || len(rows) > 0 {
			e.same(fmt.Sprintf("page %d of %v", n, g), page, rows)
		}
		e.same(fmt.Sprintf("whether %v has more after page %d", g, n), more, len(want) > 0)
		if g.cursor = end; !more {
			return
		}
	}
}

// Peek reads the next page of a grid while the index may lag, and reports whether there is more. Every row
// exists, shows what was written last, matches the filter, and occurs once; only which rows there are, and
// their order, may be out of date. The flag for more is compared with what is after the page.
func (e *Editor) Peek(g *Grid) bool {
	size := 1 + e.Rng.IntN(6)
	page, more, end, ok := e.page(g, size)
	seen := map[string]bool{}
	for _, r := range page {
		n := slices.IndexFunc(e.issues, func(i *issue) bool { return i.id == r.ID })
		if n < 0 || seen[r.ID] || !g.meets(e.issues[n]) {
			e.T.Errorf("%v has the row %+v, which does not exist, does not match or occurs twice", g, r)
			return false
		}
		seen[r.ID] = true
		e.same(fmt.Sprintf("a row of %v", g), r, e.row(e.issues[n]))
	}
	if more && len(page) < size {
		e.T.Errorf("%v has more after a page of %d of %d rows", g, len(page), size)
	}
	if g.cursor = end; !ok || end == nil {
		return false
	}
	beyond, _, _, ok := e.page(g, 1)
	if ok && (len(beyond) > 0) != more {
		e.T.Errorf("%v has more: %t, and then the rows %+v", g, more, beyond)
	}
	return more
}

func (e *Editor) count() {
	where, meets := e.filter()
	want := 0
	for _, i := range e.issues {
		if meets(i) {
			want++
		}
	}
	var got struct {
		Project struct{ Issues struct{ TotalCount int } }
	}
	if e.Send(`query($p: ID!, $where: IssueFilter) {
		project(id: $p) { issues(first: 1, where: $where) { totalCount } } }`,
		map[string]any{"p": e.Project, "where": where}, &got) {
		e.same(fmt.Sprint("the count of ", where), got.Project.Issues.TotalCount, want)
		e.Counts++
	}
}
