package importer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestValues checks which values cells of each type become, or why their row is rejected.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		column string // the mapping of the column "x"
		cells  map[string]string
	}{
		{`"type": "TEXT"`, map[string]string{"a": "a", " ": " ", "007": "007",
			strings.Repeat("é", 200): strings.Repeat("é", 200)}},
		{`"type": "LONG_TEXT"`, map[string]string{"a": "a",
			strings.Repeat("long ", 1000): strings.Repeat("long ", 1000)}},
		{`"type": "USER"`, map[string]string{"ada": "ada", strings.Repeat("é", 200): strings.Repeat("é", 200),
			strings.Repeat("é", 201): "!not a value of the field"}},
		{`"type": "INTEGER"`, map[string]string{"0": "0", "-5": "-5", "+5": "5", "007": "7",
			"9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
			"9223372036854775808": "!not an integer", "1.0": "1", "3.00": "3",
			"1.000": "!not an integer", "-5.0": "-5",
			"1e3":      "!not an integer",
			" 1\u00a0": "1", "1_000": "!not an integer", "0x10": "!not an integer",
			"-": "!not an integer"}},
		{`"type": "NUMBER"`, map[string]string{"0": "0", "-0": "0", "1.50": "1.5", "-12.25e-3": "-0.01225",
			"+1": "1", ".5": "0.5", "1.": "1", "9.9e125": "9.9e+125",
			"123456789012345680":  "1.2345678901234568e+17",
			"0.30000000000000004": "0.30000000000000004", "0.1234567890123456789": "!out of range",
			"12345678901234567890": "!out of range", "1e400": "!out of range", "1e-400": "!out of range",
			"1e126": "!not a value of the field",
			"NaN":   "!not a number", "Inf": "!not a number", "1,5": "!not a number",
			"0x1p4": "!not a number",
			"e":     "!not a number", "1 000": "!not a number", "--1": "!not a number"}},
		{`"type": "NUMBER", "decimal": "."`, map[string]string{"1,234.5": "1234.5", "$12": "12",
			"1,234": "1234", "1.234": "1.234", "(1,234.50)": "-1234.5", "$ 3": "3", "1e3": "1000", "007": "7",
			"12 ": "12", "1.234,5": "!not a number", "1,23": "!not a number", "12 kg": "!not a number",
			"24.12.2026": "!not a number", "0.1234567890123456789": "!out of range",
			"$9,007,199,254,740,993": "!out of range", "1e126": "!not a value of the field"}},
		{`"type": "NUMBER", "decimal": ","`, map[string]string{"1.234,5": "1234.5", "12 €": "12",
			"1.234": "1234", "1,234": "1.234", "-1.234,50 €": "-1234.5", "0,5": "0.5",
			"1 234,5": "1234.5", "1\u202f234,5": "1234.5", "1'234,50": "1234.5", "\u2212,5": "-0.5",
			"1,234.5": "!not a number", "0.5": "!not a number", "1.2.3": "!not a number"}},
		{`"type": "NUMBER", "decimal": "."`, map[string]string{"45 %": "45", "5.5%": "5.5", "n/a": "!not a number"}},
		{`"type": "NUMBER", "decimal": "."`, map[string]string{"CHF 1'234.50": "1234.5", "12 CHF": "12",
			"5": "5", "CHF-12": "!not a number", "1,5 €": "!not a number"}},
		{`"type": "NUMBER", "decimal": "."`, map[string]string{"45 %": "!not a number", "0.45": "0.45"}},
		{`"type": "INTEGER", "decimal": ","`, map[string]string{"$12": "!not an integer",
			"12 €": "!not an integer", "45 %": "!not an integer", "5": "5", "1.234": "1234"}},
		{`"type": "INTEGER", "decimal": "."`, map[string]string{"1,234": "1234", "1,234.00": "1234", "$5": "5",
			"9,223,372,036,854,775,807": "9223372036854775807", "(7)": "-7", "９": "9", "1_000": "1000",
			"9,223,372,036,854,775,808": "!not an integer", "1,234.5": "!not an integer",
			"1e3": "!not an integer", "1.234.567": "!not an integer"}},
		{`"type": "INTEGER", "decimal": ","`, map[string]string{"1.234": "1234", "1.234,00": "1234",
			"1 234": "1234", "1,5": "!not an integer", "1,234": "!not an integer"}},
		{`"type": "DATE", "formats": ["D.M.YYYY", "M/D/YYYY", "MMM D, YYYY", "YYYY年M月D日"]`,
			map[string]string{"3.2.2019": "2019-02-03", "03.02.2019": "2019-02-03",
				"12/24/2026": "2026-12-24", "1/2/2026": "2026-01-02", "Feb 3, 2019": "2019-02-03",
				"2019年2月3日":  "2019-02-03",
				"24/12/2026": "!not a date", "3.2.19": "!not a date"}},
		{`"type": "DATETIME", "formats": ["M/D/YYYY 3:04 PM", "Mon, DD MMM YYYY hh:mm MST"]`,
			map[string]string{"1/2/2026 3:04 PM": "2026-01-02T15:04:00Z",
				"Fri, 02 Jan 2026 15:04 UTC": "2026-01-02T15:04:00Z", "1/2/2026 15:04": "!not a datetime"}},
		{`"type": "DATE"`, map[string]string{"2020-02-29": "2020-02-29", "0001-01-01": "0001-01-01",
			"9999-12-31": "9999-12-31", "2019-02-29": "!not a date", "2019-2-3": "!not a date",
			"03.02.2019":           "!not a date",
			"2019-02-03T00:00:00Z": "!not a date", "0000-01-01": "!not a date", "today": "!not a date"}},
		{`"type": "DATE", "formats": ["DD.MM.YYYY", "Jan 2, 2006", "D"]`, nil},
		{`"type": "DATE", "formats": ["DD.MM.YYYY", "Jan 2, 2006", "MM/DD/YYYY"]`,
			map[string]string{"03.02.2019": "2019-02-03", "Feb 3, 2019": "2019-02-03",
				"02/03/2019": "2019-02-03", "2019-02-03": "!not a date", "30.02.2019": "!not a date"}},
		{`"type": "DATETIME"`, map[string]string{"2011-04-15T02:22:16.000+0000": "2011-04-15T02:22:16Z",
			"2011-04-15T02:22:16Z":           "2011-04-15T02:22:16Z",
			"2011-04-15T02:22:16.123456789Z": "2011-04-15T02:22:16.123456Z",
			"2011-04-15T02:22:16,5+02:00":    "2011-04-15T00:22:16.5Z",
			"2011-04-15 02:22":               "2011-04-15T02:22:00Z",
			"2011-04-15T02:22-05":            "2011-04-15T07:22:00Z",
			"2011-04-15 02:22:16 +0200":      "2011-04-15T00:22:16Z",
			"2011-04-15 02:22:16 UTC":        "2011-04-15T02:22:16Z", "2011-04-15": "2011-04-15T00:00:00Z",
			"0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00": "!not a datetime",
			"9999-12-31T23:59:59-01:00": "!not a datetime",
			"2011-04-15T25:00:00Z":      "!not a datetime", "2011-04-15T02:22:16 ": "2011-04-15T02:22:16Z",
			"2011-04-15T02:22:16X": "!not a datetime", "2011-04-15T02:22:16+": "!not a datetime",
			"2011-04-15T": "!not a datetime", "15.4.2011": "!not a datetime"}},
		{`"type": "DATETIME", "formats": ["UNIX", "DD.MM.YYYY hh:mm"], "zone": "Europe/Berlin"`,
			map[string]string{"0": "1970-01-01T00:00:00Z", "1302834136": "2011-04-15T02:22:16Z",
				"-1":               "1969-12-31T23:59:59Z",
				"15.07.2011 02:22": "2011-07-15T00:22:00Z", "15.01.2011 02:22": "2011-01-15T01:22:00Z",
				"99999999999999999": "!not a datetime"}},
		{`"type": "DATETIME", "formats": ["UNIX_MS"]`,
			map[string]string{"1302834136789": "2011-04-15T02:22:16.789Z", "1.5": "!not a datetime"}},
		{`"type": "DATETIME", "zone": "America/New_York"`,
			map[string]string{"2011-07-15T12:00:00": "2011-07-15T16:00:00Z",
				"2011-07-15T12:00:00Z":    "2011-07-15T12:00:00Z",
				"2011-07-15T12:00:00 UTC": "2011-07-15T12:00:00Z"}},
		{`"type": "BOOLEAN"`, map[string]string{"true": "true", "FALSE": "false", "Yes": "true",
			"no": "false", "1": "true", "0": "false", "x": "true", "Ja": "true", "NEIN": "false",
			"oui": "true", "non": "false", "SÍ": "true", "はい": "true", "✗": "false", "t": "!not a boolean",
			"2": "!not a boolean", " yes": "true", "perhaps": "!not a boolean"}},
		{`"type": "BOOLEAN", "true": ["0", "ok"]`,
			map[string]string{"0": "true", "OK": "true", "no": "false", "1": "!not a boolean"}},
		{`"type": "BOOLEAN", "false": ["x"]`, map[string]string{"x": "false", "1": "true", "0": "!not a boolean"}},
		{`"type": "BOOLEAN", "true": ["x", "1"], "false": ["0"]`,
			map[string]string{"X": "true", "1": "true", "0": "false", "true": "!not a boolean"}},
		{`"type": "SELECT"`, map[string]string{"a": "a", " b": "b", "  ": "",
			strings.Repeat("x", 256): "!not a name"}},
		{`"type": "SELECT", "options": ["Low", "High"]`,
			map[string]string{"Low": "Low", "High": "High", "low": "!differs in case only",
				"Medium": "!not an option", "Low ": "Low"}},
		{`"type": "SELECT", "options": ["Low", "High"], "ignoreCase": true`,
			map[string]string{"LOW": "Low", "high": "High", "x": "!not an option"}},
		{`"type": "MULTI_SELECT", "separator": "; "`,
			map[string]string{"b; a": "b|a", "a": "a", "a; ": "a", "; ": "", "a;b": "a;b",
				"a; c; a": "!not a value of the field", "a; A": "!differs in case only"}},
		{`"type": "MULTI_SELECT"`, map[string]string{"a; b": "a; b"}},
		{`"type": "TAGS", "separator": ",", "quotes": true`,
			map[string]string{"a, b": "a|b", "a,b": "a|b", ` "a, ""b""" ,c`: `a, "b"|c`,
				`"a"`: "a", `"a`: `"a`, `"a"b, c`: `"a"b|c`, `5" pipe, ""`: `5" pipe`, `"" , ,`: "",
				`" a "`: " a ", `"a"",b`: `"a""|b`}},
		{`"type": "TAGS", "separator": " "`,
			map[string]string{"b a  B": "b|a|B", "x x": "!not a value of the field",
				strings.Repeat("x", 101): "!not a value of the field"}},
	} {
		t.Run(c.column, func(t *testing.T) {
			t.Parallel()
			m, err := importer.ParseMapping(
				[]byte(
					`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "key", "to": "name"}, {"column": "x", "name": "X", ` + c.column + `}]}`))
			if c.cells == nil {
				wantBad(t, err, "does not name year, month and day")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			f := setup(t)
			in, cells := "key,x\n", map[string]string{}
			for cell := range c.cells {
				key := fmt.Sprintf("row %d", len(cells))
				cells[key] = cell
				in += key + `,"` + strings.ReplaceAll(cell, `"`, `""`) + "\"\n"
			}
			opts := importer.Options{File: f.file("in.csv", in), Mapping: m}
			f.run(opts)
			d := f.definition("P")
			got := map[string]string{}
			for _, i := range f.issues(d) {
				got[i.Name] = f.shown(d.Fields[0], i)
			}
			for key, reason := range f.rejected(opts) {
				got[key] = "!" + reason
			}
			for key, cell := range cells {
				if got[key] != c.cells[cell] {
					t.Errorf("%q becomes %q, want %q", cell, got[key], c.cells[cell])
				}
			}
		})
	}
}

