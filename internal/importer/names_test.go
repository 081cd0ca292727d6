package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestHiddenCharacters checks that hidden characters are removed from issue names and counted, and that they
// reject a row if they are in names of options, states, tags or users.
func TestHiddenCharacters(t *testing.T) {
	f := setup(t)
	m := f.mapping(
		`{"columns": [{"column": "k", "to": "rowKey"}, {"column": "n", "to": "name"}, {"column": "s", "to": "state"}, {"column": "o", "name": "O", "type": "SELECT"},
		{"column": "t", "name": "T", "type": "TAGS"}, {"column": "u", "name": "U", "type": "USER"}, {"column": "x", "name": "X", "type": "TEXT"}]}`)
	in := "k,n,s,o,t,u,x\n1,Error\x08\x08: " +
		"a\tb,Open,Low,tag,ann,\u202ex\n" +
		"2,second,Op\u200ben,Low,tag,ann,x\n" +
		"3,third,Open,Lo\u00adw,tag,ann,x\n" +
		"4,fourth,Open,Low,ta\u202eg,ann,x\n" +
		"5,fifth,Open,Low,tag,an\x00n,x\n"
	opts := importer.Options{File: f.file("in.csv", in), Mapping: m, Project: "P"}
	s := f.run(opts)
	f.want("P", "1 Error: a b")
	if s.Added != 1 || s.Rejected != 4 || s.Cleaned != 1 ||
		!strings.Contains(s.String(), "1 row kept without invisible characters in the issue's name") {
		t.Errorf("%s", s)
	}
	for _, r := range f.rejectsOf(s) {
		if !strings.HasPrefix(r[2], "not a name: ") &&
			!strings.HasPrefix(r[2], "not a value of the field: ") || !strings.Contains(r[2], "U+") {
			t.Errorf("%q", r)
		}
	}
	// The same rows are found to exist already.
	if s := f.run(importer.Options{File: f.file("again.csv", in), Mapping: m, Project: "P"}); s.Unchanged !=
		1 || s.Cleaned != 1 {
		t.Errorf("%s", s)
	}
	_, err := importer.ParseMapping(
		[]byte(
			`{"columns": [{"column": "n", "to": "name"}, {"column": "x", "name": "X\u200b", "type": "TEXT"}], "rowKey": "CONTENT"}`))
	wantBad(t, err, "U+200B")
}

// TestNamesAsPeopleReadThem: cells of states and options that differ in white space at their ends or in their
// form in Unicode are one name, in a new project and in an existing one (F3). Nothing else is: accents,
// spaces and compatibility variants make other names.
func TestNamesAsPeopleReadThem(t *testing.T) {
	f := setup(t)
	projects := 0
	words := []string{"Prüfung", "Schaden", "Schäden", "Masse", "Maße", "m2", "m²", "data base",
		"database", "Done"}
	spellings := []func(string) string{norm.NFC.String, norm.NFD.String,
		func(s string) string { return s + " " },
		func(s string) string { return "\u00a0" + norm.NFD.String(s) + "\t" }}
	rapid.Check(t, func(rt *rapid.T) {
		projects++
		key := fmt.Sprint("N", projects)
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 5, rapid.ID[string]).Draw(rt, "words")
		draw := func(file string, rows int) (csv string, want []string) {
			var b strings.Builder
			b.WriteString("key,name,Status,Kind\n")
			for n := range rows {
				word := chosen[n%len(chosen)]
				cell := rapid.SampledFrom(spellings).Draw(rt, "spelling")(word)
				fmt.Fprintf(&b, "%s%d,%s,%s,%s\n", file, n, word, cell, cell)
				want = append(want, word)
			}
			return b.String(), want
		}
		for _, file := range []string{"a", "b"} {
			in, want := draw(file, 3*len(chosen))
			s := f.run(importer.Options{File: f.file(file+".csv", in), Project: key})
			if s.Rejected != 0 || int(s.Added) != len(want) {
				rt.Fatalf("%q: %s", in, s)
			}
		}
		d := f.definition(key)
		kind := d.FieldNamed("Kind")
		if len(d.Fields) != 2 || kind.Type != tracker.TypeSelect || len(kind.Options) != len(chosen) {
			rt.Fatalf("the fields are %+v", d.Fields)
		}
		for _, i := range f.issues(d) {
			state, _ := d.Project.State(i.State)
			option, _ := kind.Option(tracker.OptionID(i.Values[kind.ID].Text()))
			if norm.NFC.String(strings.TrimSpace(state.Name)) != i.Name ||
				norm.NFC.String(option.Name) != norm.NFC.String(state.Name) {
				rt.Fatalf("%q is in the state %q with the option %q", i.Name, state.Name, option.Name)
			}
		}
	})
}

// TestStatesInDifferentCase: a word in another case is no reason to make the state a text, which would open
// every issue. Closed states are recognised in any case.
func TestStatesInDifferentCase(t *testing.T) {
	f := setup(t)
	s := f.run(importer.Options{Project: "S", File: f.file("s.csv",
		"key,name,Status\n1,A,Done\n2,B,done \n3,C,OPEN\n4,D,Open\n5,E,Won't fix\n")})
	d := f.definition("S")
	closed := 0
	for _, i := range f.issues(d) {
		if state, _ := d.Project.State(i.State); !state.Open {
			closed++
		}
	}
	if len(d.Fields) != 1 || len(d.Project.States) != 3 || closed != 3 || s.Added != 5 {
		t.Errorf("%d closed of %s: %+v, %+v", closed, s, d.Project.States, d.Fields)
	}
}

// TestLongNames checks that the limit of a name is in characters, and that a longer one rejects its row, also
// if no mapping names the column.
func TestLongNames(t *testing.T) {
	f := setup(t)
	name := strings.Repeat("\u00e9", tracker.MaxIssueName)
	s := f.run(importer.Options{Project: "P",
		File: f.file("in.csv", "key,name\n1,"+name+"\n2,\" \u200b"+name+" \u200d\"\n")})
	if s.Added != 2 {
		t.Errorf("%s", s)
	}
	f.want("P", "1 "+name, "2 "+name)

	file := "key,name\n"
	for n := range 10 {
		file += fmt.Sprintf("%d,%s\n", n, []string{"a", name + "a"}[n/9])
	}
	s = f.run(importer.Options{Project: "Q", File: f.file("long.csv", file)})
	if rows := f.rejectsOf(s); s.Added != 9 || len(rows) != 1 || !strings.Contains(rows[0][2], "1001 char") {
		t.Errorf("%s\n%q", s, rows)
	}
}

// TestNoTime checks that the first moment of the calendar, which several programs write for no time, rejects
// its row, because the time of the import would replace it.
func TestNoTime(t *testing.T) {
	for _, column := range []string{"created", "updated"} {
		f := setup(t)
		s := f.run(importer.Options{Project: "P", File: f.file("in.csv", "key,name,"+column+
			"\n1,a,0001-01-01T00:00:00Z\n2,b,0001-01-01T00:00:01Z\n3,c,\n")})
		if s.Added != 2 || s.Rejected != 1 {
			t.Errorf("%s: %s", column, s)
		}
		if rows := f.rejectsOf(s); len(rows) != 1 || rows[0][1] != column ||
			!strings.Contains(rows[0][2], "leave the cell empty") {
			t.Errorf("%s: %q", column, rows)
		}
	}
}
