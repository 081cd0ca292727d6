package grid_test

import (
	"context"
	"fmt"
	"slices"

	"issuegrid/grid"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// checkAnchors opens the grid before an issue, and before its value.
func (f *filtered) checkAnchors() error {
	w, r := f.world, f.request
	if len(w.issues) == 0 {
		return nil
	}
	i := pickOne(w.random, w.issues)
	c, err := r.Order.AtIssue(context.Background(), w.definition, w.docs[i.ID], w.texts)
	if err != nil {
		return err
	}
	if err := f.checkAnchor(c, func(other *tracker.Issue) bool {
		return f.compare(f.position(other), f.position(i)) >= 0
	}); err != nil {
		return fmt.Errorf("at #%d: %w", i.Num, err)
	}
	if !c[0].HasValue {
		return nil
	}
	value := c[0].Value
	if r.Order[0].Column == tracker.ColumnNum {
		value = sortkey.Num(i.Num)
	}
	if c, err = r.Order.AtValue(value); err != nil {
		return err
	}
	if err := f.checkAnchor(c, func(other *tracker.Issue) bool {
		p, q := f.position(other), f.position(i)
		if p.num = q.num; r.Order[0].Column == tracker.ColumnNum {
			p.num = other.Num
		}
		return f.compare(p, q) >= 0
	}); err != nil {
		return fmt.Errorf("at the value of #%d: %w", i.Num, err)
	}
	return nil
}

// checkAnchor compares the first row after a cursor, and the last one before it, with the expected rows.
func (f *filtered) checkAnchor(c grid.Cursor, isAfter func(*tracker.Issue) bool) error {
	w, r := f.world, f.request
	parsed, err := grid.ParseCursor(c.String(), r.Order)
	if err != nil {
		return err
	}
	rows := f.rows()
	if f.request.Backward {
		slices.Reverse(rows)
	}
	first := len(rows)
	for n, i := range slices.Backward(rows) {
		if isAfter(i) {
			first = n
		}
	}
	r.Size, r.Budget = 1, 0
	r.After, r.Before, r.Backward = r.Order.From(parsed), nil, false
	if err := w.reads(r, rows[first:min(first+1, len(rows))]); err != nil {
		return fmt.Errorf("from it on: %w", err)
	}
	r.After, r.Before, r.Backward = nil, r.Order.To(parsed), true
	if err := w.reads(r, rows[max(0, first-1):first]); err != nil {
		return fmt.Errorf("up to it: %w", err)
	}
	return nil
}

// reads compares the rows of a page.
func (w *world) reads(r grid.Request, rows []*tracker.Issue) error {
	page, err := grid.Read(context.Background(), w.source(), r)
	if err != nil {
		return err
	}
	var want []int64
	for _, i := range rows {
		want = append(want, i.Num)
	}
	if got := summary(page).nums; !slices.Equal(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}