// rejected returns the reasons of rejected rows, by the row key in the first column.
func (f *fixture) rejected(opts importer.Options) map[string]string {
	f.Helper()
	opts.Project = "P"
	out := map[string]string{}
	for _, row := range f.rejectsOf(f.run(opts)) {
		var reasons []string
		rest := row[2]
		for _, column := range strings.Split(row[1], "; ") {
			if strings.Contains(row[1], "; ") {
				_, rest, _ = strings.Cut(rest, column+": ")
			}
			reason, _, _ := strings.Cut(rest, ":")
			reasons = append(reasons, reason)
		}
		out[row[3]] = strings.Join(reasons, " and ")
	}
	return out
}

// TestOptionOrder checks the order of a field's options, by which a grid sorts.
func TestOptionOrder(t *testing.T) {
	const in = "key,x\n1,b\n2,É\n3,a\n4,b\n5,C\n6,f\n"
	for _, c := range []struct{ column, want string }{
		{`"type": "SELECT"`, "b É a C f"},
		{`"type": "SELECT", "order": "APPEARANCE"`, "b É a C f"},
		{`"type": "SELECT", "order": "SORTED"`, "a b C É f"},
		{`"type": "MULTI_SELECT", "order": "SORTED"`, "a b C É f"},
		{`"type": "SELECT", "options": ["unused", "C", "b", "a", "É", "f"]`, "unused C b a É f"},
	} {
		t.Run(c.column, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.run(importer.Options{File: f.file("in.csv", in),
				Mapping: f.mapping(
					`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "key", "to": "name"}, {"column": "x", ` + c.column + `}]}`)})
			if got := optionNames(f.definition("P").Fields[0]); got != c.want {
				t.Errorf("the options are %s, want %s", got, c.want)
			}
		})
	}
}

