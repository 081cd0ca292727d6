package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// jsonReader reads JSON Lines: one object per line, whose members are the cells. Numbers keep their literal,
// so that integers are exact. null is an empty cell. An array of strings, numbers and booleans is a list.
// Other arrays and objects are their JSON source.
type jsonReader struct {
	in    *bufio.Reader
	most  int // bytes of a record
	names []string
	place map[string]int
	line  int
}

// newJSONReader returns a reader of records of at most most bytes, whose first columns are those of preset;
// others follow in order of appearance.
func newJSONReader(in *bufio.Reader, preset []string, most int) *jsonReader {
	r := &jsonReader{in: in, most: most, place: map[string]int{}}
	for _, name := range preset {
		r.column(name)
	}
	return r
}

func (r *jsonReader) columns() []string { return r.names }

func (r *jsonReader) column(name string) int {
	i, ok := r.place[name]
	if !ok {
		i = len(r.names)
		r.place[name] = i
		r.names = append(r.names, name)
	}
	return i
}

func (r *jsonReader) next() (*record, error) {
	for {
		line, size, err := r.readLine()
		if err != nil && (size == 0 || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		r.line++
		rec := &record{line: r.line, raw: line}
		switch {
		case size > r.most:
			rec.fault = tooLongRecord(size, r.most)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case !utf8.Valid(line):
			rec.fault = &fault{reason: NotUTF8, detail: "the line is not valid UTF-8"}
		default:
			rec.fault = r.object(rec)
		}
		return rec, nil
	}
}

// readLine returns a line of up to r.most bytes without its end, and its total length. It returns io.EOF
// after the last one.
func (r *jsonReader) readLine() (line []byte, size int, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if size += len(part); size <= r.most {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), size, err
		}
	}
}

func (r *jsonReader) object(rec *record) *fault {
	dec := json.NewDecoder(bytes.NewReader(rec.raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return badJSON("", "the line is not a JSON object")
	}
	rec.cells = make([]cell, len(r.names))
	seen := make([]bool, len(r.names))
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return notJSON("", err)
		}
		name := key.(string) // the decoder returns no other token between members
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return notJSON(name, err)
		}
		if _, known := r.place[name]; !known && len(r.names) >= maxColumns {
			return badJSON(name, "the lines so far have %d columns, which is the limit", maxColumns)
		}
		i := r.column(name)
		for len(rec.cells) <= i {
			rec.cells, seen = append(rec.cells, cell{}), append(seen, false)
		}
		if seen[i] {
			return badJSON(name, "the object has this member twice")
		}
		seen[i] = true
		if unpairedSurrogate(value) {
			return badJSON(name, "half a surrogate pair is not a character")
		}
		rec.cells[i] = jsonCell(value)
	}
	for i := range rec.cells {
		rec.cells[i].absent = !seen[i]
	}
	if _, err := dec.Token(); err != nil {
		return notJSON("", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return badJSON("", "there is more than one object in the line")
	}
	return nil
}

func notJSON(column string, err error) *fault {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badJSON(column, "the line ends in the middle of the object")
	}
	return badJSON(column, "the line is not JSON: %v", err)
}

func badJSON(column, format string, args ...any) *fault {
	return &fault{column: column, reason: BadJSON, detail: fmt.Sprintf(format, args...)}
}

// jsonCell converts a valid JSON value to a cell.
func jsonCell(value json.RawMessage) cell {
	text, list, count := string(value), []string(nil), 0
	switch value[0] {
	case 'n':
		return cell{}
	case '"':
		text = jsonString(value)
	case '[':
		if len(value) <= maxCell { // otherwise it is longer than any list of values
			list, count = jsonList(value)
		}
	}
	c := newCell(text, list)
	c.count = count
	c.literal = value[0] == '-' || value[0] >= '0' && value[0] <= '9'
	return c
}

// jsonList returns the first maxMembers members of a valid array that are not empty, and how many there are.
// The list is nil if one is neither a string nor a number nor a Boolean. The members are not decoded before
// they are counted, because an array of 2 MiB can have a million of them.
func jsonList(array json.RawMessage) (list []string, count int) {
	list = []string{}
	for rest := array[1:]; ; {
		rest = bytes.TrimLeft(rest, ", \t\r\n")
		if rest[0] == ']' {
			return list, count
		}
		n := bytes.IndexAny(rest, ",] \t\r\n")
		switch rest[0] {
		case '[', '{', 'n':
			return nil, 0
		case '"':
			n = endOfString(rest)
		}
		member := rest[:n]
		if rest = rest[n:]; string(member) == `""` {
			continue
		}
		if count++; count > maxMembers {
			continue
		}
		if member[0] == '"' {
			list = append(list, jsonString(member))
		} else {
			list = append(list, string(member))
		}
	}
}

// endOfString returns the length of the JSON string that a text begins with.
func endOfString(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// newCell cuts text that is longer than any value, as the CSV reader does.
func newCell(text string, list []string) cell {
	return cell{text: text[:min(len(text), maxCell)], list: list, bytes: len(text)}
}

func jsonString(value json.RawMessage) string {
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return string(value) // cannot happen: the decoder has accepted it as a string
	}
	return s
}

// unpairedSurrogate reports whether the JSON has an escaped lone surrogate, which the decoder would replace
// by U+FFFD.
func unpairedSurrogate(value []byte) bool {
	for i := 0; i+1 < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		if i++; value[i] != 'u' {
			continue
		}
		switch hi := value[i+1 : i+5]; {
		case isHex(hi, '8', 'b'):
			if rest := value[i+5:]; len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' ||
				!isHex(rest[2:6], 'c', 'f') {
				return true
			}
			i += 10
		case isHex(hi, 'c', 'f'):
			return true
		default:
			i += 4
		}
	}
	return false
}

// isHex reports whether four hexadecimal digits begin with d and a second digit from lo to hi.
func isHex(digits []byte, lo, hi byte) bool {
	d := bytes.ToLower(slices.Clone(digits[:2]))
	return d[0] == 'd' && d[1] >= lo && d[1] <= hi
}
