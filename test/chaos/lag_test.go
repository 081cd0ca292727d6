//go:build unix

package chaos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/editor"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

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
	tier.Verify(t, "it repeats the laws of pages at length, with a lagging index")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	proxy, w := lateWorld(t)
	tenant, rng := w.addTenant("Late"), rand.New(rand.NewPCG(seed, 0))
	for n := range 50 {
		proxy.Lag(0)
		e := &editor.Editor{T: t, Rng: rng, Project: fmt.Sprint("P", n),
			Send: func(query string, variables map[string]any, into any) bool {
				if f := w.ask(query, variables, into); f != nil {
					t.Fatalf("%s: %v", query, f)
				}
				return true
			}}
		e.SetUp(tenant, 1, rng.IntN(13))
		var walks []*editor.Grid
		for range 40 {
			switch rng.IntN(8) {
			case 0:
				proxy.Lag([]int{0, 1, 3, 10, math.MaxInt}[rng.IntN(5)])
			case 1:
				proxy.CatchUp()
			case 2:
				walks = append(walks, e.Grid())
			case 3, 4:
				walks = slices.DeleteFunc(walks, func(g *editor.Grid) bool {
					return rng.IntN(2) == 0 && !e.Peek(g)
				})
			default:
				e.Change()
			}
		}
		proxy.CatchUp()
		for range 4 {
			e.Walk(math.MaxInt)
		}
		if t.Failed() {
			return
		}
	}
}

// TestFilterOfMovedRow changes the value of a row in the column that orders the grid, so that the row no
// longer matches the filter, while the index still has the row at its old position among matching rows.
func TestFilterOfMovedRow(t *testing.T) {
	proxy, w := lateWorld(t)
	p := w.addProject(w.addTenant("Late"), "P")
	n := w.addColumn(p, tracker.TypeInteger).id
	filter := map[string]any{"fields": []any{map[string]any{"fieldId": n,
		"integer": map[string]any{"gte": 3}}}}
	for _, test := range []struct {
		name   string
		before []any
		after  string
		where  any
	}{
		{"out of the range", []any{map[string]any{"fieldId": n,
			"value": map[string]any{"integer": "5"}}}, "1", filter},
		{"out of the rows without a value", nil, "5", map[string]any{"not": filter}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var made struct {
				CreateIssue struct{ Issue struct{ ID string } }
			}
			w.must(`mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }`,
				map[string]any{"projectId": p.id, "issue": map[string]any{"name": "Moves",
					"values": test.before}}, &made)
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
					map[string]any{"p": p.id, "o": map[string]any{"column": map[string]any{"fieldId": n}},
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
				map[string]any{"issue": map[string]any{"id": id,
					"values": []any{map[string]any{"fieldId": n,
						"value": map[string]any{"integer": test.after}}}}}, &ignored)
			if shown() {
				t.Error("the grid shows the row, which does not match the filter")
			}
		})
	}
}
