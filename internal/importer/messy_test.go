package importer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// rowsOnly is a mapping of the columns key, name and x.
const rowsOnly = `{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"}, {"column": "x", "type": "LONG_TEXT"}]}`

// TestMessyInput checks which rows of malformed files are imported, each as name and x, and which are
// rejected.
func TestMessyInput(t *testing.T) {
	const head = "key,name,x\n"
	big := strings.Repeat("0123456789abcdef", tracker.MaxText/16)
	for _, c := range []struct {
		name, in string
		want     [][2]string
		rejects  []string
	}{
		{"plain", head + "1,a,b\n2,c,d\n", [][2]string{{"a", "b"}, {"c", "d"}}, nil},
		{"no end of the last line", head + "1,a,b", [][2]string{{"a", "b"}}, nil},
		{"CRLF", "key,name,x\r\n1,a,b\r\n", [][2]string{{"a", "b"}}, nil},
		{"lone CR", "key,name,x\r1,a,b\r2,c,d\r", [][2]string{{"a", "b"}, {"c", "d"}}, nil},
		{"mixed line ends", "key,name,x\r\n1,a,b\n2,c,d\r3,e,f\r\n",
			[][2]string{{"a", "b"}, {"c", "d"}, {"e", "f"}}, nil},
		{"empty lines", "\n" + head + "\r\n\n1,a,b\n\n\n", [][2]string{{"a", "b"}}, nil},
		{"blank rows", head + ",,\r\n1,a,b\n , ,\t\n\"\",,\n,,,,\n2,c,d\n,,\n",
			[][2]string{{"a", "b"}, {"c", "d"}}, nil},
		{"byte order mark", "\ufeff" + head + "1,a,b\n", [][2]string{{"a", "b"}}, nil},
		{"quotes", head + `"1","a ""quoted"" b","c,d"` + "\n", [][2]string{{`a "quoted" b`, "c,d"}}, nil},
		{"quote inside an unquoted cell", head + `1,5" pipe,a"b"` + "\n", [][2]string{{`5" pipe`, `a"b"`}},
			nil},
		{"line ends in quotes are kept", head + "1,a,\"1\r\n2\n3\r4\r\r\n\"\n2,c,d\n",
			[][2]string{{"a", "1\r\n2\n3\r4\r\r\n"}, {"c", "d"}}, nil},
		{"blanks are kept", head + "1, a , b \n2,\t,\" \"\n", [][2]string{{"a", " b "}, {"", " "}}, nil},
		{"control characters", head + "1,\x1b[1ma\x00\tb\u202e,\x00\x01\x1b[0m\x7f\x08\u202e\n",
			[][2]string{{"[1ma b", "\x00\x01\x1b[0m\x7f\x08\u202e"}}, nil},
		{"unicode", head + "1,Ærøskøbing 東京 🜂,e\u0301 \ufffd \u2028 \ufeff\n",
			[][2]string{{"Ærøskøbing 東京 🜂", "e\u0301 \ufffd \u2028 \ufeff"}}, nil},
		{"formulas are text", head + "1,=1+1,@a\n", [][2]string{{"=1+1", "@a"}}, nil},
		{"empty name", head + "1,,b\n", [][2]string{{"", "b"}}, nil},
		{"empty cell", head + "1,a,\n2,b,\"\"\n", [][2]string{{"a", ""}, {"b", ""}}, nil},
		{"semicolon", "key;name;x\n1;a,b;c\n", [][2]string{{"a,b", "c"}}, nil},
		{"tab", "key\tname\tx\n1\ta,b\t\"c\td\"\n", [][2]string{{"a,b", "c\td"}}, nil},
		{"bar", "key|name|x\n1|a|b\n", [][2]string{{"a", "b"}}, nil},
		{"blanks around the names of columns", "key, name ,\"x\"\n1,a,b\n", [][2]string{{"a", "b"}}, nil},
		{"gzip", zipped(head + "1,a,b\n"), [][2]string{{"a", "b"}}, nil},
		{"gzip of two members", zipped(head+"1,a,") + zipped("b\n2,c,d\n"),
			[][2]string{{"a", "b"}, {"c", "d"}}, nil},
		{"the longest text", head + "1,a," + big + "\n", [][2]string{{"a", big}}, nil},
		{"no rows", head, nil, nil},

		{"too few cells", head + "1,a\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{"line 2: wrong number of cells: the row has 2 cells; the header has 3"}},
		{"too many cells", head + "1,a,b,\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{"line 2: wrong number of cells: the row has 4 cells; the header has 3"}},
		{"lines are counted through quotes", "key,name,x\r\n\r\n1,a,\"\n\r\n\"\n2,b\n",
			[][2]string{{"a", "\n\r\n"}},
			[]string{"line 6: wrong number of cells: the row has 2 cells; the header has 3"}},
		{"text after a quote", head + "1,\"a\"b,c\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{
				`line 2, column "name": broken quotes: there is text after the closing quote of the cell`}},
		{"quote not closed", head + "1,a,b\n2,\"c,d\n3,e,f\n", [][2]string{{"a", "b"}},
			[]string{
				`line 3, column "name": broken quotes: the quote opened in line 3 is not closed; everything from there to the end of the file, line 5, is in this one cell`}},
		{"not UTF-8", head + "1,a,\xff\xfe\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{`line 2, column "x": not UTF-8: the cell is not valid UTF-8; set the encoding of the file`}},
		{"too long a text", head + "1,a," + big + "x\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{`line 2, column "x": too long: the cell has 2097153 bytes; the limit is 2097152`}},
		{"too long a row", head + "1,a," + strings.Repeat(big, 16) + "x\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{`line 2: too long: the row has 33554435 bytes; the limit is 33554432`}},
		{"too long a name", head + "1," + strings.Repeat("é", 1001) + ",b\n2," + strings.Repeat("é", 1000) +
			",d\n", [][2]string{{strings.Repeat("é", 1000), "d"}},
			[]string{`line 2, column "name": too long: the name has 1001 characters; the limit is 1000`}},
		{"no row key", head + ",a,b\n2,c,d\n", [][2]string{{"c", "d"}},
			[]string{`line 2, column "key": no row key: the cell is empty`}},
		{"row key given twice", head + "1,a,b\n1,c,d\n", [][2]string{{"a", "b"}},
			[]string{
				`line 3, column "key": row key given twice: the row in line 2 of the same project already has the key "1"`}},
		{"a rejected row claims no key", head + "1,a\n1,c,d\n", [][2]string{{"c", "d"}},
			[]string{"line 2: wrong number of cells: the row has 2 cells; the header has 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			opts := importer.Options{File: f.file("in", c.in), Mapping: f.mapping(rowsOnly), Project: "MESSY"}
			s := f.run(opts)
			var rejects []string
			for _, r := range s.Rejects {
				rejects = append(rejects, r.String())
			}
			if diff := cmp.Diff(c.rejects, rejects); diff != "" {
				t.Errorf("rejects (-want +got):\n%s", diff)
			}
			if want := int64(len(c.rejects)); s.Rejected != want || (s.RejectsFile != "") != (want > 0) {
				t.Errorf("%d rejected into %q, want %d", s.Rejected, s.RejectsFile, want)
			}
			if s.Added != int64(len(c.want)) {
				t.Errorf("%d added, want %d", s.Added, len(c.want))
			}
			if c.want == nil {
				return // so there is no project
			}
			d := f.definition("MESSY")
			var got [][2]string
			for _, i := range f.issues(d) {
				got = append(got, [2]string{i.Name, f.shown(d.Fields[0], i)})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnreadableFiles checks that nothing is written for a file that cannot be read.
func TestUnreadableFiles(t *testing.T) {
	f := setup(t)
	whole := zipped("key,name,x\n" + strings.Repeat("1,a,b\n", 1000))
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "the file is empty"},
		{"only empty lines", "\n\r\n", "the file is empty"},
		{"UTF-16 that is cut off", "\xff\xfek\x00,\x00n\x00\n\x00x", "cannot be read as utf-16le"},
		{"UTF-32", "\x00\x00\xfe\xff\x00\x00\x00k", "UTF-32"},
		{"spreadsheet", "PK\x03\x04rest", "save it as CSV"},
		{"zstd", "\x28\xb5\x2f\xfdrest", "zstd"},
		{"JSON array", "[\n {\"key\": 1}]", "jq -c"},
		{"truncated gzip", whole[:len(whole)/2], "not complete"},
		{"damaged gzip", whole[:len(whole)-8] + "\x00\x00\x00\x00" + whole[len(whole)-4:], "checksum"},
		{"header not UTF-8", "key,\xff\n", "column 2 is not valid UTF-8"},
		{"header with an open quote", "key,\"name\n1,2", "the header is broken"},
		{"column missing", "key,name\n1,2\n", `no column "x"; it has "key", "name"`},
		{"column not mapped", "key,name,x,y,z\n", `has no entry for "y", "z"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := f.try(importer.Options{File: f.file("bad", c.in), Mapping: f.mapping(rowsOnly)})
			wantBad(t, err, c.want)
		})
	}
	_, err := f.try(importer.Options{File: f.dir + "/none"})
	wantBad(t, err, "none")
	_, err = f.try(importer.Options{File: f.dir})
	wantBad(t, err, "directory")
	page, _, err := f.tenant.ProjectList().Page(t.Context(), dynamo.ListQuery{Limit: 100})
	if err != nil || len(page) != 0 {
		t.Errorf("there are projects %v, error %v", page, err)
	}
}
