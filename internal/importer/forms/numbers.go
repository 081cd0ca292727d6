package forms

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// Numbers describes the cells of a column that are numbers as people write them. Arrays have an element
// for each of Decimals.
type Numbers struct {
	some  int64 // numbers with at least one of the separators
	plain int64 // literals, which need no separator
	// read counts the numbers with a separator; whole those without a fraction, round those without one or
	// with one of zeros, float those that a NUMBER can hold.
	read, whole, round, float [2]int64
	units                     Units
	written                   [2]Written
	// proof reports a cell that is certainly a number, and only with this separator: one with a unit, or with
	// separators of both kinds.
	proof [2]bool
	// pointed counts the literals with a point; clashes those that are another number with the comma, such as
	// 1.234.
	pointed, clashes int64
	// doubt is the first cell that is different numbers with the two separators. example is the first one
	// that is no literal.
	doubt, example *doubt

	// What follows decides whether all the cells of a column are numbers, and not names made of digits.

	// loose reports a cell that is rather a name, such as 007, CUP-12 or an IP address.
	loose bool
	// marked reports a cell with what names rarely have. Plain spaces between groups, as in phone numbers,
	// are no such mark: spaced reports a cell that has them and a mark, bare one that has only them.
	marked, spaced, bare bool
}

// maxClear is the maximum length, in bytes, of a cell that inference takes for a number or a date.
const maxClear = 40

// Look adds a cell, which is a literal if isLiteral is set.
func (n *Numbers) Look(s string, isLiteral bool) {
	switch {
	case len(s) > maxClear:
		if !isLiteral && Fits(s) { // it can be in a column of literals, which may be longer
			n.written[0].Look(s, s, Decimals[0])
		}
		return
	case isDigits(s) && len(s) <= 15: // the most frequent ones, which fit every type
		for i := range Decimals {
			n.add(i, true, true, true)
			n.written[i].lookDigits(s)
		}
		n.plain++
		n.weigh(s, Number{digits: s})
		return
	}
	w, ok := Number{digits: s}, true
	if !isLiteral {
		w, ok = Split(s)
	}
	if !ok {
		return
	}
	var values [2]string
	for i, d := range Decimals {
		literal, ok := s, true
		if !isLiteral {
			literal, ok = w.Literal(d)
		}
		if !ok {
			continue
		}
		_, whole := ParseInteger(literal)
		float := Fits(literal)
		if whole || float {
			_, round := Whole(literal)
			n.add(i, whole, round, float)
			values[i] = literal
			if isLiteral { // however it is written: only strings are cells
				v, _, _ := ParseNumber(literal)
				n.written[i].Look(v.Literal(), v.Literal(), Decimals[0])
			} else {
				n.written[i].Look(s, literal, d)
			}
		}
	}
	dot, comma := values[0], values[1]
	if dot == "" && comma == "" {
		return
	}
	differs := dot != "" && comma != "" && exact(dot) != exact(comma)
	if differs && n.doubt == nil {
		n.doubt = &doubt{cell: s, values: values[:]}
	}
	if dot == s {
		n.plain++
		if strings.Contains(s, ".") && !isLiteral {
			n.pointed++
		}
		if differs {
			n.clashes++
		}
	} else if n.example == nil {
		n.example = &doubt{cell: s, values: values[:]}
	}
	if certain := n.weigh(s, w); certain && dot == "" {
		n.proof[1] = true
	} else if certain && comma == "" {
		n.proof[0] = true
	}
}

func (n *Numbers) add(i int, whole, round, float bool) {
	n.read[i]++
	if round {
		n.round[i]++
	}
	if whole {
		n.whole[i]++
	}
	if float {
		n.float[i]++
	}
}

