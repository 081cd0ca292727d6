package grid_test

import (
	"context"
	"errors"
	"testing"

	"issuegrid/grid"
	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

var errBroken = errors.New("broken")

// TestErrorsAreReturned fails each request of a page in turn.
func TestErrorsAreReturned(t *testing.T) {
	rows := ghosts(plain(8, 20), 5, 6)
	o := newOracle(byField, false, false, rows)
	a := pageQuery{size: 6, after: &o.rows[2], next: true, previous: true}
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
			t.Fatalf("call %d failed: got %v and %+v, want the error of the call", failing, err, page)
		}
	}
	if calls < 5 {
		t.Fatalf("got %d calls, want at least 5: for both regions, both directions and two fetches", calls)
	}
}

// TestCancelledContext cancels the context before each request of a page. The source ignores the context.
func TestCancelledContext(t *testing.T) {
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
		source := ignoresContext{s}
		if _, err := grid.Read(ctx, grid.Source{Index: source, Fetch: source.fetch},
			o.request(t, pageQuery{size: 10})); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at call %d: got error %v", cancelled, err)
		}
		if len(s.calls) != cancelled {
			t.Errorf("got %d calls, want none after call %d, which cancelled the context", len(s.calls),
				cancelled)
		}
		cancel()
	}
}

// ignoresContext is a store that ignores the context.
type ignoresContext struct{ s *store }

func (d ignoresContext) QueryKeys(_ context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	return d.s.QueryKeys(context.Background(), q)
}

func (d ignoresContext) fetch(_ context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
	return d.s.fetch(context.Background(), ids)
}

func TestDefectsAreInternal(t *testing.T) {
	rows := plain(3, 0)
	o := newOracle(byField, false, false, rows)
	s := o.column.fill(rows)
	request := o.request(t, pageQuery{size: 2})
	short := func(ctx context.Context, ids []tracker.IssueID) ([]*tracker.Issue, error) {
		docs, err := s.fetch(ctx, ids)
		return docs[1:], err
	}
	if _, err := grid.Read(t.Context(), grid.Source{Index: s, Fetch: short},
		request); tracker.CodeOf(err) != tracker.InternalErr {
		t.Errorf("too few documents: got %v", err)
	}
	request.Size = 0
	if _, err := grid.Read(t.Context(), s.source(), request); tracker.CodeOf(err) != tracker.InternalErr {
		t.Errorf("size 0: got %v", err)
	}
	request.Size = 1
	s.partitions[partition{project: project, column: byField.id}][0].ss = []byte("\xff?")
	page, err := grid.Read(t.Context(), s.source(), request)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := page.Rows[0].Cursor(); tracker.CodeOf(err) != tracker.InternalErr {
		t.Errorf("invalid sort string: got %+v, %v", c, err)
	}
}
