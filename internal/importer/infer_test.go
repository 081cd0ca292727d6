package importer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
)

// TestInference checks what is inferred for columns. A column is its name and its cells.
func TestInference(t *testing.T) {
	many := make([]string, 120)
	for i := range many {
		many[i] = fmt.Sprint("value ", i)
	}
	for _, c := range []struct{ name, cells, want string }{
		{"x", "1|2|", `INTEGER "x"`},
		{"x", "2020-01-02|", `DATE "x"`},
		{"x", "2011-04-15T02:22:16.000+0000|2011-04-15 02:22", `DATETIME "x"`},
		{"x", "2011-04-15T02:22:16.000+0000|2020-01-02", `TEXT "x"`},
		{"x", strings.Join(many, "|") + "|" + strings.Join(many, "|"), `TEXT "x"`},
		{"x", strings.Repeat("a", 257), `LONG_TEXT "x"`},
		{"x", "a|b\nc", `LONG_TEXT "x"`},
		{"x", "a|a\nb|a|a|a\nb", `LONG_TEXT "x"`},
		{"x", "|", `TEXT "x"`},
		{"x", "a b|c|a b|c", `SELECT "x"`},
		{"x", "a\tb|c|a\tb|c", `TEXT "x"`},
		{"x", "a\u200b|c|a\u200b|c", `TEXT "x"`},
		{"Key", "a|b", `rowKey + TEXT "Key"`},
		{"Issue-ID", "1|2", `rowKey + TEXT "Issue-ID"`},
		{"key", "a|b|a|b", `SELECT "key"`},
		{"key", "a||b", `TEXT "key"`},
		{"number", "5|7", "num"},
		{"number", "|", "num"},
		{"state", "|", "state"},
		{"created", "|", "createdAt"},
		{"project", "|", "projectKey"},
		{"key", "|", "skip"},
		{"number", "5.0|7", "num"},
		{"number", "005|010", `TEXT "number"`},
		{"number", "5.5|7", `NUMBER "number"`},
		{"number", "5|0", `INTEGER "number"`},
		{"number", "5|5", `INTEGER "number"`},
		{"Status", "Open|Done|Open", "state"},
		{"state", strings.Join(many, "|"), `TEXT "state_"`},
		{"Created at", "2020-01-02|2020-01-03", "createdAt"},
		{"updated", "yesterday|today", `TEXT "updated"`},
		{"Description", "a|", "description"},
		// as the grid exports them on a page in German
		{"#", "5|7", "num"},
		{"Status", "Offen|Fertig", "state"},
		{"Beschreibung", "a|", "description"},
		{"Erstellt", "2020-01-02T10:00:00Z", "createdAt"},
		{"Geändert", "2020-01-02T10:00:00Z", "updatedAt"},
		{"Gea\u0308ndert", "2020-01-02T10:00:00Z", "updatedAt"},
		{"Geändert von", "ann|", `TEXT "Geändert von"`},
		{"Project", "A|B", "projectKey"},
		{"Project", "a|b", `TEXT "Project"`},
		{"project name", "a|b", `TEXT "project name"`},
		{"reject_line", "1|2", `INTEGER "reject_line"`},
		{"reject_reason", "damaged|torn", `TEXT "reject_reason"`},
	} {
		if got := becomes(t, c.name, strings.Split(c.cells, "|")); got != c.want {
			t.Errorf("%s of %.40q becomes %s, want %s", c.name, c.cells, got, c.want)
		}
	}
}

// becomes returns what a column with these cells becomes.
func becomes(t *testing.T, name string, cells []string) string {
	t.Helper()
	f := unsaved(t)
	r := f.inspect(importer.Options{File: f.column(name, cells...)})
	if r.Summary.Rejected != 0 {
		t.Fatal(r.Summary)
	}
	return r.Columns[1].Becomes
}

// TestTypesOfCells checks the types of columns.
func TestTypesOfCells(t *testing.T) {
	text, err := os.ReadFile("testdata/types.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Cells []string
		Type  string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(err, len(cases))
	}
	for _, c := range cases {
		if got, want := becomes(t, "x", c.Cells), c.Type+` "x"`; got != want {
			t.Errorf("%q becomes %s, want %s", c.Cells, got, want)
		}
	}
}

