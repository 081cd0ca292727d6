package importer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// inferred returns what is inferred for a column: its type with the decimal separator and the formats, and
// then each choice with its example.
func inferred(t *testing.T, name string, cells []string) string {
	t.Helper()
	f := unsaved(t)
	r := f.inspect(importer.Options{File: f.column(name, cells...)})
	if r.Summary.Rejected != 0 {
		t.Fatal(r.Summary)
	}
	c := r.Mapping.Columns[1]
	out := string(c.Type)
	if c.To != importer.ToField {
		out = string(c.To)
	}
	if c.Decimal != "" || c.Formats != nil {
		out += " " + c.Decimal + strings.Join(c.Formats, " + ")
	}
	if c.Zone != "" {
		out += " in " + c.Zone
	}
	for _, choice := range r.Columns[1].Choices {
		out += fmt.Sprintf(" | %s %s%s: %s is %s", choice.Type, choice.Decimal,
			strings.Join(choice.Formats, " + "), choice.Cell, choice.Value)
	}
	return out
}

// digitTexts are columns whose cells are texts made of digits, or numbers of which only a person can say what
// they are: TEXT, with what the cells could be.
var digitTexts = []struct{ cells, could string }{
	{"1,5|2,25|", "NUMBER ,: 1,5 is 1.5"},
	{"1,234|1,5", "NUMBER ,: 1,234 is 1.234"},
	{"0,123|1,234", "NUMBER ,: 1,234 is 1.234"},
	{"1.234|1,5", "NUMBER .: 1.234 is 1.234 | NUMBER ,: 1.234 is 1234"},
	{"1.234|5.678|1,5", "NUMBER .: 1.234 is 1.234 | NUMBER ,: 1.234 is 1234"},
	{"1.234|1.234,5", "NUMBER .: 1.234 is 1.234 | NUMBER ,: 1.234 is 1234"},
	{"1.5|1.234|1,5", ""},
	{"1,000|2,5", "NUMBER ,: 1,000 is 1.000"},
	{"1.5|1,234", "NUMBER .: 1,234 is 1234"},
	{"1,234,567|5", "INTEGER .: 1,234,567 is 1234567"},
	{"1.234.567|5", "INTEGER ,: 1.234.567 is 1234567"},
	{"123.456.789|12.345.678", "INTEGER ,: 123.456.789 is 123456789"},
	{"192.168.100", "INTEGER ,: 192.168.100 is 192168100"},
	{"12,34,567", "INTEGER .: 12,34,567 is 1234567"},
	{"9,007,199,254,740,993|1,000,000", "INTEGER .: 9,007,199,254,740,993 is 9007199254740993"},
	{"12,15|7,9|3,44", "NUMBER ,: 12,15 is 12.15"},
	{"10,2|10,10", "NUMBER ,: 10,2 is 10.2"},
	{"12,2026", "NUMBER ,: 12,2026 is 12.2026"},
	{"１２．５|3", "NUMBER .: １２．５ is 12.5"},
	{"\u22125.5|3", "NUMBER .: \u22125.5 is -5.5"},
	{"1'234|5", "INTEGER .: 1'234 is 1234 | INTEGER ,: 1'234 is 1234"},
	{"1\u202f234|5\u00a0678", "INTEGER .: 1\u202f234 is 1234 | INTEGER ,: 1\u202f234 is 1234"},
	{"$12|$5", "INTEGER .: $12 is 12 | INTEGER ,: $12 is 12"},
	{"45 %|12 %", "INTEGER .: 45 % is 45 | INTEGER ,: 45 % is 45"},
	{"$1.234|$5", "NUMBER .: $1.234 is 1.234 | INTEGER ,: $1.234 is 1234"},
	{"1,234|5,678", "INTEGER .: 1,234 is 1234 | NUMBER ,: 1,234 is 1.234"},
	{"1,234|12", "INTEGER .: 1,234 is 1234 | NUMBER ,: 1,234 is 1.234"},
	{"1,234|1,234|1,234|1,234", "INTEGER .: 1,234 is 1234 | NUMBER ,: 1,234 is 1.234"},
	{"PHP 8.10|PHP 8.11", "NUMBER .: PHP 8.10 is 8.10"},
	{"007|008", ""},
	{"007|1.234,5", ""},
	{"12|12 kg", ""},
	{"1,5|2.5", ""},
	{"1.234,5|1,234.5", ""},
	{"$5|5 €", ""},
	{"$12.50|12 €", ""},
	{"$12.50|12 €|45 %|0.45", ""},
	{"45 %|0.45", ""},
	{"45.5 %|0.45", ""},
	{"1.2.3|1.2.4", ""},
	{"1.2|1.2.3", ""},
	{"10.0.0.1|10.0.0.2", ""},
	{"192.168.100.200", ""},
	{"192.168.100.200|192.168.100.201|1.234,5", ""},
	{"555 1234|555 1235", ""},
	{"555 123|555 124", ""},
	{"555 123|1,5", ""},
	{"555 123|1,234.5", ""},
	{"+49 30 1234|+49 30 1235", ""},
	{"+49 301 234|+49 301 235", ""},
	{"+49 301 234|1,234.5", ""},
	{"+1,5|2,5", ""},
	{"030 123 456", ""},
	{"123_456|7", ""},
	{"(1)|(2)", ""},
	{"CUP-1|CUP-2", ""},
	{"CAD-12|SEK-3", ""},
	{"CUP12|CUP13", ""},
	{"TOP 1|TOP 2", ""},
	{"PHP 8.1|PHP 7.4", ""},
	{"Pen 1.50|Pen 2.50", ""},
	{"1,2,3|1,2", ""},
	{"0,12345678901234567890|1", ""},
	{"12:30|1:45", ""},
	{"1/2|3/4", ""},
	{"10²|5", ""},
	{"-|1,5", ""},
}

