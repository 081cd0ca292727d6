package fold

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldTable returns the table of folded forms. The first call builds it from the tables of x/text, which
// takes a few milliseconds. It takes about 100 KiB.
var foldTable = sync.OnceValue(newTable)

// table has two stages: the page of character r is pages[r/pageSize], and its entry is at index r%pageSize of
// the page. Page 0 is empty and shared by all characters that fold to themselves, which are most of Unicode.
// Hangul syllables are not in the table; appendSyllable computes their folded form.
type table struct {
	pages   [(unicode.MaxRune + 1) / pageSize]uint16
	entries []entry
	texts   []byte
}

const pageSize = 64

func (t *table) entry(r rune) entry {
	return t.entries[uint32(t.pages[uint32(r)/pageSize])*pageSize+uint32(r)%pageSize]
}

// entry describes the folded form of a character and how the character counts in the ordering of marks
// (folder.go). The zero entry is a letter without marks that folds to itself. Its bits, from the lowest:
//
//	17  offset of the folded form in texts
//	 6  length of the folded form, 0 for a character that is removed
//	 2  number of non-starters at the beginning of the decomposition
//	 2  number of non-starters at its end
//	 2  number of those that are kept
//	 1  whether the decomposition has a character of class 0
//	 1  whether the character needs ordering: its order can change, or it is a non-starter that is kept
//
// If the character needs ordering, its folded form is followed by two bytes for each of its characters: 1 for
// a non-starter or else 0, and the combining class.
type entry uint32

const (
	bitsOffset            = 17
	bitsLength            = 6
	shiftLead             = bitsOffset + bitsLength
	shiftTrail            = shiftLead + 2
	shiftKept             = shiftTrail + 2
	hasStarter      entry = 1 << (shiftKept + 2)
	needsOrder      entry = 1 << (shiftKept + 3)
	maxNonStarters        = 30 // consecutive non-starters before x/text inserts U+034F
	hangulFirst           = 0xac00
	hangulSyllables       = 11172
)

func (e entry) offset() int   { return int(e & (1<<bitsOffset - 1)) }
func (e entry) length() int   { return int(e >> bitsOffset & (1<<bitsLength - 1)) }
func (e entry) lead() int     { return int(e >> shiftLead & 3) }
func (e entry) trail() int    { return int(e >> shiftTrail & 3) }
func (e entry) kept() int     { return int(e >> shiftKept & 3) }
func (e entry) ordered() bool { return e&needsOrder != 0 }

// barrier reports whether marks before the character are never reordered with those after it.
func (e entry) barrier() bool { return e&hasStarter != 0 }

func (t *table) text(e entry) []byte {
	offset := e.offset()
	return t.texts[offset : offset+e.length()]
}

func newTable() *table {
	t := &table{entries: make([]entry, pageSize, 400*pageSize), texts: make([]byte, 0, 20<<10)}
	b := builder{table: t, caser: cases.Fold(), known: map[string]int{}}
	var encoded [utf8.UTFMax]byte
	for _, span := range [...][2]rune{{0, 0x33ff}, {0x4dc0, 0x4dff}, {0xa000, 0xabff}, {0xd7a4, 0xd7ff},
		{0xf900, 0x16fff}, {0x18d00, 0x1ffff}, {0x2f800, 0x2fa1f}} {
		for r := span[0]; r <= span[1]; r++ {
			s := encoded[:utf8.EncodeRune(encoded[:], r)]
			p := norm.NFKD.Properties(s)
			if _, err := b.caser.Span(s, true); err != nil || p.Decomposition() != nil || p.CCC() != 0 ||
				!p.BoundaryBefore() {
				b.add(r)
			}
		}
	}
	eachOf(unicode.Mn, b.add)
	for _, span := range unicode.CaseRanges {
		for r := rune(span.Lo); r <= rune(span.Hi); r++ {
			b.add(r)
		}
	}
	return t
}

func eachOf(t *unicode.RangeTable, with func(rune)) {
	for _, span := range t.R16 {
		for r := rune(span.Lo); r <= rune(span.Hi); r += rune(span.Stride) {
			with(r)
		}
	}
	for _, span := range t.R32 {
		for r := rune(span.Lo); r <= rune(span.Hi); r += rune(span.Stride) {
			with(r)
		}
	}
}

// builder makes a table.
type builder struct {
	table *table
	caser cases.Caser
	known map[string]int // offsets of folded forms
}

// add adds the entry of a character.
func (b *builder) add(r rune) {
	t := b.table
	page := &t.pages[r/pageSize]
	if *page == 0 {
		*page = uint16(len(t.entries) / pageSize)
		t.entries = append(t.entries, make([]entry, pageSize)...)
	}
	at := &t.entries[int(*page)*pageSize+int(r)%pageSize]
	if *at != 0 {
		return
	}
	decomposed := []rune{r}
	if d := properties(r).Decomposition(); d != nil {
		decomposed = []rune(string(d))
	}
	text := withoutMarks(norm.NFKD.String(strings.ToLower(b.caser.String(withoutMarks(string(decomposed))))))
	var e entry
	order := make([]byte, 0, 8)
	kept := 0
	for i, c := range []rune(text) {
		p := properties(c)
		nonStarter := byte(0)
		if kept++; p.BoundaryBefore() {
			kept = 0
		} else {
			nonStarter = 1
		}
		if p.CCC() != 0 || i == 0 && nonStarter == 1 {
			e |= needsOrder
		}
		order = append(order, nonStarter, p.CCC())
	}
	lead, trail := 0, 0
	for i, c := range decomposed {
		p := properties(c)
		if p.CCC() == 0 {
			e |= hasStarter
		}
		if trail++; p.BoundaryBefore() {
			trail = 0
		}
		if trail == i+1 {
			lead++
		}
	}
	if lead > 0 && text != "" {
		e |= needsOrder
	}
	if text == string(r) && e&needsOrder == 0 {
		return
	}
	record := text
	if e&needsOrder != 0 {
		record += string(order)
	}
	offset, ok := b.known[record]
	if !ok {
		offset = len(t.texts)
		t.texts = append(t.texts, record...)
		b.known[record] = offset
	}
	*at = e | entry(offset) | entry(len(text))<<bitsOffset | entry(lead)<<shiftLead | entry(
		trail)<<shiftTrail | entry(kept)<<shiftKept
	if offset >= 1<<bitsOffset || len(text) >= 1<<bitsLength || max(lead, trail, kept) > 3 {
		// a test builds the table from all of Unicode
		panic("sortkey: a character does not fit into the table")
	}
}

func properties(r rune) norm.Properties {
	var buf [utf8.UTFMax]byte
	return norm.NFKD.Properties(buf[:utf8.EncodeRune(buf[:], r)])
}

func withoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s)
}

// appendSyllable appends the two or three letters of the nth Hangul syllable.
func appendSyllable(dst []byte, n int) []byte {
	first, vowel, last := n/(21*28), n/28%21, n%28
	if last == 0 {
		return append(dst, 0xe1, 0x84, byte(0x80+first), 0xe1, 0x85, byte(0xa1+vowel))
	}
	last += 0x11a7
	return append(dst, 0xe1, 0x84, byte(0x80+first), 0xe1, 0x85, byte(0xa1+vowel), 0xe1,
		byte(0x80+last>>6&0x3f), byte(0x80+last&0x3f))
}
