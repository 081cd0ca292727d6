// Package multisort reads pages of a project's issues, sorted by one or more columns. It reads them with
// pages that package grid reads in the order of one column. Start with NewOrder, ParseCursor and Read.
//
// The rows with the same value in the first column, and those without one, are a group. Within a group, the
// rows are in the order of the other columns, so a page of a group is a page of the same kind: the filter has
// one more condition, and the order one column less. A page is read as follows:
//
//   - The rest of the group at the cursor is read.
//   - A window of rows in the order of the first column finds the next groups: at first 25 rows, or 1 if the
//     column has few distinct values, and then as many as are missing on the page, and one more. The groups
//     that a window shows completely are sorted in memory.
//   - If the window ends within a group, that group is read in the order of the other columns. If these are
//     several, the group is read as a whole and sorted in memory, unless it turns out to be large.
//
// So a page in the middle of a group costs what a page of a grid with this filter costs, and one on which
// groups begin or end costs at most the rows of two pages more for each column but the last. Rows are kept in
// memory for a window of each column.
//
// The package must not import the AWS SDK, GraphQL, or a dataloader.
//
// The code and the tests cite these laws:
//
//   - S1, order. Rows are ordered by the first column as in package grid; those with the same value in it, or
//     all without one, by the second; and so on; and rows with the same values in all columns by number, in
//     the direction of the last column. The order by the same columns in the other directions, with the rows
//     without a value at the other end, is the exact reverse.
//   - S2, position. A cursor is a position in that order and nothing else: the values and the number of a
//     row, or the values of a group, whose rows are all before it or all after it. It means the same whether
//     or not its row still exists, and for all directions and positions of the rows without a value.
//   - S3, walk, flags, filter and budget. Laws G3, G4, G6 and G7 of package grid hold.
package multisort

import (
	"context"
	"slices"

	"issuegrid/grid"
	"issuegrid/tracker"
)

// Request describes one page. The Order, After and Before of the embedded grid.Request are not used.
type Request struct {
	grid.Request
	Order Order
	// After and Before bound the rows, exclusively, in both directions. They must have been parsed for Order.
	After, Before Cursor
}

// Page is the response to a Request. The fields are those of grid.Page.
type Page struct {
	Rows                 []Row
	HasNext, HasPrevious bool
	Stopped              bool
	Position             Cursor
	Work                 grid.Work
	Plan                 *grid.Node
	Rejected             []grid.Rejected
}

// Row is one row of a page.
type Row struct {
	Issue *tracker.Issue

	lead Cursor      // the parts of the position before the last
	row  *grid.Row   // which has the last part; or nil
	last grid.Cursor // the last part, if row is nil
}

// Cursor returns the position of the row. It returns an InternalErr if the index holds a sort string that is
// invalid for the column.
func (r *Row) Cursor() (Cursor, error) {
	last := r.last
	if r.row != nil {
		var err error
		if last, err = r.row.Cursor(); err != nil {
			return nil, err
		}
	}
	return append(slices.Clip(r.lead), last), nil
}

// Read reads one page. It returns the errors of the source unchanged.
func Read(ctx context.Context, source grid.Source, r Request) (Page, error) {
	if len(r.Order) == 1 {
		return single(ctx, source, r)
	}
	order, near, far, needAhead, needBehind := r.Order, r.After, r.Before, r.NeedNext, r.NeedPrevious
	if r.Backward {
		order, near, far, needAhead, needBehind = order.reversed(), far, near, needBehind, needAhead
	}
	s := &spending{left: grid.Budget(r.Budget)}
	p := &reader{source: source, request: &r, order: order, size: r.Size, near: near, far: far,
		needMore: needAhead, spending: s, shown: map[string]struct{}{}}
	if err := p.group(ctx, r.Where, nil, near); err != nil && !p.stopBefore(err) {
		return Page{}, err
	}
	ahead, behind := p.more || p.stopped != nil, p.stopped != nil && near != nil
	var err error
	if needAhead && !ahead && far != nil {
		if ahead, err = p.exists(ctx, order, far); err != nil {
			return Page{}, err
		}
	}
	if needBehind && !behind && near != nil {
		if behind, err = p.exists(ctx, order.reversed(), near); err != nil {
			return Page{}, err
		}
	}
	out := Page{Rows: p.rows, HasNext: ahead && needAhead, HasPrevious: behind && needBehind,
		Stopped: p.stopped != nil || s.unknown, Position: p.stopped, Work: s.work}
	if r.Backward {
		slices.Reverse(out.Rows)
		out.HasNext, out.HasPrevious = out.HasPrevious, out.HasNext
	}
	if r.Explain {
		out.Plan, out.Rejected = s.explained(&r)
	}
	return out, nil
}

// single reads a page in the order of one column.
func single(ctx context.Context, source grid.Source, r Request) (Page, error) {
	q := r.Request
	q.Order, q.After, q.Before = r.Order[0], only(r.After), only(r.Before)
	page, err := grid.Read(ctx, source, q)
	if err != nil {
		return Page{}, err
	}
	out := Page{Rows: make([]Row, len(page.Rows)), HasNext: page.HasNext, HasPrevious: page.HasPrevious,
		Stopped: page.Stopped, Work: page.Work, Plan: page.Plan, Rejected: page.Rejected}
	for i := range page.Rows {
		out.Rows[i] = Row{Issue: page.Rows[i].Issue, row: &page.Rows[i]}
	}
	if page.Position != nil {
		out.Position = Cursor{*page.Position}
	}
	return out, nil
}

// only returns the only part of a cursor, or nil if it has none.
func only(c Cursor) *grid.Cursor {
	if len(c) == 0 {
		return nil
	}
	return &c[0]
}
