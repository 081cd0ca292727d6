//go:build realdata

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// dataVariable is the environment variable with the path of the data set.
const dataVariable = "ISSUEGRID_REAL_DATA"

// projectVariable is the environment variable with the key of the only project to import, which saves time.
// If it is not set, all projects are imported.
const projectVariable = "ISSUEGRID_REAL_DATA_PROJECT"

// mappingFile maps the columns of the data set to fields.
const mappingFile = "../../internal/importer/testdata/titanium.mapping.json"

// column is a column of the file and the column or field that it maps to.
type column struct {
	Column, To, Name, Type, Separator string
	Options                           []string
	place                             int // index in a record
}

// table is the content of the file, parsed independently of the importer so that the tests check its reader
// too.
type table struct {
	path    string // the file to import
	columns []column
	rows    map[string][][]string // by project key, in file order, with names as the grid shows them
	header  map[string]int
	cleaned int64 // number of rows whose name contained invalid characters
}

func (t *table) cell(row []string, column string) string { return row[t.header[column]] }

func readTable(t *testing.T) *table {
	t.Helper()
	path := os.Getenv(dataVariable)
	if path == "" {
		t.Fatalf("%s is not set: it names the data set's file", dataVariable)
	}
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	plain, err := gzip.NewReader(f)
	must(t, err)
	text, err := io.ReadAll(plain)
	must(t, err)
	records := split(t, text)
	out := &table{path: path, rows: map[string][][]string{}, header: map[string]int{}}
	for i, name := range records[0] {
		out.header[name] = i
	}
	mapping, err := os.ReadFile(mappingFile)
	must(t, err)
	var columns struct{ Columns []column }
	must(t, json.Unmarshal(mapping, &columns))
	for _, c := range columns.Columns {
		c.place = out.header[c.Column]
		out.columns = append(out.columns, c)
	}
	for _, r := range records[1:] {
		if len(r) != len(records[0]) {
			t.Fatalf("a record of %d cells: %q", len(r), r[:min(len(r), 4)])
		}
		out.rows[r[0]] = append(out.rows[r[0]], r)
	}
	if only := os.Getenv(projectVariable); only != "" {
		rows, ok := out.rows[only]
		if !ok {
			t.Fatalf("%s: the file has no project %s", projectVariable, only)
		}
		out.rows = map[string][][]string{only: rows}
		out.path = t.TempDir() + "/issues.csv"
		must(t, os.WriteFile(out.path, join(append([][]string{records[0]}, rows...)), 0o600))
	}
	out.cleanNames()
	return out
}

// cleanNames cleans the names of issues as docs/import.md specifies: it replaces tabs and line ends with
// spaces and removes other control characters. The file has no other characters that are invalid in names.
func (t *table) cleanNames() {
	place := t.columns[slices.IndexFunc(t.columns, func(c column) bool { return c.To == "name" })].place
	for _, rows := range t.rows {
		for _, row := range rows {
			clean := strings.Map(func(r rune) rune {
				if strings.ContainsRune("\t\n\v\f\r", r) {
					return ' '
				}
				if r < ' ' {
					return -1
				}
				return r
			}, strings.ReplaceAll(row[place], "\r\n", "\n"))
			clean = strings.TrimSpace(clean)
			if clean != strings.TrimSpace(row[place]) {
				t.cleaned++
			}
			row[place] = clean
		}
	}
}

// join is the inverse of split.
func join(records [][]string) []byte {
	var b bytes.Buffer
	for _, record := range records {
		for i, cell := range record {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"`)
		}
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// split parses strict RFC 4180: doubled quotes, CRLF between records, all other bytes unchanged.
func split(t *testing.T, text []byte) [][]string {
	var (
		records [][]string
		record  []string
		cell    []byte
	)
	for i := 0; i < len(text); {
		cell = cell[:0]
		if text[i] == '"' {
			for i++; ; i++ {
				if text[i] == '"' {
					if i+1 >= len(text) || text[i+1] != '"' {
						break
					}
					i++
				}
				cell = append(cell, text[i])
			}
			i++
		} else {
			for i < len(text) && text[i] != ',' && text[i] != '\r' {
				cell = append(cell, text[i])
				i++
			}
		}
		record = append(record, string(cell))
		switch {
		case i < len(text) && text[i] == ',':
			i++
			if i == len(text) {
				t.Fatal("the file ends in a comma")
			}
		default:
			if i+1 < len(text) && (text[i] != '\r' || text[i+1] != '\n') {
				t.Fatalf("no record ends at byte %d", i)
			}
			i += 2
			records, record = append(records, record), nil
		}
	}
	return records
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
