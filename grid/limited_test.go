package grid_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// TestLimitedWalks checks that pages of rows and of groups whose operations have little memory or CPU time
// left, or no time, end early and report it, that a walk still progresses with every page, and that it shows
// each row exactly once (G3, G7).
func TestLimitedWalks(t *testing.T) {
	stopped, refused := map[string]int{}, 0
	worldsOf{10_000, worlds / 4, []int{60}, queriesEach / 2, nil}.each(t, func(w *world) error {
		for _, limit := range limits {
			several := w.severalColumns()
			several.request.Budget, several.open = 0, limit.open(w)
			if err := several.walk(); err != nil {
				return fmt.Errorf("%s: %w", limit.name, err)
			}
			stopped["several columns, "+limit.name] += several.stopped
			refused += several.refused
			for range 4 { // pages of one column reach the limit of memory rarely
				one := w.query().sorted(false)
				one.request.Budget, one.open = 0, limit.open(w)
				if err := one.walk(); err != nil {
					return fmt.Errorf("%s: %w", limit.name, err)
				}
				stopped["one column, "+limit.name] += one.stopped
				refused += one.refused
			}
		}
		return nil
	})
	worldsOf{80_000, worlds / 8, []int{200}, queriesEach / 2, nil}.each(t, func(w *world) error {
		for _, limit := range limits {
			g := w.grouped()
			g.request.Budget, g.open = 0, limit.open(w)
			if err := g.walk(); err != nil {
				return fmt.Errorf("%s: %w", limit.name, err)
			}
			stopped["groups"] += g.stopped
		}
		return nil
	})
	// A page is refused if a set in which it has no row holds the memory that the documents of the next
	// region need.
	if few := 1 + stopped["several columns, memory"]/200; refused > few {
		t.Errorf("%d pages were too large, want at most %d", refused, few)
	}
	for _, limit := range []string{"one column, memory", "one column, CPU time", "one column, time",
		"several columns, memory", "several columns, CPU time", "several columns, time", "groups"} {
		if stopped[limit] == 0 {
			t.Errorf("%v: a limit was never used", stopped)
		}
	}
}

// limits are limits of operations, with functions that open accounts with little left.
var limits = []struct {
	name string
	open func(*world) func() *account.Account
}{
	{"memory", func(w *world) func() *account.Account {
		return func() *account.Account {
			// Each of two regions may need a batch: the first for a set that has no row.
			return account.New("t", account.Limits{Memory: heldDocument *
				int64(2*grid.LowMemoryBatch+w.random.IntN(4))}, nil, nil)
		}
	}},
	{"CPU time", func(w *world) func() *account.Account {
		return func() *account.Account {
			a := account.New("t", account.Limits{CPU: time.Second}, nil, nil)
			a.Spend(750*time.Millisecond - time.Duration(w.random.IntN(40))*time.Microsecond)
			return a
		}
	}},
	{"time", func(*world) func() *account.Account { return func() *account.Account { return late } }},
}

// late is the account of an operation whose time for reading is over.
var late = func() *account.Account {
	ctx, cancel := context.WithDeadline(context.Background(), time.Time{})
	defer cancel()
	a := account.New("t", account.Limits{}, nil, nil)
	a.Begin(ctx)
	return a
}()

// TestOperationsTooLarge checks that a page fails if not even lowMemoryBatch documents fit into memory, or if
// all of its CPU time is spent.
func TestOperationsTooLarge(t *testing.T) {
	w := newWorld(1, 60)
	for len(w.issues) < 20 {
		w.insert()
	}
	r := grid.Request{Project: project, Definition: w.definition, Size: 10,
		Order: ascending(t, w.definition, tracker.ColumnNum),
		Where: filter.Contains{Column: tracker.ColumnName, Folded: "a"}}
	read := func(a *account.Account) error {
		_, err := grid.Read(account.With(t.Context(), a),
			w.source(), r)
		return err
	}
	if err := read(account.New("t", account.Limits{Memory: heldDocument * (grid.LowMemoryBatch - 1)}, nil,
		nil)); !errors.Is(err, account.ErrMemory) {
		t.Errorf("got %v, want %v", err, account.ErrMemory)
	}
	spent := account.New("t", account.Limits{CPU: time.Millisecond}, nil, nil)
	spent.Spend(2 * time.Millisecond)
	if err := read(spent); !errors.Is(err, account.ErrCPU) {
		t.Errorf("got %v, want %v", err, account.ErrCPU)
	}
}

