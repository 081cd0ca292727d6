package importer

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"issuegrid/tracker"
)

// csvReader reads RFC 4180 without changing any byte of a cell. encoding/csv replaces CRLF inside quotes by
// LF, which loses data.
//
// A record ends with LF, CRLF or a lone CR outside quotes, which may be mixed; inside quotes they are part of
// the cell. Empty lines between records are ignored. A quote inside a cell that does not begin with one is an
// ordinary character. Data after a closing quote and a missing closing quote are faults of the record.
type csvReader struct {
	in    *bufio.Reader
	comma byte
	most  int // bytes of a record
	// guarded is Options.RemoveApostrophes.
	guarded bool
	names   []string
	// repeats has, for each column, the index of the first one with its name in the header.
	repeats []int
	// line is the line of the next byte. Inside quotes only LF ends a line, as in an editor.
	line int
	text []byte // the record being read
	// skipped is the number of records before the header.
	skipped int64
	// ahead is the first record of a file without a header, until it is returned.
	ahead *record
	ends  []cellEnd
}

// cellEnd is the end of a cell in the record, and the length of the cell before it was cut.
type cellEnd struct{ end, bytes int }

// newCSVReader reads the header. Columns without a name are named by their position. Records have at most
// most bytes.
func newCSVReader(in *bufio.Reader, form *form, guarded bool, most int) (*csvReader, error) {
	r := &csvReader{in: in, comma: form.Delimiter[0], guarded: guarded, most: most, line: 1}
	if _, err := r.separatorLine(); err != nil {
		return nil, err
	}
	header, err := r.next()
	for err == nil && header.line < form.Header && header.cells[0].text != rejectLine {
		r.skipped++
		header, err = r.next()
	}
	switch {
	case errors.Is(err, io.EOF) && form.Header > 1:
		return nil, fmt.Errorf("the file has no row in line %d, which is to name the columns", form.Header)
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("the file is empty; its first line must name the columns")
	case err != nil:
		return nil, err
	case header.fault != nil && form.Header > 0:
		return nil, fmt.Errorf("the header is broken: %s", header.fault.detail)
	}
	names := make([]string, len(header.cells))
	if form.Header == 0 && header.cells[0].text != rejectLine {
		r.ahead, names = header, make([]string, form.cells)
	}
	for i := range names {
		if r.ahead == nil {
			names[i] = headerName(header.cells[i].text)
		}
		if names[i] == "" {
			names[i] = fmt.Sprintf("column %d", i+1)
		}
	}
	if err := checkColumnNames(names); err != nil {
		return nil, err
	}
	r.names, r.repeats = distinct(names)
	return r, nil
}

// headerName returns the name of a column, which becomes that of a field: it has no line breaks and no
// invisible characters.
func headerName(text string) string {
	if !utf8.ValidString(text) { // which is reported
		return text
	}
	return tracker.Shown(text)
}

// columnIndex has the index of each column of a file by its name.
type columnIndex map[string]int

func newColumnIndex(names []string) columnIndex {
	out := make(columnIndex, len(names))
	for i, name := range names {
		out[name] = i
	}
	return out
}

// at returns the index of a column of a mapping, which may have the header as it is in the file, or -1.
func (x columnIndex) at(column string) int {
	for _, name := range []string{column, headerName(column)} {
		if at, ok := x[name]; ok {
			return at
		}
	}
	return -1
}

