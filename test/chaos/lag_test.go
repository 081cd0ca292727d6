//go:build unix

package chaos_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// row is an issue as it must be shown: what its columns have by their ids or names, those without a value left out.
type row struct {
	ID        string
	Num       int
	Name      string
	State     struct{ ID string }
	UpdatedAt time.Time
	N, S      *given
}

const selectedRow = `{ id num name state { id } updatedAt n: value(field: $n) ` + selectedValue + ` s: value(field: $s) ` + selectedValue + ` }`

// same compares what is shown.
func (r *row) same(other *row) bool {
	text := func(g *given) string {
		if g == nil {
			return "none"
		}
		return g.String()
	}
	return r.ID == other.ID && r.Num == other.Num && r.Name == other.Name && r.State == other.State && r.UpdatedAt.Equal(other.UpdatedAt) &&
		text(r.N) == text(other.N) && text(r.S) == text(other.S)
}

func (r *row) integer() (n int, ok bool) {
	if r.N == nil {
		return 0, false
	}
	fmt.Sscan(*r.N.Integer, &n)
	return n, true
}

// lagging is a project that is changed and whose grids are walked, while the index is behind.
type lagging struct {
	*world
	p       *project
	n, s    *column
	rows    map[string]*row // that are there
	deleted map[string]*row
	order   []string // of all ids, so that draws repeat
}

// order is an order of a grid: the value of a row, and whether it has one.
type order struct {
	name  string
	input map[string]any
	rank  func(*row) (int64, bool)
	text  bool // by the name
}

func (l *lagging) orders() []order {
	builtin := func(name string, rank func(*row) (int64, bool)) order {
		return order{name: name, input: map[string]any{"builtin": name}, rank: rank}
	}
	names := builtin("NAME", nil)
	names.text = true
	return []order{
		builtin("NUM", func(r *row) (int64, bool) { return 0, true }), names,
		builtin("STATE", func(r *row) (int64, bool) { return int64(slices.Index(l.stateIDs[l.p], r.State.ID)), true }),
		builtin("UPDATED_AT", func(r *row) (int64, bool) { return r.UpdatedAt.UnixMicro(), true }),
		{name: "n", input: map[string]any{"field": l.n.id}, rank: func(r *row) (int64, bool) { n, ok := r.integer(); return int64(n), ok }},
		{name: "s", input: map[string]any{"field": l.s.id}, rank: func(r *row) (int64, bool) {
			if r.S == nil {
				return 0, false
			}
			return int64(slices.Index(l.s.options, r.S.Option.ID)), true
		}},
	}
}

// condition is a filter, and what it means.
type condition struct {
	input any
	meets func(*row) bool
}

func (l *lagging) condition(t *rapid.T) condition {
	k := rapid.IntRange(0, 5).Draw(t, "operand")
	field := func(c *column, member string, comparison map[string]any) map[string]any {
		return map[string]any{"fields": []any{map[string]any{"field": c.id, member: comparison}}}
	}
	atLeast := condition{field(l.n, "integer", map[string]any{"gte": k}), func(r *row) bool { n, ok := r.integer(); return ok && n >= k }}
	switch rapid.IntRange(0, 6).Draw(t, "filter") {
	case 0, 1:
		return condition{nil, func(*row) bool { return true }}
	case 2:
		return atLeast
	case 3:
		return condition{map[string]any{"not": atLeast.input}, func(r *row) bool { return !atLeast.meets(r) }}
	case 4:
		state := l.stateIDs[l.p][k%3]
		return condition{map[string]any{"state": map[string]any{"eq": state}}, func(r *row) bool { return r.State.ID == state }}
	case 5:
		option := l.s.options[k%4]
		return condition{field(l.s, "option", map[string]any{"eq": option}), func(r *row) bool { return r.S != nil && r.S.Option.ID == option }}
	default:
		prefix := fmt.Sprint("name ", k)
		return condition{map[string]any{"name": map[string]any{"startsWith": prefix}}, func(r *row) bool { return strings.HasPrefix(r.Name, prefix) }}
	}
}

// walk is a walk of a grid, between two pages.
type walk struct {
	order      order
	descending bool
	condition
	backwards bool
	after     *string
}