// weigh adds what a number says about the column. It reports whether it is certainly a number, and not a name
// or a list of numbers.
func (n *Numbers) weigh(s string, w Number) (certain bool) {
	n.units.add(w.unit)
	n.some++
	padded := len(w.digits) > 1 && w.digits[0] == '0' && w.digits[1] >= '0' && w.digits[1] <= '9'
	n.loose = n.loose || padded || w.sign == "+" || w.code == closeCode || isIPv4(s)
	marked := w.unit != "" && w.code == noCode || w.fixed || strings.Contains(w.digits, "'")
	certain = w.unit != "" && w.code == noCode
	if at := strings.LastIndexAny(w.digits, ".,"); at >= 0 {
		// PHP 8.1 is not a price: with a code, the separator must be that of cents or thousands.
		after := len(w.digits) - at - 1
		marked = marked || w.code == noCode || after == 2 || after == 3
		certain = certain || w.code == codeAfter && after == 2 ||
			strings.ContainsAny(strings.ReplaceAll(w.digits, w.digits[at:at+1], ""), "., '_")
	}
	n.marked = n.marked || marked
	if !w.fixed && strings.ContainsAny(w.digits, " _") {
		n.spaced, n.bare = n.spaced || marked, n.bare || !marked
	}
	return certain
}

// Is reports whether all cells of a column, of which filled are not empty, are of a type, with a decimal
// separator that is clear, and are written alike.
func (n *Numbers) Is(t tracker.FieldType, filled int64) bool {
	i := n.proven()
	return i >= 0 && n.some == filled && n.typeWith(i) == t && n.written[i].Lossy() == ""
}

// Alike reports whether numbers that are all literals are written alike.
func (n *Numbers) Alike() bool { return n.written[0].Lossy() == "" }

// Unlike returns what a column is that would be numbers if they were written alike: all are literals, or
// their decimal separator is clear. It is nil for other columns.
func (n *Numbers) Unlike(literals bool) []Choice {
	i := n.proven()
	if literals {
		i = 0
	}
	if i < 0 {
		return nil
	}
	cell := n.written[i].Lossy()
	if cell == "" || literals && strings.ContainsAny(cell, "eE") {
		return nil
	}
	split, _ := Split(cell)
	value, _ := split.Literal(Decimals[i])
	if v, _, isExact := ParseNumber(value); isExact {
		value = v.Literal()
	}
	return []Choice{{Type: n.typeWith(i), Decimal: Decimals[i], Cell: cell, Value: value}}
}

// Decimal returns the decimal separator of the numbers of a column, with which they are of a type; empty if
// they need none, or it is not clear.
func (n *Numbers) Decimal(t tracker.FieldType) string {
	held := &n.float
	if t == tracker.TypeInteger {
		held = &n.round
	}
	if i := n.proven(); i >= 0 && held[i] == n.some {
		return Decimals[i]
	}
	return ""
}

// proven returns the index of the separator that is clear, or -1.
func (n *Numbers) proven() int {
	for i := range Decimals {
		if n.proof[i] && n.read[i] == n.some && n.sure() && (i == 0 || n.clashes == 0) {
			return i
		}
	}
	return -1
}

// sure reports whether the numbers of a column are neither names nor of different kinds.
func (n *Numbers) sure() bool {
	return !n.loose && n.marked && (!n.bare || n.spaced) && !n.units.unequal()
}

// All reports whether all cells of a column are numbers, of which filled are not empty.
func (n *Numbers) All(filled int64) bool { return filled > 0 && n.some == filled }

// typeWith is the narrowest type of the numbers with a separator.
func (n *Numbers) typeWith(i int) tracker.FieldType {
	if n.whole[i] == n.some {
		return tracker.TypeInteger
	}
	return tracker.TypeNumber
}

// Choices are what the numbers of a column can be, also if it is only one thing, unless this is clear. The
// first one may be the literals of a column. A column of nothing but literals is clear if one of them has a
// fraction that can be nothing else.
func (n *Numbers) Choices() (out []Choice) {
	isClear := n.plain == n.some && (n.clashes == 0 || n.clashes < n.pointed)
	if isClear || !n.sure() || n.proven() >= 0 {
		return nil
	}
	shown := n.doubt
	if shown == nil {
		shown = n.example
	}
	all := func(i int) bool { return n.whole[i] == n.some || n.float[i] == n.some }
	for i, d := range Decimals {
		if all(i) || n.clashes > 0 && all(1) {
			out = append(out, Choice{n.typeWith(i), d, nil, shown.cell, shown.values[i]})
		}
	}
	return out
}

// isIPv4 reports whether a text can be an address such as 192.168.100.200, which looks like groups of digits.
func isIPv4(s string) bool {
	if strings.Count(s, ".") != 3 {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if _, err := strconv.ParseUint(part, 10, 8); err != nil {
			return false
		}
	}
	return true
}
