package importer_test

import (
	"strings"
	"testing"

	"issuegrid/internal/importer"
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
