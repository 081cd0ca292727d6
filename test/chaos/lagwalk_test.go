//go:build unix

package chaos_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// row is an issue as it must be shown. Columns refer to IDs or names; columns without a value are omitted.
type row struct {
	ID        string
	Num       int
	Name      string
	State     struct{ ID string }
	UpdatedAt time.Time
	N, S      *given
}

const selectedRow = `{ id num name state { id } updatedAt n: value(field: $n) ` + selectedValue +
	` s: value(field: $s) ` + selectedValue + ` }`

// same reports whether two rows show the same values.
func (r *row) same(other *row) bool {
	text := func(g *given) string {
		if g == nil {
			return "none"
		}
		return g.String()
	}
	return r.ID == other.ID && r.Num == other.Num && r.Name == other.Name && r.State == other.State &&
		r.UpdatedAt.Equal(other.UpdatedAt) &&
		text(r.N) == text(other.N) && text(r.S) == text(other.S)
}

func (r *row) integer() (n int, ok bool) {
	if r.N == nil {
		return 0, false
	}
	fmt.Sscan(*r.N.Integer, &n)
	return n, true
}

// order is an order of a grid: it returns the sort value of a row and whether it has one.
type order struct {
	name  string
	input map[string]any
	rank  func(*row) (int64, bool)
	text  bool // sorted by name
}

func (l *lagging) orders() []order {
	builtin := func(name string, rank func(*row) (int64, bool)) order {
		return order{name: name, input: map[string]any{"builtin": name}, rank: rank}
	}
	names := builtin("NAME", nil)
	names.text = true
	return []order{
		builtin("NUM", func(r *row) (int64, bool) { return 0, true }), names,
		builtin("STATE", func(r *row) (int64, bool) {
			return int64(slices.Index(l.stateIDs[l.p], r.State.ID)), true
		}),
		builtin("UPDATED_AT", func(r *row) (int64, bool) { return r.UpdatedAt.UnixMicro(), true }),
		{name: "n", input: map[string]any{"field": l.n.id}, rank: func(r *row) (int64, bool) {
			n, ok := r.integer()
			return int64(n), ok
		}},
		{name: "s", input: map[string]any{"field": l.s.id}, rank: func(r *row) (int64, bool) {
			if r.S == nil {
				return 0, false
			}
			return int64(slices.Index(l.s.options, r.S.Option.ID)), true
		}},
	}
}

// condition is a filter and the predicate that it represents.
type condition struct {
	input any
	meets func(*row) bool
}

func (l *lagging) condition(t *rapid.T) condition {
	k := rapid.IntRange(0, 5).Draw(t, "operand")
	field := func(c *column, member string, comparison map[string]any) map[string]any {
		return map[string]any{"fields": []any{map[string]any{"field": c.id, member: comparison}}}
	}
	atLeast := condition{field(l.n, "integer", map[string]any{"gte": k}), func(r *row) bool {
		n, ok := r.integer()
		return ok && n >= k
	}}
	switch rapid.IntRange(0, 6).Draw(t, "filter") {
	case 0, 1:
		return condition{nil, func(*row) bool { return true }}
	case 2:
		return atLeast
	case 3:
		return condition{map[string]any{"not": atLeast.input}, func(r *row) bool { return !atLeast.meets(r) }}
	case 4:
		state := l.stateIDs[l.p][k%3]
		return condition{map[string]any{"state": map[string]any{"eq": state}}, func(r *row) bool {
			return r.State.ID == state
		}}
	case 5:
		option := l.s.options[k%4]
		return condition{field(l.s, "option", map[string]any{"eq": option}), func(r *row) bool {
			return r.S != nil && r.S.Option.ID == option
		}}
	default:
		prefix := fmt.Sprint("name ", k)
		return condition{map[string]any{"name": map[string]any{"startsWith": prefix}}, func(r *row) bool {
			return strings.HasPrefix(r.Name, prefix)
		}}
	}
}

// walk is the state of a walk through a grid between two pages.
type walk struct {
	order      order
	descending bool
	condition
	backwards bool
	after     *string
}

