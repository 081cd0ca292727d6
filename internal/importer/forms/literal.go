package forms

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// ParseInteger parses decimal digits with an optional sign, without blanks, separators or fraction.
func ParseInteger(s string) (int64, bool) {
	if strings.Trim(s, "+-0123456789") != "" {
		return 0, false
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}

// ParseNumber parses a decimal literal such as -12.50 or 1e-3. ok is false if it is none; isExact is false if
// float64 cannot represent it to its last digit.
func ParseNumber(s string) (v tracker.Value, ok, isExact bool) {
	if strings.Trim(s, "+-.eE0123456789") != "" {
		return tracker.Value{}, false, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && f == 0 {
		return tracker.Value{}, false, false
	}
	v = tracker.Float(f)
	if err != nil || exact(s) != exact(v.Literal()) {
		return tracker.Value{}, true, false
	}
	return v, true, true
}

// Fits reports whether a literal is a number that a NUMBER can hold.
func Fits(literal string) bool {
	v, _, isExact := ParseNumber(literal)
	return isExact && numberField.CheckWrite(v) == nil
}

var numberField = &tracker.Field{Type: tracker.TypeNumber}

// Whole returns a literal without its fraction, which must be zero.
func Whole(literal string) (whole string, ok bool) {
	whole, fraction, _ := strings.Cut(literal, ".")
	return whole, strings.Trim(fraction, "0") == ""
}

// Grouped reports whether the points of a number may separate groups of three digits, as in 1.000.
func Grouped(literal string) bool {
	groups := strings.Split(strings.TrimLeft(literal, "+-"), ".")
	if len(groups) == 1 || len(groups[0]) > 3 || strings.Trim(groups[0], "0") == "" {
		return false
	}
	for _, g := range groups[1:] {
		if len(g) != 3 {
			return false
		}
	}
	return true
}

// exactNumber is a number without leading and trailing zeros: sign, digits, and the power of ten of the first
// digit.
type exactNumber struct {
	negative bool
	digits   string
	exponent int
}

// exact parses a valid decimal literal, so that 1.50, 15e-1 and +1.5 are equal.
func exact(s string) exactNumber {
	d := exactNumber{negative: strings.HasPrefix(s, "-")}
	mantissa, exponent := strings.TrimLeft(s, "+-"), 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(mantissa[i+1:])
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.exponent = exponent + len(digits) - len(fraction)
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return exactNumber{}
	}
	return d
}
