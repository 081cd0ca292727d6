package grid_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"issuegrid/grid"
)

// TestDecisions checks that Planned is called once for each region that is read, with the method and the
// number of candidates.
func TestDecisions(t *testing.T) {
	w := planWorld()
	methods := []string{}
	for _, test := range plans {
		t.Run(test.name, func(t *testing.T) {
			order, err := grid.NewOrder(w.definition, test.order, false, false)
			if err != nil {
				t.Fatal(err)
			}
			var decisions []grid.Decision
			started := time.Now()
			_, err = grid.Read(context.Background(), grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts},
				grid.Request{Project: project, Definition: w.definition, Order: order,
					Where: test.where, Size: 9, NeedNext: true,
					Planned: func(_ context.Context, d grid.Decision) {
						decisions = append(decisions, d)
					}})
			if err != nil {
				t.Fatal(err)
			}
			if (test.queries == 0) != (len(decisions) == 0) {
				t.Errorf("up to %d queries are allowed, but got %d decisions", test.queries, len(decisions))
			}
			seen := map[bool]int{}
			for _, d := range decisions {
				if !d.Revised {
					seen[d.Tail]++
				}
				if seen[d.Tail] > 1 || d.Candidates < 1 || d.Start.Before(started) || d.Duration < 0 ||
					time.Since(d.Start) < d.Duration {
					t.Errorf("unexpected decision %+v in %+v", d, decisions)
				}
				if !slices.Contains([]string{"walk", "semi join", "intersect", "list", "sort"}, d.Method) {
					t.Errorf("unknown method %q", d.Method)
				}
				methods = append(methods, d.Method)
			}
		})
	}
	if slices.Sort(methods); len(slices.Compact(methods)) < 3 {
		t.Errorf("got only the methods %v, want at least three", methods)
	}
}
