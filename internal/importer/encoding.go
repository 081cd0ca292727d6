package importer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"issuegrid/tracker"
)

// Encoding is how the characters of a file are encoded: UTF-8, UTF-16LE, or another name of an encoding in
// the WHATWG Encoding Standard, of whose labels Check makes these names. A byte order mark takes precedence
// over what a mapping says.
type Encoding string

// The encodings that are detected.
const (
	UTF8        Encoding = "utf-8"
	UTF16LE     Encoding = "utf-16le"
	UTF16BE     Encoding = "utf-16be"
	Windows1252 Encoding = "windows-1252"
)

// check returns the encoding by its name.
func (e Encoding) check() (Encoding, error) {
	found, err := htmlindex.Get(string(e))
	if err != nil {
		return "", tracker.Bad("encoding", "unknown encoding %q; use a name such as %q, %q or %q", e, UTF8,
			UTF16LE, Windows1252)
	}
	name, err := htmlindex.Name(found)
	return Encoding(name), err
}

// decoder returns what decodes the encoding, or nil for UTF-8, whose bytes stay as they are.
func (e Encoding) decoder() transform.Transformer {
	if e == "" || e == UTF8 {
		return nil
	}
	found, err := htmlindex.Get(string(e))
	if err != nil {
		panic(err) // it was checked
	}
	return found.NewDecoder()
}

// ByteOrderMark begins the CSV files that the product writes, because Excel would not read them as UTF-8
// without it.
const ByteOrderMark = "\ufeff"

// byteOrderMarks begin files. That of UTF-16LE is the beginning of that of UTF-32LE.
var byteOrderMarks = []struct {
	mark     string
	encoding Encoding
}{
	{"\xff\xfe\x00\x00", ""}, {"\x00\x00\xfe\xff", ""}, {ByteOrderMark, UTF8}, {"\xff\xfe", UTF16LE},
	{"\xfe\xff", UTF16BE},
}

// marked returns the encoding that a byte order mark shows, and skips the mark. It is empty without one.
func marked(text *bufio.Reader) (Encoding, error) {
	start, err := text.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	for _, m := range byteOrderMarks {
		if !bytes.HasPrefix(start, []byte(m.mark)) {
			continue
		}
		if m.encoding == "" {
			return "", errors.New("the file is written in UTF-32; save it as UTF-8")
		}
		_, err := text.Discard(len(m.mark))
		return m.encoding, err
	}
	return "", nil
}

// zeros returns UTF-16LE or UTF-16BE for a file that begins as a text in that encoding does, mostly with
// characters from U+0000 to U+00FF, and otherwise "". It returns an error for other files with many zero
// bytes.
func zeros(start []byte) (Encoding, error) {
	var at [2]int
	for i, b := range start {
		if b == 0 {
			at[i%2]++
		}
	}
	switch most := len(start) / 4; {
	case at[1] > most && at[1] > 8*at[0]:
		return UTF16LE, nil
	case at[0] > most && at[0] > 8*at[1]:
		return UTF16BE, nil
	case at[0]+at[1] > len(start)/10:
		return "", errors.New("it has many zero bytes, as UTF-16 and UTF-32 have; save it as UTF-8, or set " +
			"its encoding")
	}
	return "", nil
}

// characters collects from the bytes of a file what shows its encoding.
type characters struct {
	rest     []byte // the beginning of a character that the last block ended in
	valid    int64  // characters of several bytes in UTF-8
	invalid  bool   // bytes occur that are not UTF-8
	replaced bool   // U+FFFD occurs
	// runs is the number of times that bytes that are not UTF-8 occur between those of ASCII, foreign of
	// those that are unlikely in a text in Windows-1252; counts are those bytes.
	runs, foreign int64
	counts        [256]int64
}

