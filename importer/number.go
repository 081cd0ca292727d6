package importer

import (
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// parseInteger reads decimal digits with an optional sign: no blanks, no separators, no fraction.
func parseInteger(s string) (int64, bool) {
	if strings.Trim(s, "+-0123456789") != "" {
		return 0, false
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}

// parseNumber reads a decimal literal such as -12.50 or 1e-3. It refuses one that float64 does not hold exactly to its last digit,
// because the cell would not come back (R2).
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
		return tracker.Value{}, &fault{reason: OutOfRange, detail: shown(s) + " is out of range or has more digits than a number of 64 bits keeps"}
	}
	return v, nil
}

// decimal is a number without leading and trailing zeros: sign, digits, and the power of ten of the first digit.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// exact takes a decimal literal apart, so that 1.50, 15e-1 and +1.5 are equal. The literal must be valid.
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

// shown is a cell in a message: quoted, and cut when it is long.
func shown(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.QuoteToGraphic(strings.ToValidUTF8(s[:most], "")) + "..."
	}
	return strconv.QuoteToGraphic(s)
}
