package grid

import (
	"context"

	"issuegrid/grid/filter"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// anchorIssue stands for the issue in the cursors of places at which there need not be one.
const anchorIssue = "0"

// AtValue is the cursor just before the rows that have a value in the column of an order, whether or not
// there are some. In the order of the numbers it is that of an encoded number.
func AtValue(o Order, v sortkey.Value) (Cursor, error) {
	if o.byNum() {
		n, err := sortkey.ParseNum(v)
		if err != nil {
			return Cursor{}, tracker.Internal("a value of another column", err)
		}
		return Cursor{Column: o.mark(), HasValue: true, Num: o.before(n), Issue: anchorIssue}, nil
	}
	c := Cursor{Column: o.mark(), HasValue: true, Value: v, Issue: anchorIssue}
	if o.Descending {
		c.Num = tracker.MaxNum + 1 // no issue has it
	}
	return c, nil
}

// AtIssue is the cursor just before the row of an issue. texts is needed where the column is a text.
func AtIssue(ctx context.Context, d *tracker.Definition, o Order, i *tracker.Issue, texts Texts) (Cursor,
	error) {
	c := Cursor{Column: o.mark(), HasValue: true, Num: o.before(i.Num), Issue: i.ID.Issue}
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

// before is the number just before another in the direction of the order.
func (o *Order) before(num int64) int64 {
	if o.Descending {
		return num + 1
	}
	return num - 1
}
