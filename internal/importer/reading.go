package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"issuegrid/tracker"
)

// Reading is how the bytes of a file are read as rows of cells. What a mapping does not say is detected from
// the whole file.
type Reading struct {
	Format   Format   `json:"format"`
	Encoding Encoding `json:"encoding"`
	// Delimiter separates the cells of CSV.
	Delimiter string `json:"delimiter,omitempty"`
	// Header is the line of a CSV file with the names of the columns, or 0 if there are none.
	Header int `json:"header"`
}

// form is a Reading with the number of columns of a CSV file without a header.
type form struct {
	Reading
	cells int
}

// notes are lines on what a person does not expect.
func (r *Reading) notes() (out []string) {
	if r.Encoding != UTF8 {
		out = append(out, fmt.Sprintf("The file was read as %s.", r.Encoding))
	}
	if r.Format == CSV && r.Header != 1 {
		line := fmt.Sprintf("The names of the columns were read from line %d.", r.Header)
		if r.Header == 0 {
			line = "The file was read without names of columns."
		}
		out = append(out, line)
	}
	return out
}

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

// zeros returns UTF-16LE or UTF-16BE for a file that begins as a text in that encoding does, with characters
// from U+0000 to U+00FF, and otherwise "".
func zeros(start []byte) Encoding {
	var at [2]int
	for i, b := range start {
		if b == 0 {
			at[i%2]++
		}
	}
	switch most := len(start) / 4; {
	case at[1] > most && at[0] == 0:
		return UTF16LE
	case at[0] > most && at[1] == 0:
		return UTF16BE
	}
	return ""
}

// reading returns how the file is read. It determines it on the first call, by reading the whole file unless
// the mapping says everything.
func (in *input) reading(ctx context.Context, opts Options) (*form, error) {
	if in.read != nil {
		return in.read, nil
	}
	r := form{Reading: Reading{Format: opts.Format}}
	header := (*int)(nil)
	if m := opts.Mapping; m != nil {
		r.Format, r.Encoding, r.Delimiter = cmp.Or(r.Format, m.Format), m.Encoding, m.Delimiter
		header = m.Header
	}
	raw, err := in.raw(opts, &pass{})
	if err != nil {
		return nil, err
	}
	mark, err := marked(raw)
	if err != nil {
		return nil, in.damaged(err)
	}
	start, err := raw.Peek(peek)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, in.damaged(err)
	}
	r.Encoding = cmp.Or(mark, r.Encoding, zeros(start))
	text := decoded(raw, r.Encoding)
	if r.Format == "" {
		begin, err := text.Peek(peek)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, in.damaged(err)
		}
		if r.Format, err = detect(begin); err != nil {
			return nil, in.damaged(err)
		}
	}
	line := 1
	if r.Format == CSV {
		separator, err := skipSeparatorLine(text)
		if err != nil {
			return nil, in.damaged(err)
		}
		if separator != "" {
			r.Delimiter, line = cmp.Or(r.Delimiter, separator), 2
		}
	}
	l := newLayout(r.Delimiter, line)
	converts := r.Encoding.decoder() != nil
	told := r.Format != CSV || r.Delimiter != "" && header != nil && *header > 0
	if r.Encoding == "" || converts || !told {
		if err := l.scan(ctx, text, opts.meter); err != nil {
			return nil, in.damaged(err)
		}
	}
	switch {
	case r.Encoding == "":
		r.Encoding = l.encoding()
	case converts && l.replaced:
		return nil, in.damaged(fmt.Errorf("it has characters that cannot be read as %s; save it as UTF-8, "+
			"or name the right encoding", r.Encoding))
	}
	if r.Format == CSV {
		r.Delimiter, r.Header, r.cells = l.best()
		if header != nil {
			r.Header = *header
		}
	}
	in.read = &r
	return in.read, nil
}

// skipSeparatorLine skips a first line such as sep=; with which programs tell Excel the delimiter, and
// returns the delimiter, or "" if there is none.
func skipSeparatorLine(text *bufio.Reader) (string, error) {
	start, err := text.Peek(len("sep=;\r\n"))
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if len(start) < len("sep=;\n") || !strings.EqualFold(string(start[:4]), "sep=") ||
		!isDelimiter(start[4]) {
		return "", nil
	}
	delimiter, end := string(start[4]), start[5:]
	switch {
	case bytes.HasPrefix(end, []byte("\r\n")):
		end = end[:2]
	case end[0] == '\n' || end[0] == '\r':
		end = end[:1]
	default:
		return "", nil
	}
	_, err = text.Discard(len("sep=;") + len(end))
	return delimiter, err
}

