package forms

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
)

// Decimals are the decimal separators.
var Decimals = []string{".", ","}

// Number is a number as people write it, in its parts. numbers.ts of the web client reads them too, in a
// user's locale; here, the mapping or all cells of a column determine the decimal separator. Tests of both
// languages use internal/importer/testdata/numbers.json.
type Number struct {
	sign     string // +, - or empty; parentheses are -
	unit     string // a currency or %, in upper case, or empty
	digits   string // with their separators
	exponent string // such as e-3, or empty

	// code is the form of a unit that is a currency code.
	code codeForm
	// fixed reports whether the number has spaces at which lines do not break.
	fixed bool
}

// codeForm is how a currency code is written. One before a number may be a name, as in PHP 8.10. One that is
// not in upper case or has no space beside it may be a part of a name.
type codeForm int

const (
	noCode codeForm = iota
	codeBefore
	codeAfter
	closeCode
)

// Split splits a number such as -$1,234.50, (12 €) or 45 %.
func Split(text string) (n Number, ok bool) {
	s, fixed := withoutVariants(text)
	n.fixed = fixed
	if inside, open := strings.CutPrefix(s, "("); open {
		if s, ok = strings.CutSuffix(inside, ")"); !ok {
			return n, false
		}
		n.sign = "-"
	}
	var signs [2]string
	signs[0], s = cutSign(s)
	s = strings.TrimPrefix(s, " ")
	before, s := cutUnit(s)
	s, spaced := strings.CutPrefix(s, " ")
	n.setUnit(before, codeBefore, spaced)
	signs[1], s = cutSign(s)
	if signs[1] != "" && n.code != noCode && !spaced {
		return n, false // such as the key CUP-12
	}
	if after := lastUnit(s); after != "" {
		if before != "" {
			return n, false
		}
		s = strings.TrimSuffix(s, after)
		n.setUnit(after, codeAfter, strings.HasSuffix(s, " "))
		s = strings.TrimSuffix(s, " ")
	}
	for _, sign := range signs {
		if sign != "" && n.sign != "" {
			return n, false
		}
		n.sign += sign
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s, n.exponent = s[:i], strings.ToLower(s[i:])
		if _, power := cutSign(n.exponent[1:]); power == "" || !isDigits(power) {
			return n, false
		}
	}
	n.digits = s
	return n, s != "" && strings.Trim(s, "0123456789., '_") == ""
}

// setUnit sets the unit, which may be empty. form is that of a code with a space beside it.
func (n *Number) setUnit(unit string, form codeForm, spaced bool) {
	if unit == "" {
		return
	}
	n.unit = strings.ToUpper(unit)
	if strings.Trim(n.unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		n.code = closeCode
		if spaced && n.unit == unit {
			n.code = form
		}
	}
}

func cutSign(s string) (sign, rest string) {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		return s[:1], s[1:]
	}
	return "", s
}

// cutUnit cuts a currency before a number: a sign such as $ or US$, or a code such as USD.
func cutUnit(s string) (unit, rest string) {
	const most = len("USD")
	i := 0
	for i < len(s) && i <= most && isLetter(s[i]) {
		i++
	}
	if i > most {
		return "", s
	}
	if r, size := utf8.DecodeRuneInString(s[i:]); unicode.Is(unicode.Sc, r) {
		return s[:i+size], s[i+size:]
	}
	if i == most && isCurrency(s[:i]) {
		return s[:i], s[i:]
	}
	return "", s
}

// lastUnit returns a currency or a percent sign after a number, or an empty string.
func lastUnit(s string) string {
	r, size := utf8.DecodeLastRuneInString(s)
	if r == '%' || unicode.Is(unicode.Sc, r) {
		return s[len(s)-size:]
	}
	if at := len(s) - len("USD"); at > 0 && !isLetter(s[at-1]) && isCurrency(s[at:]) {
		return s[at:]
	}
	return ""
}

// isCurrency reports whether three bytes are a currency code of ISO 4217.
func isCurrency(s string) bool {
	if !isLetter(s[0]) || !isLetter(s[1]) || !isLetter(s[2]) {
		return false
	}
	_, err := currency.ParseISO(s)
	return err == nil
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// Literal returns the decimal literal of a number with a decimal separator. ok is false if its digits are not
// such a number.
func (n Number) Literal(decimal string) (literal string, ok bool) {
	whole, fraction, cut := strings.Cut(n.digits, decimal)
	if !isDigits(fraction) || whole+fraction == "" {
		return "", false
	}
	if i := strings.IndexAny(whole, "., '_"); i >= 0 {
		group := whole[i : i+1]
		if !isGrouped(strings.Split(whole, group)) || n.exponent != "" && strings.Contains(".,", group) {
			return "", false
		}
		whole = strings.ReplaceAll(whole, group, "")
	}
	if !cut && n.sign == "" && n.exponent == "" {
		return whole, true
	}
	literal = n.sign + whole
	if cut {
		literal += "." + fraction
	}
	return literal + n.exponent, true
}

// isGrouped reports whether digits are in groups of three, or as in India: two, except for the last group.
func isGrouped(groups []string) bool {
	last := len(groups) - 1
	first, middle := len(groups[0]), groups[1:last]
	if groups[0] == "" || first > 3 || groups[0][0] == '0' || len(groups[last]) != 3 {
		return false
	}
	size := 3
	if len(middle) > 0 && len(middle[0]) == 2 && first <= 2 {
		size = 2
	}
	for _, group := range middle {
		if len(group) != size {
			return false
		}
	}
	for _, group := range groups {
		if !isDigits(group) {
			return false
		}
	}
	return true
}

// withoutVariants returns a number with ASCII characters instead of those that only look different: forms of
// full width, and kinds of spaces, minus signs and apostrophes. It omits spaces at the ends and marks of
// direction. NFKC would also make 102 of 10². fixed reports whether spaces inside are not the usual ones.
func withoutVariants(s string) (plain string, fixed bool) {
	s = strings.TrimSpace(s)
	if isASCII(s) {
		return s, false
	}
	plain = strings.Map(func(r rune) rune {
		if r != ' ' && unicode.IsSpace(r) {
			fixed = true
		}
		return usualRune(r)
	}, s)
	return strings.TrimSpace(plain), fixed
}

// usualRune returns the usual character for one that only looks different, or -1 for a mark of direction.
func usualRune(r rune) rune {
	switch {
	case r >= '！' && r <= '～':
		return r - '！' + '!'
	case r == '￥':
		return '¥'
	case r == '\u200e' || r == '\u200f' || r == '\u061c':
		return -1
	case r == '\u2212' || r == '\u2013' || r == '\u2010':
		return '-'
	case r == '’' || r == '‘':
		return '\''
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
