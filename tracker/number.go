package tracker

import (
	"math"
	"strconv"
	"strings"
)

// The law of numbers: a number that float64 would change is rejected. Rounding a decimal fraction such as 0.1
// to the nearest float64 does not count as a change. Therefore three kinds of numbers are rejected: nonzero
// numbers that would become 0, numbers that are too large, and integers beyond ±2^53 whose digits float64
// does not preserve.

// maxExact is 2^53. Float64 represents every integer up to it exactly.
const maxExact = 1 << 53

// ParseNumber parses a decimal literal, such as -12.5 or 1e-3, by the law of numbers. It does not check the
// range of a NUMBER; Field.Check does.
//
// Examples: 9007199254740993 is rejected, because float64 represents only 9007199254740992 and
// 9007199254740994. 1e23 is accepted, because the shortest form of the nearest float64 is 1e+23. So is
// 1152921504606847000, the form in which JavaScript writes 2^60.
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

// decimal is the number 0.digits * 10^exponent. The digits neither begin nor end with 0; the number 0 has no
// digits.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parseDecimal parses a decimal literal, and reports whether it is one. Infinities, hexadecimal literals and
// underscores are not allowed.
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
		// no literal has enough digits to offset a larger exponent
		d.exponent = max(min(n, math.MaxInt32), math.MinInt32)
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent += len(digits) - len(fraction)
	if d.digits = strings.TrimRight(digits, "0"); d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// integer reports whether d has no fraction.
func (d decimal) integer() bool { return len(d.digits) <= d.exponent || d.digits == "" }

// int returns the integer, and whether d is an integer of 64 bits.
func (d decimal) int() (int64, bool) {
	const most = 19 // digits of the largest 64-bit integer
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

// heldBy reports whether x is exactly the integer d, or the shortest form of x has the digits of d.
func (d decimal) heldBy(x float64) bool {
	shortest, _ := parseDecimal(strconv.FormatFloat(x, 'e', -1, 64))
	exact, _ := parseDecimal(strconv.FormatFloat(x, 'f', 0, 64))
	return d == shortest || d == exact
}

// ParseInteger parses the literal of a 64-bit integer, such as 5, 5.0 or 5e0, and reports whether it is one.
func ParseInteger(literal string) (int64, bool) {
	d, ok := parseDecimal(literal)
	if !ok {
		return 0, false
	}
	return d.int()
}
