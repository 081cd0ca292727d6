package graph

import (
	"context"

	"issuegrid/columns"
	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/multisort"
	"issuegrid/tracker"
)

// cursorAt returns the cursor immediately before a value of the first column that the grid is sorted by, or
// before the issue with a number.
func cursorAt(ctx context.Context, p *model.Project, orderBy []*model.IssueOrder, value *model.ValueInput,
	num *int32) (*string, error) {
	c, err := positionAt(ctx, p, orderBy, value, num)
	if err != nil {
		return nil, err
	}
	cursor := c.String()
	return &cursor, nil
}

func positionAt(ctx context.Context, p *model.Project, orderBy []*model.IssueOrder, value *model.ValueInput,
	num *int32) (multisort.Cursor, error) {
	if (value == nil) == (num == nil) {
		return nil, tracker.Bad("value", "give `value` or `num`, exactly one of them")
	}
	d, err := p.Definition(ctx)
	if err != nil {
		return nil, err
	}
	order, err := parseOrder(d, orderBy)
	if err != nil {
		return nil, err
	}
	if num != nil {
		issue, err := issueByNum(ctx, p, *num, false)
		if err != nil {
			return nil, err
		}
		return multisort.AtIssue(ctx, d, order, issue.Issue, p.Loaders.LongTexts)
	}
	o := &session(ctx).operands
	if err := o.Count(1); err != nil {
		return nil, tracker.At("value", err)
	}
	operand, err := parseCursorValue(o, d, order[0].Column, value)
	if err != nil {
		return nil, tracker.At("value", err)
	}
	return multisort.AtValue(order, operand)
}

// parseCursorValue encodes a value of a column as an operand.
func parseCursorValue(o *filter.Operands, d *tracker.Definition, c tracker.Column,
	in *model.ValueInput) (filter.Operand, error) {
	if !c.Builtin() {
		f := d.Field(c.Field())
		v, err := parseValue(d, f, in)
		if err != nil {
			return nil, err
		}
		if v.Kind == tracker.KindText && columns.TextualType(f.Type) {
			operand, err := o.Text(v.Text())
			return operand, tracker.At(fieldTypes[f.Type].member, err)
		}
		operand, err := filter.Value(f, v)
		return operand, tracker.At(fieldTypes[f.Type].member, err)
	}
	given := given(in)
	if len(given) != 1 {
		return nil, tracker.Bad("", "give exactly one of the members of ValueInput; %d are given", len(given))
	}
	fits := "dateTime"
	switch c {
	case tracker.ColumnNum:
		fits = "integer"
	case tracker.ColumnName:
		fits = "text"
	case tracker.ColumnState:
		fits = "option"
	case tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy:
		fits = "user"
	}
	if given[0].member != fits {
		return nil, tracker.Bad(given[0].member, "the column takes `%s`", fits)
	}
	var operand filter.Operand
	var err error
	switch v := given[0].value; c {
	case tracker.ColumnNum:
		operand = filter.Num(min(max(v.Int(), 0), tracker.MaxNum+1)) // equivalent for numbers out of range
	case tracker.ColumnName, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy:
		operand, err = o.Text(v.Text())
	case tracker.ColumnState:
		var state tracker.OptionID
		if state, err = parseState(&d.Project, *in.Option); err == nil {
			operand, err = filter.State(&d.Project, state)
		}
	default:
		operand, err = filter.Time(v.Text())
	}
	return operand, tracker.At(fits, err)
}
