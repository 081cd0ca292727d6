package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strconv"

	"issuegrid/tracker"
)

// Mapping says what becomes of the columns of a file. docs/import.md describes its JSON form, which Parse reads and String writes.
type Mapping struct {
	// Format and Delimiter are told by the file when they are empty.
	Format    Format `json:"format,omitempty"`
	Delimiter string `json:"delimiter,omitempty"`
	// RowKey of "CONTENT" makes the row key of all mapped cells, for files without a column that names a row.
	RowKey string `json:"rowKey,omitempty"`
	// Columns may name a column of the file more than once, to make several things of it.
	Columns []Column `json:"columns"`
	// Rest of "skip" leaves out the columns that are not named; without it they are an error.
	Rest string `json:"rest,omitempty"`
}

// Column says what becomes of one column. Which of the other members may be set depends on To and Type; Check tells.
type Column struct {
	Column string `json:"column"`
	To     Target `json:"to,omitempty"`
	// Name and Type are those of a custom field; the name is the column's when it is empty.
	Name string            `json:"name,omitempty"`
	Type tracker.FieldType `json:"type,omitempty"`
	// Options are all that there are, in their order. Without them they are collected from the file, in the order that Order says.
	Options []string `json:"options,omitempty"`
	Order   Order    `json:"order,omitempty"`
	// IgnoreCase takes a cell for an option or state that differs from it in upper and lower case only.
	IgnoreCase bool `json:"ignoreCase,omitempty"`
	// Separator stands between the members of a MULTI_SELECT or TAGS cell; without it a cell is one member.
	Separator string `json:"separator,omitempty"`
	// Formats are tried in their order; see docs/import.md. Zone is that of times that name none; empty is UTC.
	Formats []string `json:"formats,omitempty"`
	Zone    string   `json:"zone,omitempty"`
	// True and False are the words of a BOOLEAN, without regard to case.
	True  []string `json:"true,omitempty"`
	False []string `json:"false,omitempty"`
	// Open and Closed are all states that there are, in their order. Without both they are collected from the file.
	Open   []string `json:"open,omitempty"`
	Closed []string `json:"closed,omitempty"`
}

// Target is what a column becomes.
type Target string

// The targets. Each but ToField and ToSkip can be the target of one column only.
const (
	ToProjectKey  Target = "projectKey"
	ToProjectName Target = "projectName"
	ToRowKey      Target = "rowKey"
	ToNum         Target = "num"
	ToName        Target = "name"
	ToState       Target = "state"
	ToCreated     Target = "createdAt"
	ToUpdated     Target = "updatedAt"
	ToDescription Target = "description"
	ToField       Target = "field"
	ToSkip        Target = "skip"
)

// Order is how options that are collected from the file are ordered.
type Order string

// The orders. Appearance is that of the rows, and the default.
const (
	Appearance Order = "APPEARANCE"
	Sorted     Order = "SORTED"
)

// contentKey is the one value of Mapping.RowKey.
const contentKey = "CONTENT"

// restSkip is the one value of Mapping.Rest.
const restSkip = "skip"

// ReadMapping reads a mapping file and checks it. Errors are BadInput; their message names the file and the place in it.
func ReadMapping(path string) (*Mapping, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, tracker.Bad("mapping", "the mapping can't be read: %v", err)
	}
	m, err := ParseMapping(data)
	if wrong, ok := errors.AsType[*tracker.Error](err); ok {
		where := path
		if wrong.Path != "" {
			where += ": " + wrong.Path
		}
		return nil, about(where, err)
	}
	return m, err
}

// ParseMapping reads a mapping and checks it. Keys that it does not know are refused.
func ParseMapping(data []byte) (*Mapping, error) {
	var m Mapping
	top := struct {
		*Mapping
		Columns []json.RawMessage `json:"columns"`
	}{Mapping: &m}
	if err := strict(data, "", &top); err != nil {
		return nil, err
	}
	for i, raw := range top.Columns {
		var c Column
		if err := strict(raw, place(i), &c); err != nil {
			return nil, err
		}
		m.Columns = append(m.Columns, c)
	}
	return &m, m.Check()
}

func place(i int) string { return "columns[" + strconv.Itoa(i) + "]" }

var unknownKey = regexp.MustCompile(`unknown field (".*")`)

// strict reads one JSON object and refuses unknown keys by their name.
func strict(data []byte, path string, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return tracker.Bad(path, "there is more behind the JSON object")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return tracker.At(path, tracker.Bad(wrong.Field, "a JSON %s can't stand here", wrong.Value))
	}
	if found := unknownKey.FindStringSubmatch(err.Error()); found != nil {
		return tracker.Bad(path, "unknown key %s", found[1])
	}
	if broken, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(data[:broken.Offset], []byte("\n"))
		return tracker.Bad(path, "line %d is not JSON: %v", line, err)
	}
	return tracker.Bad(path, "not a JSON object: %v", err)
}

// String returns the mapping as a file that ParseMapping reads, one column a line, to be edited.
func (m *Mapping) String() string {
	var b bytes.Buffer
	b.WriteString("{\n")
	if m.Format != "" {
		b.WriteString(`  "format": ` + quote(m.Format) + ",\n")
	}
	if m.Delimiter != "" {
		b.WriteString(`  "delimiter": ` + quote(m.Delimiter) + ",\n")
	}
	if m.RowKey != "" {
		b.WriteString(`  "rowKey": ` + quote(m.RowKey) + ",\n")
	}
	b.WriteString(`  "columns": [`)
	for i, c := range m.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    " + quote(c))
	}
	b.WriteString("\n  ]")
	if m.Rest != "" {
		b.WriteString(",\n" + `  "rest": ` + quote(m.Rest))
	}
	b.WriteString("\n}\n")
	return b.String()
}

// quote writes JSON on one line, with <, > and & as they are.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings and slices of them always encode
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// comma is the delimiter, 0 when the file tells it.
func (m *Mapping) comma() byte {
	if m.Delimiter == "" {
		return 0
	}
	return m.Delimiter[0]
}

// first returns the column with a target, or nil.
func (m *Mapping) first(to Target) *Column {
	for i := range m.Columns {
		if m.Columns[i].To == to {
			return &m.Columns[i]
		}
	}
	return nil
}