// TestReport checks the report of a whole dry run.
func TestReport(t *testing.T) {
	f := unsaved(t)
	path := f.file("in.csv", "id,key,title,name,Labels,Labels_\n"+
		"1,A-1,first,a,red,\"x\ny\"\n2,A-2,second,b,,\n3,A-2,third,c,blue\n")
	r := f.inspect(importer.Options{File: path})
	want := `added 2, changed 0, unchanged 0, rejected 1
3 rows read in 0s; this is a dry run, which writes nothing
  P          added 2, changed 0, unchanged 0
  new project P
  new states of P: "Open", "Closed"
  new fields of P: "id", "key", "title", "Labels", "Labels_"
  1 row rejected: wrong number of cells; if the file was read wrongly, set "delimiter" or "header" in the mapping
  line 5: wrong number of cells: the row has 5 cells; the header has 6

COLUMN   TYPE       EMPTY  BECOMES              SAMPLES
id       INTEGER    0      INTEGER "id"         "1", "2"
key      TEXT       0      rowKey + TEXT "key"  "A-1", "A-2"
title    TEXT       0      TEXT "title"         "first", "second"
name     TEXT       0      name                 "a", "b"
Labels   TEXT       1      TEXT "Labels"        "red"
Labels_  LONG_TEXT  1      LONG_TEXT "Labels_"  "x\ny"

This mapping was inferred; edit it and give it with --mapping:
{
  "columns": [
    {"column":"id","to":"field","name":"id","type":"INTEGER"},
    {"column":"key","to":"rowKey"},
    {"column":"key","to":"field","name":"key","type":"TEXT"},
    {"column":"title","to":"field","name":"title","type":"TEXT"},
    {"column":"name","to":"name"},
    {"column":"Labels","to":"field","name":"Labels","type":"TEXT"},
    {"column":"Labels_","to":"field","name":"Labels_","type":"LONG_TEXT"}
  ]
}`
	r.Summary.Elapsed = 0
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	r = f.inspect(importer.Options{File: path, Mapping: r.Mapping})
	if r.Inferred || strings.Contains(r.String(), "--mapping") {
		t.Errorf("with that mapping:\n%s", r)
	}
}

// TestNoColumnForTheName checks that a missing name column is a problem in the report, and an error of the
// import.
func TestNoColumnForTheName(t *testing.T) {
	f := setup(t)
	path := f.file("in.csv", "a,b\n1,2\n")
	r, err := importer.Inspect(t.Context(), nil, importer.Options{File: path, Project: "P"})
	if err != nil {
		t.Fatal(err)
	}
	wantBad(t, r.Problem, `"to": "name"`)
	if len(r.Columns) != 2 || !strings.Contains(r.String(), "The import would fail") {
		t.Errorf("the report is\n%s", r)
	}
	_, err = f.try(importer.Options{File: path})
	wantBad(t, err, `"to": "name"`)
}

// TestNamesOfColumns: a name in the header may have line breaks and invisible characters, which the field
// does not get. A mapping finds the column by either.
func TestNamesOfColumns(t *testing.T) {
	f := setup(t)
	in := f.file("h.csv", "\"Title\",\"Story\r\nPoints\",\"Am\u00adount\u200b\"\n"+
		" A ,3,x\nB,4,y\n")
	if s := f.run(importer.Options{File: in, Project: "H"}); s.Added != 2 {
		t.Errorf("%s", s)
	}
	var names []string
	for _, field := range f.definition("H").Fields {
		names = append(names, field.Name)
	}
	if got := strings.Join(names, ", "); got != "Story Points, Amount" {
		t.Errorf("the fields are %s", got)
	}
	f.want("H", "1 A", "2 B")
	m := f.mapping(`{"columns": [{"column": "Title", "to": "name"}, {"column": "Story\r\nPoints",
		"name": "P", "type": "INTEGER"}, {"column": "Amount", "to": "skip"}], "rowKey": "CONTENT"}`)
	if s := f.run(importer.Options{File: in, Project: "M", Mapping: m}); s.Added != 2 {
		t.Errorf("%s", s)
	}
	m.Columns[1].Column = "Story Points"
	if s := f.run(importer.Options{File: in, Project: "M", Mapping: m}); s.Unchanged != 2 {
		t.Errorf("with the other spelling: %s", s)
	}
	// What the cells of the column say is known in either spelling.
	m.Columns[1].Column, m.Columns[1].Decimal = "Story\r\nPoints", "."
	units := f.file("u.csv", "Title,\"Story\r\nPoints\",Amount\nA,5 kg,\nB,5 lb,\n")
	if s := f.run(importer.Options{File: units, Project: "U", Mapping: m}); s.Rejected != 2 {
		t.Errorf("different units: %s", s)
	}
}

// TestBlankRows: rows without content do not count, also in JSON Lines and at the maximum number of rows.
func TestBlankRows(t *testing.T) {
	f := setup(t)
	for name, in := range map[string]string{"b.csv": "key,name\n1,a\n,\n2,b\n , \n",
		"b.jsonl": `{"key": "1", "name": "a"}` + "\n{}\n" + `{"key": "2", "name": "b"}` + "\n" +
			`{"key": "", "name": " "}` + "\n"} {
		s := f.run(importer.Options{File: f.file(name, in), MaxRows: 2, Project: "B"})
		if s.Rows != 2 || s.Blank != 2 || s.Rejected != 0 || s.Added+s.Unchanged != 2 {
			t.Errorf("%s: %s", name, s)
		}
	}
}