// TestInferenceOfForms infers decimal separators and formats of dates from all the cells of a column.
func TestInferenceOfForms(t *testing.T) {
	for _, c := range digitTexts {
		want := "TEXT"
		if c.could != "" {
			want += " | " + c.could
		}
		if got := inferred(t, "x", strings.Split(c.cells, "|")); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.cells, got, want)
		}
	}
	for _, c := range []struct{ cells, want string }{
		// numbers
		{"1,234.5|2", "NUMBER ."},
		{"1.234,5|2", "NUMBER ,"},
		{"1,234.5|1.5", "NUMBER ."},
		{"1,234.5|1.234", "NUMBER ."},
		{"1,234.5|1,234", "NUMBER ."},
		{"$12.50|$1,000.00", "NUMBER ."},
		{"$1,000.00|3", "TEXT | NUMBER .: 3 is 3"},
		{"$1,000.00|$3.00|-$3.50", "NUMBER ."},
		{"$1,234,567|$5", "INTEGER ."},
		{"1.234,50 €|12,00 €", "NUMBER ,"},
		{"1.234 €|1,50 €", "TEXT | NUMBER ,: 1,50 € is 1.5"},
		{"1.234,00 €|1,50 €|999,99 €", "NUMBER ,"},
		{"1.234 €|1,5 €", "NUMBER ,"},
		{"12.50 EUR|1 EUR", "TEXT | NUMBER .: 12.50 EUR is 12.5"},
		{"12.50 EUR|1.00 EUR", "NUMBER ."},
		{"CHF 1'234.50|CHF 5", "TEXT | NUMBER .: CHF 1'234.50 is 1234.5"},
		{"CHF 1'234.50|CHF 5.00", "NUMBER ."},
		{"45,5%|12%", "NUMBER ,"},
		{"1 234,50|5 678|12", "TEXT | NUMBER ,: 1 234,50 is 1234.5"},
		{"1 234,5|5 678|12", "NUMBER ,"},
		{"(1,234.50)|12", "TEXT | NUMBER .: (1,234.50) is -1234.5"},
		{"(1,234.50)|12.00|(7.25)", "NUMBER ."},
		{"1e3|1.5", "TEXT"},
		{"1.9|1.10", "TEXT | NUMBER .: 1.10 is 1.1"},
		{"1.000|500", "TEXT | NUMBER .: 1.000 is 1.000 | INTEGER ,: 1.000 is 1000"},
		{"0.5|1e-07", "NUMBER"},
		{"1.90|1.10", "NUMBER"},
		{"12.50|3", "TEXT | NUMBER .: 12.50 is 12.5"},
		{" 1 |2", "INTEGER"},
		{" 1.5|2 ", "NUMBER"},
		{"1.5|2.25", "NUMBER"},
		{"1.234|5.678", "NUMBER | NUMBER .: 1.234 is 1.234 | INTEGER ,: 1.234 is 1234"},
		{"1.234|5", "NUMBER | NUMBER .: 1.234 is 1.234 | INTEGER ,: 1.234 is 1234"},
		{"1.234|0.5", "NUMBER"},
		{"1.234|0.125|7", "NUMBER"},
		// dates
		{"24.12.2026|1.2.2026|", "DATE D.M.YYYY"},
		{"12/24/2026|1/2/2026", "DATE M/D/YYYY"},
		{"24/12/2026|1/2/2026", "DATE D/M/YYYY"},
		{"5/5/2026|12/24/2026", "DATE M/D/YYYY"},
		{"2026/12/24|2026/1/2", "DATE YYYY/M/D"},
		{"24-12-2026|01-02-2026", "DATE D-M-YYYY"},
		{"12-24-2026|01-02-2026", "DATE M-D-YYYY"},
		{"Dec 24, 2026|May 1, 2026", "DATE MMM D, YYYY"},
		{"May 1, 2026", "DATE MMM D, YYYY"},
		{"December 24, 2026|May 1, 2026", "DATE MMMM D, YYYY"},
		{"24 Dec 2026|01 May 2026", "DATE D MMM YYYY"},
		{"24-Dec-2026|1-May-2026", "DATE D-MMM-YYYY"},
		{"24.12.2026|2026-12-24", "DATE D.M.YYYY + ISO"},
		// times, whose zone is assumed
		{"24.12.2026 15:04|1.2.2026 9:05", "DATETIME D.M.YYYY hh:mm in UTC"},
		{"24.12.2026, 15:04:05", "DATETIME D.M.YYYY, hh:mm:ss in UTC"},
		{"24.12.2026 15:04|24.12.2026 15:04:05", "DATETIME D.M.YYYY hh:mm + D.M.YYYY hh:mm:ss in UTC"},
		{"12/24/2026 3:04 PM|1/2/2026 11:59 AM", "DATETIME 1/2/2006 3:04 PM in UTC"},
		{"24/12/2026 15:04|2026-12-24T15:04:05Z", "DATETIME D/M/YYYY hh:mm + ISO in UTC"},
		{"2026-12-24T15:04:05Z", "DATETIME"},
		// dates that are not clear
		{"1/2/2026|3/4/2026", "TEXT | DATE M/D/YYYY: 1/2/2026 is 2026-01-02 | " +
			"DATE D/M/YYYY: 1/2/2026 is 2026-02-01"},
		{"5/5/2026", "TEXT | DATE M/D/YYYY: 5/5/2026 is 2026-05-05 | " +
			"DATE D/M/YYYY: 5/5/2026 is 2026-05-05"},
		{"5/5/2026|1/2/2026", "TEXT | DATE M/D/YYYY: 1/2/2026 is 2026-01-02 | " +
			"DATE D/M/YYYY: 1/2/2026 is 2026-02-01"},
		{"5/5/2026|05-06-2026|5/5/2026|05-06-2026", "SELECT"},
		{"05-05-2026|05-06-2026", "TEXT | DATE D-M-YYYY: 05-06-2026 is 2026-06-05 | " +
			"DATE M-D-YYYY: 05-06-2026 is 2026-05-06"},
		{"1/2/2026 10:00|3/4/2026 11:00:01", "TEXT | DATETIME M/D/YYYY hh:mm + M/D/YYYY hh:mm:ss: " +
			"1/2/2026 10:00 is 2026-01-02T10:00:00Z | DATETIME D/M/YYYY hh:mm + D/M/YYYY hh:mm:ss: " +
			"1/2/2026 10:00 is 2026-02-01T10:00:00Z"},
		// what is not a date
		{"24.12.2026|soon", "TEXT"},
		{"24.12.2026|24.12.2026 15:04", "TEXT"},
		{"24.12.26", "TEXT"},
		{"12.24.2026", "TEXT"},
		{"12/24/2026|24/12/2026", "TEXT"},
		{"30.2.2026", "TEXT"},
		{"10-12-4711|11-12-4711", "TEXT"},
		// words
		{"ja|Nein|ja", "BOOLEAN"},
		{"oui|non", "BOOLEAN"},
		{"sí|no", "BOOLEAN"},
		{"SÍ|No|no", "TEXT"},
		{"true|FALSE|yes|no", "TEXT"},
		{"true|FALSE", "BOOLEAN"},
		{"TRUE|TRUE", "BOOLEAN"},
		{"Yes| No", "BOOLEAN"},
		{"yes|yes", "SELECT"},
		{"no|no", "SELECT"},
		{"ja|ja|ja", "SELECT"},
		{"ja|", "TEXT"},
		{"ja|no", "TEXT"},
		{"oui|nein", "TEXT"},
		{"ja|nein|true", "TEXT"},
		{"non|non|non", "SELECT"},
		{"1|0", "INTEGER"},
		{"x|", "TEXT"},
		{"y|n", "TEXT"},
		{"on|off", "TEXT"},
	} {
		if got := inferred(t, "x", strings.Split(c.cells, "|")); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.cells, got, c.want)
		}
	}
	if got := inferred(t, "Created", []string{"24.12.2026", "1.2.2026"}); got != "createdAt D.M.YYYY" {
		t.Errorf("the time of creation is %s", got)
	}
	if got := inferred(t, "Updated", []string{"1/2/2026"}); !strings.HasPrefix(got, "TEXT | DATE M/D/YYYY") {
		t.Errorf("the time of a change is %s", got)
	}
}

