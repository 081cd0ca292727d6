package summaries

import (
	"issuegrid/grid"
	"issuegrid/tracker"
)

// Part is a part of the summary of a column, by its name.
type Part string

// The parts of summaries.
const (
	Filled         Part = "filled"
	Empty          Part = "empty"
	Distinct       Part = "distinct"
	Sum            Part = "sum"
	Average        Part = "average"
	Median         Part = "median"
	Min            Part = "min"
	Max            Part = "max"
	Checked        Part = "checked"
	PercentChecked Part = "percentChecked"
)

// NeedsAll reports whether a part is computed from all values, by Scan.
func (p Part) NeedsAll() bool { return p == Distinct || p == Sum || p == Average || p == Median }

// Check returns BadInput at column if a column has no such part, and Unavailable if it cannot be computed
// because the values of the column are being converted.
func (p Part) Check(d *tracker.Definition, c tracker.Column) error {
	switch p {
	case Filled, Empty, Checked, PercentChecked: // are counted by filters
	default:
		if f := d.Field(c.Field()); f != nil && f.From != nil {
			return f.Converting("summarize")
		}
	}
	switch p {
	case Distinct:
		_, err := grid.NewOrderColumn(d, c, false, false)
		return err
	case Sum, Average, Median:
		if !Numeric(d, c) {
			return p.unfit("columns of the types INTEGER and NUMBER")
		}
	case Min, Max:
		switch {
		case Numeric(d, c), c == tracker.ColumnNum, c == tracker.ColumnCreated, c == tracker.ColumnUpdated,
			isOf(d, c, tracker.TypeDate), isOf(d, c, tracker.TypeDateTime):
		default:
			return p.unfit("numbers, dates and times")
		}
	case Checked, PercentChecked:
		if !isOf(d, c, tracker.TypeBoolean) {
			return p.unfit("columns of type BOOLEAN")
		}
	}
	return nil
}

func (p Part) unfit(of string) error {
	return tracker.Bad("column", "the column has no `%s`; it is for %s", p, of).MayBeOutdated()
}

// Numeric reports whether a column has numbers that can be added.
func Numeric(d *tracker.Definition, c tracker.Column) bool {
	return isOf(d, c, tracker.TypeInteger) || isOf(d, c, tracker.TypeNumber)
}

func isOf(d *tracker.Definition, c tracker.Column, t tracker.FieldType) bool {
	f := d.Field(c.Field())
	return f != nil && f.Type == t
}