// isDelimiter reports whether a byte can be the delimiter of a file.
func isDelimiter(b byte) bool {
	return b < utf8.RuneSelf && b != '"' && b != '\r' && b != '\n'
}

// decoded returns the text of a file in an encoding, as UTF-8.
func decoded(raw *bufio.Reader, e Encoding) *bufio.Reader {
	if d := e.decoder(); d != nil {
		return bufio.NewReaderSize(transform.NewReader(raw, d), peek)
	}
	return raw
}

// layout collects from all bytes of a file what shows its encoding and, for each delimiter that it may have,
// how many cells its rows have.
type layout struct {
	rest     []byte // the beginning of a character that the last block ended in
	several  bool   // characters of several bytes occur that are UTF-8
	invalid  bool   // bytes occur that are not UTF-8
	unused   bool   // bytes occur that Windows-1252 does not use, or texts hardly ever
	replaced bool   // U+FFFD occurs
	// runs is the number of times that other bytes than ASCII occur between those of ASCII, foreign of those
	// that are unlikely in a text in Windows-1252: three or more bytes, or a sign in a word.
	runs, foreign int64

	line   int
	was    byte // the last byte
	commas []*delimited
	bit    [256]uint8 // of the delimiters
	// Sets of delimiters: those for which the next byte is the first of a cell, is in quotes, or follows a
	// quote in quotes, and those whose cell has no visible byte yet.
	begins, inside, after, empty uint8
}

// delimited counts the rows of a file that has a delimiter.
type delimited struct {
	comma         string
	cells, filled int // delimiters of the row so far, and cells that are not empty
	line          int // of the row
	rows          int64
	widths        map[int]int64 // numbers of rows by numbers of cells
	first, full   header        // the first row, and the first one with several cells, all filled
	untitled      bool          // a row had several cells that are not empty
}

// header is a row that may have the names of the columns.
type header struct {
	line, cells, filled int
	before              int64 // rows
	titles              bool  // all of them have at most one filled cell
}

// delimiters are those that are detected. Of two that fit equally well, the first is taken.
var delimiters = []string{",", ";", "\t", "|"}

// newLayout returns a layout for the given delimiter, or if it is empty for those that are detected. The text
// begins in the given line.
func newLayout(delimiter string, line int) *layout {
	l := &layout{line: line}
	all := delimiters
	if delimiter != "" {
		all = []string{delimiter}
	}
	for i, comma := range all {
		l.commas = append(l.commas, &delimited{comma: comma, widths: map[int]int64{}})
		l.bit[comma[0]] = 1 << i
	}
	l.beginRows(l.all())
	return l
}

// all is the set of all delimiters.
func (l *layout) all() uint8 { return 1<<len(l.commas) - 1 }

// scanByteCPU is the CPU time of scanning a byte.
const scanByteCPU = 8 * time.Nanosecond

