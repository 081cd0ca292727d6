package sortkey

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// Fold brings a text into the form in which texts are compared: compatibility decomposition (NFKD), nonspacing marks removed,
// case folded. "Éclair", "ECLAIR" and "eclair" fold alike; folding twice changes nothing.
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	// Folding case can bring forth letters that decompose again, hence the second round; and x/text folds Cherokee letters
	// into the other case and back, hence the lower case.
	return strip(strings.ToLower(cases.Fold().String(strip(s))))
}

func strip(s string) string {
	out, _, err := transform.String(transform.Chain(norm.NFKD, runes.Remove(runes.In(unicode.Mn))), s)
	if err != nil {
		return s // the chain has no failing step: this cannot happen
	}
	return out
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
