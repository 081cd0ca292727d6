package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"issuegrid/tracker"
)

// Mapping defines what the columns of a file become. docs/import.md describes its JSON form, which
// ParseMapping reads and String writes.
type Mapping struct {
	// Format, Encoding, Delimiter and Header are how the file is read; see Reading. What is empty or nil is
	// detected from the file.
	Format    Format   `json:"format,omitempty"`
	Encoding  Encoding `json:"encoding,omitempty"`
	Delimiter string   `json:"delimiter,omitempty"`
	Header    *int     `json:"header,omitempty"`
	// RowKey "CONTENT" derives the row key from all mapped cells, for files without a column that identifies
	// a row.
	RowKey string `json:"rowKey,omitempty"`
	// Shards is the number of shards of the projects that the import creates; 0 is 1.
	Shards int `json:"shards,omitempty"`
	// Columns may contain a column of the file more than once, with different targets. Nil columns are
	// inferred.
	Columns []Column `json:"columns,omitempty"`
	// Rest "skip" ignores the columns that are not in Columns; without it they are an error.
	Rest string `json:"rest,omitempty"`
}

// Column defines what one column becomes. To and Type determine which of the other members may be set; Check
// verifies this.
type Column struct {
	Column string `json:"column"`
	To     Target `json:"to,omitempty"`
	// Name and Type are those of a custom field. An empty Name means the name of the column.
	Name string            `json:"name,omitempty"`
	Type tracker.FieldType `json:"type,omitempty"`
	// Options are all options, in order. Without them, options are collected from the file in the order given
	// by Order.
	Options []string `json:"options,omitempty"`
	Order   Order    `json:"order,omitempty"`
	// IgnoreCase matches cells with options or states without regard to case.
	IgnoreCase bool `json:"ignoreCase,omitempty"`
	// NewOptions adds the options or states of the cells to those in Options, Open and Closed, and to a
	// project that has the field or exists already. Without it, and without Options.NewOptions, such rows are
	// rejected. A new field without Options has those of its cells.
	NewOptions bool `json:"newOptions,omitempty"`
	// Separator separates the members of a MULTI_SELECT or TAGS cell. Without it a cell is one member.
	Separator string `json:"separator,omitempty"`
	// Quotes means that members may be in quotes, as cells are in CSV, and that spaces around members are
	// ignored.
	Quotes bool `json:"quotes,omitempty"`
	// Decimal is the decimal separator, . or ,. With it, an INTEGER or a NUMBER is read as people write it;
	// see docs/import.md. Without it, it is a literal.
	Decimal string `json:"decimal,omitempty"`
	// Formats are tried in order; see docs/import.md. Zone is the time zone of times without one; empty means
	// UTC.
	Formats []string `json:"formats,omitempty"`
	Zone    string   `json:"zone,omitempty"`
	// True and False are the words of a BOOLEAN, without regard to case.
	True  []string `json:"true,omitempty"`
	False []string `json:"false,omitempty"`
	// Open and Closed are all states, in order. If both are empty, states are collected from the file.
	Open   []string `json:"open,omitempty"`
	Closed []string `json:"closed,omitempty"`
}

// states are the states that the mapping gives, in their order.
func (c *Column) states() []string { return slices.Concat(c.Open, c.Closed) }

// Target is what a column becomes.
type Target string

// Targets. All except ToField and ToSkip can be the target of only one column.
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

// Order is the order of options that are collected from the file.
type Order string

// Orders. Appearance is the order of the rows, and the default.
const (
	Appearance Order = "APPEARANCE"
	Sorted     Order = "SORTED"
)

// contentKey is the only value of Mapping.RowKey.
const contentKey = "CONTENT"

// restSkip is the only value of Mapping.Rest.
const restSkip = "skip"

// ReadMapping reads and checks a mapping file. Errors are BadInput; their message names the file and the
// position in it.
func ReadMapping(path string) (*Mapping, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, tracker.Bad("mapping", "cannot read the mapping: %v", err)
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

// ParseMapping parses and checks a mapping. Unknown keys are an error.
func ParseMapping(data []byte) (*Mapping, error) {
	var m Mapping
	top := struct {
		*Mapping
		Columns []json.RawMessage `json:"columns"`
	}{Mapping: &m}
	if string(bytes.TrimSpace(data)) == "null" {
		return nil, tracker.Bad("", "not a JSON object: null")
	}
	if err := strict(data, "", &top); err != nil {
		return nil, err
	}
	if top.Columns != nil {
		m.Columns = make([]Column, 0, len(top.Columns))
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

// strict parses one JSON object and rejects unknown keys.
func strict(data []byte, path string, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return tracker.Bad(path, "unexpected data after the JSON object")
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return tracker.At(path, tracker.Bad(wrong.Field, "a JSON %s is not allowed here", wrong.Value))
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

// String returns the mapping in a form that ParseMapping reads, with one column per line for editing.
func (m *Mapping) String() string {
	var b bytes.Buffer
	b.WriteString("{\n")
	if m.Format != "" {
		b.WriteString(`  "format": ` + quote(m.Format) + ",\n")
	}
	if m.Encoding != "" {
		b.WriteString(`  "encoding": ` + quote(m.Encoding) + ",\n")
	}
	if m.Delimiter != "" {
		b.WriteString(`  "delimiter": ` + quote(m.Delimiter) + ",\n")
	}
	if m.Header != nil {
		fmt.Fprintf(&b, "  \"header\": %d,\n", *m.Header)
	}
	if m.RowKey != "" {
		b.WriteString(`  "rowKey": ` + quote(m.RowKey) + ",\n")
	}
	if m.Shards > 0 {
		fmt.Fprintf(&b, "  \"shards\": %d,\n", m.Shards)
	}
	if m.Columns == nil {
		return strings.TrimSuffix(b.String(), ",\n") + "\n}\n"
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

// quote encodes JSON on one line, without escaping <, > and &.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // cannot fail for strings and slices of them
	}
	return string(bytes.TrimSpace(b.Bytes()))
}

// first returns the first column with a target, or nil.
func (m *Mapping) first(to Target) *Column {
	for i := range m.Columns {
		if m.Columns[i].To == to {
			return &m.Columns[i]
		}
	}
	return nil
}
