package grid

import (
	"context"
	"errors"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
)

const (
	// smallWindow is the number of rows of the first window.
	smallWindow = 25
	// maxSorted is the maximum number of rows of a group that are sorted at once because a plan reads the
	// documents of all anyway. It is also limited to twice the size of the page, or four times if a window
	// would show few values.
	maxSorted = 200
)

// group reads the rows of a group after a position, until the page is done or the group ends. The group has
// the rows that match where, which have the leading values in the first columns. The position is relative to
// the group; nil is its beginning.
func (p *columnsReader) group(ctx context.Context, where filter.Condition, leading, start Cursor) error {
	o := &p.order[len(leading)]
	switch {
	case len(leading) == len(p.order)-1:
		return p.lastColumn(ctx, where, leading, only(start))
	case o.moving:
		return p.ranks(ctx, where, leading, start)
	}
	var after *Position
	before := len(p.rows)
	if len(start) > 0 {
		if o.side(start) <= 0 {
			if err := p.within(ctx, where, leading, start[0], start[1:]); err != nil || p.done() {
				return err
			}
		}
		end := o.End(start[0])
		after = &end
	}
	sizes := []int{smallWindow, p.size + 1}
	switch {
	case !p.sortable(len(leading)):
		sizes = []int{1}
	case p.few(o):
		sizes = []int{1, smallWindow, p.size + 1}
	case after != nil && len(p.rows)-before < smallWindow: // the groups are probably small
		sizes = []int{p.size + 1}
	}
	for n := 0; ; n++ {
		if after != nil && p.stopIfOver(ctx, join(leading, *after)) {
			return nil
		}
		size := min(sizes[min(n, len(sizes)-1)], p.size-len(p.rows)+1)
		whole := 0
		if n == 0 && where != nil && p.sortable(len(leading)) {
			whole = min(maxSorted, 2*p.size) + 1
			if p.few(o) {
				whole = min(maxSorted, 4*p.size) + 1
			}
		}
		w, err := p.window(ctx, where, leading, after, size, whole)
		if err != nil || w.ended || p.done() {
			return err
		}
		after = w.after
		if w.next == nil {
			continue
		}
		if p.stopIfOver(ctx, join(leading, o.start(*w.next))) {
			return nil
		}
		if err := p.within(ctx, where, leading, *w.next, nil); err != nil || p.done() {
			return err
		}
		end := o.End(*w.next)
		after = &end
	}
}

// within reads the rows of a group within a group, the one with the value at c, after a position in it.
func (p *columnsReader) within(ctx context.Context, where filter.Condition, leading Cursor, c Position,
	start Cursor) error {
	o := &p.order[len(leading)]
	if where == nil && len(p.order) > 2 && !p.flag && !p.few(o) && p.sortable(0) && !o.moving {
		if whole, err := p.whole(ctx, c, start); err != nil || whole {
			return err
		}
	}
	return p.group(ctx, with(where, o, c), join(leading, c.anchor()), start)
}

