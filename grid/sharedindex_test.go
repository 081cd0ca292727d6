package grid_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/columns"
	"issuegrid/grid"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// TestSharedIndex reads random ranges, in both directions and with random limits, and checks that each is
// read as from the index itself, that a range that was read before costs nothing, and that no range costs
// more calls than without sharing.
func TestSharedIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStore()
		s.megabyte = rapid.IntRange(1, 9).Draw(t, "keys of a response")
		n := rapid.IntRange(0, 30).Draw(t, "keys")
		for i := range n {
			s.put(partition{project: project, column: tracker.ColumnNum},
				entry{id: tracker.IssueID{Project: project, Issue: fmt.Sprint("i", i)},
					ss: sortkey.Num(int64(2 * i))})
		}
		shared := grid.NewSharedIndex(s)
		bound := func(name string) []byte {
			if at := rapid.IntRange(-1, 2*n+1).Draw(t, name); at >= 0 {
				return sortkey.Num(int64(at))
			}
			return nil
		}
		for range rapid.IntRange(1, 12).Draw(t, "ranges") {
			q := columns.KeyQuery{Project: project, Column: tracker.ColumnNum, From: bound("from"),
				To: bound("to"), Descending: rapid.Bool().Draw(t, "descending"),
				Limit: rapid.IntRange(0, 12).Draw(t, "limit")}
			if q.From != nil && q.To != nil && string(q.From) >= string(q.To) {
				continue
			}
			want, without := keysOf(t, s, s, q)
			got, with := keysOf(t, s, shared, q)
			if diff := cmp.Diff(want, got); diff != "" || with > without {
				t.Fatalf("%+v: %d calls, %d without sharing (-index +shared):\n%s", q, with, without, diff)
			}
			if _, again := keysOf(t, s, shared, q); again > 0 {
				t.Fatalf("%+v: read again with %d calls", q, again)
			}
		}
	})
}

// keysOf reads the keys of a range, and returns them with the number of calls.
func keysOf(t *rapid.T, s *store, index grid.Index, q columns.KeyQuery) (keys []string, calls int) {
	before := len(s.calls)
	for n := 0; ; n++ {
		page, err := index.QueryKeys(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if page.Count != len(page.Keys) || q.Limit > 0 && page.Count > q.Limit || n > 100 {
			t.Fatalf("%+v: %d keys, count %d in page %d", q, len(page.Keys), page.Count, n)
		}
		for _, k := range page.Keys {
			keys = append(keys, fmt.Sprint(k.Issue.Issue, " ", k.SS))
		}
		if page.Last == nil {
			return keys, len(s.calls) - before
		}
		if q.Descending {
			q.To = page.Last
		} else {
			q.From = sortkey.After(page.Last)
		}
		if q.From != nil && q.To != nil && string(q.From) >= string(q.To) {
			return keys, len(s.calls) - before
		}
	}
}

// TestSharedIndexAtOnce sends equal queries at the same time, and checks that one call answers them, and that
// each of them is repeated if it fails.
func TestSharedIndexAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, release := newStore(), make(chan struct{})
		s.put(partition{project: project, column: tracker.ColumnNum},
			entry{id: tracker.IssueID{Project: project, Issue: "i"}, ss: sortkey.Num(1)})
		failures := 1
		index := grid.NewSharedIndex(indexFunc(func(ctx context.Context, q columns.KeyQuery) (columns.KeyPage,
			error) {
			<-release
			if failures--; failures >= 0 {
				return columns.KeyPage{}, errLimit
			}
			return s.QueryKeys(ctx, q)
		}))
		var group sync.WaitGroup
		failed := make(chan error, 9)
		for range 3 {
			group.Go(func() {
				page, err := index.QueryKeys(t.Context(), columns.KeyQuery{Project: project,
					Column: tracker.ColumnNum})
				if err == nil && len(page.Keys) != 1 {
					t.Errorf("%d keys, want 1", len(page.Keys))
				}
				failed <- err
			})
		}
		synctest.Wait()
		close(release)
		group.Wait()
		close(failed)
		errors := 0
		for err := range failed {
			if err != nil {
				errors++
			}
		}
		if errors != 1 || len(s.calls) != 1 {
			t.Errorf("%d of 3 queries failed, and %d others were sent; want 1 and 1", errors, len(s.calls))
		}
	})
}

type indexFunc func(context.Context, columns.KeyQuery) (columns.KeyPage, error)

func (f indexFunc) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	return f(ctx, q)
}
