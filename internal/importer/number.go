package importer

import (
	"context"
	"strconv"
	"strings"

	"issuegrid/internal/importer/forms"
	"issuegrid/tracker"
)

// numberReader returns the function that reads the numbers of a column: literals if decimal is empty,
// otherwise numbers with this decimal separator. A JSON number is always a literal. A literal that float64
// cannot represent exactly to its last digit is rejected (R2).
func numberReader(decimal string) func(cell) (tracker.Value, *fault) {
	return func(c cell) (tracker.Value, *fault) {
		literal, ok := c.number(decimal)
		if ok {
			v, isNumber, isExact := forms.ParseNumber(literal)
			if isExact {
				return v, nil
			}
			if isNumber {
				return v, &fault{reason: OutOfRange, detail: shown(c.text) +
					" is out of range or has more digits than a number of 64 bits keeps"}
			}
		}
		return tracker.Value{}, &fault{reason: NotNumber, detail: shown(c.text) + " is not a number" +
			otherDecimal(c.text, decimal, func(literal string) (string, bool) {
				v, _, isExact := forms.ParseNumber(literal)
				return v.Literal(), isExact
			})}
	}
}

// integerReader is numberReader for integers.
func integerReader(decimal string) func(cell) (tracker.Value, *fault) {
	return func(c cell) (tracker.Value, *fault) {
		if i, ok := c.integer(decimal); ok {
			return tracker.Int(i), nil
		}
		return tracker.Value{}, &fault{reason: NotInteger, detail: shown(c.text) +
			" is not a 64-bit integer" + otherDecimal(c.text, decimal, func(literal string) (string, bool) {
			literal, whole := forms.Whole(literal)
			i, ok := forms.ParseInteger(literal)
			return tracker.Int(i).Literal(), whole && ok
		})}
	}
}

// number returns the literal of a cell that is a number with a decimal separator, or a literal if this is
// empty.
func (c cell) number(decimal string) (literal string, ok bool) {
	if decimal == "" || c.literal || c.text != "" && strings.Trim(c.text, "0123456789") == "" {
		return c.text, true
	}
	n, ok := forms.Split(c.text)
	if ok {
		literal, ok = n.Literal(decimal)
	}
	return literal, ok
}

// integer returns the integer in a cell, which may have a fraction of zeros, as in 3.0. Without a decimal
// separator it must not be that of 1.000, whose point may separate groups.
func (c cell) integer(decimal string) (int64, bool) {
	literal, ok := c.number(decimal)
	if ok && (decimal != "" || c.literal || !forms.Grouped(literal)) {
		literal, ok = forms.Whole(literal)
	}
	i, isInteger := forms.ParseInteger(literal)
	return i, ok && isInteger
}

// otherDecimal describes, for a message, which numbers a cell would be with other decimal separators. value
// returns the value of a literal.
func otherDecimal(s, decimal string, value func(literal string) (string, bool)) string {
	n, ok := forms.Split(s)
	if !ok {
		return ""
	}
	var values, would []string
	for _, d := range forms.Decimals {
		literal, ok := n.Literal(d)
		if !ok || d == decimal {
			continue
		}
		if v, ok := value(literal); ok {
			values = append(values, v)
			would = append(would, v+` with "decimal": `+strconv.Quote(d))
		}
	}
	switch {
	case would == nil:
		return ""
	case len(would) > 1 && values[0] == values[1]:
		return "; it would be " + would[0] + " or " + strconv.Quote(forms.Decimals[1])
	}
	return "; it would be " + strings.Join(would, ", and ")
}

// unitsIn returns the units of the columns of the mapping with a decimal separator, and nil for the others.
// It reads the file if there is such a column: whether a cell is rejected depends on the whole column, and
// must be known before the first row is checked, so that it does not depend on the order of the rows.
func unitsIn(ctx context.Context, in *input, opts Options) ([]*forms.Units, error) {
	columns := opts.Mapping.Columns
	out, names := make([]*forms.Units, len(columns)), make([]string, len(columns))
	some := false
	for i, c := range columns {
		names[i] = c.Column
		if c.Decimal != "" {
			out[i], some = &forms.Units{}, true
		}
	}
	if !some {
		return out, nil
	}
	var at []int
	_, err := eachRecord(ctx, in, opts, Inferring, names, func(from *pass, rec *record) error {
		if at == nil {
			index := newColumnIndex(from.reader.columns())
			for _, name := range names {
				at = append(at, index.at(name))
			}
		}
		for i, u := range out {
			if u != nil && rec.fault == nil {
				c := rec.at(at[i])
				u.Look(c.text, c.literal, columns[i].Decimal)
			}
		}
		return nil
	})
	return out, err
}

// withUnits makes a converter of numbers reject the cells that have another unit than others of their column.
func withUnits(u *forms.Units, t tracker.FieldType, convert converter) converter {
	reason := NotNumber
	if t == tracker.TypeInteger {
		reason = NotInteger
	}
	return func(c cell) (fieldValue, *fault) {
		v, f := convert(c)
		if f == nil && !c.literal {
			if why := u.Refuse(c.text); why != "" {
				return fieldValue{}, &fault{reason: reason, detail: shown(c.text) + " " + why}
			}
		}
		return v, f
	}
}

// shown returns a cell for a message: quoted, and cut if it is long.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.QuoteToGraphic(strings.ToValidUTF8(s[:most], "")) + "..."
	}
	return strconv.QuoteToGraphic(s)
}
