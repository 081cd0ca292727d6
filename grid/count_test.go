package grid_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		rows, megabyte, n, queries int
		exact                      bool
	}{
		{0, 0, 0, 1, true},
		{7, 0, 7, 1, true},
		{7, 8, 7, 1, true},
		{7, 7, 7, 2, true}, // the response that ends with the last key does not report the end
		{95, 10, 95, grid.CountQueries, true},
		{99, 10, 99, grid.CountQueries, true},
		{100, 10, 100, grid.CountQueries, false},
		{1000, 10, 100, grid.CountQueries, false},
	} {
		byState := column{tracker.ColumnState, encodeInt, ints}
		s := byState.fill(plain(c.rows, 0))
		s.megabyte = c.megabyte
		n, exact, err := grid.Count(t.Context(), s.source(), grid.Request{Project: project})
		if n != c.n || exact != c.exact || err != nil {
			t.Errorf("%+v: got %d, %t, %v", c, n, exact, err)
		}
		if len(s.calls) != c.queries {
			t.Errorf("%+v: got %d queries", c, len(s.calls))
		}
		for _, call := range s.calls {
			if q := call.query; q.Column != tracker.ColumnState || !q.CountOnly || q.Limit != 0 {
				t.Errorf("unexpected query %+v", q)
			}
		}
	}
}

func TestCountFails(t *testing.T) {
	s := newStore()
	s.before = func(call) error { return errBroken }
	if n, exact, err := grid.Count(t.Context(), s.source(), grid.Request{Project: project}); !errors.Is(err,
		errBroken) || n != 0 || exact {
		t.Errorf("got %d, %t, %v, want 0, false, %v", n, exact, err, errBroken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = newStore()
	if _, _, err := grid.Count(ctx, grid.Source{Index: ignoresContext{s}},
		grid.Request{Project: project}); !errors.Is(err, context.Canceled) || len(s.calls) > 0 {
		t.Errorf("cancelled context: got %v after %d calls", err, len(s.calls))
	}
}

// TestCountOfTheBudget counts by a filter that reads documents, in projects with about as many issues as
// documents may be read. The count of as many is exact.
func TestCountOfTheBudget(t *testing.T) {
	const budget = grid.DefaultBudget
	for _, more := range []int{-1, 0, 1000} { // the last batch may be larger than the rest of the budget
		w := newWorld(1, 1)
		w.megabyte = 0
		for range budget + more {
			w.insert()
		}
		contains, err := new(filter.Operands).Contains(tracker.ColumnName, "b")
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, i := range w.issues {
			if strings.Contains(strings.ToLower(i.Name), "b") {
				want++
			}
		}
		n, exact, err := grid.Count(t.Context(), grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts},
			grid.Request{Project: project, Definition: w.definition, Where: contains})
		if exact != (more <= 0) || exact && n != want || n > want || n < want/2 || err != nil {
			t.Errorf("%d issues more than the budget: got %d, %t, %v, want %d", more, n, exact, err, want)
		}
	}
}
