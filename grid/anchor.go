package grid

import (
	"context"

	"issuegrid/columns"
	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// anchorIssue is the issue id in cursors at positions without an issue.
const anchorIssue = "0"

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
		return Cursor{Column: o.mark(), HasValue: true, Num: o.Before(n), Issue: anchorIssue}, nil
	}
	return o.Start(Cursor{Column: o.mark(), HasValue: true, Value: v}), nil
}

// AtIssue returns the cursor just before the row of an issue. It needs texts if the column holds texts.
func AtIssue(ctx context.Context, d *tracker.Definition, o Order, i *tracker.Issue, texts Texts) (Cursor,
	error) {
	c := Cursor{Column: o.mark(), HasValue: true, Num: o.Before(i.Num), Issue: i.ID.Issue}
	if o.byNum() {
		return c, nil
	}
	m := filter.NewMatcher(d)
	m.Work = metered(ctx)
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
