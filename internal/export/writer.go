package export

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// writer writes rows to a buffer, which keeps the first error of the underlying writer.
type writer struct {
	out     *bufio.Writer
	format  importer.Format
	columns []column
	names   [][]byte // of the columns, as JSON
}

func newWriter(out *bufio.Writer, format importer.Format, columns []column) *writer {
	w := &writer{out: out, format: format, columns: columns}
	for _, c := range columns {
		w.names = append(w.names, quoted(c.name))
	}
	return w
}

// header writes the names of the columns of a CSV file.
func (w *writer) header() {
	if w.format != importer.CSV {
		return
	}
	w.out.WriteString(importer.ByteOrderMark)
	for i, c := range w.columns {
		w.text(i, c.name)
	}
	w.out.WriteString(endOfRecord)
}

// row writes a row. It returns the error of a text, or of the underlying writer.
func (w *writer) row(ctx context.Context, d *tracker.Definition, row *tracker.Issue,
	texts *textReader) error {
	for i := range w.columns {
		c := w.columns[i].cell(d, row)
		if c.long {
			var err error
			if c.text, err = texts.next(ctx); err != nil {
				return err
			}
		}
		if w.format == importer.JSONLines {
			w.member(i, c)
			continue
		}
		if c.divided() {
			return tracker.Bad("format", "the value of issue %d in the column %q has a line break within a "+
				"name, which CSV cannot express: export JSON Lines", row.Num, w.columns[i].name)
		}
		w.text(i, c.csv())
	}
	if w.format != importer.CSV {
		w.out.WriteByte('}')
		return w.end("\n")
	}
	return w.end(endOfRecord)
}

func (w *writer) end(line string) error {
	_, err := w.out.WriteString(line)
	return err
}

// endOfRecord ends the records of CSV, as RFC 4180 defines it.
const endOfRecord = "\r\n"

// separator separates the members of a set in CSV. Names of options and tags have no control characters,
// except in values from before this was a rule, and spreadsheets show each member on its own line.
const separator = importer.ExportedSeparator

// divided reports whether a member of a set contains the separator.
func (c *cell) divided() bool {
	return slices.ContainsFunc(c.list, func(s string) bool { return strings.Contains(s, separator) })
}

func (c *cell) csv() string {
	if c.list != nil {
		return strings.Join(c.list, separator)
	}
	return c.text + c.literal // at most one is set
}

// text writes a cell of CSV. encoding/csv would not do: with records that end as in RFC 4180, it changes line
// breaks in cells, and it writes a record of one empty cell as an empty line, which readers ignore.
func (w *writer) text(i int, s string) {
	if i > 0 {
		w.out.WriteByte(',')
	}
	plain := len(w.columns) > 1
	if s != "" {
		plain = !strings.ContainsAny(s, ",\"\r\n") && s == strings.TrimSpace(s)
	}
	if plain {
		w.out.WriteString(s)
		return
	}
	w.out.WriteByte('"')
	for quote := strings.IndexByte(s, '"'); quote >= 0; quote = strings.IndexByte(s, '"') {
		w.out.WriteString(s[:quote])
		w.out.WriteString(`""`)
		s = s[quote+1:]
	}
	w.out.WriteString(s)
	w.out.WriteByte('"')
}

// member writes a member of a JSON object, the first with the opening brace.
func (w *writer) member(i int, c cell) {
	if i == 0 {
		w.out.WriteByte('{')
	} else {
		w.out.WriteByte(',')
	}
	w.out.Write(w.names[i])
	w.out.WriteByte(':')
	switch {
	case c.literal != "":
		w.out.WriteString(c.literal)
	case c.list != nil:
		w.out.Write(quoted(c.list))
	case c.text != "":
		w.string(c.text)
	default:
		w.out.WriteString("null")
	}
}

// pieceSize is the number of bytes of a string that are encoded at once.
const pieceSize = 32 << 10

// string writes a string as JSON, in pieces, because its JSON may be six times as long.
func (w *writer) string(s string) {
	w.out.WriteByte('"')
	for s != "" {
		n := min(len(s), pieceSize)
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		piece := quoted(s[:n])
		w.out.Write(piece[1 : len(piece)-1])
		s = s[n:]
	}
	w.out.WriteByte('"')
}

// quoted returns a string or a list of strings as JSON, without escaping <, > and &.
func quoted(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // cannot fail for strings
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
