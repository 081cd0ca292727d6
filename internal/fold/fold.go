// Package fold folds strings for comparison: without regard to case, accents and compatibility forms. It does
// no I/O and imports no other package of this module.
package fold

import (
	"math"
	"unicode/utf8"
)

// String returns the form of s in which strings are compared: compatibility decomposition (NFKD), without
// accents, case folded. "Éclair", "ECLAIR" and "eclair" have the same folded form. Marks that make another
// word are kept (see removed); they follow their letter, sorted by combining class as in NFKD. Kana with a
// voicing mark and some letters of Cyrillic and Arabic (see composites) are composed. String is
// idempotent, and canonically equivalent strings have the same folded form, unless they have more than 30 of
// these marks in a row. Each byte of invalid UTF-8 becomes U+FFFD.
//
// Sort strings in the table depend on every byte of the result. The tests compare it with that of
// golang.org/x/text for these steps.
//
// String takes time proportional to len(s) for any input. It allocates twice the length of the result, and
// nothing if s is already folded and has no marks.
func String(s string) string {
	n := prefix(s, 0)
	if n == len(s) {
		return s
	}
	length, same := foldedLength(s, n)
	if same {
		return s
	}
	f := Folder{text: s}
	folded, _ := f.Append(make([]byte, 0, length), math.MaxInt)
	return string(folded)
}

// foldedLength returns the maximum length of the folded form of s, and reports whether it is known to equal
// s. The first n bytes of s must fold to themselves. Composing and ordering make nothing longer.
func foldedLength(s string, n int) (length int, same bool) {
	t := foldTable()
	length, same = n, true
	for i := n; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			same = same && (c < 'A' || c > 'Z')
			length++
			i++
			continue
		}
		r, size := decode(s, i)
		i += size
		switch e := t.entry(r); {
		case r == utf8.RuneError:
			length += len("\ufffd")
			same = same && size > 1
		case isSyllable(r):
			same = false
			if length += 9; (r-hangulFirst)%28 == 0 {
				length -= 3
			}
		case e == 0:
			length += size
		default:
			length += e.length()
			same = same && e.itself() && !(e.context() && t.markAt(s, i))
		}
	}
	return length, same
}

// Plain returns the number of bytes at the beginning of s that are ASCII without capital letters, and fold to
// themselves.
func Plain(s string) int { return prefix(s, 0) }

// prefix returns the first index at or after i at which s has a character that is not ASCII or is a capital
// letter.
func prefix(s string, i int) int {
	const ones = 0x0101010101010101
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		// A byte of the first sum has its high bit set from 'A' on, and one of the second from 'Z'+1 on.
		if capitals := (w + (0x80-'A')*ones) &^ (w + (0x7f-'Z')*ones); (w|capitals)&(0x80*ones) != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	return i
}

// decode returns the non-ASCII character at s[i] and its size in bytes. For invalid UTF-8 it returns
// RuneError and 1.
func decode(s string, i int) (rune, int) {
	c := s[i]
	if i+2 < len(s) {
		c1, c2 := s[i+1], s[i+2]
		switch {
		case c1&0xc0 != 0x80:
		case c >= 0xc2 && c < 0xe0:
			return rune(c&0x1f)<<6 | rune(c1&0x3f), 2
		case c > 0xe0 && c < 0xf0 && c2&0xc0 == 0x80 && (c != 0xed || c1 < 0xa0):
			return rune(c&0xf)<<12 | rune(c1&0x3f)<<6 | rune(c2&0x3f), 3
		}
	}
	return utf8.DecodeRuneInString(s[i:])
}

func isSyllable(r rune) bool { return uint32(r-hangulFirst) < hangulSyllables }
