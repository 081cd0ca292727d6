package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/text/encoding/htmlindex"

	"issuegrid/test/tier"
)

// table is a generated file and what it means.
type table struct {
	names []string
	rows  [][]string
	titles,
	delimiter, end string
	separatorLine bool
}

// cellsOfFiles are what people have in cells. Each has the characters of Windows-1252.
var cellsOfFiles = []string{"", "", "a", "Müller, Jörg", "1,5", "2,25", "1.234,50 €", "10:30; 11:00", "x|y",
	"a\tb", `5" pipe`, `"quoted"`, `""`, "two\nlines", "two\r\nlines", "two\rlines", "  spaces ", "sep=;", "Größe",
	"naïve", "façade", "Crème brûlée", "“typed”", "it’s", "–", "Äpfel;Öl;Übung", "1;2;3;4", "1,2,3,4", "true",
	"2024-01-31", "£5", "30 °C", "¿Qué?", "l·l", "d´un", "Straße", "Zoë", "çà et là", "a,b;c|d\te",
	strings.Repeat("long ", 30)}

// namesInFiles have no delimiters.
var namesInFiles = []string{"Name", "Größe", "Two words", "a b c", "x (y)"}

func randomTable(r *rand.Rand) *table {
	t := &table{delimiter: delimiters[r.IntN(len(delimiters))], end: []string{"\n", "\r\n", "\r"}[r.IntN(3)]}
	for i := range 2 + r.IntN(6) {
		t.names = append(t.names, namesInFiles[r.IntN(len(namesInFiles))]+fmt.Sprint(i))
	}
	for range 2 + r.IntN(8) {
		row := make([]string, len(t.names))
		for i := range row {
			row[i] = cellsOfFiles[r.IntN(len(cellsOfFiles))]
		}
		if strings.Join(row, "") == "" {
			row[0] = "x"
		}
		t.rows = append(t.rows, row)
	}
	if t.separatorLine = r.IntN(5) == 0; !t.separatorLine && len(t.names) >= minTitled && r.IntN(5) == 0 {
		t.titles = "Report of March"
		if r.IntN(2) == 0 { // as Excel writes it
			t.titles += strings.Repeat(t.delimiter, len(t.names)-1)
		}
		t.titles += t.end + t.end
	}
	return t
}