func optionNames(field *tracker.Field) string {
	var names []string
	for _, o := range field.Options {
		names = append(names, o.Name)
	}
	return strings.Join(names, " ")
}

// TestBuiltins checks the values of the built-in columns.
func TestBuiltins(t *testing.T) {
	f := setup(t)
	const in = "p,title,n,name,state,created,updated,text\n" +
		"A,Alpha,5,five,Doing,2011-04-15T02:22:16.000+0000,2012-01-01T00:00:00Z,some text\n" +
		"A,,7,seven,Done,2011-04-15,,\n" +
		"B,Beta,5,another five,,2011-04-15,,\n" +
		"B,Beta,,next,Done,2011-04-15,,\n" +
		"A,,5,fifth again,Done,,,\n" +
		"A,,0,zero,Done,,,\n" +
		"A,,2147483648,large,Done,,,\n" +
		"A,,8,eight,Gone,,,\n" +
		"A,,9,nine,Done,yesterday,,\n" +
		"a,,10,ten,Done,,,\n" +
		",,11,eleven,Done,,,\n"
	m := f.mapping(
		`{"columns": [{"column": "p", "to": "projectKey"}, {"column": "title", "to": "projectName"}, {"column": "n", "to": "num"}, {"column": "name", "to": "name"}, {"column": "name", "to": "rowKey"},
		{"column": "state", "to": "state", "open": ["New", "Doing"], "closed": ["Done"]}, {"column": "created", "to": "createdAt"}, {"column": "updated", "to": "updatedAt"}, {"column": "text", "to": "description"}]}`)
	opts := importer.Options{File: f.file("in.csv", in), Mapping: m, Project: "REST"}
	s := f.run(opts)
	f.want("A", "5 five", "7 seven")
	f.want("B", "5 another five", "6 next")
	f.want("REST", "11 eleven")
	alpha := f.definition("A")
	if p := alpha.Project; p.Name != "Alpha" || len(p.States) != 3 || p.States[0].Name != "New" ||
		!p.States[1].Open || p.States[2].Open {
		t.Errorf("the project is %+v", p)
	}
	five := f.issues(alpha)[0]
	state, _ := alpha.Project.State(five.State)
	if state.Name != "Doing" || tracker.FormatDateTime(five.Created) != "2011-04-15T02:22:16Z" ||
		tracker.FormatDateTime(five.Updated) != "2012-01-01T00:00:00Z" ||
		five.Description.Text() != "some text" {
		t.Errorf("the issue is %+v in the state %q", five, state.Name)
	}
	if seven := f.issues(alpha)[1]; !seven.Updated.Equal(seven.Created) {
		t.Errorf("the issue without an update is of %v, updated %v", seven.Created, seven.Updated)
	}
	beta := f.definition("B")
	if state, _ := beta.Project.State(f.issues(beta)[0].State); state.Name != "New" {
		t.Errorf("a row without a state has %q", state.Name)
	}
	want := "p: not a project key, n: number given twice, n: not an integer, n: out of range, state: not " +
		"a state, created: not a datetime"
	var got []string
	for _, row := range f.rejectsOf(s) {
		reason, _, _ := strings.Cut(row[2], ":")
		got = append(got, row[1]+": "+reason)
	}
	if sorted(want) != sorted(strings.Join(got, ", ")) {
		t.Errorf("rejects are %q, want %q", got, want)
	}
}

func sorted(list string) string {
	all := strings.Split(list, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}
