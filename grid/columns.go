package grid

import (
	"context"
	"errors"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
)

// readColumns reads one page in the order of several columns, by pages in the order of one column.
//
// The rows with the same value in the first column, and those without one, are a group. Within a group, the
// rows are in the order of the other columns, so a page of a group is a page of the same kind: the filter has
// one more condition, and the order one column less. A page is read as follows:
//
//   - The rest of the group at the cursor is read.
//   - A window of rows in the order of the first column finds the next groups: at first 25 rows, or 1 if the
//     column has few distinct values, and then as many as are missing on the page, and one more. The groups
//     that a window shows completely are sorted in memory.
//   - If a filter leaves so few rows that the window's plan collects them all and reads their documents, the
//     window has them all.
//   - If the window ends within a group, that group is read in the order of the other columns. If these are
//     several, the group is read as a whole and sorted in memory, unless it turns out to be large.
//
// So a page in the middle of a group costs what a page of a grid with this filter costs, and one on which
// groups begin or end costs at most the rows of two pages more for each column but the last, or those of a
// set that is sorted at once (maxSorted). Rows are kept in memory for a window of each column.
func readColumns(ctx context.Context, source Source, r *Request) (Page, error) {
	order, near, far, needAhead, needBehind := r.Order, r.After, r.Before, r.NeedNext, r.NeedPrevious
	if r.Backward {
		order, near, far, needAhead, needBehind = order.reversed(), far, near, needBehind, needAhead
	}
	s := &spending{left: Budget(r.Budget)}
	p := &columnsReader{source: source, request: r, order: order, size: r.Size, near: near, far: far,
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
		Stopped: p.stopped != nil || s.unknown, Position: p.stopped, Work: s.work,
		Spent: s.spent}
	if r.Backward {
		slices.Reverse(out.Rows)
		out.HasNext, out.HasPrevious = out.HasPrevious, out.HasNext
	}
	if r.Explain {
		out.Plan, out.Rejected = s.explained(r)
	}
	return out, nil
}

// columnsReader is the state of a page in the order of several columns while it is read, in the direction of
// paging.
type columnsReader struct {
	source   Source
	request  *Request
	order    Order
	size     int
	near     Cursor // where the page begins, or nil
	far      Cursor // where the page ends, or nil
	needMore bool   // the page must know whether a row follows it
	flag     bool   // the page has one row, which is not shown
	*spending

	rows    []Row
	shown   map[string]struct{} // the issues of rows
	passed  Cursor              // after near: every row up to it is on the page; or nil
	more    bool                // there is a row after those of the page
	ended   bool                // all rows up to far were read
	stopped Cursor              // where the budget ended the page, or nil
}

// spending is the work of a page, and what is left of its budget, in documents.
type spending struct {
	spent    int
	left     int
	work     Work
	unknown  bool // a flag, because the budget is spent
	plans    []*Node
	rejected []Rejected
}

func (p *columnsReader) full() bool { return len(p.rows) == p.size }

// done reports whether nothing is left to be read for the page.
func (p *columnsReader) done() bool {
	return p.stopped != nil || p.ended || p.more || p.full() && !p.needMore
}

// exists reports whether there is a row at a position, or after it in an order. It is true if the budget is
// spent before that is known.
func (p *columnsReader) exists(ctx context.Context, o Order, at Cursor) (bool, error) {
	if last := len(o) - 1; len(at) > last { // the position just before it
		at = slices.Clone(at)
		at[last] = o[last].from(o[last].before(at[last], at[last].Num))
	}
	f := &columnsReader{source: p.source, request: p.request, order: o, size: 1, flag: true,
		spending: p.spending, near: at, shown: map[string]struct{}{}}
	err := f.group(ctx, p.request.Where, nil, at)
	if len(f.rows) == 0 && (f.stopped != nil || errors.Is(err, account.ErrMemory)) {
		p.unknown = true
		return true, nil
	}
	return len(f.rows) > 0, err
}

