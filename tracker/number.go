package tracker

import (
	"math"
	"strconv"
	"strings"
)

// The law of numbers: a number that would be kept as another number is refused. What is not another number is
// the usual rounding of a decimal fraction to the nearest float64, such as that of 0.1. So are refused: what
// is not 0 and would become 0, what is too large, and an integer beyond ±2^53 whose digits float64 does not
// give back.

// maxExact is 2^53, up to which float64 has every integer.
const maxExact = 1 << 53

// ParseNumber reads a decimal literal, such as -12.5 or 1e-3, by the law of numbers. Whether it is within the
// range of a NUMBER is for Field.Check.
//
// Examples: 9007199254740993 is refused, because float64 has 9007199254740992 and 9007199254740994. 1e23 is
// accepted, because the nearest float64 is written 1e+23. So is 1152921504606847000, which is how JavaScript
// writes 2^60.
func ParseNumber(literal string) (float64, error) {
	d, ok := parseDecimal(literal)
	if !ok {
		return 0, Bad("", "%q is not a number", shortened(literal))
	}
	x, err := strconv.ParseFloat(literal, 64)
	switch {
	case err != nil:
		return 0, Bad("", "%s is out of range: the magnitude of a number is 0, or from %g to %g",
			shortened(literal), MinNumber, MaxNumber)
	case x == 0 && d.digits != "":
		return 0, Bad("", "%s would become 0: the magnitude of a number is 0, or from %g to %g",
			shortened(literal), MinNumber, MaxNumber)
	case math.Abs(x) >= maxExact && d.integer() && !d.heldBy(x):
		return 0, Bad("", "%s has more digits than double precision can represent", shortened(literal))
	}
	return x, nil
}

// decimal is the number 0.digits * 10^exponent. The digits neither begin nor end with 0; 0 has none.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal takes a literal apart; false if it is none. Infinities, hexadecimals and underscores are not
// decimal.
func parseDecimal(s string) (d decimal, ok bool) {
	d.negative = strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	mantissa, exponent, scaled := s, "", false
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent, scaled = s[:i], s[i+1:], true
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return d, false
	}
	if scaled {
		if strings.Trim(strings.TrimLeft(exponent, "+-"), "0123456789") != "" {
			return d, false
		}
		n, err := strconv.Atoi(exponent)
		if err != nil && n == 0 {
			return d, false
		}
		// no literal is long enough to make up for more
		d.exponent = max(min(n, math.MaxInt32), math.MinInt32)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent += len(digits) - len(fraction)
	if d.digits = strings.TrimRight(digits, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// integer reports whether there is nothing behind the point.
func (d decimal) integer() bool { return len(d.digits) <= d.exponent || d.digits == "" }

// int is the integer, if it is one of 64 bits.
func (d decimal) int() (int64, bool) {
	const most = 19 // digits of an integer of 64 bits
	if !d.integer() || d.exponent > most {
		return 0, false
	}
	s := d.digits + strings.Repeat("0", max(0, d.exponent-len(d.digits)))
	if d.negative {
		s = "-" + s
	}
	if d.digits == "" {
		s = "0"
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}

// heldBy reports whether x is the integer d exactly, or is written with the digits of d.
func (d decimal) heldBy(x float64) bool {
	shortest, _ := parseDecimal(strconv.FormatFloat(x, 'e', -1, 64))
	exact, _ := parseDecimal(strconv.FormatFloat(x, 'f', 0, 64))
	return d == shortest || d == exact
}

// ParseInteger reads a literal of an integer of 64 bits, which may be written as 5, 5.0 or 5e0; false if it
// is none.
func ParseInteger(literal string) (int64, bool) {
	d, ok := parseDecimal(literal)
	if !ok {
		return 0, false
	}
	return d.int()
}
