package tracker

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The law of names: people must be able to tell one name from another and to see where a name ends. A name
// therefore has at least one visible character. It has no character that is invisible, that reorders the
// characters around it, or that controls a terminal. Hidden defines these characters.
//
// The law applies to input: names of tenants, projects, fields, options, states and issues, tags, and users.
// It does not apply to stored data, so that a stricter rule does not make stored data invalid. Descriptions
// and values of text fields are not names.

const (
	nonJoiner = '\u200c' // keeps two letters from joining; Persian and many Indic words need it
	joiner    = '\u200d' // joins the parts of an emoji or an Indic conjunct
	braille   = '\u2800' // the Braille pattern without dots, a symbol that looks like a space
)

// Hidden reports whether r is not allowed in a name, except that a flag may have tags. Hidden characters are
// control characters, line and paragraph separators, noncharacters, and the characters that Unicode ignores
// by default: direction marks, zero-width spaces, fillers, and tags other than those of flags. The joiners
// and the variation selectors are not hidden. Neither are private-use and unassigned characters: a font may
// show the former, and a later version of Unicode may assign the latter.
func Hidden(r rune) bool {
	switch {
	case r == joiner || r == nonJoiner || unicode.Is(unicode.Variation_Selector, r):
		return false
	case unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point):
		return true
	}
	// Some format characters are visible: the signs that Arabic, Syriac and Kaithi write over numbers, and
	// the layout controls of hieroglyphs.
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) &&
		!(r >= 0x13430 && r <= 0x1343f)
}

// flags are the flags of regions that keyboards have: a black flag, and the code of a region in tag
// characters, which are not shown.
var flags = regexp.MustCompile(`\x{1F3F4}[\x{E0030}-\x{E0039}\x{E0061}-\x{E007A}]{3,6}\x{E007F}`)

// withoutFlags returns s with a plain black flag instead of each flag.
func withoutFlags(s string) string {
	if !strings.Contains(s, "\U0001F3F4") {
		return s
	}
	return flags.ReplaceAllString(s, "\U0001F3F4")
}

// HasHidden reports whether s has a character that is not allowed in a name.
func HasHidden(s string) bool { return strings.ContainsFunc(withoutFlags(s), Hidden) }

// attached reports whether r is allowed only next to a character that it acts on.
func attached(r rune) bool {
	return r == joiner || r == nonJoiner || unicode.Is(unicode.Variation_Selector, r)
}

// Blank reports whether s has no visible character.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && r != braille && !Hidden(r) && !attached(r)
	})
}

// CheckVisible checks that s follows the law of names. what names s in the error message, for example "the
// name".
func CheckVisible(path, what, s string) error {
	s = withoutFlags(s)
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

// Shown returns s changed to follow the law of names, and without white space at its ends like CleanName, for
// names in files, where the author cannot be asked. It replaces hidden white space, such as tabs and line
// ends, with spaces, and removes other hidden characters, as well as joiners and variation selectors that act
// on nothing at the ends.
func Shown(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	shown := func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case !Hidden(r):
				return r
			case unicode.IsSpace(r):
				return ' '
			}
			return -1
		}, s)
	}
	if at := flags.FindAllStringIndex(s, -1); at == nil {
		s = shown(s)
	} else {
		var b strings.Builder
		from := 0
		for _, flag := range at {
			b.WriteString(shown(s[from:flag[0]]) + s[flag[0]:flag[1]])
			from = flag[1]
		}
		s = b.String() + shown(s[from:])
	}
	s = strings.TrimRightFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == joiner || r == nonJoiner
	})
	return strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || attached(r) })
}

// CheckNewName checks a new name of a tenant, project, field, option or state. It applies CheckName and the
// law of names.
func CheckNewName(path, name string) error {
	if err := CheckName(path, name); err != nil {
		return err
	}
	return CheckVisible(path, "the name", name)
}