// look examines a block.
func (c *characters) look(block []byte) {
	if len(c.rest) > 0 {
		block, c.rest = append(c.rest, block...), nil
	}
	for i := 0; i < len(block); {
		if block[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !utf8.FullRune(block[i:]) {
			c.rest = bytes.Clone(block[i:])
			return
		}
		r, size := utf8.DecodeRune(block[i:])
		switch {
		case size > 1:
			c.valid++
			c.replaced = c.replaced || r == utf8.RuneError
		case i == 0 || block[i-1] < utf8.RuneSelf:
			c.run(block, i)
			fallthrough
		default:
			c.invalid = true
			c.counts[block[i]]++
		}
		i += size
	}
}

// end is called at the end of the file.
func (c *characters) end() {
	if len(c.rest) > 0 {
		c.invalid = true
		c.run(append([]byte{' '}, c.rest...), 1)
		for _, b := range c.rest {
			c.counts[b]++
		}
	}
}

// run examines bytes that are not UTF-8, up to the next one of ASCII.
func (c *characters) run(block []byte, from int) {
	at := func(i int) byte {
		if i < 0 || i >= len(block) {
			return ' '
		}
		return block[i]
	}
	c.runs++
	letters, foreign := 0, false
	for i := from; at(i) >= utf8.RuneSelf; i++ {
		if isLetter(at(i)) {
			letters++
		}
		foreign = foreign || unlikely(at(i-1), at(i), at(i+1)) || letters > 2
	}
	if foreign {
		c.foreign++
	}
}

// isLetter reports whether a byte is a letter in ASCII or, but for a few, in Windows-1252.
func isLetter(b byte) bool {
	return b|' ' >= 'a' && b|' ' <= 'z' && b < utf8.RuneSelf || b >= 0xc0 && b != 0xd7 && b != 0xf7
}

// unlikely reports whether a byte between two others is hardly ever so in a text in Windows-1252: a sign next
// to a letter, where another encoding has a letter.
func unlikely(previous, b, next byte) bool {
	before, after := isLetter(previous), isLetter(next)
	switch b {
	case 0x81, 0x8d, 0x8f, 0x90, 0x9d, 0x9f, 0xff: // not used, or hardly ever
		return true
	case 0x85, 0x92, 0x96, 0x97, 0x99, 0xa0, 0xab, 0xad, 0xb4, 0xb7, 0xbb, 0x8c, 0x9a, 0x9c, 0x9e:
		return false
	case 0x82, 0x84, 0x8b, 0xa1, 0xb5, 0xbf: // quotes and other signs before words
		return before
	case 0x91, 0x93, 0x94, 0x95, 0xb0:
		return before && after
	case 0x9b, 0xaa, 0xae, 0xb2, 0xb3, 0xb9, 0xba: // quotes and other signs after words
		return after
	case 0x8a, 0x8e: // capital letters
		return before && previous >= 'a' && previous <= 'z'
	}
	return b < 0xc0 && (before || after)
}

// Shares of what another encoding explains better, up to which a file is in Windows-1252.
const (
	maxForeign = 0.05 // of the runs
	maxCarons  = 0.3  // letters of Central Europe, of all
	maxValid   = 0.02 // characters in UTF-8, of the runs
)

// encoding returns Windows-1252 if it explains the bytes better than UTF-8 does, and they are not those of
// another alphabet or language. Otherwise it is UTF-8, and rows with other bytes are rejected.
func (c *characters) encoding() Encoding {
	runs := float64(c.runs)
	if !c.invalid || float64(c.valid) > maxValid*runs || float64(c.foreign) > maxForeign*runs {
		return UTF8
	}
	count := func(bytes string) (n int64) {
		for _, b := range []byte(bytes) {
			n += c.counts[b]
		}
		return n
	}
	switch {
	// Ð Ý Þ ð ý þ are Icelandic, which has æ; other languages have other letters there.
	case count("\xd0\xdd\xde\xf0\xfd\xfe") > 0 && count("\xc6\xe6") == 0:
		return UTF8
	// Czech has ø for ř, ì for ě and ù for ů; Danish and Norwegian have only ø.
	case count("\xd8\xf8") > 0 && count("\xcc\xec\xd9\xf9\xd2\xf2") > 0:
		return UTF8
	// Hungarian has õ for ő beside ö and ü; Estonian has ä, too.
	case count("\xd5\xf5\xdb\xfb") > 0 && count("\xd6\xdc\xf6\xfc") > 0 && count("\xe4\xc4") == 0 &&
		count("\xe1\xed\xf3\xfa") > 0:
		return UTF8
	// Š š Ž ž are rare in Western Europe.
	case float64(count("\x8a\x9a\x8e\x9e")) > maxCarons*runs:
		return UTF8
	}
	return Windows1252
}
