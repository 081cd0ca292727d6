package fold

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// removed reports whether a mark is removed: a nonspacing mark (Mn) that several scripts use, which are the
// accents of Latin and Greek and the stress mark of Cyrillic, one of Hebrew, Arabic or Syriac, where marks
// are vowels that may be left out, or one that selects a variant of a character. The voicing marks of kana
// are not removed, nor are the marks of other scripts: they are vowels and tones that make another word.
func removed(r rune) bool {
	switch {
	case !unicode.Is(unicode.Mn, r), r == voiced, r == halfVoiced:
		return false
	}
	return unicode.In(r, unicode.Inherited, unicode.Hebrew, unicode.Arabic, unicode.Syriac,
		unicode.Variation_Selector)
}

// The combining voicing marks of kana.
const voiced, halfVoiced = 0x3099, 0x309a

// composites are the letters that have a removed mark in their decomposition and yet are letters of their
// own. They are those of Cyrillic and Arabic that differ from the letter without the mark at the first level
// of the root collation of CLDR up to version 23, which is that of x/text. Later versions leave it to the
// collations of languages, except for й and the letters of Arabic. ё is not among them: most Russian texts
// leave out its dots.
const composites = "ѓїќўйѷӑӓӗӛӝӟӥӧӫӭӱӳӵӹ" + "آأؤإئ"

// pair is a folded letter and a mark that follows it.
type pair struct{ letter, mark rune }

// letters returns the composites, and the kana with a voicing mark, by what they are composed of.
func letters() map[pair]rune {
	out := map[pair]rune{}
	add := func(r rune) {
		if d := []rune(norm.NFD.String(string(r))); len(d) == 2 {
			out[pair{d[0], d[1]}] = r
		}
	}
	for _, r := range composites {
		add(r)
	}
	for r := rune(0x3041); r <= 0x30ff; r++ {
		add(r)
	}
	return out
}
