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
	// read counts the numbers with a separator; whole those without a fraction, float those that a NUMBER can
	// hold.
	read, whole, float [2]int64
	// units reports that cells have different units, or that only some have one.
	unit  string
	units bool
	// doubt is the first cell that is different numbers with the two separators.
	doubt *doubt

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
		return
	case isDigits(s) && len(s) <= 15: // the most frequent ones, which fit every type
		for i := range Decimals {
			n.add(i, true, true)
		}
		n.weigh(s, Number{digits: s}, true)
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
			n.add(i, whole, float)
			values[i] = literal
		}
	}
	switch dot, comma := values[0], values[1]; {
	case dot == "" && comma == "":
		return
	case n.doubt == nil && dot != "" && comma != "" && exact(dot) != exact(comma):
		n.doubt = &doubt{cell: s, values: values[:]}
	}
	n.weigh(s, w, values[0] == s)
}

func (n *Numbers) add(i int, whole, float bool) {
	n.read[i]++
	if whole {
		n.whole[i]++
	}
	if float {
		n.float[i]++
	}
}

// weigh adds what a number says about the column. plain reports that it is a literal.
func (n *Numbers) weigh(s string, w Number, plain bool) {
	if n.some == 0 {
		n.unit = w.unit
	}
	n.units = n.units || w.unit != n.unit
	n.some++
	if plain {
		n.plain++
	}
	padded := len(w.digits) > 1 && w.digits[0] == '0' && w.digits[1] >= '0' && w.digits[1] <= '9'
	n.loose = n.loose || padded || w.sign == "+" || w.code == closeCode || isIPv4(s)
	marked := w.unit != "" && w.code == noCode || w.fixed || strings.Contains(w.digits, "'")
	if at := strings.LastIndexAny(w.digits, ".,"); at >= 0 {
		// PHP 8.1 is not a price: with a code, the separator must be that of cents or thousands.
		after := len(w.digits) - at - 1
		marked = marked || w.code == noCode || after == 2 || after == 3
	}
	n.marked = n.marked || marked
	if !w.fixed && strings.ContainsAny(w.digits, " _") {
		n.spaced, n.bare = n.spaced || marked, n.bare || !marked
	}
}

// Is reports whether all cells of a column are of a type, with a decimal separator that is clear.
func (n *Numbers) Is(t tracker.FieldType, filled int64) bool {
	choices := n.Choices()
	return len(choices) == 1 && choices[0].Type == t && n.Sure(filled)
}

// Sure reports whether all cells of a column are numbers, of which filled are not empty.
func (n *Numbers) Sure(filled int64) bool {
	return n.some == filled && filled > 0 && !n.loose && n.marked && (!n.bare || n.spaced)
}

// Choices are what the numbers of a column can be: nothing if they need no decimal separator, or none reads
// all of them; one choice if it is clear; several if it is not.
func (n *Numbers) Choices() (out []Choice) {
	all := func(i int) bool { return n.some > 0 && n.read[i] == n.some && !n.units }
	if n.plain == n.some && (n.doubt == nil || !all(1)) {
		return nil
	}
	for i, d := range Decimals {
		switch {
		case !all(i):
		case n.whole[i] == n.some:
			out = append(out, Choice{Type: tracker.TypeInteger, Decimal: d})
		case n.float[i] == n.some:
			out = append(out, Choice{Type: tracker.TypeNumber, Decimal: d})
		default:
			return nil
		}
	}
	if len(out) > 1 && n.doubt == nil {
		return out[:1]
	}
	return n.doubt.explain(out)
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
