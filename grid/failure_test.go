package grid_test

import (
	"context"
	"errors"
	"testing"

	"issuegrid/columns"
	"issuegrid/grid"
	"issuegrid/tracker"
)

var errBroken = errors.New("broken")

// TestErrorsComeOut fails each request of a page in turn.
func TestErrorsComeOut(t *testing.T) {
	rows := ghosts(plain(8, 20), 5, 6)
	o := newOracle(byField, false, false, rows)
	a := ask{size: 6, after: &o.rows[2], next: true, previous: true}
	calls := 0
	for failing := 0; ; failing++ {
		s := o.column.fill(rows)
		calls = 0
		s.before = func(call) error {
			if calls++; calls-1 == failing {
				return errBroken
			}
			return nil
		}
		page, err := grid.Read(t.Context(), s.source(), o.request(t, a))
		if calls <= failing {
			if err != nil {
				t.Fatal(err)
			}
			o.check(t, a, summary(page))
			break
		}
		if !errors.Is(err, errBroken) {
			t.Fatalf("call %d: got %v and %+v, want the error of the call", failing, err, page)
		}
	}
	if calls < 5 {
		t.Fatalf("the page had only %d calls; it was to read the tail, go back, and fetch twice", calls)
	}
}

// TestCancelledContextEnds cancels ahead of each request of a page whose answers never tell of it.
func TestCancelledContextEnds(t *testing.T) {
	rows := ghosts(plain(400, 0), 1, 400)
	o := newOracle(byField, false, false, rows)
	for _, cancelled := range []int{0, 1, 2, 3, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		s := o.column.fill(rows)
		if cancelled == 0 {
			cancel()
		}
		s.before = func(call) error {
			if len(s.calls) == cancelled {
				cancel()
			}
			return nil
		}
		deaf := deaf{s}
		if _, err := grid.Read(ctx, grid.Source{Index: deaf, Fetch: deaf.fetch},
			o.request(t, ask{size: 10})); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at call %d: %v", cancelled, err)
		}
		if len(s.calls) != cancelled {
			t.Errorf("%d calls although the context ended with call %d", len(s.calls), cancelled)
		}
		cancel()
	}
}

// deaf does not look at the context.
type deaf struct{ s *store }

func (d deaf) QueryKeys(_ context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	return d.s.QueryKeys(context.Background(), q)
}

func (d deaf) fetch(_ context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return d.s.fetch(context.Background(), ids)
}

func TestDefectsAreInternal(t *testing.T) {
	rows := plain(3, 0)
	o := newOracle(byField, false, false, rows)
	s := o.column.fill(rows)
	request := o.request(t, ask{size: 2})
	short := func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
		docs, err := s.fetch(ctx, ids)
		return docs[1:], err
	}
	if _, err := grid.Read(t.Context(), grid.Source{Index: s, Fetch: short},
		request); tracker.CodeOf(err) != tracker.InternalErr {
		t.Errorf("too few documents: %v", err)
	}
	request.Size = 0
	if _, err := grid.Read(t.Context(), s.source(), request); tracker.CodeOf(err) != tracker.InternalErr {
		t.Errorf("no rows asked for: %v", err)
	}
	request.Size = 1
	s.partitions[partition{project, byField.id, ""}][0].ss = []byte("\xff?")
	page, err := grid.Read(t.Context(), s.source(), request)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := page.Rows[0].Cursor(); tracker.CodeOf(err) != tracker.InternalErr {
		t.Errorf("a sort string that is none: %+v, %v", c, err)
	}
}