// scan reads a text to its end.
func (l *layout) scan(ctx context.Context, text io.Reader, meter *meter) error {
	block := make([]byte, peek)
	for {
		n, err := text.Read(block)
		l.characters(block[:n])
		l.rows(block[:n])
		meter.spend(time.Duration(n) * scanByteCPU)
		if err := meter.pause(ctx); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			l.invalid = l.invalid || len(l.rest) > 0
			l.endRows(l.all())
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// characters examines a block for its encoding.
func (l *layout) characters(block []byte) {
	if len(l.rest) > 0 {
		block, l.rest = append(l.rest, block...), nil
	}
	for i := 0; i < len(block); {
		if block[i] < utf8.RuneSelf {
			i++
			continue
		}
		if !utf8.FullRune(block[i:]) {
			l.rest = bytes.Clone(block[i:])
			return
		}
		r, size := utf8.DecodeRune(block[i:])
		switch {
		case size > 1:
			l.several = true
			l.replaced = l.replaced || r == utf8.RuneError
		case i == 0 || block[i-1] < utf8.RuneSelf:
			l.run(block, i)
			fallthrough
		default:
			l.invalid = true
			l.unused = l.unused || strings.IndexByte("\x81\x8d\x8f\x90\x9d\xff", block[i]) >= 0
		}
		i += size
	}
}

// run examines bytes that are not UTF-8.
func (l *layout) run(block []byte, from int) {
	to := from + 1
	for to < len(block) && block[to] >= utf8.RuneSelf {
		to++
	}
	l.runs++
	letter := func(i int) bool {
		return i >= 0 && i < len(block) && (block[i]|' ' >= 'a' && block[i]|' ' <= 'z')
	}
	sign := block[from] > 0xa0 && block[from] < 0xc0 && strings.IndexByte("\xad\xb4\xb7", block[from]) < 0
	if to-from > 2 || to-from == 1 && sign && letter(from-1) && letter(to) {
		l.foreign++
	}
}

// maxForeign is the maximum share of runs that are unlikely in a text in Windows-1252.
const maxForeign = 0.02

// encoding returns Windows-1252 if it explains all bytes, UTF-8 explains none but those of ASCII, and the
// bytes are not those of another alphabet. Otherwise it is UTF-8, and rows with other bytes are rejected.
func (l *layout) encoding() Encoding {
	if l.invalid && !l.several && !l.unused && float64(l.foreign) <= maxForeign*float64(l.runs) {
		return Windows1252
	}
	return UTF8
}

// rows examines a block for the numbers of cells of its rows.
func (l *layout) rows(block []byte) {
	for _, b := range block {
		switch of := l.bit[b]; {
		case b == '"':
			opens, doubled := l.begins&^l.inside, l.inside&l.after
			l.after = l.inside &^ doubled
			l.inside |= opens
			l.begins = 0
		case b == '\n' && l.was == '\r':
		case b == '\n', b == '\r':
			l.closeQuotes()
			l.line++
			l.endRows(l.all() &^ l.inside)
			l.beginRows(l.all() &^ l.inside)
		case of != 0:
			l.closeQuotes()
			ends := of &^ l.inside
			l.fill(l.all() &^ ends)
			l.begins = ends
			if ends != 0 {
				l.empty |= ends
				l.of(ends).cells++
			}
		case l.after|l.begins|l.empty != 0:
			l.closeQuotes()
			l.begins = 0
			if b != ' ' && b != '\t' {
				l.fill(l.all())
			}
		}
		l.was = b
	}
}

// closeQuotes ends quotes after one that is not doubled.
func (l *layout) closeQuotes() { l.inside, l.after = l.inside&^l.after, 0 }

// of returns the delimiter of a set of one.
func (l *layout) of(set uint8) *delimited { return l.commas[bits.TrailingZeros8(set)] }

// fill counts cells of a set of delimiters as not empty.
func (l *layout) fill(set uint8) {
	for set &= l.empty; set != 0; set &= set - 1 {
		l.of(set).filled++
		l.empty &^= set & -set
	}
}

func (l *layout) endRows(set uint8) {
	for ; set != 0; set &= set - 1 {
		l.of(set).endRow()
	}
}

func (l *layout) beginRows(set uint8) {
	l.begins |= set
	l.empty |= set
	for ; set != 0; set &= set - 1 {
		l.of(set).line = l.line
	}
}

func (d *delimited) endRow() {
	h := header{line: d.line, cells: d.cells + 1, filled: d.filled, before: d.rows}
	d.cells, d.filled = 0, 0
	if h.filled == 0 { // a blank row
		return
	}
	h.titles = !d.untitled
	d.untitled = d.untitled || h.filled > 1
	if d.rows++; h.before == 0 {
		d.first = h
	}
	if d.full.cells == 0 && h.filled == h.cells && h.cells > 1 {
		d.full = h
	}
	d.widths[min(h.cells, maxColumns+1)]++
}

// minTitled is the minimum number of columns of a file that may have rows before the header: a title and the
// like, which have one cell that is not empty.
const minTitled = 3

// header returns the row with the names of the columns, and the share of all rows that have as many cells.
// The share is 0 if the file hardly has this delimiter.
func (d *delimited) header() (h header, share float64) {
	fits := func(h header) float64 {
		share := float64(d.widths[min(h.cells, maxColumns+1)]) / float64(max(d.rows, 1))
		if h.cells < 2 || share < minFitting {
			return 0
		}
		return share
	}
	if d.full.titles && d.full.cells >= minTitled && fits(d.full) > 0 {
		return d.full, fits(d.full)
	}
	return d.first, fits(d.first)
}

// minFitting is the minimum share of rows that have as many cells as the header if the delimiter is the right
// one.
const minFitting = 0.5

// best returns the delimiter by which most rows have as many cells as the header, its line and their number.
// A delimiter with rows before the header is taken only if no other fits, and if none fits, the one of which
// the first row has most.
func (l *layout) best() (delimiter string, line, cells int) {
	best := slices.MaxFunc(l.commas, func(a, b *delimited) int {
		headerA, shareA := a.header()
		headerB, shareB := b.header()
		return cmp.Or(
			cmp.Compare(min(shareA, 1e-9), min(shareB, 1e-9)), // one fits, and one does not
			cmp.Compare(min(headerB.before, 1), min(headerA.before, 1)),
			cmp.Compare(shareA, shareB),
			cmp.Compare(headerB.before, headerA.before),
			cmp.Compare(headerA.cells, headerB.cells))
	})
	h, _ := best.header()
	return best.comma, max(h.line, 1), min(h.cells, maxColumns)
}
