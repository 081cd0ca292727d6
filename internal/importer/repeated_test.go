package importer_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestRepeatedHeaders imports files in which several columns have the same name, as trackers write the labels
// of an issue: their cells are the members of one field, whichever of them are empty.
func TestRepeatedHeaders(t *testing.T) {
	f := setup(t)
	words := []string{"", "", "red", "green", "b,c", "a b", "Größe", "x|y", "1.2"}
	for n := range uint64(tier.Cases(20, 200)) {
		r := rand.New(rand.NewPCG(3, n))
		var in strings.Builder
		width := 2 + r.IntN(4)
		in.WriteString("Key,Name" + strings.Repeat(",Labels", width) + ",Other\n")
		want := make([][]string, 3+r.IntN(20))
		for i := range want {
			fmt.Fprintf(&in, "K%d,Issue", i)
			for range width {
				word := words[r.IntN(len(words))]
				fmt.Fprintf(&in, ",%q", word)
				if word != "" && !slices.Contains(want[i], word) {
					want[i] = append(want[i], word)
				}
			}
			in.WriteString(",o\n")
		}
		key := fmt.Sprint("L", n)
		if s := f.run(importer.Options{File: f.file("in.csv", in.String()), Project: key}); s.Rejected > 0 {
			t.Fatalf("case %d: %v", n, s)
		}
		d := f.definition(key)
		labels := d.FieldNamed("Labels")
		if labels == nil {
			t.Fatalf("case %d has no field for\n%s", n, in.String())
		}
		if labels.Type.Kind() != tracker.KindSet || len(d.Fields) != 3 {
			t.Fatalf("case %d: %s, %d fields", n, labels.Type, len(d.Fields))
		}
		for i, issue := range f.issues(d) {
			got := issue.Values[labels.ID].Set()
			if labels.Type == tracker.TypeMultiSelect {
				got = namesOf(labels, got)
			}
			slices.Sort(got)
			slices.Sort(want[i])
			if !slices.Equal(got, want[i]) {
				t.Fatalf("case %d, issue %d: %q, want %q\n%s", n, i, got, want[i], in.String())
			}
		}
		again := f.run(importer.Options{File: f.file("in.csv", in.String()), Project: key})
		if again.Unchanged != int64(len(want)) {
			t.Fatalf("case %d, again: %v", n, again)
		}
	}
}

// namesOf returns the names of options.
func namesOf(f *tracker.Field, ids []string) (out []string) {
	for _, id := range ids {
		o, _ := f.Option(tracker.OptionID(id))
		out = append(out, o.Name)
	}
	return out
}

// TestRejectsOfRepeatedHeaders: the file of rejected rows has the header of the imported file, so that
// repeated columns have the members of one field again.
func TestRejectsOfRepeatedHeaders(t *testing.T) {
	f := setup(t)
	const header = "Key,Name,Due,Labels,Labels\n"
	f.run(importer.Options{File: f.file("a.csv", header+"1,a,2026-01-05,x,y\n"), Project: "P"})
	s := f.run(importer.Options{File: f.file("b.csv", header+"1,a,soon,x,w\n"), Project: "P"})
	rejects, err := os.ReadFile(s.RejectsFile)
	if err != nil || !strings.Contains(string(rejects), "Labels,Labels\r\n") {
		t.Fatalf("error %v, the rejects are\n%s", err, rejects)
	}
	repaired := strings.Replace(string(rejects), ",soon,", ",2026-01-06,", 1)
	wantSummary(t, f.run(importer.Options{File: f.file("c.csv", repaired), Project: "P"}),
		"added 0, changed 1, unchanged 0, rejected 0")
	d := f.definition("P")
	labels := fieldOf(d, "Labels")
	if got := f.shown(labels, f.issues(d)[0]); len(d.Fields) != 3 || got != "x|w" {
		t.Errorf("the labels are %s, and the fields %+v", got, d.Fields)
	}
}

// TestRepeatedOtherHeaders keeps columns with the same name apart if their cells are not members.
func TestRepeatedOtherHeaders(t *testing.T) {
	f := setup(t)
	long := strings.Repeat("a long comment ", 20)
	for i, cells := range []string{"1,2", "2024-01-31,2024-02-01", long + "," + long} {
		key := fmt.Sprint("O", i)
		f.run(importer.Options{File: f.file("in.csv", "Key,Name,Same,Same\nk,n,"+cells+"\n"), Project: key})
		if d := f.definition(key); d.FieldNamed("Same") == nil || d.FieldNamed("Same 2") == nil {
			t.Errorf("%.20s: %d fields", cells, len(d.Fields))
		}
	}
	_, err := importer.ParseMapping([]byte(`{"columns": [{"column": "n", "to": "name"}, {"column": "k", "to": "rowKey"},
		{"column": "a", "type": "TAGS", "name": "L"}, {"column": "b", "type": "TEXT", "name": "l"}]}`))
	wantBad(t, err, `the column "a" already becomes "L"`)
	if _, err := importer.ParseMapping([]byte(`{"columns": [{"column": "n", "to": "name"},
		{"column": "k", "to": "rowKey"}, {"column": "a", "type": "TAGS", "name": "L"},
		{"column": "b", "type": "TAGS", "name": "L", "separator": " "}]}`)); err != nil {
		t.Error(err)
	}
}
