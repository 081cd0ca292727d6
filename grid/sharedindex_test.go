package grid_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"issuegrid/grid"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// TestSharedIndex reads random ranges, in both directions and with random limits, and checks that each is
// read as from the index itself, that a range that was read before takes no call, and that no range takes
// more calls, or has a shorter first answer, than without sharing.
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
			want, short, without := keysOf(t, s, s, q)
			got, first, with := keysOf(t, s, shared, q)
			if q.Descending && q.Limit > 0 && q.From != nil {
				without++ // the rest may end with its last key, and only another call shows that none is left
			}
			if diff := cmp.Diff(want, got); diff != "" || with > without || first < short {
				t.Fatalf("%+v: %d calls, and %d keys in the first answer; %d and %d without sharing "+
					"(-index +shared):\n%s", q, with, first, without, short, diff)
			}
			if _, _, again := keysOf(t, s, shared, q); again > 0 {
				t.Fatalf("%+v: read again with %d calls", q, again)
			}
		}
	})
}

// keysOf reads the keys of a range, and returns them with the number of those in the first answer, and of
// calls.
func keysOf(t *rapid.T, s *store, index grid.Index, q columns.KeyQuery) (keys []string, first, calls int) {
	before := len(s.calls)
	for n := 0; ; n++ {
		page, err := index.QueryKeys(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		if page.Count != len(page.Keys) || q.Limit > 0 && page.Count > q.Limit || n > 100 {
			t.Fatalf("%+v: %d keys, count %d in page %d", q, len(page.Keys), page.Count, n)
		}
		if n == 0 {
			first = page.Count
		}
		for _, k := range page.Keys {
			keys = append(keys, fmt.Sprint(k.Issue.Issue, " ", k.SS))
		}
		if page.Last == nil {
			return keys, first, len(s.calls) - before
		}
		if q.Descending {
			q.To = page.Last
		} else {
			q.From = sortkey.After(page.Last)
		}
		if q.From != nil && q.To != nil && string(q.From) >= string(q.To) {
			return keys, first, len(s.calls) - before
		}
	}
}

// TestSharedIndexAtOnce sends equal queries at the same time, and checks that one call answers all of them,
// that all fail with it, and that a query that was canceled, or whose call has panicked, is repeated.
func TestSharedIndexAtOnce(t *testing.T) {
	for _, test := range []struct {
		name   string
		first  func(cancel func()) error // what the first call does
		failed int                       // queries
	}{
		{"answered", func(func()) error { return nil }, 0},
		{"failed", func(func()) error { return errLimit }, 3},
		{"canceled", func(cancel func()) error { cancel(); return context.Canceled }, 1},
		{"no memory", func(func()) error { return account.ErrMemory }, 1},
		{"panicked", func(func()) error { panic("the call") }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, release := newStore(), make(chan struct{})
				s.put(partition{project: project, column: tracker.ColumnNum},
					entry{id: tracker.IssueID{Project: project, Issue: "i"}, ss: sortkey.Num(1)})
				var first sync.Once
				index := grid.NewSharedIndex(indexFunc(func(ctx context.Context, q columns.KeyQuery) (
					_ columns.KeyPage, err error) {
					<-release
					first.Do(func() { err = test.first(ctx.Value(canceling{}).(context.CancelFunc)) })
					if err != nil {
						return columns.KeyPage{}, err
					}
					return s.QueryKeys(ctx, q)
				}))
				var group sync.WaitGroup
				failures := make(chan any, 3)
				for range 3 {
					group.Go(func() {
						defer func() {
							if reason := recover(); reason != nil {
								failures <- reason
							}
						}()
						ctx, cancel := context.WithCancel(t.Context())
						defer cancel()
						page, err := index.QueryKeys(context.WithValue(ctx, canceling{}, cancel),
							columns.KeyQuery{Project: project, Column: tracker.ColumnNum})
						if err != nil {
							failures <- err
						} else if len(page.Keys) != 1 {
							t.Errorf("%d keys, want 1", len(page.Keys))
						}
					})
				}
				synctest.Wait()
				close(release)
				group.Wait()
				calls := 1
				if test.failed == 3 {
					calls = 0
				}
				if len(failures) != test.failed || len(s.calls) != calls {
					t.Errorf("%d of 3 queries failed, and %d were answered by the index; want %d and %d",
						len(failures), len(s.calls), test.failed, calls)
				}
			})
		})
	}
}

// TestSharedIndexIsCounted checks that keys from memory count against the CPU time and the memory of the
// operation.
func TestSharedIndexIsCounted(t *testing.T) {
	s := newStore()
	for n := range int64(1000) {
		s.put(partition{project: project, column: tracker.ColumnNum},
			entry{id: tracker.IssueID{Project: project, Issue: fmt.Sprint("i", n)}, ss: sortkey.Num(n)})
	}
	index := grid.NewSharedIndex(s)
	a := account.New("t", account.Limits{CPU: time.Second, Memory: 400_000}, nil, nil)
	ctx := account.With(t.Context(), a)
	for n := range 4 { // the first is a call, and each other one holds 150,000 bytes
		_, err := index.QueryKeys(ctx, columns.KeyQuery{Project: project, Column: tracker.ColumnNum})
		if enough := n < 3; (err == nil) != enough || !enough && !errors.Is(err, account.ErrMemory) {
			t.Errorf("answer %d: %v", n, err)
		}
	}
	if got := a.CPU(); got != 3*1000*200*time.Nanosecond || len(s.calls) != 1 {
		t.Errorf("%v of CPU time, %d calls", got, len(s.calls))
	}
}

// canceling is the key of the function that cancels a context.
type canceling struct{}

type indexFunc func(context.Context, columns.KeyQuery) (columns.KeyPage, error)

func (f indexFunc) QueryKeys(ctx context.Context, q columns.KeyQuery) (columns.KeyPage, error) {
	return f(ctx, q)
}
