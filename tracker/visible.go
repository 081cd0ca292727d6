package tracker

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The law of names: what is given as a name is read by people, who must be able to tell it from another and
// to see where it ends. So a name shows something, and has no character that hides, that reorders what is
// around it, or that acts on a terminal. Which those are, Hidden says.
//
// The law holds for what is given: names of tenants, projects, fields, options, states and issues, tags, and
// users. It does not hold for what is stored, because a stricter rule must not turn data into damage.
// Descriptions and values of text fields are texts, not names.

const (
	nonJoiner = '\u200c' // between letters that would be joined; Persian and many Indic words need it
	joiner    = '\u200d' // between the parts of an emoji or an Indic conjunct
	braille   = '\u2800' // the pattern without dots, which is a symbol and looks like a blank
)

// Hidden reports whether r may not be in a name. These are control characters, line and paragraph separators,
// noncharacters, and all that Unicode calls ignorable by default: marks of direction, blanks without width,
// fillers, tags. The joiners and the variation selectors are not among them. Nor are private and unassigned
// characters: a font may show those, and a later version of Unicode may assign these.
func Hidden(r rune) bool {
	switch {
	case r == joiner || r == nonJoiner || unicode.Is(unicode.Variation_Selector, r):
		return false
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	// Some format characters are seen: the signs that Arabic, Syriac and Kaithi write over numbers, and the
	// layout of hieroglyphs.
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) &&
		!(r >= 0x13430 && r <= 0x1343f)
}

// attached reports whether r is allowed only beside a character that it acts on.
func attached(r rune) bool {
	return r == joiner || r == nonJoiner || unicode.Is(unicode.Variation_Selector, r)
}

// Blank reports whether nothing of s is seen: it is empty, or has only blanks and hidden characters.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && r != braille && !Hidden(r) && !attached(r)
	})
}

// CheckVisible refuses a text by the law of names. What is the name of the text in the message, such as "the
// name".
func CheckVisible(path, what, s string) error {
	if at := strings.IndexFunc(s, Hidden); at >= 0 {
		r, _ := utf8.DecodeRuneInString(s[at:])
		return Bad(path, "%s has the character %s, which is invisible or changes how others are displayed; "+
			"remove it", what, codePoint(r))
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	switch {
	case attached(first):
		return Bad(path, "%s begins with the character %s, which is allowed only after another character",
			what, codePoint(first))
	case last == joiner || last == nonJoiner:
		return Bad(path, "%s ends with the character %s, which is allowed only between two characters", what,
			codePoint(last))
	case s != "" && Blank(s):
		return Bad(path, "%s must have a visible character", what)
	}
	return nil
}

func codePoint(r rune) string { return fmt.Sprintf("U+%04X", r) }

// Shown is a text as the law of names takes it, for names from files that nobody can be asked about. A hidden
// character that separates, such as a tab or the end of a line, becomes a blank. Any other is left out.
func Shown(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case !Hidden(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	return strings.TrimLeftFunc(strings.TrimRightFunc(s, func(r rune) bool {
		return r == joiner || r == nonJoiner
	}), attached)
}

// CheckNewName checks a name that a tenant, project, field, option or state is to get: CheckName, and the law
// of names.
func CheckNewName(path, name string) error {
	if err := CheckName(path, name); err != nil {
		return err
	}
	return CheckVisible(path, "the name", name)
}
