package importer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
)

// TestJSONLines checks what the member x of a line becomes, a TEXT unless the case has another type, or why
// the line is rejected.
func TestJSONLines(t *testing.T) {
	for _, c := range []struct{ name, kind, in, want, reject string }{
		{"string", "TEXT", `{"key": "1", "x": "a\u00e9\n\u0000\ud83d\ude00"}`, "aé\n\x00😀", ""},
		{"blanks around", "TEXT", " \t{\"key\":1,\"x\":\"a\"} \r", "a", ""},
		{"number as a text", "TEXT", `{"key": "1", "x": 1.50}`, "1.50", ""},
		{"boolean as a text", "TEXT", `{"key": "1", "x": true}`, "true", ""},
		{"null", "TEXT", `{"key": "1", "x": null}`, "", ""},
		{"missing", "TEXT", `{"key": "1"}`, "", ""},
		{"array as a text", "TEXT", `{"key": "1", "x": ["a", 1]}`, `["a", 1]`, ""},
		{"object as a text", "TEXT", `{"key": "1", "x": {"a": [1, {}]}}`, `{"a": [1, {}]}`, ""},
		{"largest integer", "INTEGER", `{"key": "1", "x": 9223372036854775807}`, "9223372036854775807", ""},
		{"integer as a string", "INTEGER", `{"key": "1", "x": "-5"}`, "-5", ""},
		{"number", "NUMBER", `{"key": "1", "x": -1.25e2}`, "-125", ""},
		{"boolean", "BOOLEAN", `{"key": "1", "x": false}`, "false", ""},
		{"tags", "TAGS", `{"key": "1", "x": ["b", "a b", 1, true, ""]}`, "b|a b|1|true", ""},
		{"no tags", "TAGS", `{"key": "1", "x": []}`, "", ""},
		{"multi-select", "MULTI_SELECT", `{"key": "1", "x": ["b", "a"]}`, "b|a", ""},
		{"escaped names of members", "TEXT", `{"\u006bey": "1", "\u0078": "a"}`, "a", ""},

		{"array of objects as tags", "TAGS", `{"key": "1", "x": [["a"]]}`, `[["a"]]`, ""},
		{"integer with a fraction of zeros", "INTEGER", `{"key": "1", "x": 3.0}`, "3", ""},
		{"integer with three zeros", "INTEGER", `{"key": "1", "x": 3.000}`, "3", ""},
		{"integer with a fraction", "INTEGER", `{"key": "1", "x": 1.5}`, "", `column "x": not an integer`},
		{"tag given twice", "TAGS", `{"key": "1", "x": ["a", "a"]}`, "",
			`column "x": not a value of the field`},
		{"not JSON", "TEXT", `{"key": "1", "x": }`, "", `column "x": broken JSON`},
		{"cut off", "TEXT", `{"key": "1", "x": "a"`, "", "broken JSON"},
		{"no object", "TEXT", `["key", "1"]`, "", "broken JSON: the line is not a JSON object"},
		{"two objects", "TEXT", `{"key": "1"} {"key": "2"}`, "", "more than one object"},
		{"member twice", "TEXT", `{"key": "1", "x": "a", "x": "b"}`, "",
			`column "x": broken JSON: the object has this member twice`},
		{"half a surrogate pair", "TEXT", `{"key": "1", "x": "\\\ud83d"}`, "",
			`column "x": broken JSON: half a surrogate pair`},
		{"low surrogate first", "TEXT", `{"key": "1", "x": "\ude00\ud83d"}`, "", "half a surrogate pair"},
		{"not UTF-8", "TEXT", "{\"key\": \"1\", \"x\": \"\xff\"}", "", "not UTF-8"},
		{"too long", "TEXT", `{"key": "1", "x": "` + strings.Repeat("x", 2<<20+1) + `"}`, "",
			"the cell has 2097153 bytes; the limit is 2097152"},
		{"too long a line", "TEXT", `{"key": "1", "x": "` + strings.Repeat("x", 32<<20) + `"}`, "",
			"the limit is 33554432"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			m := f.keyed(`{"column": "x", "type": "` + c.kind + `"}`)
			// The lines before and after it must not be affected.
			s := f.run(importer.Options{Mapping: m, Format: importer.JSONLines,
				File: f.file("in", `{"key": "first"}`+"\n\n"+c.in+"\n"+`{"key": "last"}`)})
			d := f.definition("P")
			issues := f.issues(d)
			if c.reject != "" {
				if len(issues) != 2 || s.Rejected != 1 || len(s.Rejects) != 1 {
					t.Fatalf("%d issues, %d rejected", len(issues), s.Rejected)
				}
				if got := s.Rejects[0].String(); !strings.HasPrefix(got, "line 3") ||
					!strings.Contains(got, c.reject) {
					t.Errorf("rejected with %q, want %q", got, c.reject)
				}
				return
			}
			if len(issues) != 3 {
				t.Fatalf("%d issues, %q", len(issues), s.Rejects)
			}
			if got := f.shown(d.Fields[0], issues[1]); got != c.want {
				t.Errorf("x becomes %q, want %q", got, c.want)
			}
		})
	}
}

