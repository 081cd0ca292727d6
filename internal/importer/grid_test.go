package importer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
)

// TestExportOfGrid imports a file as the browser's grid exports it, with apostrophes and lists of names. It
// reproduces the issues with their numbers. The rejected rows have apostrophes again, and can be repaired and
// imported.
func TestExportOfGrid(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("first.csv",
		"key,name,Labels,=Sum,Text\nk,first,,,\n"),
		Mapping: f.keyed(`{"column": "Labels", "type": "TAGS"}`, `{"column": "=Sum", "type": "INTEGER"}`,
			`{"column": "Text", "type": "TEXT"}`)})
	rows := "#,Name,Labels,'=Sum,Text\r\n" +
		"8,'=1+1,\"'a,' \"\"- b, c\"\", +5\",-5,\"'a;'=1\"\r\n" +
		"9,'quoted,x,'=x,'plain\r\n"
	opts := importer.Options{RemoveApostrophes: true, File: f.file("grid.csv", rows)}
	s := f.run(opts)
	wantSummary(t, s, "added 1, changed 0, unchanged 0, rejected 1")
	d := f.definition("P")
	i := f.issues(d)[1]
	got := []string{i.Name, f.shown(d.Fields[0], i), f.shown(d.Fields[1], i), f.shown(d.Fields[2], i)}
	if diff := cmp.Diff([]string{"=1+1", "a|- b, c|+5", "-5", "a;=1"}, got); diff != "" || i.Num != 8 {
		t.Errorf("issue %d (-want +got):\n%s", i.Num, diff)
	}
	rejects, err := os.ReadFile(s.RejectsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := importer.ByteOrderMark + "reject_line,reject_column,reject_reason,#,Name,Labels,'=Sum,Text\r\n" +
		"3,'=Sum,\"not an integer: \"\"=x\"\" is not a 64-bit integer\",9,'quoted,x,'=x,'plain\r\n"
	if diff := cmp.Diff(want, string(rejects)); diff != "" {
		t.Errorf("rejects (-want +got):\n%s", diff)
	}
	opts.File = f.file("repaired.csv", strings.ReplaceAll(string(rejects), ",'=x,", ",6,"))
	wantSummary(t, f.run(opts), "added 1, changed 0, unchanged 0, rejected 0")
	f.want("P", "1 first", "8 =1+1", "9 'quoted")
	if got := f.shown(d.Fields[2], f.issues(d)[2]); got != "'plain" {
		t.Errorf("the text is %q", got)
	}
	// Without the option, apostrophes are content.
	opts = importer.Options{File: f.file("plain.csv", "#,Name\n10,'=1+1\n")}
	f.run(opts)
	f.want("P", "1 first", "8 =1+1", "9 'quoted", "10 '=1+1")
}