// ranks reads the rows of a group if a job is rebuilding the index entries of the next column. These may have
// the values of before, while filters test the documents. So it reads the groups of all values that the
// column can have: only columns of states and options are rebuilt.
func (p *columnsReader) ranks(ctx context.Context, where filter.Condition, leading, start Cursor) error {
	o := &p.order[len(leading)]
	var all []Position
	for n := range columns.Count(p.request.Definition, o.Column) {
		c, err := o.atValue(sortkey.Rank(n))
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	if o.Column.Nullable() {
		none, err := o.atValue(nil)
		if err != nil {
			return err
		}
		none.HasValue = false
		all = append(all, none)
	}
	slices.SortFunc(all, func(a, b Position) int { return o.compareValues(a, b) })
	for _, c := range all {
		if p.far != nil && p.order.compare(join(leading, o.start(c)), p.far) >= 0 {
			p.ended = true
			return nil
		}
		rest := Cursor(nil)
		if len(start) > 0 {
			switch d := o.compareValues(c, start[0]); {
			case d < 0, d == 0 && o.side(start) > 0:
				continue
			case d == 0:
				rest = start[1:]
			}
		}
		if rest == nil && p.stopIfOver(ctx, join(leading, o.start(c))) {
			return nil
		}
		if err := p.within(ctx, where, leading, c, rest); err != nil || p.done() {
			return err
		}
	}
	return nil
}

// window is a part of a group that was read in the order of the group's next column.
type window struct {
	after *Position // the end of the last group that is on the page, or where the window began
	next  *Position // a row of the next group, which must be read by itself; or nil
	ended bool      // no other group is left
}

// window reads size rows in the order of the column after the leading ones, after a position in that order,
// or whole rows if these are read anyway. It appends the rows of the groups that are complete to the page.
func (p *columnsReader) window(ctx context.Context, where filter.Condition, leading Cursor, after *Position,
	size, whole int) (window, error) {
	w := window{after: after}
	o := &p.order[len(leading)]
	var page Page
	var err error
	if whole > size {
		page, err = p.page(ctx, where, leading, after, nil, whole, size, false)
	}
	if whole <= size || errors.Is(err, account.ErrMemory) {
		page, err = p.page(ctx, where, leading, after, nil, size, 0, false)
	}
	if err != nil {
		return w, err
	}
	size = page.size
	found, err := positions(page.Rows)
	if err != nil {
		return w, err
	}
	complete := page.Position == nil && len(found) < size
	var groups [][]Row
	for begin := 0; begin < len(found); {
		end := begin + 1
		for end < len(found) && o.compareValues(found[begin], found[end]) == 0 {
			end++
		}
		last := end == len(found) && !complete &&
			(page.Position == nil || o.compareValues(found[begin], page.Position[0]) == 0)
		if last {
			if page.Position == nil {
				w.next = &found[begin]
			}
			break
		}
		groups = append(groups, page.Rows[begin:end])
		begin = end
	}
	sorted, err := p.sort(ctx, leading, groups)
	if err != nil {
		return w, err
	}
	begin := 0
	for i := range sorted {
		for _, r := range sorted[i] {
			if err := p.add(r); err != nil || p.done() {
				return w, err
			}
		}
		end := o.End(found[begin])
		w.after = &end
		begin += len(sorted[i])
	}
	if len(sorted) < len(groups) { // the texts of the next group are too long
		w.next = nil
		if len(sorted) == 0 {
			w.next = &found[0]
		}
		return w, nil
	}
	switch {
	case page.Position != nil:
		p.stop(join(leading, o.start(page.Position[0])))
	case w.next != nil && p.full():
		p.more = true
	case w.next != nil && len(sorted) > 0 && size < p.size-len(p.rows)+1:
		w.next = nil // a larger window may show all of it
	}
	w.ended = complete
	return w, nil
}

// maxWhole is the maximum number of rows of a group that is read as a whole, and maxDocument the maximum size
// of a document in bytes.
const (
	maxWhole    = 100
	maxDocument = 400 << 10
)

// whole reads a group of the first column as a whole, if it has at most maxWhole rows, and at most twice as
// many as the page: the one with the value at c. It appends the rows after a position in the group to the
// page, and reports whether it has. Otherwise, each of the other columns would cost pages of their own. The
// keys of the index show how many rows there are; a filter would need documents.
func (p *columnsReader) whole(ctx context.Context, c Position, start Cursor) (bool, error) {
	o := &p.order[0]
	begin, end := o.start(c), o.End(c)
	most := min(maxWhole, 2*p.size)
	documents := p.source
	p.source = documents.KeysOnly()
	keys, err := p.page(ctx, nil, nil, &begin, &end, most+1, 0, false)
	p.source = documents
	n := len(keys.Rows)
	if err != nil || keys.Position != nil || n > most || p.left < 2*n ||
		!account.From(ctx).Fits(int64(n)*maxDocument) {
		return false, err
	}
	if n == 0 {
		return true, nil
	}
	page, err := p.page(ctx, nil, nil, &begin, &end, n+1, 0, false)
	if err != nil || page.Position != nil || len(page.Rows) > n { // rows may have been added meanwhile
		return false, err
	}
	if len(page.Rows) == 0 {
		return true, nil
	}
	sorted, err := p.sort(ctx, nil, [][]Row{page.Rows})
	if err != nil || len(sorted) == 0 {
		return false, err
	}
	from := append(Cursor{c.anchor()}, start...)
	for _, r := range sorted[0] {
		if len(start) > 0 {
			at, err := r.Cursor()
			if err != nil {
				return false, err
			}
			if p.order.compare(at, from) <= 0 {
				continue
			}
		}
		if err := p.add(r); err != nil || p.done() {
			return true, err
		}
	}
	return true, nil
}

// lastColumn reads the rows of a group in the order of the last column.
func (p *columnsReader) lastColumn(ctx context.Context, where filter.Condition, leading Cursor,
	after *Position) error {
	for {
		missing := p.size - len(p.rows)
		page, err := p.page(ctx, where, leading, after, nil, max(1, missing), 0, p.needMore && missing > 0)
		if err != nil {
			return err
		}
		for i := range page.Rows {
			page.Rows[i].lead = leading
			err := p.add(page.Rows[i])
			if err != nil || p.done() && !p.full() {
				return err
			}
		}
		switch {
		case p.more:
			return nil
		case page.Position != nil:
			p.stop(join(leading, page.Position[0]))
			return nil
		case len(page.Rows) < max(1, missing):
			return nil
		case p.full():
			p.more = page.HasNext
			return nil
		}
		found, err := positions(page.Rows[len(page.Rows)-1:])
		if err != nil {
			return err
		}
		after = &found[0] // issues were on the page already
		if p.stopIfOver(ctx, join(leading, *after)) {
			return nil
		}
	}
}

// positions returns the positions of rows in the order of the column that they were read by.
func positions(rows []Row) ([]Position, error) {
	out := make([]Position, len(rows))
	for i := range rows {
		var err error
		if out[i], err = rows[i].Position(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
