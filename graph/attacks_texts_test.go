package graph_test

import (
	"strings"
	"unicode/utf8"
)

// scripts has an ordinary word for each script in the attacked data. No word has a control character, so each
// can be a name.
var scripts = []struct{ name, word string }{
	{"ASCII", "Inspection "},
	{"German", "Prüfgröße "},
	{"Japanese", "がぎぐ検査"},
	{"Cyrillic", "Проверка "},
	{"Korean", "점검표각힣"},
	{"jamo", "\u1112\u1161\u11ab"},
	{"Arabic ligatures", "\ufdfa"},
	{"marks that decompose", "e\u0344"},
	{"iota", "a\u0345"},
	{"Greek", "\u1fb7"},
	{"emoji", "👨\u200d👩\u200d👧\u200d👦"},
	{"Devanagari", "क्षि"},
	{"Thai", "ก\u0e33\u0e48"},
	{"tone marks", "가\u302e"},
}

// worst are units to build strings of: the words of the scripts, and characters that Unicode normalization
// expands or takes long to reorder.
var worst = append([]string{
	"\u0344",              // two marks in every normalization form
	"\u0345",              // a mark that folds to a letter
	"\u302e",              // a mark that is reordered and not removed
	"\u0315\u0300\u05ae",  // marks that canonical order reverses
	"x\u0315\u0327\u0334", // marks reordered after a letter
	"\u1e9b\u0323",        // a different letter in each form
	"\ufb03",              // ffi
	"\u0390",              // folds to three letters
	"\u1100\u1161",        // jamo that compose
	"\u3316",              // a square of six letters
	"\u2a74",              // ::=
	"\u13f8",              // Cherokee, which folds to the other case
	"\u0130",              // grows in lower case
	"\u0000",              // six bytes in JSON
	"\u202e", "\u200b",    // invisible
	"\U0001d160", "\U000e0001", // beyond 16 bits, one decomposes and one is a tag
	"\"", "\\", "<", "\n", "\u2028", // escaped in JSON
	"%00", "/", "#", "~", // separators of the parts of keys
}, func() (all []string) {
	for _, s := range scripts {
		all = append(all, s.word)
	}
	return all
}()...)

// lengths are lengths of strings in characters, except the last two, which are in bytes. They lie around the
// limits of names (255), names of issues (1,000), operands, tags and users.
var lengths = []int{1, 27, 100, 255, 256, 1000, 3000, 20_000, longest, wholeBody}

const (
	// longest is the length in bytes of a string that nearly fills a query.
	longest = 200 << 10
	// wholeBody is the length in bytes of a string that nearly fills a body, if JSON escapes none of it. As
	// JSON it has at most six times as many.
	wholeBody = 2900 << 10
)

// textOf returns a string of repeated units with the given number of characters, or, if length is longest or
// wholeBody, of that many bytes as JSON. It is cut to fit.
func textOf(unit string, length int) string {
	n, most := max(1, length/utf8.RuneCountInString(unit)), longest/len(unit)
	switch length {
	case longest:
		n = most
	case wholeBody:
		most = wholeBody / (len(inJSON(unit)) - len(`""`))
		n = most
	}
	return strings.Repeat(unit, min(n, most))
}

// exactly returns a string of repeated units with exactly the given number of characters.
func exactly(unit string, characters int) string {
	return string([]rune(strings.Repeat(unit, characters/utf8.RuneCountInString(unit)+1))[:characters])
}