// TestRepairedJSONLines repairs the rejected lines of a file and imports them again.
func TestRepairedJSONLines(t *testing.T) {
	f := setup(t)
	m := f.keyed(`{"column": "n", "type": "INTEGER"}`)
	s := f.run(importer.Options{File: f.file("in.jsonl.gz", zipped(`{"key": 1, "name": "a", "n": 1}
{ "key": 2, "name": "b \u00e9", "n": "wrong" }
{"key": 3, "name": "c"
{"n": 1}
`)), Mapping: m})
	got, err := os.ReadFile(s.RejectsFile)
	if err != nil {
		t.Fatal(err)
	}
	want :=
		`{"reject_line":2,"reject_column":"n","reject_reason":"not an integer: \"wrong\" is not a 64-bit integer","key": 2,"name": "b \u00e9","n": "wrong"}
{"reject_line":3,"reject_column":"","reject_reason":"broken JSON: the line ends in the middle of the object","reject_record":"{\"key\": 3, \"name\": \"c\""}
{"reject_line":4,"reject_column":"key","reject_reason":"no row key: the cell is empty","n": 1}
`
	if diff := cmp.Diff(want, string(got)); diff != "" ||
		!strings.HasSuffix(s.RejectsFile, "/in.rejects.jsonl") {
		t.Errorf("%s (-want +got):\n%s", s.RejectsFile, diff)
	}
	// Only the first line is repaired; the others are rejected again, and their lines report it once.
	s = f.run(importer.Options{File: f.file("repaired.jsonl",
		strings.Replace(string(got), `"wrong"`, "2", 1)), Mapping: m})
	f.want("P", "1 a", "2 b é")
	again, err := os.ReadFile(s.RejectsFile)
	if err != nil || s.Rejected != 2 || strings.Count(string(again), "reject_line") != 2 ||
		strings.Count(string(again), "reject_record") != 1 ||
		strings.Count(string(again), "broken JSON: the line is not a JSON object") != 1 {
		t.Errorf("%d rejected, error %v:\n%s", s.Rejected, err, again)
	}
}

// TestJSONLinesColumns checks that the columns are those of all lines.
func TestJSONLinesColumns(t *testing.T) {
	f := setup(t)
	file := f.file("in.jsonl", `{"key": 1, "name": "a"}`+"\n"+`{"key": 2, "other": 5, "name": "b"}`+"\n")
	m := f.keyed()
	_, err := f.try(importer.Options{File: file, Mapping: m})
	wantBad(t, err, `"other"`)
	f.run(importer.Options{File: file})
	d := f.definition("P")
	if got := f.shown(d.Fields[1], f.issues(d)[1]); d.Fields[1].Name != "other" || got != "5" {
		t.Errorf("the field %q is %q", d.Fields[1].Name, got)
	}
}
