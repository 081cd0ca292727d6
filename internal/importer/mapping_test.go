package importer_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestMappingErrors checks the errors of invalid mappings and their paths.
func TestMappingErrors(t *testing.T) {
	column := func(s string) string {
		return `{"columns": [{"column": "k", "to": "rowKey"}, {"column": "n", "to": "name"}, {"column": "x", ` + s + `}]}`
	}
	for _, c := range []struct{ in, path, want string }{
		{``, "", "not a JSON object"},
		{`[]`, "", "a JSON array is not allowed here"},
		{"{\n\"columns\": [,]}", "", "line 2 is not JSON"},
		{`{"columns": []} x`, "", "unexpected data after the JSON object"},
		{`{"colums": []}`, "", `unknown key "colums"`},
		{`{"columns": []}`, "columns", "names no columns"},
		{`{"rest": "skip"}`, "columns", "has columns"},
		{`{"encoding": "latin-99"}`, "encoding", `unknown encoding "latin-99"`},
		{`{"header": -1}`, "header", "1 or more, or 0"},
		{`{"format": "XML"}`, "format", `"XML"; there are CSV and JSON_LINES`},
		{`{"delimiter": ";;"}`, "delimiter", "one ASCII character"},
		{`{"delimiter": "\""}`, "delimiter", "neither a quote"},
		{`{"shards": 17}`, "shards", "1 to 16 shards; got 17"},
		{`{"shards": -1}`, "shards", "1 to 16 shards; got -1"},
		{`{"rest": "keep"}`, "rest", `the only value is "skip"`},
		{`{"rowKey": "k"}`, "rowKey", `the only value is "CONTENT"`},
		{`{"columns": [{"column": "k", "to": "rowKey"}]}`, "columns", `"to": "name"`},
		{`{"columns": [{"column": "n", "to": "name"}]}`, "columns", `"rowKey": "CONTENT"`},
		{`{"columns": [{"column": "k", "to": "rowKey"}, {"column": "n", "to": "name"}], "rowKey": "CONTENT"}`,
			"rowKey", "a column is already the row key"},
		{
			`{"columns": [{"column": "k", "to": "rowKey"}, {"column": "n", "to": "name"}, {"column": "p", "to": "projectName"}]}`,
			"columns", `"to": "projectKey"`},
		{column(`"typ": "TEXT"`), "columns[2]", `unknown key "typ"`},
		{column(`"type": 5`), "columns[2].type", "a JSON number is not allowed here"},
		{column(`"type": "STRING"`), "columns[2].type", `unknown type "STRING"`},
		{column(`"to": "title"`), "columns[2].to", `unknown target "title"`},
		{column(`"to": "field"`), "columns[2].type", `unknown type ""`},
		{column(`"to": "name"`), "columns[2]", `the column "n" already becomes "name"`},
		{column(`"name": "K", "type": "TEXT"}, {"column": "y", "name": "k", "type": "TEXT"`), "columns[3]",
			`the column "x" already becomes "K"`},
		{column(`"name": "` + strings.Repeat("x", 256) + `", "type": "TEXT"`), "columns[2].name",
			"the limit is 255"},
		{column(`"type": "TEXT"}, {"to": "skip"`), "columns[3].column", "missing"},
		{column(`"type": "BOOLEAN", "true": ["Y "], "false": ["y"]`), "columns[2].false",
			`"y" is both true and false`},
		{column(`"to": "num", "type": "INTEGER"`), "columns[2].type", "it applies to a custom field"},
		{column(`"type": "TEXT", "separator": ","`), "columns[2].separator", "MULTI_SELECT and TAGS"},
		{column(`"type": "TAGS", "quotes": true`), "columns[2].quotes", "columns with a separator"},
		{column(`"type": "TAGS", "quotes": true, "separator": "\""`), "columns[2].quotes", "contains a quote"},
		{column(`"type": "TAGS", "quotes": true, "separator": " |"`), "columns[2].quotes", "with a space"},
		{column(`"type": "TEXT", "options": ["a"]`), "columns[2].options", "SELECT and MULTI_SELECT"},
		{column(`"type": "TAGS", "ignoreCase": true`), "columns[2].ignoreCase",
			"SELECT, MULTI_SELECT and the state"},
		{column(`"type": "SELECT", "options": ["a"], "order": "SORTED"`), "columns[2].order",
			"without options"},
		{column(`"type": "SELECT", "order": "RANDOM"`), "columns[2].order", `unknown order "RANDOM"`},
		{column(`"type": "SELECT", "options": ["a", "A"]`), "columns[2].options", `"A" is given twice`},
		{column(`"type": "SELECT", "options": ["a", " "]`), "columns[2].options", "must not be empty"},
		{column(`"type": "SELECT", "options": [` + strings.Repeat(`"a",`, 500) + `"a"]`),
			"columns[2].options", "501 options; the limit is 500"},
		{column(`"type": "TEXT", "decimal": "."`), "columns[2].decimal", "INTEGER and NUMBER"},
		{column(`"type": "NUMBER", "decimal": "'"`), "columns[2].decimal", `is "." or ","; got "'"`},
		{column(`"type": "TEXT", "formats": ["ISO"]`), "columns[2].formats", "dates and datetimes"},
		{column(`"type": "DATE", "zone": "UTC"`), "columns[2].zone", "datetimes"},
		{column(`"type": "DATETIME", "zone": "Mars/Olympus"`), "columns[2].zone", "Mars/Olympus"},
		{column(`"type": "DATE", "formats": ["ISO"` + strings.Repeat(`, "ISO"`, 20) + "]"), "columns[2].formats",
			"21 formats; the limit is 20"},
		{column(`"type": "DATE", "formats": ["ISO", "MM/DD"]`), "columns[2].formats[1]",
			"does not name year, month and day"},
		{column(`"type": "TEXT", "true": ["x"]`), "columns[2].true", "BOOLEAN"},
		{column(`"type": "BOOLEAN", "true": ["x"], "false": ["X"]`), "columns[2].false",
			"both true and false"},
		{column(`"type": "TEXT", "open": ["x"]`), "columns[2].open", "the state"},
		{column(`"to": "state", "open": ["x"], "closed": ["X"]`), "columns[2].open and closed",
			`"X" is given twice`},
	} {
		t.Run(c.path+" "+c.want, func(t *testing.T) {
			_, err := importer.ParseMapping([]byte(c.in))
			wantBad(t, err, c.want)
			if e := err.(*tracker.Error); e.Path != c.path {
				t.Errorf("the path is %q, want %q", e.Path, c.path)
			}
		})
	}
	t.Run("file", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(path, []byte(column(`"type": "X"`)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := importer.ReadMapping(path)
		wantBad(t, err, path+`: columns[2].type: unknown type "X"`)
		_, err = importer.ReadMapping(path + "x")
		wantBad(t, err, path+"x")
	})
}

// TestMappingFile writes mappings to files and reads them back.
func TestMappingFile(t *testing.T) {
	titanium, err := importer.ReadMapping("testdata/titanium.mapping.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*importer.Mapping{
		titanium,
		{Format: importer.CSV, Delimiter: "\t", RowKey: "CONTENT", Rest: "skip", Shards: 4,
			Columns: []importer.Column{
				{Column: "a <b> & \"c\"\n", To: importer.ToName},
				{Column: "d", To: importer.ToField, Name: "D", Type: tracker.TypeBoolean, True: []string{"j"},
					False: []string{"n"}}}},
	} {
		again, err := importer.ParseMapping([]byte(m.String()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, m)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("mapping (-written +read):\n%s", diff)
		}
	}
	types := map[tracker.FieldType]bool{}
	for _, c := range titanium.Columns {
		types[c.Type] = true
	}
	for _, want := range tracker.FieldTypes {
		if !types[want] {
			t.Errorf("no column of the real data becomes %s", want)
		}
	}
}

// TestDocumentedMappings parses every mapping in docs/import.md.
func TestDocumentedMappings(t *testing.T) {
	page, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Fatal("the page has no mapping")
	}
	for _, b := range blocks {
		if _, err := importer.ParseMapping(b[1]); err != nil {
			t.Errorf("%v in\n%s", err, b[1])
		}
	}
	for _, word := range documented {
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("the page does not say `%s`", word)
		}
	}
}

// documented are the words of a mapping that the page must explain.
var documented = strings.Fields(
	"format delimiter rowKey columns rest column to name type options order ignoreCase separator decimal " +
		"formats zone true false open closed " +
		"projectKey projectName rowKey num name state createdAt updatedAt description field skip CONTENT " +
		"APPEARANCE SORTED ISO UNIX UNIX_MS CSV JSON_LINES " +
		"TEXT LONG_TEXT INTEGER NUMBER DATE DATETIME BOOLEAN SELECT MULTI_SELECT TAGS USER reject_line " +
		"reject_column reject_reason")
