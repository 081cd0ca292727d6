package importer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// commas is how the CSV of these tests is read.
var commas = &form{Reading: Reading{Delimiter: ",", Header: 1}}

// read returns the cells of all records after the header, and the line and fault of each.
func read(t interface {
	Helper()
	Fatal(...any)
}, in string) (rows [][]string, lines []int, faults []string) {
	t.Helper()
	r, err := newCSVReader(bufio.NewReaderSize(strings.NewReader(in), 16), commas, false, maxRecord)
	if err != nil {
		t.Fatal(err)
	}
	for {
		rec, err := r.next()
		if errors.Is(err, io.EOF) {
			return rows, lines, faults
		}
		if err != nil {
			t.Fatal(err)
		}
		cells := make([]string, len(rec.cells))
		for i, c := range rec.cells {
			cells[i] = c.text
		}
		rows, lines = append(rows, cells), append(lines, rec.line)
		if rec.fault != nil && rec.fault.reason != Ragged {
			faults = append(faults, rec.fault.detail)
		}
	}
}

// FuzzCSVAgrees compares the reader with encoding/csv, which accepts the same files except for CR, lone
// quotes and text after quotes.
func FuzzCSVAgrees(f *testing.F) {
	for _, seed := range []string{"a,b\n", "\"a\nb\",c\n\n", "a,\"b\"\"c\"\n,,\n", "\"\"\n", "x,\"y",
		"a\"b\n", "\"a\"b\n", "é,\x00\xff\n", ","} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if strings.Contains(in, "\r") {
			return // encoding/csv changes these
		}
		theirs := csv.NewReader(strings.NewReader(in))
		theirs.FieldsPerRecord = -1
		var want [][]string
		var wantLines []int
		for {
			row, err := theirs.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return // encoding/csv rejects these
			}
			line, _ := theirs.FieldPos(0)
			want, wantLines = append(want, row), append(wantLines, line)
		}
		rows, lines, faults := read(t, "h\n"+in)
		for i := range wantLines {
			wantLines[i]++ // the header
		}
		if faults != nil {
			t.Errorf("faults %q where encoding/csv has none", faults)
		}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("records (-encoding/csv +ours):\n%s", diff)
		}
		if diff := cmp.Diff(wantLines, lines); diff != "" {
			t.Errorf("lines (-encoding/csv +ours):\n%s", diff)
		}
	})
}

// FuzzCSVReader checks that the reader accepts any bytes, and that line numbers only grow.
func FuzzCSVReader(f *testing.F) {
	f.Add("a,\"b\r\n")
	f.Add("\r\r\n\n\"\"\"\"x,")
	f.Fuzz(func(t *testing.T, in string) {
		rows, lines, _ := read(t, "h\n"+in)
		for i := 1; i < len(lines); i++ {
			if lines[i] <= lines[i-1] {
				t.Fatalf("record %d is in line %d, behind line %d", i, lines[i], lines[i-1])
			}
		}
		for _, row := range rows {
			if len(row) == 0 {
				t.Fatal("a record without cells")
			}
		}
	})
}

// TestCSVRoundTrip writes random cells with random quoting and line ends, and reads them back.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(t, "width")
		cell := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("\"\r\n, ;a\x00é"))))
		want := rapid.SliceOfN(rapid.SliceOfN(cell, width, width), 0, 5).Draw(t, "rows")
		in := strings.Join([]string{"a", "b", "c", "d"}[:width], ",")
		end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"})
		in += end.Draw(t, "end")
		for _, row := range want {
			for i, c := range row {
				if i > 0 {
					in += ","
				}
				// A record of one empty cell must be quoted, or it would be an empty line.
				if strings.ContainsAny(c, ",\r\n\"") || width == 1 && c == "" ||
					rapid.Bool().Draw(t, "quoted") {
					c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
				}
				in += c
			}
			in += end.Draw(t, "end")
		}
		rows, _, faults := read(t, in)
		if faults != nil {
			t.Errorf("faults %q", faults)
		}
		if diff := cmp.Diff(want, rows); diff != "" && len(want)+len(rows) > 0 {
			t.Errorf("cells (-written +read):\n%s", diff)
		}
	})
}

// TestDistinctNames: columns of the same name get numbers, none of which is the name of another column.
func TestDistinctNames(t *testing.T) {
	for in, want := range map[string]string{
		"a,b,c":                                  "a|b|c",
		"Labels,Labels,Labels":                   "Labels|Labels 2|Labels 3",
		"a,a,a 2,a":                              "a|a 3|a 2|a 4",
		"a 2,a,a,a 2":                            "a 2|a|a 3|a 2 2",
		",,column 2":                             "column 1|column 2|column 2 2",
		"a, a ,A":                                "a|a 2|A",
		"sep=,\na,b":                             "a|b",
		"SEP=,\r\na,sep=":                        "a|sep=",
		"sep=,x\na,b":                            "sep=|x",
		strings.Repeat("a,", maxColumns-1) + "a": "",
	} {
		r, err := newCSVReader(bufio.NewReader(strings.NewReader(in)), commas, false, maxRecord)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(r.columns(), "|")
		if want == "" {
			want = got
			if n := len(r.columns()); n != maxColumns || r.columns()[n-1] != fmt.Sprint("a ", n) {
				t.Errorf("%d columns, the last %q", n, r.columns()[n-1])
			}
		}
		if got != want {
			t.Errorf("%q has the columns %q, want %q", in, got, want)
		}
	}
}
