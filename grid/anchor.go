package grid

import (
	"context"

	"issuegrid/grid/filter"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// anchorIssue is the issue id in cursors at positions without an issue. betweenIssue is that of a position
// between the rows with the number Num and the next one, which is also right in the reversed order.
const (
	anchorIssue  = "0"
	betweenIssue = "00"
)

// FirstNum and LastNum are the numbers of positions before and after the rows of all issues with a value.
const (
	FirstNum = 0
	LastNum  = tracker.MaxNum + 1
)

// AtValue returns the cursor just before the rows with the value v, whether or not there are any. In the
// order of the numbers, v is an encoded number.
func AtValue(o Order, v sortkey.Value) (Cursor, error) {
	if o.byNum() {
		n, err := sortkey.ParseNum(v)
		if err != nil {
			return Cursor{}, tracker.Internal("a value of another column", err)
		}
		return o.before(Cursor{Column: o.mark(), HasValue: true}, n), nil
	}
	return o.Start(Cursor{Column: o.mark(), HasValue: true, Value: v}), nil
}

// Boundary returns the position, as Request.After, between the rows with lesser values than v and those with
// v and greater values. If v is empty, it is between the rows with a value and those without.
func Boundary(o Order, v sortkey.Value) (Cursor, error) {
	if none := (Cursor{Column: o.mark()}); len(v) == 0 && o.NullsFirst {
		return o.End(none), nil
	} else if len(v) == 0 {
		return o.Start(none), nil
	}
	ascending := o
	ascending.Descending = false
	c, err := AtValue(ascending, v)
	return o.From(c), err
}

// AtIssue returns the position just before the row of an issue. It needs texts if the column holds texts. A
// request needs From or To of it.
func AtIssue(ctx context.Context, d *tracker.Definition, o Order, i *tracker.Issue, texts Texts) (Cursor,
	error) {
	c := o.before(Cursor{Column: o.mark(), HasValue: true}, i.Num)
	if o.byNum() {
		return c, nil
	}
	m := filter.NewMatcher(d)
	m.Work = Metered(ctx)
	s := m.Subject(i)
	if refs := filter.LongTexts(i, filter.In{Column: o.Column, Values: filter.Equal(nil)}); len(refs) > 0 {
		text, err := texts(ctx, refs)
		if err != nil {
			return Cursor{}, err
		}
		s.Texts = map[tracker.Column]string{o.Column: text[0]}
	}
	var err error
	c.Value, c.HasValue, err = s.SortValue(o.Column)
	return c, err
}

// before returns the position just before the row with a number among the rows with the value at c.
func (o *Order) before(c Cursor, num int64) Cursor {
	c.Num, c.Issue = num, betweenIssue
	if !o.Descending {
		c.Num--
	}
	return c
}

// From returns c as Request.After, and To returns c as Request.Before. They differ from c only if it is
// between two rows.
func (o *Order) From(c Cursor) Cursor { return c.beside(o.Descending) }

// To is explained at From.
func (o *Order) To(c Cursor) Cursor { return c.beside(!o.Descending) }

// beside returns, of a position between two rows, that of the one with the higher or the lower number.
func (c Cursor) beside(higher bool) Cursor {
	if c.Issue == betweenIssue {
		if c.Issue = anchorIssue; higher {
			c.Num++
		}
	}
	return c
}

// Start returns the position just before all rows that have the value at c or, like c, none.
func (o *Order) Start(c Cursor) Cursor {
	if c = c.Anchor(); o.Descending {
		c.Num = LastNum
	}
	return c
}

// End returns the position just after all rows that have the value at c or, like c, none.
func (o *Order) End(c Cursor) Cursor {
	if c = c.Anchor(); !o.Descending {
		c.Num = LastNum
	}
	return c
}

// Anchor returns the position with the value of c alone: with the number FirstNum and without an issue.
func (c Cursor) Anchor() Cursor {
	c.Num, c.Issue = FirstNum, anchorIssue
	return c
}

// SortValue returns the value at a position among the rows with one; in the order of the numbers, the encoded
// number.
func (c Cursor) SortValue() sortkey.Value {
	if c.Column == tracker.ColumnNum {
		return sortkey.Num(c.Num)
	}
	return c.Value
}

// Anchored reports whether c is before or after the rows of all issues with its value.
func (c Cursor) Anchored() bool {
	return c.Issue == anchorIssue && (c.Num == FirstNum || c.Num == LastNum)
}

// Before returns the number that precedes num in the direction of the order.
func (o *Order) Before(num int64) int64 {
	if o.Descending {
		return num + 1
	}
	return num - 1
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
