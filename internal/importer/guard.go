package importer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file is the counterpart of guard.ts of the web client, which states the laws: the grid's export
// inserts apostrophes where a spreadsheet would run a part of a cell as a formula. For every text,
// withoutGuard(withGuard(text)) == text. Tests of both languages use testdata/guard.json.

// withGuard inserts an apostrophe wherever a formula could begin.
func withGuard(text string) string {
	at := formulas(text)
	if len(at) == 0 && !beginsFormula(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(at) + 1)
	b.WriteByte('\'')
	done := 0
	for _, i := range at {
		b.WriteString(text[done:i])
		b.WriteByte('\'')
		done = i
	}
	b.WriteString(text[done:])
	return b.String()
}

// withoutGuard removes the apostrophes that withGuard inserts, and no others.
func withoutGuard(text string) string {
	if !strings.HasPrefix(text, "'") {
		return text
	}
	at := formulas(text)
	if len(at) == 0 && !beginsFormula(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	done := 1
	for _, i := range at {
		if i < len(text) && text[i] == '\'' {
			b.WriteString(text[done:i])
			done = i + 1
		}
	}
	b.WriteString(text[done:])
	return b.String()
}

var plainDecimal = regexp.MustCompile(`^[+-]?(?:[0-9]+(?:[.,][0-9]+)*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?$`)

// beginsFormula reports whether a program could run the text as a formula from its beginning, apart from
// apostrophes. A plain number is not a formula.
func beginsFormula(text string) bool {
	text = strings.TrimLeft(text, "'")
	rest := strings.TrimLeftFunc(text, isIgnored)
	return (beginsWithSign(rest) || strings.HasPrefix(rest, "\r") || strings.HasPrefix(rest, "\n")) &&
		!plainDecimal.MatchString(text)
}

// formulas returns the positions after separators at which a formula could begin, which are before any
// apostrophes. It takes linear time, because neither apostrophes nor ignored characters are separators.
func formulas(text string) (at []int) {
	for i, r := range text {
		if !isSeparator(r) {
			continue
		}
		after := i + utf8.RuneLen(r)
		rest := strings.TrimLeft(text[after:], "'")
		if (r == '\t' || r == '\r') && rune(first(strings.TrimLeftFunc(rest, isBlank))) == r {
			continue // a program that ends a cell at the first one ends the next cell at the second
		}
		if beginsWithSign(strings.TrimLeftFunc(rest, isIgnored)) {
			at = append(at, after)
		}
	}
	return at
}

// first returns the first byte, or 0.
func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// beginsWithSign reports whether a text begins with what begins a formula. A tab and a lone CR do, because
// spreadsheets strip them. Full-width and small forms do, because Excel reads them as ASCII in some
// languages.
func beginsWithSign(text string) bool {
	if first(text) == '\r' {
		return !strings.HasPrefix(text, "\r\n")
	}
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && strings.ContainsRune("\t=+-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B", r)
}

// isSeparator reports whether a program may split a text at a character.
func isSeparator(r rune) bool {
	return r == ',' || r == ';' || r == '|' || unicode.Is(unicode.Cc, r) || r == '\u2028' || r == '\u2029'
}

// isIgnored reports whether some programs strip a character before a formula.
func isIgnored(r rune) bool { return r == '"' || isBlank(r) }

func isBlank(r rune) bool {
	return r != utf8.RuneError && (r == '\u2800' || unicode.In(r, unicode.Zs, unicode.Cf,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector))
}