func (l *lagging) walk(t *rapid.T) *walk {
	return &walk{order: l.orders()[rapid.IntRange(0, 5).Draw(t, "order")],
		descending: rapid.Bool().Draw(t, "descending"), condition: l.condition(t),
		backwards: rapid.IntRange(0, 3).Draw(t, "backwards") == 0}
}

// page is a page of a grid.
type page struct {
	Nodes      []*row
	Incomplete bool
	PageInfo   struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
}

func (p *page) more(w *walk) bool {
	if w.backwards {
		return p.PageInfo.HasPreviousPage
	}
	return p.PageInfo.HasNextPage
}

func (p *page) end(w *walk) *string {
	if w.backwards {
		return p.PageInfo.StartCursor
	}
	return p.PageInfo.EndCursor
}

// page reads a page and checks it, whatever the state of the index: every row exists, shows its current
// values, matches the filter, and occurs once.
func (l *lagging) page(t *rapid.T, w *walk, size int, after *string) *page {
	variables := map[string]any{"p": l.p.id, "n": l.n.id, "s": l.s.id, "w": w.input,
		"o": map[string]any{"column": w.order.input,
			"direction": map[bool]string{false: "ASC", true: "DESC"}[w.descending]}}
	names := [2]string{"first", "after"}
	if w.backwards {
		names = [2]string{"last", "before"}
	}
	variables[names[0]], variables[names[1]] = size, after
	var got struct{ Project struct{ Issues page } }
	if f := l.ask(
		`query($p: ID!, $n: ID!, $s: ID!, $o: IssueOrder!, $w: IssueFilter, $first: Int, $after: String, $last: Int, $before: String) { project(id: $p) { `+
			`issues(first: $first, after: $after, last: $last, before: $before, orderBy: [$o], where: $w) { nodes `+selectedRow+
			` incomplete pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, variables,
		&got); f != nil {
		t.Fatal(f)
	}
	page := &got.Project.Issues
	seen := map[string]bool{}
	for _, r := range page.Nodes {
		if seen[r.ID] {
			t.Fatalf("#%d occurs twice in a page by %s: %v", r.Num, w.order.name, nums(page.Nodes))
		}
		seen[r.ID] = true
		switch is := l.rows[r.ID]; {
		case is == nil:
			t.Fatalf("the page shows #%d, which does not exist", r.Num)
		case !is.same(r):
			t.Fatalf("the page shows #%d as %+v, want %+v", r.Num, r, is)
		case !w.meets(r):
			t.Fatalf("the page shows #%d, which does not match %v: %+v", r.Num, w.input, r)
		}
	}
	switch {
	case page.Incomplete:
		t.Fatalf("a page of a small grid is incomplete")
	case len(page.Nodes) < size && page.more(w):
		t.Fatalf("hasNextPage is true, but the page has %d of %d rows", len(page.Nodes), size)
	}
	return page
}

func nums(rows []*row) (out []int) {
	for _, r := range rows {
		out = append(out, r.Num)
	}
	return out
}

// next reads the next page of a walk and verifies the flag for further pages by reading the row after it. It
// returns nil at the end.
func (l *lagging) next(t *rapid.T, w *walk) *walk {
	page := l.page(t, w, rapid.IntRange(1, 6).Draw(t, "size"), w.after)
	if page.end(w) == nil {
		return nil
	}
	w.after = page.end(w)
	if beyond := l.page(t, w, 1, w.after); (len(beyond.Nodes) > 0) != page.more(w) {
		t.Fatalf("after a page by %s, descending %t, of %v are %v; more pages: %t",
			w.order.name, w.descending, nums(page.Nodes), nums(beyond.Nodes), page.more(w))
	}
	if !page.more(w) {
		return nil
	}
	return w
}

func (w *walk) compare(a, b *row) int {
	if w.order.text {
		return w.turn(cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Num, b.Num)))
	}
	x, hasX := w.order.rank(a)
	y, hasY := w.order.rank(b)
	if hasX != hasY { // rows without a value come last in both directions
		return map[bool]int{true: -1, false: 1}[hasX]
	}
	return w.turn(cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Num, b.Num)))
}

func (w *walk) turn(n int) int {
	if w.descending {
		return -n
	}
	return n
}
