package importer

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// parseInteger parses decimal digits with an optional sign, without blanks, separators or fraction.
func parseInteger(s string) (int64, bool) {
	if strings.Trim(s, "+-0123456789") != "" {
		return 0, false
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}

// parseNumber parses a decimal literal such as -12.50 or 1e-3. It rejects a literal that float64 cannot
// represent exactly to its last digit (R2).
func parseNumber(s string) (tracker.Value, *fault) {
	if strings.Trim(s, "+-.eE0123456789") != "" {
		return tracker.Value{}, &fault{reason: NotNumber, detail: shown(s) + " is not a number"}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && f == 0 {
		return tracker.Value{}, &fault{reason: NotNumber, detail: shown(s) + " is not a number"}
	}
	v := tracker.Float(f)
	if err != nil || exact(s) != exact(v.Literal()) {
		return tracker.Value{}, &fault{reason: OutOfRange, detail: shown(s) +
			" is out of range or has more digits than a number of 64 bits keeps"}
	}
	return v, nil
}

// decimal is a number without leading and trailing zeros: sign, digits, and the power of ten of the first
// digit.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// exact parses a valid decimal literal, so that 1.50, 15e-1 and +1.5 are equal.
func exact(s string) decimal {
	d := decimal{negative: strings.HasPrefix(s, "-")}
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
		return decimal{}
	}
	return d
}

// shown returns a cell for a message: quoted, and cut if it is long.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.QuoteToGraphic(strings.ToValidUTF8(s[:most], "")) + "..."
	}
	return strconv.QuoteToGraphic(s)
}
