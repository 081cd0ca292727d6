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
	letters map[pair]rune
}

const pageSize = 64

func (t *table) entry(r rune) entry {
	return t.entries[uint32(t.pages[uint32(r)/pageSize])*pageSize+uint32(r)%pageSize]
}

// entry describes the folded form of a character that stands alone. The zero entry is that of a character
// that folds to itself and has nothing to do with marks. Its bits, from the lowest:
//
//	17  offset of the folded form in texts
//	 6  length of the folded form, 0 for a character that is removed
//	 1  whether the folded form is the character
//	 1  whether the character is a mark: its decomposition begins with one, or it is removed
//	 1  whether marks after it can be composed with it or be ordered before its last mark
//	 1  whether it has a decomposition
//
// The folded form of a mark is followed by its combining class.
type entry uint32

const (
	bitsOffset       = 17
	bitsLength       = 6
	isItself   entry = 1 << (bitsOffset + bitsLength)
	isMark     entry = isItself << 1
	isOpen     entry = isItself << 2
	decomposes entry = isItself << 3
)

// The syllables of Hangul.
const hangulFirst, hangulSyllables = 0xac00, 11172

func (e entry) offset() int  { return int(e & (1<<bitsOffset - 1)) }
func (e entry) length() int  { return int(e >> bitsOffset & (1<<bitsLength - 1)) }
func (e entry) itself() bool { return e == 0 || e&isItself != 0 }
func (e entry) mark() bool   { return e&isMark != 0 }

// class returns the combining class of a mark that has no decomposition.
func (t *table) class(e entry) uint8 { return t.texts[e.offset()+e.length()] }

// context reports whether the folded form depends on the marks after the character.
func (e entry) context() bool { return e&isOpen != 0 || e.mark() && e.length() > 0 }

func (t *table) text(e entry) []byte {
	offset := e.offset()
	return t.texts[offset : offset+e.length()]
}

func newTable() *table {
	t := &table{entries: make([]entry, pageSize, 400*pageSize), texts: make([]byte, 0, 20<<10),
		letters: letters()}
	b := builder{table: t, caser: cases.Fold(), known: map[string]int{}, open: map[rune]bool{}}
	for p := range t.letters {
		b.open[p.letter] = true
	}
	var encoded [utf8.UTFMax]byte
	for _, span := range [...][2]rune{{0, 0x33ff}, {0x4dc0, 0x4dff}, {0xa000, 0xabff}, {0xd7a4, 0xd7ff},
		{0xf900, 0x16fff}, {0x18d00, 0x1ffff}, {0x2f800, 0x2fa1f}} {
		for r := span[0]; r <= span[1]; r++ {
			s := encoded[:utf8.EncodeRune(encoded[:], r)]
			p := norm.NFKD.Properties(s)
			if _, err := b.caser.Span(s, true); err != nil || p.Decomposition() != nil || p.CCC() != 0 ||
				b.open[r] {
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
	open  map[rune]bool  // letters with which marks can be composed
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
	var e entry
	var text []byte
	var run run
	decomposed := decomposition(r)
	if len(decomposed) > 1 || decomposed[0] != r {
		e |= decomposes
	}
	for i, c := range decomposed {
		folded := b.fold(c)
		last, _ := utf8.DecodeLastRuneInString(folded)
		class := properties(c).CCC()
		switch {
		case folded == "":
		case class > 0 || b.open[last]:
			e |= isOpen
		default:
			e &^= isOpen
		}
		if i == 0 && (class > 0 || folded == "") {
			e |= isMark
		}
		text = run.add(text, t.letters, character{c, class, class == 0 && b.open[last], []byte(folded)})
	}
	text = run.flush(text, t.letters)
	if string(text) == string(r) {
		if e == 0 {
			return
		}
		e |= isItself
	}
	record := string(text)
	if e.mark() {
		record += string([]byte{properties(decomposed[0]).CCC()})
	}
	offset, ok := b.known[record]
	if !ok {
		offset = len(t.texts)
		t.texts = append(t.texts, record...)
		b.known[record] = offset
	}
	*at = e | entry(offset) | entry(len(text))<<bitsOffset
	if offset >= 1<<bitsOffset || len(text) >= 1<<bitsLength {
		// a test builds the table from all of Unicode
		panic("fold: a character does not fit into the table")
	}
}

// fold returns the folded form of a character that has no decomposition: "" if it is removed.
func (b *builder) fold(r rune) string {
	if removed(r) {
		return ""
	}
	text := norm.NFKD.String(strings.ToLower(b.caser.String(string(r))))
	return strings.Map(func(r rune) rune {
		if removed(r) {
			return -1
		}
		return r
	}, text)
}

func decomposition(r rune) []rune {
	if d := properties(r).Decomposition(); d != nil {
		return []rune(string(d))
	}
	return []rune{r}
}

func properties(r rune) norm.Properties {
	var buf [utf8.UTFMax]byte
	return norm.NFKD.Properties(buf[:utf8.EncodeRune(buf[:], r)])
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
