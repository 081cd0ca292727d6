package importer

import (
	"strconv"
	"strings"

	"issuegrid/importer/forms"
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

// integerReader is numberReader for integers, which may have a fraction of zeros if decimal is not empty.
func integerReader(decimal string) func(cell) (tracker.Value, *fault) {
	return func(c cell) (tracker.Value, *fault) {
		literal, ok := c.number(decimal)
		if ok && decimal != "" {
			literal, ok = forms.Whole(literal)
		}
		i, isInteger := forms.ParseInteger(literal)
		if ok && isInteger {
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

// shown returns a cell for a message: quoted, and cut if it is long.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.QuoteToGraphic(strings.ToValidUTF8(s[:most], "")) + "..."
	}
	return strconv.QuoteToGraphic(s)
}
