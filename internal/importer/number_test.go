package importer_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestDigitsForExistingFields: what is text in a new field is not read as a number in an existing one. Each
// cell is a literal, which is read exactly as before, or is rejected.
func TestDigitsForExistingFields(t *testing.T) {
	f := setup(t)
	f.project(tracker.Field{ID: "integer", Name: "INTEGER", Type: tracker.TypeInteger},
		tracker.Field{ID: "number", Name: "NUMBER", Type: tracker.TypeNumber})
	for n, c := range digitTexts {
		for _, kind := range []tracker.FieldType{tracker.TypeInteger, tracker.TypeNumber} {
			in, want := "Key,Name,"+string(kind)+"\n", map[string]string{}
			for i, cell := range strings.Split(c.cells, "|") {
				key := fmt.Sprint(n, kind, i)
				in += fmt.Sprintf("%s,%s,\"%s\"\n", key, key, cell)
				if i, err := strconv.ParseInt(cell, 10, 64); err == nil {
					want[key] = fmt.Sprint(i)
				} else if x, err := strconv.ParseFloat(cell, 64); err == nil && kind == tracker.TypeNumber &&
					strings.Trim(cell, "-+.0123456789") == "" {
					want[key] = fmt.Sprint(x)
				} else if cell != "" {
					want[key] = "rejected"
				}
			}
			opts := importer.Options{File: f.file("in.csv", in), Project: "P"}
			s, err := importer.Run(t.Context(), f.tenant, opts)
			if err != nil {
				t.Fatal(err)
			}
			if column := s.Mapping.Columns[2]; column.Decimal != "" {
				t.Errorf("%s: the %s is read with %q", c.cells, kind, column.Decimal)
			}
			got := map[string]string{}
			for _, row := range f.rejectsOf(s) {
				got[row[3]] = "rejected"
			}
			d := f.definition("P")
			for _, i := range f.issues(d) {
				if value := f.shown(fieldOf(d, string(kind)), i); value != "" && want[i.Name] != "" {
					got[i.Name] = value
				}
			}
			for key, value := range want {
				if got[key] != value {
					t.Errorf("%s: a cell of the %s becomes %q, want %q", c.cells, kind, got[key], value)
				}
			}
		}
	}
}

// TestEvidenceForIntegers: a cell that is rejected says nothing about the others.
func TestEvidenceForIntegers(t *testing.T) {
	f := setup(t)
	f.project(tracker.Field{ID: "integer", Name: "INTEGER", Type: tracker.TypeInteger},
		tracker.Field{ID: "number", Name: "NUMBER", Type: tracker.TypeNumber})
	for _, c := range []struct {
		cells, integer, number string
	}{
		{"1,000|2,5", "", ""},
		{"1.5|1,234", "", ""},
		{"$1,000|$2,5", "", ","},
		{"1,234.5|1,000", "", "."},
		{"1,234.00|1,000", ".", "."},
		{"1.234,00 €|5", ",", ","},
		{"$1,234,567|many", ".", "."},
		{"1.234|1.234,50", "", ""},
		{"1.234|5.678|1,5|1,5 €", "", ""},
	} {
		in := "Key,Name,INTEGER,NUMBER\n"
		for i, cell := range strings.Split(c.cells, "|") {
			in += fmt.Sprintf("%d,x,\"%s\",\"%s\"\n", i, cell, cell)
		}
		r := f.inspect(importer.Options{File: f.file("in.csv", in)})
		got := []string{r.Mapping.Columns[3].Decimal, r.Mapping.Columns[4].Decimal}
		if !slices.Equal(got, []string{c.integer, c.number}) {
			t.Errorf("%s: the decimal separators are %q", c.cells, got)
		}
	}
}

// TestUnits: numbers with different units are rejected, in any order of the rows, and the reason says why.
func TestUnits(t *testing.T) {
	const none = " has a percent sign, but other numbers of the column have none"
	other := func(unit string) string {
		return " has the unit " + unit + ", but other numbers of the column have another unit"
	}
	f := setup(t)
	m := f.mapping(`{"rowKey": "CONTENT", "columns": [{"column": "title", "to": "name"},
		{"column": "x", "type": "NUMBER", "decimal": "."}]}`)
	for _, c := range []struct{ cells, want string }{
		{"$12|5|$1,000.50", ""},
		{"45 %|3%", ""},
		{"45 %|n/a", `"n/a" is not a number`},
		{"45 %|0.45", `"45 %"` + none},
		{"45 %|5", `"45 %"` + none},
		{"$12|12 €", `"$12"` + other("$") + `|"12 €"` + other("€")},
		{"$12|45 %|0.45", `"$12"` + other("$") + `|"45 %"` + other("%")},
		{"$12|12 EUR", `"$12"` + other("$") + `|"12 EUR"` + other("EUR")},
	} {
		cells := strings.Split(c.cells, "|")
		for range cells {
			cells = append(cells[1:], cells[0])
			s := f.run(importer.Options{File: f.column("x", cells...), Mapping: m})
			var got []string
			for _, reject := range s.Rejects {
				got = append(got, reject.Detail)
			}
			slices.Sort(got)
			if strings.Join(got, "|") != c.want {
				t.Errorf("%v: rejected are %q", cells, got)
			}
		}
	}
	// A JSON number has no unit.
	r := f.inspect(importer.Options{Mapping: m, File: f.file("in.jsonl",
		`{"title": "a", "x": 0.45}`+"\n"+`{"title": "b", "x": "45 %"}`+"\n")})
	wantSummary(t, r.Summary, "added 1, changed 0, unchanged 0, rejected 1")
}
