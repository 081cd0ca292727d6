package importer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/transform"
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

// form is a Reading and what else the passes need.
type form struct {
	Reading
	cells  int  // number of columns of a CSV file without a header
	broken bool // the file has bytes that no encoding explains
}

// notes are lines on what a person does not expect.
func (r *Reading) notes() (out []string) {
	if r.Encoding != UTF8 {
		out = append(out, fmt.Sprintf("The file was read as %s.", r.Encoding))
	}
	if r.Format == CSV && r.Delimiter != "," {
		out = append(out, fmt.Sprintf("The delimiter of the cells is %q.", r.Delimiter))
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
	if r.Encoding = cmp.Or(mark, r.Encoding); r.Encoding == "" {
		if r.Encoding, err = zeros(start); err != nil {
			return nil, in.damaged(err)
		}
	}
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
		before := &csvReader{in: text, line: line}
		separator, err := before.separatorLine()
		if err != nil {
			return nil, in.damaged(err)
		}
		r.Delimiter, line = cmp.Or(r.Delimiter, separator), before.line
	}
	given := 0
	if header != nil {
		given = *header
	}
	l := newLayout(r.Delimiter, given, line)
	converts := r.Encoding.decoder() != nil
	if told := r.Format != CSV || r.Delimiter != "" && given > 0; r.Encoding == "" || converts || !told {
		if err := l.scan(ctx, in, text, opts.meter); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Encoding == "":
		r.Encoding = l.encoding()
		r.broken = l.invalid && r.Encoding == UTF8
	case converts && l.replaced:
		return nil, in.damaged(fmt.Errorf("it has characters that cannot be read as %s; save it as UTF-8, "+
			"or name the right encoding", r.Encoding))
	}
	if r.Format == CSV {
		r.Delimiter, r.Header, r.cells = l.best()
		if header != nil {
			r.Header = given
		}
	}
	in.read = &r
	return in.read, nil
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