// separatorLine skips a first line such as sep=; with which programs tell Excel the delimiter, and returns
// the delimiter, or "" if there is none.
func (r *csvReader) separatorLine() (string, error) {
	if err := r.skipEmptyLines(); errors.Is(err, io.EOF) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	const length = len("sep=;")
	start, err := r.in.Peek(length + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if len(start) < length || !strings.EqualFold(string(start[:4]), "sep=") || !isDelimiter(start[4]) ||
		len(start) > length && start[length] != '\n' && start[length] != '\r' {
		return "", nil
	}
	delimiter := string(start[4])
	if _, err := r.in.Discard(length); err != nil || len(start) == length {
		return delimiter, err
	}
	end, err := r.in.ReadByte()
	if err != nil {
		return "", err
	}
	return delimiter, r.endLine(end)
}

// distinct appends numbers to names that occurred before: the second "Labels" becomes "Labels 2". It also
// returns the index of the first column with each name.
func distinct(names []string) (out []string, repeats []int) {
	taken, next := make(map[string]bool, len(names)), map[string]int{}
	first := make(map[string]int, len(names))
	for i, name := range names {
		taken[name] = true
		if _, ok := first[name]; !ok {
			first[name] = i
		}
		repeats = append(repeats, first[name])
	}
	out = slices.Clone(names)
	for i, name := range names {
		if next[name] == 0 {
			next[name] = 2
			continue
		}
		for taken[out[i]] {
			out[i] = fmt.Sprintf("%s %d", name, next[name])
			next[name]++
		}
		taken[out[i]] = true
	}
	return out, repeats
}

func (r *csvReader) columns() []string { return r.names }

// What ended a cell.
const (
	endOfCell = iota
	endOfRecord
	endOfFile
)

func (r *csvReader) next() (*record, error) {
	if first := r.ahead; first != nil {
		r.ahead = nil
		return r.checked(first), nil
	}
	if err := r.skipEmptyLines(); err != nil {
		return nil, err
	}
	rec := &record{line: r.line}
	r.text, r.ends = r.text[:0], r.ends[:0]
	for end := endOfCell; end == endOfCell; {
		var err error
		if end, err = r.cell(rec); err != nil {
			return nil, err
		}
	}
	text, start := string(r.text), 0
	rec.cells = make([]cell, len(r.ends))
	total := 0
	for i, e := range r.ends {
		rec.cells[i] = cell{text: text[start:e.end], bytes: e.bytes}
		if c := &rec.cells[i]; r.guarded && c.bytes == len(c.text) {
			c.text = withoutGuard(c.text)
			c.bytes = len(c.text)
		}
		start = e.end
		total += e.bytes
	}
	if rec.fault == nil && total > r.most {
		rec.fault = tooLongRecord(total, r.most)
	}
	return r.checked(rec), nil
}

// checked returns a record, with a fault if it has not as many cells as there are columns.
func (r *csvReader) checked(rec *record) *record {
	if rec.fault == nil && len(rec.cells) > maxColumns {
		rec.fault = &fault{reason: Ragged,
			detail: fmt.Sprintf("the row has more than %d cells, which is the limit", maxColumns)}
	}
	if rec.fault == nil && r.names != nil && len(rec.cells) != len(r.names) {
		rec.fault = &fault{reason: Ragged,
			detail: fmt.Sprintf("the row has %d cells; the header has %d", len(rec.cells), len(r.names))}
	}
	return rec
}

func tooLongRecord(bytes, most int) *fault {
	return &fault{reason: TooLong, detail: fmt.Sprintf("the row has %d bytes; the limit is %d", bytes, most)}
}

func (r *csvReader) skipEmptyLines() error {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		if b != '\n' && b != '\r' {
			return r.in.UnreadByte()
		}
		if err := r.endLine(b); err != nil {
			return err
		}
	}
}

// endLine is called after a LF or CR outside quotes, and reads the LF that follows a CR.
func (r *csvReader) endLine(b byte) error {
	r.line++
	if b != '\r' {
		return nil
	}
	next, err := r.in.ReadByte()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil || next == '\n' {
		return err
	}
	return r.in.UnreadByte()
}

// cell reads one cell and the delimiter after it.
func (r *csvReader) cell(rec *record) (end int, err error) {
	start, bytes := len(r.text), 0
	defer func() {
		if len(r.ends) <= maxColumns { // one more shows that there are too many
			r.ends = append(r.ends, cellEnd{end: len(r.text), bytes: bytes})
		}
	}()
	add := func(b byte) {
		if bytes++; bytes <= maxCell && len(r.text) < r.most {
			r.text = append(r.text, b)
		}
	}
	b, err := r.in.ReadByte()
	if err == nil && b == '"' {
		opened := r.line
		if b, err = r.quoted(add); errors.Is(err, errNotClosed) {
			rec.fault = &fault{reason: Quotes, column: r.name(),
				detail: fmt.Sprintf("the quote opened in line %d is not closed; "+
					"everything from there to the end of the file, line %d, is in this one cell", opened,
					r.line)}
			return endOfFile, nil
		}
		if err == nil && b != r.comma && b != '\n' && b != '\r' {
			if rec.fault == nil {
				rec.fault = &fault{reason: Quotes, column: r.name(),
					detail: "there is text after the closing quote of the cell"}
			}
			// The rejects file has the cell as in the file.
			r.text = append(append(append(r.text[:start:start], '"'), r.text[start:]...), '"')
			bytes += 2
		}
	}
	for ; err == nil; b, err = r.in.ReadByte() {
		switch b {
		case r.comma:
			return endOfCell, nil
		case '\n', '\r':
			return endOfRecord, r.endLine(b)
		}
		add(b)
	}
	if errors.Is(err, io.EOF) {
		return endOfFile, nil
	}
	return endOfFile, err
}

var errNotClosed = errors.New("quote not closed")

// quoted reads up to the closing quote and returns the byte after it. It returns io.EOF at the end of the
// file.
func (r *csvReader) quoted(add func(byte)) (next byte, err error) {
	for {
		b, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errNotClosed
		}
		if err != nil {
			return 0, err
		}
		switch b {
		case '"':
			if b, err = r.in.ReadByte(); err != nil || b != '"' {
				return b, err
			}
		case '\n':
			r.line++
		}
		add(b)
	}
}

// name returns the name of the column being read.
func (r *csvReader) name() string {
	if i := len(r.ends); i < len(r.names) {
		return r.names[i]
	}
	return ""
}