// text returns the file. Cells are quoted where they must be, and others sometimes.
func (t *table) text(r *rand.Rand) string {
	var b strings.Builder
	if t.separatorLine {
		b.WriteString("sep=" + t.delimiter + t.end)
	}
	b.WriteString(t.titles)
	for _, row := range append([][]string{t.names}, t.rows...) {
		for i, c := range row {
			if i > 0 {
				b.WriteString(t.delimiter)
			}
			if strings.ContainsAny(c, "\r\n"+t.delimiter) || strings.HasPrefix(c, `"`) || r.IntN(4) == 0 {
				c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
			b.WriteString(c)
		}
		b.WriteString(t.end)
	}
	return b.String()
}

// encoded returns a text in an encoding.
func encoded(t *testing.T, text string, e Encoding) []byte {
	t.Helper()
	if e == UTF8 {
		return []byte(text)
	}
	to, err := htmlindex.Get(string(e))
	if err != nil {
		t.Fatal(err)
	}
	out, err := to.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readAll reads a file as an import does.
func readAll(t *testing.T, file []byte, m *Mapping) (how Reading, names []string, rows [][]string,
	err error) {
	t.Helper()
	opts := Options{Source: bytes.NewReader(file), Size: int64(len(file)), File: "file", Mapping: m}
	opts.meter = newMeter(&opts)
	in, err := openInput(opts)
	if err != nil {
		return how, nil, nil, err
	}
	defer in.close()
	p, err := in.pass(t.Context(), opts, nil)
	if err != nil {
		return how, nil, nil, err
	}
	for {
		rec, err := p.reader.next()
		if errors.Is(err, io.EOF) {
			return in.read.Reading, p.reader.columns(), rows, nil
		}
		if err != nil || rec.fault != nil {
			return in.read.Reading, p.reader.columns(), rows,
				fmt.Errorf("row %d: %v, %v", len(rows), err, rec.fault)
		}
		row := make([]string, len(rec.cells))
		for i, c := range rec.cells {
			row[i] = c.text
		}
		rows = append(rows, row)
	}
}

// TestReading writes random tables in all encodings that are detected, with all delimiters, quotes, line ends
// and rows before the header, and reads them: the cells are those that were written (F2). The header has no
// delimiters in its names, so that the right delimiter is clear. A case is a file.
func TestReading(t *testing.T) {
	seen := map[string]int{}
	for n := range uint64(tier.Cases(2_000, 100_000)) {
		r := rand.New(rand.NewPCG(1, n))
		table := randomTable(r)
		text := table.text(r)
		e := []Encoding{UTF8, UTF16LE, UTF16BE, Windows1252}[r.IntN(4)]
		mark := e != Windows1252 && (r.IntN(2) == 0 || e != UTF8)
		if mark {
			text = ByteOrderMark + text
		}
		form, names, rows, err := readAll(t, encoded(t, text, e), nil)
		if err != nil {
			t.Fatalf("case %d, %s: %v\n%s", n, e, err, text)
		}
		want := e
		if e == Windows1252 && isASCII(text) {
			want = UTF8
		}
		if form.Encoding != want || form.Delimiter != table.delimiter {
			t.Fatalf("case %d: read as %+v, want %s and %q\n%s", n, form, want, table.delimiter, text)
		}
		if !slices.Equal(names, table.names) || !cmp.Equal(rows, table.rows) {
			t.Fatalf("case %d: columns %q, want %q; rows (-written +read):\n%s\n%s", n, names, table.names,
				cmp.Diff(table.rows, rows), text)
		}
		seen[fmt.Sprint(form.Encoding, form.Delimiter, table.titles != "", table.separatorLine)]++
	}
	if len(seen) < 40 {
		t.Errorf("only %d kinds of files: %v", len(seen), seen)
	}
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// told are encodings that a mapping names, some of which are not detected.
var told = []Encoding{UTF8, UTF16LE, UTF16BE, Windows1252, "windows-1250", "macintosh", "gb18030"}

// TestReadingAsTold reads random tables by what a mapping says, whatever the file looks like (F2). A case is
// a file.
func TestReadingAsTold(t *testing.T) {
	for n := range uint64(tier.Cases(2_000, 100_000)) {
		r := rand.New(rand.NewPCG(2, n))
		table := randomTable(r)
		table.titles, table.separatorLine = "", false
		header := 1
		var before string
		for range r.IntN(3) { // rows that look like a header
			before += "a,b,c;d;e|f\tg" + table.end
			header++
		}
		if r.IntN(4) == 0 {
			header = 0
			before = ""
		}
		e := told[r.IntN(len(told))]
		only := func(s string) string { // what the encoding has
			return strings.Map(func(c rune) rune {
				if to, _ := htmlindex.Get(string(e)); e != UTF8 {
					if _, err := to.NewEncoder().String(string(c)); err != nil {
						return 'x'
					}
				}
				return c
			}, s)
		}
		text := only(before + table.text(r))
		for _, row := range append(table.rows, table.names) {
			for i := range row {
				row[i] = only(row[i])
			}
		}
		m := &Mapping{Encoding: e, Delimiter: table.delimiter, Header: &header}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		_, names, rows, err := readAll(t, encoded(t, text, e), m)
		if err != nil {
			t.Fatalf("case %d, %s: %v\n%s", n, e, err, text)
		}
		if header == 0 {
			if names[0] != "column 1" {
				t.Fatalf("case %d: columns %q", n, names)
			}
			names, rows = rows[0], rows[1:]
		}
		if !slices.Equal(names, table.names) || !cmp.Equal(rows, table.rows, cmpopts.EquateEmpty()) {
			t.Fatalf("case %d: columns %q, want %q; rows (-written +read):\n%s\n%s", n, names, table.names,
				cmp.Diff(table.rows, rows), text)
		}
	}
}

// TestEncodings reads texts of other encodings: what is not likely is not converted.
func TestEncodings(t *testing.T) {
	for _, test := range []struct {
		name string
		file string
		want Encoding
	}{
		{"ASCII", "name,x\na,b\n", UTF8},
		{"German in Windows-1252", "name,x\nSch\xe4den,Ma\xdfe\n", Windows1252},
		{"typed quotes", "name,x\n\x93a\x94,it\x92s \x80 5\n", Windows1252},
		{"both", "name,x\nSch\xe4den,Maße\n", UTF8},
		{"a byte that Windows-1252 does not use", "name,x\nSch\xe4den,\x81\n", UTF8},
		{"not text", "name,x\nSch\xe4den,\xff\n", UTF8},
		{"Russian in Windows-1251", "name,x\n\xcf\xf0\xe8\xe2\xe5\xf2,\xec\xe8\xf0\n", UTF8},
		{"Polish in Windows-1250", "name,x\nz\xb3oty,g\xea\x9c\n", UTF8},
		{"Turkish in Windows-1254", "name,x\nI\xfe\xfdk,\xdei\xfeli\nYa\xf0mur,\xddzmir\n", UTF8},
		{"Icelandic", "name,x\n\xdeing,\xe6\xf0i\n", Windows1252},
		{"Czech in ISO-8859-2", "name,x\nJi\xf8\xed Nov\xe1k,Plze\xf2\n\xa9\xe1rka,x\n", UTF8},
		{"Polish in ISO-8859-2", "name,x\n\xa3ukasz,\xa3\xf3d\xbc\n", UTF8},
		{"Hungarian in Windows-1250", "name,x\nErd\xf5s,f\xfcr\nK\xe1d\xe1r,x\n", UTF8},
		{"German in Macintosh", "name,x\nM\x9fller,K\x9aln\n", UTF8},
		{"French in CP437", "name,x\nRen\x82,x\n", UTF8},
		{"German with a letter before a quote", "n,x\n" + strings.Repeat("M\xfcller,sch\xf6n\n", 100) +
			"x,\x84Spa\xdf\x93\n", Windows1252},
		{"units", "n,x\n30 \xb0C,5 m\xb2\n2\xb5m,\xa35 \xa7 3\n1\xaa,N\xba\n\xbfQu\xe9?,\xabmot\xbb\n",
			Windows1252},
		{"Japanese in Shift_JIS", "name,x\n\x82\xb1\x82\xf1\x82\xc9\x82\xbf,\x82\xcd\n", UTF8},
		{"a letter of another block in UTF-16",
			string(encoded(t, "name,x\nĀnis,Riga and more\n", UTF16LE)), UTF16LE},
		{"UTF-16 without a mark", string(encoded(t, "name,x\nSchäden,b\n", UTF16LE)), UTF16LE},
		{"big-endian without a mark", string(encoded(t, "name,x\nSchäden,b\n", UTF16BE)), UTF16BE},
		{"a character on the edge of a block", "name,x\n" + strings.Repeat("a", peek-8) + "ä,b\n", UTF8},
		{"a character that is cut off", "name,x\na,b\xc3", Windows1252},
	} {
		form, _, _, err := readAll(t, []byte(test.file), nil)
		if err != nil || form.Encoding != test.want {
			t.Errorf("%s: %s, %v, want %s", test.name, form.Encoding, err, test.want)
		}
	}
	for name, file := range map[string]string{
		"a lone surrogate": "\xff\xfea\x00,\x00b\x00\n\x00\x00\xd8,\x00x\x00",
		"Russian UTF-16":   "\x1d\x04,\x00\x1e\x04\n\x00\x1d\x04,\x00",
		"half a character": "\xff\xfea\x00,\x00b\x00\n\x00x"} {
		_, _, _, err := readAll(t, []byte(file), nil)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), "utf-16") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDelimiters decides the delimiter and the header by all rows.
func TestDelimiters(t *testing.T) {
	for _, test := range []struct {
		name, file, want string
		line             int
	}{
		{"decimal commas", "a;b;c\n1,5;2,5;3,5\n1,5;2,5;3,5\n", ";", 1},
		{"commas in a title and most names", "a, b, c;d\n1;2\n3;4\n", ";", 1},
		{"semicolons in texts", "a,b\nx;y;z,1\nx;y;z,2\n", ",", 1},
		{"one column with commas", "Name\nDoe, John\nRoe\nPoe\n", ",", 1},
		{"a title", "Report\n\na;b;c\n1;2;3\n4;5;6\n", ";", 3},
		{"a title of a spreadsheet", "Report,,\n,,\na,b,c\n1,2,3\n4,5,6\n", ",", 3},
		{"no second row", "a;b", ";", 1},
		{"a broken row", "a;b\n1;2\n1;2;3\n3;4\n", ";", 1},
		{"a quote that is not closed", "a;b\n1;2\n\"1;2\n", ";", 1},
		{"a title and nothing between", "Report\na;b;c\n1;2;3\n4;5;6\n", ";", 1},
		{"a title with commas", "Turnover, account 12\n\nName;Sum;Text\nA;1,50;x\nB;2,50;y\nC;3,00;z\n",
			";", 3},
		{"issues before a table", "Fix a\nFix b\n\na,b,c\nFix c,x,y\n", ",", 1},
		{"one column with several commas", "Summary\nfix a, b, c\nfix b, c, d\nfix e, f, g\n", ",", 1},
		{"one name", "Name,,\nFix a,Ann,Open\nFix b,Bob,Open\n", ",", 1},
		{"a comma in a name", "Name;Price, net\nA;1,5\nB;2,5\n", ";", 1},
		{"a line break in a title", "\"Report\rMarch\"\n\na,b,c\n1,2,3\n4,5,6\n", ",", 3},
		{"trailing delimiters", "Report;;;\n;;;\nName;Owner;State;\na;b;c;\nd;e;f;\n", ";", 3},
		{"lines before", "\n\na|b\n1|2\n", "|", 3},
		{"told", "sep=^\na^b\n1^2\n", "^", 2},
	} {
		form, _, _, _ := readAll(t, []byte(test.file), nil)
		if form.Delimiter != test.want || form.Header != test.line {
			t.Errorf("%s: %q, line %d, want %q, line %d", test.name, form.Delimiter, form.Header, test.want,
				test.line)
		}
	}
}

// TestSeparatorLine checks that a line with the delimiter is no row, whatever the mapping says and with or
// without a row after it.
func TestSeparatorLine(t *testing.T) {
	for _, test := range []struct {
		file string
		m    *Mapping
		want []string
		line int
	}{
		{"sep=;\na;b\n", nil, []string{"a", "b"}, 2},
		{"\r\n\nSEP=|\r\na|b", nil, []string{"a", "b"}, 4},
		{"sep=;\na,b\n", &Mapping{Delimiter: ","}, []string{"a", "b"}, 2},
		{"sep=,\n\na;b\n", &Mapping{Delimiter: ";"}, []string{"a", "b"}, 3},
		{"sep=;x\n1;2\n", nil, []string{"sep=", "x"}, 1},
		{"sep==\na=b\n", nil, []string{"a", "b"}, 2},
	} {
		form, names, _, err := readAll(t, []byte(test.file), test.m)
		if err != nil || !slices.Equal(names, test.want) || form.Header != test.line {
			t.Errorf("%q: %q in line %d, %v, want %q in line %d", test.file, names, form.Header, err,
				test.want, test.line)
		}
	}
	for _, file := range []string{"sep=;", "sep=;\n", "\nsep=;\r\n\r\n"} {
		if _, _, _, err := readAll(t, []byte(file), nil); err == nil ||
			!strings.Contains(err.Error(), "the file is empty") {
			t.Errorf("%q: %v", file, err)
		}
	}
}
