package grid_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"issuegrid/grid"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// ending is a context that ends when it has been asked so many times since armed.
type ending struct {
	context.Context
	armed bool
	left  int
	late  int // how often it was asked after it had ended
}

func (e *ending) Err() error {
	if !e.armed {
		return nil
	}
	if e.left--; e.left >= 0 {
		return nil
	}
	e.late++
	return context.Canceled
}

// TestMatchingEndsWithTheContext cancels while the texts of a page are searched, after each piece of them in
// turn: nothing else of the page looks at the context then.
func TestMatchingEndsWithTheContext(t *testing.T) {
	text := strings.Repeat("Größenänderung ", 20_000) // 360 KB
	const issues = 3
	order, err := grid.NewOrder(definition, tracker.ColumnNum, false, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, where := range map[string]filter.Condition{
		"contains":     filter.Contains{Column: tracker.ColumnDescription, Folded: "not there"},
		"many of them": filter.Or(containing(30)),
		"compared, marks before": filter.In{Column: tracker.ColumnDescription,
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
			if strings.HasPrefix(name, "compared") {
				long = strings.Repeat("\u0301", len(text)/2) // of which a comparison needs all
			}
			read := func(asked int) (*ending, error) {
				ctx := &ending{Context: t.Context(), left: asked}
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
			const often = 1 << 20
			whole, err := read(often)
			if asked := often - whole.left; err != nil || asked < issues*len(text)/(64<<10) {
				t.Fatalf("%v; the context was asked %d times", err, asked)
			}
			for _, asked := range []int{0, 1, 5, issues*len(text)/(64<<10) - 1} {
				ctx, err := read(asked)
				if !errors.Is(err, context.Canceled) || ctx.late != 1 {
					t.Errorf("ended when asked for the %dth time: %v, and asked %d times after that", asked+1,
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