// TestCountsAreLimited checks that a count that cannot read more documents returns a lower bound.
func TestCountsAreLimited(t *testing.T) {
	w := newWorld(2, 60)
	for len(w.issues) < 50 {
		w.insert()
	}
	r := grid.Request{Project: project, Definition: w.definition,
		Where: filter.Negate(filter.Contains{Column: tracker.ColumnName, Folded: "nowhere"})}
	count := func(a *account.Account) (int, bool) {
		n, err := grid.Count(account.With(t.Context(), a),
			w.source(), r)
		if err != nil {
			t.Fatal(err)
		}
		return n.N, n.Exact
	}
	all, exact := count(nil)
	if all != len(w.issues) || !exact {
		t.Fatalf("got %d, exact %t, want %d", all, exact, len(w.issues))
	}
	over := account.New("t", account.Limits{CPU: time.Second}, nil, nil)
	over.Spend(750*time.Millisecond - 20*time.Microsecond)
	for name, a := range map[string]*account.Account{"memory": account.New("t",
		account.Limits{Memory: heldDocument}, nil, nil), "CPU time": over, "time": late} {
		if n, exact := count(a); n >= all || exact {
			t.Errorf("%s: got %d of %d, exact %t", name, n, all, exact)
		}
	}
}

// TestLongTextsInBatches checks that a filter reads long texts a few megabytes at a time, and releases those
// of documents that are not rows.
func TestLongTextsInBatches(t *testing.T) {
	w := newWorld(3, 1)
	for len(w.issues) < 60 {
		w.insert()
	}
	for n, i := range w.issues {
		i.Description = tracker.Text(strings.Repeat("x", 300<<10) + []string{"no", "yes"}[n%2])
		w.docs[i.ID].Description = tracker.LongText(tracker.Long{ID: "x", Bytes: 300 << 10, Parts: 1})
	}
	const maxBatch = 4 << 20
	kept, peak := 0, 0
	source := grid.Source{Index: w, Fetch: w.fetch,
		Texts: func(ctx context.Context, refs []tracker.LongRef) ([]string, error) {
			requested := 0
			for _, r := range refs {
				requested += r.Long.Bytes
			}
			if requested > maxBatch {
				t.Errorf("%d bytes were requested at once", requested)
			}
			kept += requested
			peak = max(peak, kept)
			return w.texts(ctx, refs)
		},
		ReleaseTexts: func(_ context.Context, refs []tracker.LongRef) {
			for _, r := range refs {
				kept -= r.Long.Bytes
			}
		}}
	page := readPage(t, source, tracker.ColumnNum, grid.Request{Definition: w.definition, Size: 60,
		Budget: 100_000, Where: filter.Contains{Column: tracker.ColumnDescription, Folded: "yes"}})
	if len(page.Rows) != 30 {
		t.Fatalf("got %d rows, want 30", len(page.Rows))
	}
	if rows := 30 * (300 << 10); kept != rows || peak > rows+maxBatch {
		t.Errorf("%d bytes of texts are kept, %d at peak; the rows have %d", kept, peak, rows)
	}
}

// TestWalkOfCostlyTexts checks that a filter of long texts that cost most to fold ends its pages early,
// without rows, and that a walk over such pages comes to its end and finds the rows.
func TestWalkOfCostlyTexts(t *testing.T) {
	w := newWorld(4, 1)
	for len(w.issues) < 34 {
		w.insert()
	}
	const bytes = 249 << 10
	for n, i := range w.issues {
		i.Description = tracker.Text(strings.Repeat("\ufdfa", bytes/3) + []string{"", "yes"}[n/33])
		w.docs[i.ID].Description = tracker.LongText(tracker.Long{ID: "x", Bytes: bytes, Parts: 1})
	}
	r := grid.Request{Project: project, Definition: w.definition, Size: 10, NeedNext: true,
		Order: ascending(t, w.definition, tracker.ColumnNum),
		Where: filter.Contains{Column: tracker.ColumnDescription, Folded: "yes"}}
	rows, pages, stopped := 0, 0, 0
	for next := true; next; pages++ {
		if pages > len(w.issues) {
			t.Fatalf("the walk has not ended after %d pages", pages)
		}
		limited := account.New("t", account.Limits{CPU: 100 * time.Millisecond}, nil, nil)
		ctx := account.With(t.Context(), limited)
		page, err := grid.Read(ctx, grid.Source{Index: w, Fetch: w.fetch, Texts: w.texts}, r)
		if err != nil {
			t.Fatal(err)
		}
		rows += len(page.Rows)
		if next = page.HasNext; !next {
			break
		}
		if page.Position == nil {
			t.Fatalf("a page without rows has no position: %+v", page)
		}
		stopped++
		r.After = r.Order.From(page.Position)
	}
	if rows != 1 || stopped == 0 {
		t.Errorf("%d rows on %d pages, of which %d ended early", rows, pages, stopped)
	}
}
