package grid_test

import (
	"context"
	"errors"
	"testing"

	"issuegrid/grid"
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
