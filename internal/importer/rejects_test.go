package importer_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestRepairedRejects repairs rejected rows in their file and imports it: the rows are added as if they had
// been valid at first.
func TestRepairedRejects(t *testing.T) {
	f := setup(t)
	m := f.keyed(`{"column": "x", "type": "INTEGER"}`)
	s := f.run(importer.Options{File: f.file("in.csv.gz",
		zipped("key,name,x\n1,a,1\n2,\"b\r\n\"\"c\"\"\xff\",one\n3, d ,two\n4,e\n\"5\"x,f,5\n")), Mapping: m})
	got, err := os.ReadFile(s.RejectsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := "reject_line,reject_column,reject_reason,key,name,x\r\n" +
		"3,name; x,\"name: not UTF-8: the cell is not valid UTF-8; set the encoding of the file; " +
		"x: not an integer: \"\"one\"\" is not a 64-bit integer\",2,\"b\r\n\"\"c\"\"\xff\",one\r\n" +
		"5,x,\"not an integer: \"\"two\"\" is not a 64-bit integer\",3, d ,two\r\n" +
		"6,,wrong number of cells: the row has 2 cells; the header has 3,4,e\r\n" +
		"7,key,broken quotes: there is text after the closing quote of the cell,\"\"\"5\"\"x\",f,5\r\n"
	if diff := cmp.Diff(want, string(got)); diff != "" ||
		!strings.HasSuffix(s.RejectsFile, "/in.rejects.csv") {
		t.Errorf("%s (-want +got):\n%s", s.RejectsFile, diff)
	}
	wantSummary := `added 1, changed 0, unchanged 0, rejected 4
5 rows read in 0s
2 rows rejected, column "x": not an integer; set "decimal" for the column in the mapping; a new field can have another type
  P          added 1, changed 0, unchanged 0
  new project P
  new states of P: "Open", "Closed"
  new fields of P: "x"
  1 row rejected: wrong number of cells; if the file was read wrongly, set "delimiter" or "header" in the mapping
  1 row rejected, column "key": broken quotes; if the file was read wrongly, set "delimiter" in the mapping
  1 row rejected, column "name": not UTF-8; set "encoding" in the mapping
The rejected rows are in ` + s.RejectsFile + `; correct and import that file.`
	s.Elapsed = 0
	if diff := cmp.Diff(wantSummary, s.String()); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	// All but the ragged row are repaired.
	repaired := strings.NewReplacer("\xff", "", ",one", ",2", ",two", ",3", `"""5""x"`,
		"5").Replace(string(got))
	s = f.run(importer.Options{File: f.file("in.rejects.csv", repaired), Mapping: m})
	f.want("P", "1 a", "2 b \"c\"", "3 d", "4 f")
	if got := f.rejectsOf(s); len(got) != 1 || len(got[0]) != 5 ||
		!strings.HasSuffix(s.RejectsFile, "/in.rejects.rejects.csv") {
		t.Errorf("%s has %q", s.RejectsFile, got)
	}
}

// TestRejectsDoNotOverwrite checks that an existing file, which may contain repairs, is not overwritten.
func TestRejectsDoNotOverwrite(t *testing.T) {
	f := setup(t)
	opts := importer.Options{File: f.file("in.csv", "key;name;x\n1;a;b\n"), Mapping: f.keyed(`{"column": "x", "type": "INTEGER"}`)}
	for _, want := range []string{"in.rejects.csv", "in.rejects-2.csv", "in.rejects-3.csv"} {
		s := f.run(opts)
		if got := strings.TrimPrefix(s.RejectsFile, f.dir+"/"); got != want {
			t.Errorf("the rejects are in %s, want %s", got, want)
		}
		if got, err := os.ReadFile(s.RejectsFile); err != nil || strings.Count(string(got), ";") != 10 {
			t.Errorf("the delimiter is not that of the file: %q, %v", got, err)
		}
	}
	opts.Rejects = f.file("taken", "repairs")
	_, err := f.try(opts)
	wantBad(t, err, "taken exists")
	opts.Rejects = f.dir + "/none/rejects.csv"
	_, err = f.try(opts)
	wantBad(t, err, "cannot create the file")
	opts.Rejects = f.dir + "/free"
	if s := f.run(opts); s.RejectsFile != opts.Rejects {
		t.Errorf("the rejects are in %s, want %s", s.RejectsFile, opts.Rejects)
	}
	if f.find("P") != nil {
		t.Error("a project was made for rejected rows alone")
	}
}

// TestAllFaultsOfARow: a row is rejected with the faults of all its columns, those of the project included,
// and not because of options that other rows would have added.
func TestAllFaultsOfARow(t *testing.T) {
	f := setup(t)
	m := f.keyed(`{"column": "state", "to": "state", "open": ["Open"]}`, `{"column": "n", "type": "INTEGER"}`,
		`{"column": "d", "type": "DATE"}`, `{"column": "o", "type": "SELECT"}`)
	f.run(importer.Options{File: f.file("first.csv",
		"key,name,state,n,d,o\n1,a,Open,1,2020-01-01,Low\n"), Mapping: m})
	s := f.run(importer.Options{File: f.file("in.csv", "key,name,state,n,d,o,new\n"+
		"2,b,Shut,x,today,High,only here\n,c,Open,y,2020-01-01,Low,\n3,d,Open,3,soon,Low,\n"+
		"4,e,Open,4,,Low,kept\n")})
	var got []string
	for _, r := range s.Rejects {
		got = append(got, fmt.Sprint(r.Line, " ", r.Column, " ", r.Reason))
	}
	want := []string{"2 n not an integer", "2 d not a date", "2 state not a state", "2 o not an option",
		"3 n not an integer", "4 d not a date"}
	if diff := cmp.Diff(want, got); diff != "" || s.Rejected != 3 || s.Added != 1 {
		t.Errorf("%s (-want +got):\n%s", s, diff)
	}
	counts := map[string]int64{}
	for _, r := range s.Reasons {
		counts[r.Column+" "+string(r.Reason)] = r.Rows
	}
	if diff := cmp.Diff(map[string]int64{"n not an integer": 2, "d not a date": 2, "state not a state": 1,
		"o not an option": 1}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	rows := f.rejectsOf(s)
	if rows[0][1] != "n; d; state; o" || !strings.HasPrefix(rows[0][2], `n: not an integer: "x" is not a 64-bit `+
		`integer; d: not a date: "today"`) {
		t.Errorf("the rejected row has the columns %q and the reasons %q", rows[0][1], rows[0][2])
	}
}

// TestManyFaultsOfARow: the file describes the first ten, the summary counts all.
func TestManyFaultsOfARow(t *testing.T) {
	f := setup(t)
	head, cells, mapped := "key,name", "1,a", []string{}
	for i := range 12 {
		head, cells = head+fmt.Sprint(",c", i), cells+",x"
		mapped = append(mapped, fmt.Sprintf(`{"column": "c%d", "type": "INTEGER"}`, i))
	}
	s := f.run(importer.Options{File: f.file("in.csv", head+"\n"+cells+"\n"), Mapping: f.keyed(mapped...)})
	row := f.rejectsOf(s)[0]
	if len(s.Reasons) != 12 || strings.Count(row[1], ";") != 9 ||
		strings.Count(row[2], "not an integer") != 10 || !strings.HasSuffix(row[2], "; 2 other columns") {
		t.Errorf("%d reasons; columns %q, reasons %q", len(s.Reasons), row[1], row[2])
	}
}

// TestRejectsOfOtherEncodings imports files that are not in UTF-8, and their rejected rows with the same
// mapping.
func TestRejectsOfOtherEncodings(t *testing.T) {
	f := setup(t)
	const header = "Title\n\nkey,name,x\n"
	for name, in := range map[string]string{
		"a.csv":   header + "1,M\xfcller,one\n2,Gr\xf6\xdfe,2\n3,b,3\n",
		"a.jsonl": `{"key":1,"name":"M` + "\xfc" + `ller","x":"one"}` + "\n" + `{"key":2,"name":"Gr` + "\xf6\xdf" + `e","x":2}`,
	} {
		m := f.mapping(`{"encoding": "windows-1252", "columns": [{"column": "key", "to": "rowKey"},
			{"column": "name", "to": "name"}, {"column": "x", "type": "INTEGER"}]}`)
		key := strings.ToUpper(strings.ReplaceAll(name, ".", ""))
		s, err := f.try(importer.Options{File: f.file(name, in), Mapping: m, Project: key})
		if err != nil || s.Rejected != 1 || name == "a.csv" && s.Skipped != 1 {
			t.Fatalf("%s: %v, %v", name, s, err)
		}
		rejects, err := os.ReadFile(s.RejectsFile)
		if err != nil {
			t.Fatal(err)
		}
		repaired := strings.ReplaceAll(string(rejects), "one", "1")
		s = f.run(importer.Options{File: f.file("again-"+name, repaired), Mapping: m, Project: key})
		if s.Added != 1 || s.Skipped != 0 {
			t.Errorf("%s: %v", name, s)
		}
		var names []string
		for _, i := range f.issues(f.definition(key)) {
			names = append(names, i.Name)
		}
		if !slices.Contains(names, "Müller") || !slices.Contains(names, "Größe") {
			t.Errorf("%s: %q", name, names)
		}
	}
}

// TestRejectsOfLongCells checks that a cell that is too long is rejected again if it is not repaired: the
// file has its beginning.
func TestRejectsOfLongCells(t *testing.T) {
	f := setup(t)
	file := f.file("in.csv", "key,name,n\n1,a,"+strings.Repeat("x", tracker.MaxText+1000)+"\n2,b,x\n")
	m := f.keyed(`{"column": "n", "type": "LONG_TEXT"}`)
	for range 2 {
		s := f.run(importer.Options{File: file, Mapping: m})
		if s.Rejected != 1 || s.Reasons[0].Reason != importer.TooLong {
			t.Fatalf("%s", s)
		}
		file = s.RejectsFile
	}
	f.want("P", "1 b")
}