// add appends a row to the page, unless its issue is on it already. If the page is full, the row is one after
// it.
func (p *columnsReader) add(r Row) error {
	if p.far != nil {
		c, err := r.Cursor()
		if err != nil {
			return err
		}
		if p.order.compare(c, p.far) >= 0 {
			p.ended = true
			return nil
		}
	}
	if p.full() {
		p.more = true
		return nil
	}
	if _, again := p.shown[r.Issue.ID.Issue]; !again {
		p.shown[r.Issue.ID.Issue] = struct{}{}
		p.rows = append(p.rows, r)
	}
	return nil
}

// stop ends the page at a position.
func (p *columnsReader) stop(at Cursor) {
	if p.far != nil && p.order.compare(at, p.far) >= 0 {
		p.ended = true // nothing is left before the end
		return
	}
	p.stopped = at
}

// stopIfOver ends the page at a position that all rows of the page are before, if the budget or the
// operation's time for reading is over and the next page would progress.
func (p *columnsReader) stopIfOver(ctx context.Context, at Cursor) bool {
	if p.near != nil && p.order.compare(at, p.near) <= 0 {
		return false
	}
	p.passed = at
	if p.left > 0 && !account.From(ctx).ReadingOver() {
		return false
	}
	p.stop(at)
	return true
}

// stopBefore ends the page where it is if the operation has no memory left and the page has progressed.
func (p *columnsReader) stopBefore(err error) bool {
	at := p.passed
	if n := len(p.rows); n > 0 {
		last, failed := p.rows[n-1].Cursor()
		if failed != nil {
			return false
		}
		if at == nil || p.order.compare(last, at) > 0 {
			at = last
		}
	}
	if at == nil || !errors.Is(err, account.ErrMemory) {
		return false
	}
	p.stop(at)
	return true
}

// page reads rows of a group in the order of the column after the leading ones, between two positions in that
// order, and before the end of the page.
func (p *columnsReader) page(ctx context.Context, where filter.Condition, leading Cursor,
	after, before *Position, size, window int, needNext bool) (Page, error) {
	o := &p.order[len(leading)]
	if end := p.end(leading); end != nil && (before == nil || o.compare(*end, *before) < 0) {
		before = end
	}
	q := *p.request
	q.Where, q.Order, q.After, q.Before = where, Order{*o}, after.cursor(), before.cursor()
	q.Size, q.window, q.Backward = size, window, false
	q.NeedNext, q.NeedPrevious, q.Budget = needNext, false, max(1, p.left)
	page, err := Read(ctx, p.source, q)
	if err != nil {
		return page, err
	}
	p.spend(page.Spent)
	p.work.Queries += page.Work.Queries
	p.work.Keys += page.Work.Keys
	p.work.Documents += page.Work.Documents
	p.work.RCU += page.Work.RCU
	if q.Explain {
		p.explain(p.request, where, o, &page)
	}
	return page, nil
}

// end returns the end of the page in the order of the column after the leading ones; nil if the group of the
// leading ones ends before it.
func (p *columnsReader) end(leading Cursor) *Position {
	level := len(leading)
	if len(p.far) <= level {
		return nil
	}
	for i := range leading {
		if p.order[i].compareValues(leading[i], p.far[i]) != 0 {
			return nil
		}
	}
	end := p.far[level]
	if len(p.far) > level+1 { // among the rows of this group
		end = p.order[level].End(end)
	}
	return &end
}

func (s *spending) spend(documents int) {
	s.spent, s.left = s.spent+documents, max(0, s.left-documents)
}

// fewValues is the maximum number of states or options of a column that has few distinct values.
const fewValues = 50

// few reports whether a column has few distinct values.
func (p *columnsReader) few(o *OrderColumn) bool {
	n := columns.Count(p.request.Definition, o.Column)
	return n > 0 && n <= fewValues
}

// with returns the condition of the rows of a group: that of the rows around it, and the value at c.
func with(where filter.Condition, o *OrderColumn, c Position) filter.Condition {
	values := filter.NoValue()
	if c.HasValue {
		values = filter.Equal(c.Value)
	}
	return filter.Both(where, filter.In{Column: o.Column, Values: values})
}