func (l *lagging) walk(t *rapid.T) *walk {
	return &walk{order: l.orders()[rapid.IntRange(0, 5).Draw(t, "order")], descending: rapid.Bool().Draw(t, "descending"), condition: l.condition(t),
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

// page reads a page, which must be right whatever the index says: every row is there, as it is now, meets the filter, and is there once.
func (l *lagging) page(t *rapid.T, w *walk, size int, after *string) *page {
	variables := map[string]any{"p": l.p.id, "n": l.n.id, "s": l.s.id, "w": w.input,
		"o": map[string]any{"column": w.order.input, "direction": map[bool]string{false: "ASC", true: "DESC"}[w.descending]}}
	names := [2]string{"first", "after"}
	if w.backwards {
		names = [2]string{"last", "before"}
	}
	variables[names[0]], variables[names[1]] = size, after
	var got struct{ Project struct{ Issues page } }
	if f := l.ask(`query($p: ID!, $n: ID!, $s: ID!, $o: IssueOrder!, $w: IssueFilter, $first: Int, $after: String, $last: Int, $before: String) { project(id: $p) { `+
		`issues(first: $first, after: $after, last: $last, before: $before, orderBy: [$o], where: $w) { nodes `+selectedRow+
		` incomplete pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, variables, &got); f != nil {
		t.Fatal(f)
	}
	page := &got.Project.Issues
	seen := map[string]bool{}
	for _, r := range page.Nodes {
		if seen[r.ID] {
			t.Fatalf("#%d is twice in a page by %s: %v", r.Num, w.order.name, nums(page.Nodes))
		}
		seen[r.ID] = true
		switch is := l.rows[r.ID]; {
		case is == nil:
			t.Fatalf("#%d is shown, and is not there", r.Num)
		case !is.same(r):
			t.Fatalf("#%d is shown as %+v, and is %+v", r.Num, r, is)
		case !w.meets(r):
			t.Fatalf("#%d is shown, and does not meet %v: %+v", r.Num, w.input, r)
		}
	}
	switch {
	case page.Incomplete:
		t.Fatalf("a page of a small grid is incomplete")
	case len(page.Nodes) < size && page.more(w):
		t.Fatalf("there is more, and the page has %d of %d rows", len(page.Nodes), size)
	}
	return page
}

func nums(rows []*row) (out []int) {
	for _, r := range rows {
		out = append(out, r.Num)
	}
	return out
}

// next reads the next page of a walk; whether there is more is looked at at once. It is nil at the end.
func (l *lagging) next(t *rapid.T, w *walk) *walk {
	page := l.page(t, w, rapid.IntRange(1, 6).Draw(t, "size"), w.after)
	if page.end(w) == nil {
		return nil
	}
	w.after = page.end(w)
	if beyond := l.page(t, w, 1, w.after); (len(beyond.Nodes) > 0) != page.more(w) {
		t.Fatalf("behind a page by %s, descending %t, of %v are %v, and it says that there is more: %t", w.order.name, w.descending, nums(page.Nodes), nums(beyond.Nodes), page.more(w))
	}
	if !page.more(w) {
		return nil
	}
	return w
}

// complete reads a whole grid when the index has caught up, and compares it with what there is.
func (l *lagging) complete(t *rapid.T, w *walk) {
	var got []*row
	for more := true; more; {
		page := l.page(t, w, 7, w.after)
		if w.backwards {
			slices.Reverse(page.Nodes)
		}
		got, more, w.after = append(got, page.Nodes...), page.more(w), page.end(w)
	}
	var want []*row
	for _, r := range l.rows {
		if w.meets(r) {
			want = append(want, r)
		}
	}
	slices.SortFunc(want, w.compare)
	if w.backwards {
		slices.Reverse(want)
	}
	if !slices.Equal(nums(want), nums(got)) {
		t.Fatalf("by %s, descending %t, backwards %t, of %v:\n%v, want\n%v", w.order.name, w.descending, w.backwards, w.input, nums(got), nums(want))
	}
}

func (w *walk) compare(a, b *row) int {
	if w.order.text {
		return w.turn(cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Num, b.Num)))
	}
	x, hasX := w.order.rank(a)
	y, hasY := w.order.rank(b)
	if hasX != hasY { // those without come last either way
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

// draw draws what a change writes.
func (l *lagging) draw(t *rapid.T, in map[string]any) {
	var values []any
	if rapid.Bool().Draw(t, "of name") || in["id"] == nil {
		in["name"] = fmt.Sprint("name ", rapid.IntRange(0, 9).Draw(t, "name"))
	}
	if rapid.Bool().Draw(t, "of state") {
		in["state"] = l.stateIDs[l.p][rapid.IntRange(0, 2).Draw(t, "state")]
	}
	if rapid.Bool().Draw(t, "of n") {
		var v any
		if n := rapid.IntRange(-1, 8).Draw(t, "n"); n >= 0 {
			v = map[string]any{"integer": fmt.Sprint(n)}
		}
		values = append(values, map[string]any{"field": l.n.id, "value": v})
	}
	if rapid.Bool().Draw(t, "of s") {
		var v any
		if n := rapid.IntRange(-1, 3).Draw(t, "s"); n >= 0 {
			v = map[string]any{"option": l.s.options[n]}
		}
		values = append(values, map[string]any{"field": l.s.id, "value": v})
	}
	if values != nil {
		in["values"] = values
	}
}

// mutate sends a mutation of one issue, and takes its answer for what the issue is.
func (l *lagging) mutate(t *rapid.T, name, input string, in map[string]any) *row {
	var got struct{ M struct{ Issue *row } }
	if f := l.ask(`mutation($i: `+input+`!, $n: ID!, $s: ID!) { m: `+name+`(input: $i) { issue `+selectedRow+` } }`, map[string]any{"i": in, "n": l.n.id, "s": l.s.id}, &got); f != nil {
		t.Fatal(f)
	}
	r := got.M.Issue
	given := in
	if issue, ok := in["issue"].(map[string]any); ok {
		given = issue
	}
	if err := r.has(given, l); err != "" {
		t.Fatalf("the answer to %s of %v: %s", name, in, err)
	}
	l.rows[r.ID] = r
	return r
}

// has tells what of a change is not in a row.
func (r *row) has(in map[string]any, l *lagging) string {
	if name, ok := in["name"]; ok && name != r.Name {
		return "the name is " + r.Name
	}
	if state, ok := in["state"]; ok && state != r.State.ID {
		return "the state is " + r.State.ID
	}
	values, _ := in["values"].([]any)
	for _, v := range values {
		v := v.(map[string]any)
		is := r.N
		if v["field"] == l.s.id {
			is = r.S
		}
		var want string
		if value, ok := v["value"].(map[string]any); ok {
			for _, one := range value {
				want = one.(string)
			}
		}
		if (is == nil) != (want == "") || is != nil && is.String() != want {
			return fmt.Sprintf("a value is %v, want %q", is, want)
		}
	}
	return ""
}

// pick draws one of the issues of a map; empty if it has none.
func (l *lagging) pick(t *rapid.T, of map[string]*row) string {
	var all []string
	for _, id := range l.order {
		if of[id] != nil {
			all = append(all, id)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(t, "issue")]
}

// lateWorld is a world whose index can be made to lag by the proxy.
func lateWorld(t *testing.T) (proxy *dynamotest.Proxy, w *world) {
	t.Helper()
	r := newRig(t, 1, func(p *dynamotest.Proxy) {
		proxy = p
		p.Lag(0)
	})
	return proxy, emptyWorld(t, newAPI(r.url))
}

// TestLaggingIndex changes issues and reads pages of grids by turns, while the index is behind the table by any number of writes: what is shown comes
// from the documents, and only where and whether a row is shown may be late. When the index has caught up, the grids are what they should be.
func TestLaggingIndex(t *testing.T) {
	proxy, w := lateWorld(t)
	tenant := w.addTenant("Late")
	projects := 0
	rapid.Check(t, func(t *rapid.T) {
		proxy.Lag(0)
		projects++
		l := &lagging{world: w, rows: map[string]*row{}, deleted: map[string]*row{}}
		l.p = w.addProject(tenant, fmt.Sprint("P", projects))
		l.n, l.s = w.addColumn(l.p, tracker.TypeInteger), w.addColumn(l.p, tracker.TypeSelect)
		var walks []*walk
		create := func(t *rapid.T) {
			in := map[string]any{}
			l.draw(t, in)
			l.order = append(l.order, l.mutate(t, "createIssue", "CreateIssueInput", map[string]any{"project": l.p.id, "issue": in}).ID)
		}
		for range rapid.IntRange(0, 12).Draw(t, "issues") {
			create(t)
		}
		t.Repeat(map[string]func(*rapid.T){
			"create": create,
			"update": func(t *rapid.T) {
				if id := l.pick(t, l.rows); id != "" {
					in := map[string]any{"id": id}
					l.draw(t, in)
					l.mutate(t, "updateIssue", "UpdateIssueInput", in)
				}
			},
			"delete": func(t *rapid.T) {
				id := l.pick(t, l.rows)
				if id == "" {
					return
				}
				var ignored any
				if f := l.ask(`mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`, map[string]any{"i": map[string]any{"id": id}}, &ignored); f != nil {
					t.Fatal(f)
				}
				l.deleted[id] = l.rows[id]
				delete(l.rows, id)
			},
			"restore": func(t *rapid.T) {
				id := l.pick(t, l.deleted)
				if id == "" {
					return
				}
				was := l.deleted[id]
				is := *l.mutate(t, "restoreIssue", "RestoreIssueInput", map[string]any{"id": id})
				if is.UpdatedAt = was.UpdatedAt; !was.same(&is) {
					t.Fatalf("restored as %+v, and was %+v", &is, was)
				}
				delete(l.deleted, id)
			},
			"begin a walk": func(t *rapid.T) {
				if next := l.next(t, l.walk(t)); next != nil {
					walks = append(walks, next)
				}
			},
			"go on with a walk": func(t *rapid.T) {
				if len(walks) == 0 {
					return
				}
				i := rapid.IntRange(0, len(walks)-1).Draw(t, "walk")
				if l.next(t, walks[i]) == nil {
					walks = slices.Delete(walks, i, i+1)
				}
			},
			"lag":      func(t *rapid.T) { proxy.Lag(rapid.SampledFrom([]int{0, 1, 3, 10, math.MaxInt}).Draw(t, "writes")) },
			"catch up": func(*rapid.T) { proxy.CatchUp() },
		})
		proxy.CatchUp()
		for range 4 {
			l.complete(t, l.walk(t))
		}
	})
}

// TestFilterOfMovedRow changes the value of a row in the column that a grid is ordered by, so that it does not meet the filter any more, while the
// index still has it where all rows do.
func TestFilterOfMovedRow(t *testing.T) {
	proxy, w := lateWorld(t)
	p := w.addProject(w.addTenant("Late"), "P")
	n := w.addColumn(p, tracker.TypeInteger).id
	filter := map[string]any{"fields": []any{map[string]any{"field": n, "integer": map[string]any{"gte": 3}}}}
	for _, test := range []struct {
		name   string
		before any
		after  string
		where  any
	}{
		{"out of the range", map[string]any{"integer": "5"}, "1", filter},
		{"out of the rows without a value", nil, "5", map[string]any{"not": filter}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var made struct {
				CreateIssue struct{ Issue struct{ ID string } }
			}
			w.must(`mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`, map[string]any{"project": p.id, "issue": map[string]any{"name": "Moves",
				"values": []any{map[string]any{"field": n, "value": test.before}}}}, &made)
			id := made.CreateIssue.Issue.ID
			proxy.CatchUp()
			shown := func() bool {
				var got struct {
					Project struct {
						Issues struct{ Nodes []struct{ ID string } }
					}
				}
				if f := w.ask(`query($p: ID!, $o: IssueOrder!, $w: IssueFilter) { project(id: $p) { issues(orderBy: [$o], where: $w) { nodes { id } } } }`,
					map[string]any{"p": p.id, "o": map[string]any{"column": map[string]any{"field": n}}, "w": test.where}, &got); f != nil {
					t.Fatal(f)
				}
				return slices.ContainsFunc(got.Project.Issues.Nodes, func(i struct{ ID string }) bool { return i.ID == id })
			}
			if !shown() {
				t.Error("it is not shown before")
			}
			proxy.Lag(math.MaxInt)
			defer proxy.Lag(0)
			var ignored any
			w.must(`mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }`, map[string]any{"id": id,
				"values": []any{map[string]any{"field": n, "value": map[string]any{"integer": test.after}}}}, &ignored)
			if shown() {
				t.Error("it is shown, and does not meet the filter")
			}
		})
	}
}