// TestReportOfChoices shows how a dry run describes what is not clear, and as JSON.
func TestReportOfChoices(t *testing.T) {
	f := unsaved(t)
	r := f.inspect(importer.Options{File: f.file("in.csv",
		"name;due;cost;net;hours;at;seen\na;1/2/2026;1,234;1.234,5;1,5;2026-12-24T15:04;24.12.2026 15:04\n")})
	want := `
The column "due" is not clear: "1/2/2026" could be
  2026-01-02 with {"type":"DATE","formats":["M/D/YYYY"]}
  2026-02-01 with {"type":"DATE","formats":["D/M/YYYY"]}

The column "cost" is not clear: "1,234" could be
  1234 with {"type":"INTEGER","decimal":"."}
  1.234 with {"type":"NUMBER","decimal":","}

The column "hours" is not clear: "1,5" could be
  1.5 with {"type":"NUMBER","decimal":","}

This mapping was inferred; edit it and give it with --mapping:
{
  "rowKey": "CONTENT",
  "columns": [
    {"column":"name","to":"name"},
    {"column":"due","to":"field","name":"due","type":"TEXT"},
    {"column":"cost","to":"field","name":"cost","type":"TEXT"},
    {"column":"net","to":"field","name":"net","type":"NUMBER","decimal":","},
    {"column":"hours","to":"field","name":"hours","type":"TEXT"},
    {"column":"at","to":"field","name":"at","type":"DATETIME","zone":"UTC"},
    {"column":"seen","to":"field","name":"seen","type":"DATETIME","formats":["D.M.YYYY hh:mm"],"zone":"UTC"}
  ]
}`
	_, got, _ := strings.Cut(r.String(), `"24.12.2026 15:04"`)
	if diff := cmp.Diff("\n"+want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	wantNotes := []string{`Times without a time zone in the column "at" are taken to be in UTC.`,
		`Times without a time zone in the column "seen" are taken to be in UTC.`}
	if diff := cmp.Diff(wantNotes, r.Summary.Notes); diff != "" ||
		!strings.Contains(r.String(), wantNotes[1]) {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	choices, err := json.Marshal(r.Columns[1].Choices)
	const wantJSON = `[{"type":"DATE","formats":["M/D/YYYY"],"cell":"1/2/2026","value":"2026-01-02"},` +
		`{"type":"DATE","formats":["D/M/YYYY"],"cell":"1/2/2026","value":"2026-02-01"}]`
	if err != nil || string(choices) != wantJSON {
		t.Errorf("%v, %s", err, choices)
	}
	if c := r.Columns[3]; c.Decimal != "," || c.Formats != nil || c.Choices != nil ||
		r.Columns[2].Decimal != "" {
		t.Errorf("%+v", r.Columns)
	}
}

// TestFormsForExistingFields: the cells of a column that becomes an existing field are read if it is clear
// how, also if others do not fit. Otherwise the reasons say what they would be. A repeated import changes
// nothing.
func TestFormsForExistingFields(t *testing.T) {
	f := setup(t)
	f.project(tracker.Field{ID: "price", Name: "Price", Type: tracker.TypeNumber},
		tracker.Field{ID: "count", Name: "Count", Type: tracker.TypeInteger},
		tracker.Field{ID: "due", Name: "Due", Type: tracker.TypeDate},
		tracker.Field{ID: "seen", Name: "Seen", Type: tracker.TypeDateTime},
		tracker.Field{ID: "paid", Name: "Paid", Type: tracker.TypeBoolean})
	german := importer.Options{File: f.file("german.csv",
		"Key;Name;Price;Count;Due;Seen;Paid;Erstellt;Status\n"+
			"a;A;1.234,50;1.000.000,00;24.12.2026;24.12.2026 15:04;x;24.12.2025;New\n"+
			"b;B;(12);2;2026-12-25;1.2.2026;nein;1.2.2025;\n"+
			"c;C;viele;3;bald;;0;;\n")}
	s := f.run(german)
	wantSummary(t, s, "added 2, changed 0, unchanged 0, rejected 1")
	wantSummary(t, f.run(german), "added 0, changed 0, unchanged 2, rejected 1")
	d := f.definition("P")
	var got []string
	for _, i := range f.issues(d) {
		line := tracker.FormatDateTime(i.Created)[:10]
		for _, name := range []string{"Price", "Count", "Due", "Seen", "Paid"} {
			line += " " + f.shown(fieldOf(d, name), i)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"2025-12-24 1234.5 1000000 2026-12-24 2026-12-24T15:04:00Z true",
		"2025-02-01 -12 2 2026-12-25 2026-02-01T00:00:00Z false"}, got); diff != "" {
		t.Errorf("the issues (-want +got):\n%s", diff)
	}
	wantMapping := []string{"", "", "", ",", ",", "D.M.YYYY ISO", "D.M.YYYY D.M.YYYY hh:mm", "", "D.M.YYYY",
		""}
	for i, c := range s.Mapping.Columns {
		if settings := c.Decimal + strings.Join(c.Formats, " "); settings != wantMapping[i] {
			t.Errorf("the column %s is read with %q, want %q", c.Column, settings, wantMapping[i])
		}
	}

	report := f.inspect(importer.Options{File: f.file("unclear.csv", "Key,Name,Price,Count,Due,Seen\n"+
		"d,D,\"1,234\",5,2026-12-24,\n"+
		"e,E,5,\"1,000\",,\n"+
		"f,F,5,5,1/2/2026,\n"+
		"g,G,5,5,,1/2/2026 10:00\n"+
		"h,H,5,5,,\n")})
	wantSummary(t, report.Summary, "added 1, changed 0, unchanged 0, rejected 4")
	wantDetails := []string{
		`"1,234" is not a number; it would be 1234 with "decimal": ".", and 1.234 with "decimal": ","`,
		`"1,000" is not a 64-bit integer; it would be 1000 with "decimal": ".", and 1 with "decimal": ","`,
		`"1/2/2026" is not a date in any of the column's formats; it would be 2026-01-02 with the format ` +
			`M/D/YYYY, and 2026-02-01 with the format D/M/YYYY`,
		`"1/2/2026 10:00" is not a datetime in any of the column's formats; it would be 2026-01-02 10:00:00 ` +
			`with the format M/D/YYYY hh:mm, and 2026-02-01 10:00:00 with the format D/M/YYYY hh:mm`,
	}
	for i, reject := range report.Summary.Rejects {
		if reject.Detail != wantDetails[i] {
			t.Errorf("line %d: %s\nwant %s", reject.Line, reject.Detail, wantDetails[i])
		}
	}
	for i, want := range []int{0, 0, 2, 2, 2, 2} {
		if got := report.Columns[i].Choices; len(got) != want {
			t.Errorf("the column %s has the choices %+v, want %d", report.Columns[i].Column, got, want)
		}
	}
	// A number of JSON has no separator of people.
	s = f.run(importer.Options{File: f.file("in.jsonl", `{"Key": "i", "Name": "I", "Price": 1.234}`+"\n"+
		`{"Key": "j", "Name": "J", "Price": "1.234,5"}`+"\n"+`{"Key": "k", "Name": "K", "Price": "1.234 €"}`+"\n")})
	d, got = f.definition("P"), nil
	for _, i := range f.issues(d)[2:] {
		got = append(got, f.shown(fieldOf(d, "Price"), i))
	}
	if fmt.Sprint(got) != "[1.234 1234.5 1234]" {
		t.Errorf("the numbers are %s, with %+v", got, s.Mapping.Columns)
	}
}

// TestReasonsWithDecimal: a cell that the decimal separator of the mapping does not read is rejected, and the
// reason says with which one it would be a number.
func TestReasonsWithDecimal(t *testing.T) {
	f := unsaved(t)
	for _, c := range []struct{ column, cell, want string }{
		{`"type": "NUMBER"`, "1,234.5", `"1,234.5" is not a number; it would be 1234.5 with "decimal": "."`},
		{`"type": "NUMBER"`, "$12", `"$12" is not a number; it would be 12 with "decimal": "." or ","`},
		{`"type": "NUMBER"`, "12 kg", `"12 kg" is not a number`},
		{`"type": "NUMBER", "decimal": "."`, "1.234,5", `"1.234,5" is not a number; it would be 1234.5 with ` +
			`"decimal": ","`},
		{`"type": "INTEGER"`, "1.234", `"1.234" is not a 64-bit integer; it would be 1234 with "decimal": ","`},
		{`"type": "INTEGER"`, "1.5", `"1.5" is not a 64-bit integer`},
	} {
		r := f.inspect(importer.Options{File: f.column("x", c.cell), Mapping: f.mapping(`{"rowKey": "CONTENT",
			"columns": [{"column": "title", "to": "name"}, {"column": "x", ` + c.column + `}]}`)})
		if len(r.Summary.Rejects) != 1 {
			t.Fatal(r.Summary)
		}
		if got := r.Summary.Rejects[0].Detail; got != c.want {
			t.Errorf("%s, %s: %s\nwant %s", c.column, c.cell, got, c.want)
		}
	}
}
