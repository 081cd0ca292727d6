package grid_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"issuegrid/grid"
)

// TestDecisions: each part of a grid that is read is told once, with its method and the ways that there were,
// and never what is searched for.
func TestDecisions(t *testing.T) {
	w := planned()
	methods := []string{}
	for _, test := range plans {
		t.Run(test.name, func(t *testing.T) {
			order, err := grid.NewOrder(w.definition, test.order, false, false)
			if err != nil {
				t.Fatal(err)
			}
			var told []grid.Decision
			started := time.Now()
			_, err = grid.Read(context.Background(), grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts},
				grid.Request{Project: project, Definition: w.definition, Order: order,
					Where: test.where, Size: 9, NeedNext: true,
					Planned: func(_ context.Context, d grid.Decision) {
						told = append(told, d)
					}})
			if err != nil {
				t.Fatal(err)
			}
			if (test.queries == 0) != (len(told) == 0) {
				t.Errorf("%d queries may be, and %d decisions were told", test.queries, len(told))
			}
			seen := map[bool]int{}
			for _, d := range told {
				if !d.Revised {
					seen[d.Tail]++
				}
				if seen[d.Tail] > 1 || d.Ways < 1 || d.Start.Before(started) || d.Duration < 0 ||
					time.Since(d.Start) < d.Duration {
					t.Errorf("%+v of %+v", d, told)
				}
				if !slices.Contains([]string{"walk", "semi join", "intersect", "list", "sort"}, d.Method) {
					t.Errorf("method %q", d.Method)
				}
				methods = append(methods, d.Method)
			}
		})
	}
	if slices.Sort(methods); len(slices.Compact(methods)) < 3 {
		t.Errorf("only the methods %v", methods)
	}
}
