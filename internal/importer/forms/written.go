package forms

import (
	"cmp"
	"strings"
	"unicode"
)

// Written is how the numbers of a column are written, with one decimal separator. Two different cells are
// never the same number if all are written alike: each number, written so, is its cell again (F1). They are
// not if their units, signs or separators of groups differ, as in $12 and 12, or if their fractions have
// different lengths and one has a zero at its end, as in 12,5 € and 12,50 €, or the versions 1.9 and 1.10.
type Written struct {
	// chars are the characters that the cells have, such as a full-width point. All digits count as 0.
	chars []char
	// around is what is before and after the digits of numbers with a sign (1) and without one (0).
	around [2]*[2]string
	// groups is what separates the groups of whole numbers of four digits (0), which many people write
	// without, and of more digits (1).
	groups [2]*string
	// indian is how the groups of at least six digits are: with two digits, except for the last one.
	indian *bool
	// length is that of the fractions, if it is the same for all; otherwise varies is set.
	seen, varies bool
	length       int
	zeros        string // the first cell whose fraction has a zero at its end
	// exponent is the first cell with an exponent, and digits the first one without the exponent that the
	// shortest form of its number has.
	exponent, digits string
	other            string // the first cell that is not written like the cells before it
}

// char is a character, and the usual one for which it stands.
type char struct{ usual, at rune }

// alike reports whether a character is written as in the cells before.
func (w *Written) alike(c char) bool {
	for _, was := range w.chars {
		if was.usual == c.usual {
			return was.at == c.at
		}
	}
	w.chars = append(w.chars, c)
	return true
}

// Look adds a cell that is a number, and the literal of the number with the decimal separator.
func (w *Written) Look(s, literal, decimal string) {
	v, _, _ := ParseNumber(literal)
	if short := v.Literal(); strings.ContainsAny(literal, "eE") {
		// The shortest form of very large and very small numbers has an exponent, as in an export.
		if w.exponent = cmp.Or(w.exponent, s); short != s {
			w.differ(s)
		}
		return
	} else if strings.Contains(short, "e") {
		w.digits = cmp.Or(w.digits, s)
	}
	cell, ok := w.usual(strings.TrimSpace(s))
	first, last := strings.IndexAny(cell, "0123456789"), strings.LastIndexAny(cell, "0123456789")
	if !ok || first < 0 {
		w.differ(s)
		return
	}
	before, digits, after := cell[:first], cell[first:last+1], cell[last+1:]
	whole, fraction, _ := strings.Cut(digits, decimal)
	signed := 0
	if strings.HasPrefix(literal, "-") {
		signed = 1
	}
	if w.around[signed] == nil {
		w.around[signed] = &[2]string{before, after}
	}
	if *w.around[signed] != [2]string{before, after} || !w.grouped(whole) || !isDigits(fraction) ||
		before != "" && strings.Contains(".,", before[len(before)-1:]) || // .5
		after != "" && strings.Contains(".,", after[:1]) || // 5.
		strings.HasPrefix(literal, "+") || signed == 1 && strings.Trim(literal, "-0.") == "" { // +5 and -0
		w.differ(s)
		return
	}
	if w.zeros == "" && strings.HasSuffix(fraction, "0") {
		w.zeros = s
	}
	w.varies = w.varies || w.seen && len(fraction) != w.length
	w.seen, w.length = true, len(fraction)
}

// lookDigits is Look for at most 15 digits, which are the most frequent cells.
func (w *Written) lookDigits(s string) {
	if w.around[0] == nil {
		w.around[0] = &[2]string{}
	}
	if !w.alike(char{'0', '0'}) || *w.around[0] != [2]string{} || !w.grouped(s) {
		w.differ(s)
		return
	}
	w.varies = w.varies || w.seen && w.length > 0
	w.seen, w.length = true, 0
}

// usual returns a cell with the usual characters instead of others that only look different, apart from
// spaces. It reports whether each of them is written as in the cells before.
func (w *Written) usual(s string) (out string, ok bool) {
	ok = true
	out = strings.Map(func(r rune) rune {
		usual := usualRune(r)
		if usual < 0 { // a mark of direction
			ok = false
		}
		if usual < 0 || unicode.IsSpace(r) {
			return r
		}
		c := char{usual, r}
		if usual >= '0' && usual <= '9' {
			c = char{'0', r - usual + '0'}
		}
		ok = w.alike(c) && ok
		return usual
	}, s)
	return out, ok
}

// grouped adds the whole part of a number, and reports whether it has groups like the others.
func (w *Written) grouped(whole string) bool {
	digits, group := whole, ""
	if rest := strings.TrimLeft(whole, "0123456789"); rest != "" {
		group = rest[:len(rest)-len(strings.TrimLeftFunc(rest, notDigit))]
		digits = strings.ReplaceAll(whole, group, "")
	}
	if !isDigits(digits) || len(digits) > 1 && digits[0] == '0' {
		return false
	}
	if len(digits) < 4 {
		return group == ""
	}
	size := min(len(digits), 5) - 4
	if w.groups[size] == nil {
		w.groups[size] = &group
	}
	if group == "" || len(digits) < 6 {
		return *w.groups[size] == group
	}
	indian := whole != inThousands(digits, group)
	if w.indian == nil {
		w.indian = &indian
	}
	return *w.groups[size] == group && *w.indian == indian
}

// inThousands writes digits in groups of three.
func inThousands(digits, group string) string {
	var b strings.Builder
	for i := range len(digits) {
		if left := len(digits) - i; i > 0 && left%3 == 0 {
			b.WriteString(group)
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

func (w *Written) differ(s string) {
	if w.other == "" {
		w.other = s
	}
}

// Lossy returns the first cell that shows that the numbers are not written alike, empty if they are.
func (w *Written) Lossy() string {
	switch {
	case w.zeros != "" && (w.varies || w.length == 0 || w.exponent != ""):
		return w.zeros
	case w.exponent != "" && w.digits != "":
		return w.digits
	}
	return w.other
}
