package importer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/test/tier"
)

// TestRowKeyIsRemembered imports files with some rows of a table each, whose columns are in any order and
// spelled in any case, and have other names that suggest a row key. The column that was the row key first
// remains it, whether a mapping named it or not: each row is one issue, which shows its key (F1).
func TestRowKeyIsRemembered(t *testing.T) {
	f := setup(t)
	for n := range uint64(tier.Cases(20, 300)) {
		r := rand.New(rand.NewPCG(n, 5))
		project, key := fmt.Sprint("R", n), []string{"Key", "Issue ID", "uuid", "Ticket"}[r.IntN(4)]
		columns := []string{key, "Name", "Guid", "External ID", "Note"}
		wrote, files := map[string]bool{}, 2+r.IntN(3)
		for file := range files {
			r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
			header := strings.Join(columns, ",")
			if r.IntN(3) == 0 && file > 0 {
				header = strings.ToUpper(header)
			}
			var in strings.Builder
			fmt.Fprintln(&in, header)
			rows, added := r.Perm(8)[:1+r.IntN(7)], int64(0)
			for _, row := range rows {
				id := fmt.Sprint("X-", row)
				for i, column := range columns {
					cell := fmt.Sprintf("%d of %d in %d", row, i, file) // unique, as a key is
					switch column {
					case key:
						cell = id
					case "Name":
						cell = id
					case "Note":
						cell = "same"
					}
					in.WriteString(cell + map[bool]string{true: "\n", false: ","}[i == len(columns)-1])
				}
				if !wrote[id] {
					wrote[id] = true
					added++
				}
			}
			opts := importer.Options{File: f.file("in.csv", in.String()), Project: project}
			if file == 0 && (key == "Ticket" || key == "uuid") {
				opts.Mapping = f.mapping(fmt.Sprintf(`{"columns": [{"column": %[1]q, "to": "rowKey"},
					{"column": %[1]q, "to": "field", "type": "TEXT"}, {"column": "Name", "to": "name"},
					{"column": "Note", "type": "TEXT"}], "rest": "skip"}`, key))
			} else if file == 0 { // the better name
				opts.File = f.file("in.csv", strings.NewReplacer("Guid", "G", "External ID", "E").
					Replace(in.String()))
			}
			s := f.run(opts)
			if s.Added != added || s.Added+s.Changed != int64(len(rows)) {
				t.Fatalf("case %d: %v, want %d added\n%s", n, s, added, in.String())
			}
		}
		d := f.definition(project)
		shown, issues := d.FieldNamed(key), f.issues(d)
		if d.Project.RowKey != key && !strings.EqualFold(d.Project.RowKey, key) || len(issues) != len(wrote) {
			t.Fatalf("case %d: the row key is %q, and %d rows are %d issues", n, d.Project.RowKey, len(wrote),
				len(issues))
		}
		for _, i := range issues {
			if got := f.shown(shown, i); got != i.Name {
				t.Fatalf("case %d: %s shows the key %s", n, i.Name, got)
			}
		}
	}
}

// TestColumnThatWasNoRowKey: a column that was not unique is a field, and remains one in a later file in
// which its cells are.
func TestColumnThatWasNoRowKey(t *testing.T) {
	f := setup(t)
	all := importer.Options{File: f.file("a.csv", "key,name\na,1\na,2\nb,3\n"), Project: "P"}
	wantSummary(t, f.run(all), "added 3, changed 0, unchanged 0, rejected 0")
	some := importer.Options{File: f.file("b.csv", "key,name\na,2\nb,3\nc,4\n"), Project: "P"}
	wantSummary(t, f.run(some), "added 1, changed 0, unchanged 2, rejected 0")
	if d := f.definition("P"); d.Project.RowKey != "" {
		t.Errorf("the row key is %q", d.Project.RowKey)
	}
}

// TestFieldOfRowKey: a project that exists gets a field for its row key once, and not from a user who may
// only write issues.
func TestFieldOfRowKey(t *testing.T) {
	f := setup(t)
	f.project()
	opts := importer.Options{File: f.file("in.csv", "id,name\n1,a\n2,b\n"), Project: "P", IssuesOnly: true}
	wantSummary(t, f.run(opts), "added 2, changed 0, unchanged 0, rejected 0")
	opts.IssuesOnly = false
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 2, rejected 0")
	if fields := f.definition("P").Fields; len(fields) > 0 {
		t.Errorf("the fields are %+v", fields)
	}
	opts.Project = "Q"
	wantSummary(t, f.run(opts), "added 2, changed 0, unchanged 0, rejected 0")
	d := f.definition("Q")
	if len(d.Fields) != 1 || d.Fields[0].Name != "id" {
		t.Fatalf("the fields are %+v", d.Fields)
	}
	if err := f.tenant.DeleteField(t.Context(), d.Project.ID, d.Fields[0].ID); err != nil {
		t.Fatal(err)
	}
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 2, rejected 0")
	if d := f.definition("Q"); d.FieldNamed("id") != nil {
		t.Errorf("the deleted field is there again: %+v", d.Fields)
	}
}
