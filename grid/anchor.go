package grid

import (
	"context"
	"slices"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// atValue returns the position just before the rows with the value v, whether or not there are any. In the
// order of the numbers, v is an encoded number.
func (o *OrderColumn) atValue(v sortkey.Value) (Position, error) {
	if o.byNum() {
		n, err := sortkey.ParseNum(v)
		if err != nil {
			return Position{}, tracker.Internal("a value of another column", err)
		}
		return o.before(o.at(true, nil), n), nil
	}
	return o.start(o.at(true, v)), nil
}

// Boundary returns the position, as Request.After, between the rows with lesser values than v and those with
// v and greater values. If v is empty, it is between the rows with a value and those without.
func (o *OrderColumn) Boundary(v sortkey.Value) (Position, error) {
	if none := o.at(false, nil); len(v) == 0 && o.NullsFirst {
		return o.End(none), nil
	} else if len(v) == 0 {
		return o.start(none), nil
	}
	ascending := *o
	ascending.Descending = false
	c, err := ascending.atValue(v)
	return o.from(c), err
}

// atIssue returns the position just before the row of an issue. It needs texts if the column holds texts.
func (o *OrderColumn) atIssue(ctx context.Context, d *tracker.Definition, i *tracker.Issue,
	texts Texts) (Position, error) {
	if o.byNum() {
		return o.before(o.at(true, nil), i.Num), nil
	}
	m := filter.NewMatcher(d)
	m.Work = Metered(ctx)
	s := m.Subject(i)
	if refs := filter.LongTexts(i, filter.In{Column: o.Column, Values: filter.Equal(nil)}); len(refs) > 0 {
		text, err := texts(ctx, refs)
		if err != nil {
			return Position{}, err
		}
		s.Texts = map[tracker.Column]string{o.Column: text[0]}
	}
	v, has, err := s.SortValue(o.Column)
	return o.before(o.at(has, v), i.Num), err
}

// before returns the position just before the row with a number among the rows with the value at c.
func (o *OrderColumn) before(c Position, num int64) Position {
	c.Num, c.Issue = num, betweenIssue
	if !o.Descending {
		c.Num--
	}
	return c
}

// from returns a position for Request.After, and to one for Request.Before, so that the page begins or ends
// at c. They differ from c only if it is between two rows.
func (o *OrderColumn) from(c Position) Position { return c.beside(o.Descending) }

// to is explained at from.
func (o *OrderColumn) to(c Position) Position { return c.beside(!o.Descending) }

// beside returns, of a position between two rows, that of the one with the higher or the lower number.
func (c Position) beside(higher bool) Position {
	if c.Issue == betweenIssue {
		if c.Issue = anchorIssue; higher {
			c.Num++
		}
	}
	return c
}

// From returns c as Request.After, and To returns c as Request.Before.
func (o Order) From(c Cursor) Cursor { return c.last(o, (*OrderColumn).from) }

// To is explained at From.
func (o Order) To(c Cursor) Cursor { return c.last(o, (*OrderColumn).to) }

// last returns c with another last part, if it has one for each column of the order.
func (c Cursor) last(o Order, change func(*OrderColumn, Position) Position) Cursor {
	if last := len(o) - 1; len(c) > last {
		c = slices.Clone(c)
		c[last] = change(&o[last], c[last])
	}
	return c
}

// AtValue returns the position just before the rows with the value v in the first column, whether or not
// there are any.
func (o Order) AtValue(v sortkey.Value) (Cursor, error) {
	c, err := o[0].atValue(v)
	return Cursor{c}, err
}

// AtIssue returns the position just before the row of an issue. It needs texts if a column holds texts. A
// request needs From or To of it.
func (o Order) AtIssue(ctx context.Context, d *tracker.Definition, i *tracker.Issue, texts Texts) (Cursor,
	error) {
	out := make(Cursor, len(o))
	for n := range o {
		var err error
		if out[n], err = o[n].atIssue(ctx, d, i, texts); err != nil {
			return nil, err
		}
		if n < len(o)-1 {
			out[n] = out[n].anchor()
		}
	}
	return out, nil
}

// SortValue returns the value at a position among the rows with one; in the order of the numbers, the encoded
// number.
func (c Position) SortValue() sortkey.Value {
	if c.Column == tracker.ColumnNum {
		return sortkey.Num(c.Num)
	}
	return c.Value
}

// FindNum returns the id of the issue with a number, by one Query of at most one key in each shard. It
// returns NotFound if the index has none.
func FindNum(ctx context.Context, index Index, p *tracker.Project, num int64) (tracker.IssueID, error) {
	page, err := index.QueryKeys(ctx, columns.KeyQuery{Project: p.ID, Shards: p.Shards,
		Column: tracker.ColumnNum,
		From:   sortkey.Num(num), To: sortkey.Num(num + 1), Limit: 1})
	if err != nil {
		return tracker.IssueID{}, err
	}
	if len(page.Keys) == 0 {
		return tracker.IssueID{}, tracker.Missing("issue")
	}
	return page.Keys[0].Issue, nil
}
