package sortkey

import (
	"math"
	"unicode/utf8"
)

// Fold brings a text into the form in which texts are compared: compatibility decomposition (NFKD), nonspacing marks (Mn) removed,
// case folded. "Éclair", "ECLAIR" and "eclair" fold alike; folding twice changes nothing. Each byte that is not UTF-8 becomes U+FFFD.
//
// Sort strings in the table depend on every byte of the result. It is what golang.org/x/text makes of the text by NFKD, removal of Mn, cases.Fold,
// strings.ToLower, NFKD and removal of Mn, in this order; the tests hold the two against each other.
//
// It takes time in proportion to the length of s, whatever characters s has, and allocates twice the result, and nothing where the text is
// folded already.
func Fold(s string) string {
	n := foldedPrefix(s, 0)
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

// foldedLength is the length of the folded text, whose first n bytes fold to themselves, and whether all of it does. Putting marks into order
// does not change the length.
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
			same = false
		}
	}
	return length, same
}

// foldedPrefix returns the first index from i on at which s has a character other than the ASCII characters that fold to themselves.
func foldedPrefix(s string, i int) int {
	const ones = 0x0101010101010101
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		// The high bit of a byte of the sums is set from 'A' on, and from the character after 'Z' on.
		if capitals := (w + (0x80-'A')*ones) &^ (w + (0x7f-'Z')*ones); (w|capitals)&(0x80*ones) != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	return i
}

// decode returns the character at s[i], which is not ASCII, and its size: RuneError and 1 where s is not UTF-8.
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
