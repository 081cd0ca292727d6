//go:build unix

package chaos_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// lagging is a project whose issues change and whose grids are read while the index lags.
type lagging struct {
	*world
	p       *project
	n, s    *column
	rows    map[string]*row // existing issues
	deleted map[string]*row
	order   []string // all IDs, so that draws can be reproduced
}

// complete reads a whole grid after the index has caught up and compares it with the existing issues.
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
		t.Fatalf("by %s, descending %t, backwards %t, of %v:\n%v, want\n%v", w.order.name, w.descending,
			w.backwards, w.input, nums(got), nums(want))
	}
}

// draw draws the values that a change writes.
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

// mutate sends a mutation of one issue and returns the issue from the response.
func (l *lagging) mutate(t *rapid.T, name, input string, in map[string]any) *row {
	var got struct{ M struct{ Issue *row } }
	if f := l.ask(`mutation($i: `+input+`!, $n: ID!, $s: ID!) { m: `+name+`(input: $i) { issue `+selectedRow+
		` } }`, map[string]any{"i": in, "n": l.n.id, "s": l.s.id}, &got); f != nil {
		t.Fatal(f)
	}
	r := got.M.Issue
	given := in
	if issue, ok := in["issue"].(map[string]any); ok {
		given = issue
	}
	if err := r.has(given, l); err != "" {
		t.Fatalf("the response to %s of %v: %s", name, in, err)
	}
	l.rows[r.ID] = r
	return r
}

// has describes the first part of a change that is missing from a row. It is empty if none is.
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

// pick draws one of the issues of a map. It returns "" if the map is empty.
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

// lateWorld returns a world whose index lags when the proxy delays it.
func lateWorld(t *testing.T) (proxy *dynamotest.Proxy, w *world) {
	t.Helper()
	r := newRig(t, 1, func(p *dynamotest.Proxy) {
		proxy = p
		p.Lag(0)
	})
	return proxy, emptyWorld(t, newAPI(r.url), r.store)
}

// TestLaggingIndex interleaves changes of issues with reads of grid pages, while the index lags behind the
// table by any number of writes. It verifies that the values of a row come from the document: only the
// position and presence of a row may be out of date. After the index has caught up, the grids must be exact.
func TestLaggingIndex(t *testing.T) {
	tier.Verify(t, "the interleaving of its clients depends on the machine")
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
			l.order = append(l.order, l.mutate(t, "createIssue", "CreateIssueInput",
				map[string]any{"project": l.p.id, "issue": in}).ID)
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
				if f := l.ask(`mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
					map[string]any{"i": map[string]any{"id": id}}, &ignored); f != nil {
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
					t.Fatalf("restored as %+v, but was %+v before", &is, was)
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
			"lag": func(t *rapid.T) {
				proxy.Lag(rapid.SampledFrom([]int{0, 1, 3, 10, math.MaxInt}).Draw(t, "writes"))
			},
			"catch up": func(*rapid.T) { proxy.CatchUp() },
		})
		proxy.CatchUp()
		for range 4 {
			l.complete(t, l.walk(t))
		}
	})
}

// TestFilterOfMovedRow changes the value of a row in the column that orders the grid, so that the row no
// longer matches the filter, while the index still has the row at its old position among matching rows.
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
			w.must(`mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
				map[string]any{"project": p.id, "issue": map[string]any{"name": "Moves",
					"values": []any{map[string]any{"field": n, "value": test.before}}}}, &made)
			id := made.CreateIssue.Issue.ID
			proxy.CatchUp()
			shown := func() bool {
				var got struct {
					Project struct {
						Issues struct{ Nodes []struct{ ID string } }
					}
				}
				if f := w.ask(
					`query($p: ID!, $o: IssueOrder!, $w: IssueFilter) { project(id: $p) { issues(orderBy: [$o], where: $w) { nodes { id } } } }`,
					map[string]any{"p": p.id, "o": map[string]any{"column": map[string]any{"field": n}},
						"w": test.where}, &got); f != nil {
					t.Fatal(f)
				}
				return slices.ContainsFunc(got.Project.Issues.Nodes, func(i struct{ ID string }) bool {
					return i.ID == id
				})
			}
			if !shown() {
				t.Error("the grid does not show the row before the change")
			}
			proxy.Lag(math.MaxInt)
			defer proxy.Lag(0)
			var ignored any
			w.must(`mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }`,
				map[string]any{"id": id,
					"values": []any{map[string]any{"field": n,
						"value": map[string]any{"integer": test.after}}}}, &ignored)
			if shown() {
				t.Error("the grid shows the row, which does not match the filter")
			}
		})
	}
}
