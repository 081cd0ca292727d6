package grid_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// expiringContext is a context that ends after a number of calls of Err since it was armed.
type expiringContext struct {
	context.Context
	armed bool
	left  int
	late  int // number of calls of Err after it had ended
}

func (e *expiringContext) Err() error {
	if !e.armed {
		return nil
	}
	if e.left--; e.left >= 0 {
		return nil
	}
	e.late++
	return context.Canceled
}

// TestMatchingEndsWithContext cancels the context after each piece of the texts of a page while they are
// searched, when no other part of the page checks the context.
func TestMatchingEndsWithContext(t *testing.T) {
	text := strings.Repeat("Größenänderung ", 20_000) // 360 KB
	const issues = 3
	order := ascending(t, definition, tracker.ColumnNum)
	for name, where := range map[string]filter.Condition{
		"contains":             filter.Contains{Column: tracker.ColumnDescription, Folded: "not there"},
		"contains any of many": filter.Or(containing(30)),
		"equals, with leading marks": filter.In{Column: tracker.ColumnDescription,
			Values: filter.Equal(sortkey.Text("x"))},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore()
			for n := range int64(issues) {
				byNum.put(s, project, row{num: n + 1})
				s.docs[issueID(project, n+1)].Description = tracker.LongText(
					tracker.Long{Bytes: len(text), Parts: 1})
			}
			long := text
			if strings.HasPrefix(name, "equals") {
				long = strings.Repeat("\u0301", len(text)/2) // a comparison must read all of it
			}
			read := func(calls int) (*expiringContext, error) {
				ctx := &expiringContext{Context: t.Context(), left: calls}
				texts := func(_ context.Context, refs []tracker.LongRef) ([]string, error) {
					ctx.armed = true
					out := make([]string, len(refs))
					for i := range out {
						out[i] = long
					}
					return out, nil
				}
				_, err := grid.Read(ctx, grid.Source{Index: s, Fetch: s.fetch, Texts: texts},
					grid.Request{Project: project, Definition: definition,
						Order: order, Where: where, Size: issues})
				return ctx, err
			}
			const unlimited = 1 << 20
			whole, err := read(unlimited)
			if calls := unlimited - whole.left; err != nil || calls < issues*len(text)/(64<<10) {
				t.Fatalf("%v; the context was checked %d times", err, calls)
			}
			for _, calls := range []int{0, 1, 5, issues*len(text)/(64<<10) - 1} {
				ctx, err := read(calls)
				if !errors.Is(err, context.Canceled) || ctx.late != 1 {
					t.Errorf("ended at check %d: got %v, and %d more checks after that", calls+1,
						err, ctx.late-1)
				}
			}
		})
	}
}

func containing(n int) []filter.Condition {
	out := make([]filter.Condition, n)
	for i := range out {
		out[i] = filter.Contains{Column: tracker.ColumnDescription, Folded: strings.Repeat("z", i+1)}
	}
	return out
}
