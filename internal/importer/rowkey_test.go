package importer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/test/tier"
	"issuegrid/tracker"
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
		if !slices.Equal(d.Project.RowKeys[:1], []string{key}) || len(issues) != len(wrote) {
			t.Fatalf("case %d: the row keys are %q, and %d rows are %d issues", n, d.Project.RowKeys,
				len(wrote), len(issues))
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
	if d := f.definition("P"); d.Project.RowKeys != nil {
		t.Errorf("the row keys are %q", d.Project.RowKeys)
	}
}

// TestFieldOfRowKey: the row key gets a field where there is room, but not from a user who may only write
// issues.
func TestFieldOfRowKey(t *testing.T) {
	f := setup(t)
	f.project()
	opts := importer.Options{File: f.file("in.csv", "id,name\n1,a\n2,b\n"), Project: "P", IssuesOnly: true}
	wantSummary(t, f.run(opts), "added 2, changed 0, unchanged 0, rejected 0")
	if d := f.definition("P"); len(d.Fields) > 0 || !slices.Equal(d.Project.RowKeys, []string{"id"}) {
		t.Errorf("the fields are %+v, and the row keys %q", d.Fields, d.Project.RowKeys)
	}
	opts.IssuesOnly = false
	wantSummary(t, f.run(opts), "added 0, changed 2, unchanged 0, rejected 0")
	opts.Project = "Q"
	f.run(importer.Options{File: f.file("other.csv", "name\nx\n"), Project: "Q"})
	both := importer.Options{File: f.file("both.csv", "project,id,name\nP,3,c\nQ,3,c\n"), IssuesOnly: true}
	wantSummary(t, f.run(both), "added 2, changed 0, unchanged 0, rejected 0")
	if d := f.definition("Q"); len(d.Fields) > 0 {
		t.Errorf("the fields are %+v", d.Fields)
	}
	header := "key,name"
	for i := range tracker.MaxFields {
		header += fmt.Sprint(",f", i)
	}
	row := "\n1,a" + strings.Repeat(",x", tracker.MaxFields) + "\n"
	wide := importer.Options{File: f.file("wide.csv", header+row), Project: "W"}
	wantSummary(t, f.run(wide), "added 1, changed 0, unchanged 0, rejected 0")
	wantSummary(t, f.run(wide), "added 0, changed 0, unchanged 1, rejected 0")
}

// TestRowsOfLaterFiles imports files one after the other, with and without mappings. Their rows remain the
// issues that they were, or the import fails and says why.
func TestRowsOfLaterFiles(t *testing.T) {
	type step struct{ file, mapping, want string }
	const exported = "key,number,name,state,created,updated,created by,updated by,description,id\n"
	for name, steps := range map[string][]step{
		"another column with the keys": {
			{"Key,Summary\nP-1,a\nP-2,b\n", "", "added 2, changed 0, unchanged 0"},
			{"Issue key,Summary\nP-1,a\nP-2,b\n", "",
				`identified by the column "Key", which the file does not have`},
			{"Issue key,Summary\nP-1,a\nP-2,c\n", `{"columns": [{"column": "Issue key", "to": "rowKey"},
				{"column": "Summary", "to": "name"}]}`, "added 0, changed 1, unchanged 1"},
			{"Issue key,Summary\nP-1,a\nP-2,c\n", "", "added 0, changed 2, unchanged 0"},
			{"Key,Summary\nP-1,a\nP-2,b\n", "", "added 0, changed 1, unchanged 1"},
			{"Key,Issue key,Summary\nX,P-1,a\n", "", "added 0, changed 1, unchanged 0"}},
		"a column of keys that is chosen later": {
			{"Key,Code,name\n1,a,x\n", "", "added 1, changed 0, unchanged 0"},
			{"Key,Code,name\n1,b,x\n", `{"columns": [{"column": "Code", "to": "rowKey"}, {"column": "name", "to": "name"}],
				"rest": "skip"}`, "added 1, changed 0, unchanged 0"},
			{"Key,Code,name\n1,b,y\n", "", "added 0, changed 1, unchanged 0"}},
		"a key in another case, and a second one": {
			{"Key,Name\nA-1,a\n", "", "added 1, changed 0, unchanged 0"},
			{"ID,Name\n7,b\n", `{"columns": [{"column": "ID", "to": "rowKey"}, {"column": "Name", "to": "name"}]}`,
				"added 1, changed 0, unchanged 0"},
			{"ID,KEY,Name\n7,A-1,c\n", "", "added 0, changed 1, unchanged 0"}},
		"a column that is the state and a field": {
			{"key,name,status\n1,a,New\n", `{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"},
				{"column": "status", "to": "state"}, {"column": "status", "name": "Was", "type": "TEXT"}]}`,
				"added 1, changed 0, unchanged 0"},
			{"key,name,status\n2,b,New\n3,c,Done\n", "", "added 1, changed 0, unchanged 0, rejected 1"}},
		"an export of a project whose key is the number": {
			{"number,name\n5,a\n", `{"columns": [{"column": "number", "to": "rowKey"},
				{"column": "number", "to": "num"}, {"column": "name", "to": "name"}]}`,
				"added 1, changed 0, unchanged 0"},
			{"key,number,name,state,created,updated,created by,updated by,description\n" +
				"abc,5,a,Open,,,,,\n", "", "added 0, changed 0, unchanged 1"}},
		"an export of a project whose key is the field key": {
			{"key,name\nK1,a\n", "", "added 1, changed 0, unchanged 0"},
			{"key,number,name,state,created,updated,created by,updated by,description,key (field)\n" +
				"abc,1,b,Open,,,,,,K1\n", "", "added 0, changed 1, unchanged 0"}},
		"a file that is rejected": {
			{"Key,Summary,Number\nP-1,a,1\nP-2,b,2\n", "", "added 2, changed 0, unchanged 0"},
			{"ID,Summary,Number\n77,a,1\n78,b,2\n", "", "added 0, changed 0, unchanged 0, rejected 2"},
			{"Key,Summary\nP-1,a\nP-2,b\n", "", "added 0, changed 0, unchanged 2"}},
		"an export of the project": {
			{"id,name\n7,a\n8,b\n", "", "added 2, changed 0, unchanged 0"},
			{exported + "abc,1,a,Open,,,,,,7\nabd,2,c,Open,,,,,,8\n", "", "added 0, changed 1, unchanged 1"},
			{"id,name\n7,a\n8,c\n", "", "added 0, changed 0, unchanged 2"}},
		"no column of keys": {
			{"Ticket,name\nT1,a\n", `{"columns": [{"column": "Ticket", "to": "rowKey"}, {"column": "name", "to": "name"}]}`,
				"added 1, changed 0, unchanged 0"},
			{"name\na\n", "", `identified by the column "Ticket", which the file does not have`},
			{"Number,name\n1,a\n", "", "added 0, changed 0, unchanged 0, rejected 1"},
			{"name\nb\n", `{"rowKey": "CONTENT", "columns": [{"column": "name", "to": "name"}]}`,
				"added 1, changed 0, unchanged 0"}},
		"no keys": {
			{"key,name\n1,a\n", "", "added 1, changed 0, unchanged 0"},
			{"key,name\n,b\n", "", "added 0, changed 0, unchanged 0, rejected 1"}},
		"projects with different keys": {
			{"project,id,name\nP,1,a\n", "", "added 1, changed 0, unchanged 0"},
			{"project,key,name\nQ,K1,a\n", "", "added 1, changed 0, unchanged 0"},
			{"project,id,key,name\nP,1,K9,a\nQ,2,K1,a\n", "", "import them on their own"}},
		"a key that is the name": {
			{"Title\na\n", `{"columns": [{"column": "Title", "to": "rowKey"}, {"column": "Title", "to": "name"}]}`,
				"added 1, changed 0, unchanged 0"},
			{"Title,Owner\na,x\nb,y\n", "", "added 1, changed 1, unchanged 0"},
			{"Title,Summary\na,x\nb,y\n", "", "added 0, changed 2, unchanged 0"}},
		"a key that is the number": {
			{"number,name\n5,a\n", `{"columns": [{"column": "number", "to": "rowKey"},
				{"column": "number", "to": "num"}, {"column": "name", "to": "name"}]}`,
				"added 1, changed 0, unchanged 0"},
			{"number,name\n5,a\n7,b\n", "", "added 1, changed 0, unchanged 1"}},
		"columns that differ in case": {
			{"Key,Name,key\nA-1,one,x1\n", "", "added 1, changed 0, unchanged 0"},
			{"key,Name\nx1,one\n", "", `identified by the column "Key"`},
			{"KEY,Name\nA-1,one\n", "", "added 0, changed 0, unchanged 1"},
			{"Key,Name\nA-1,two\n", "", "added 0, changed 1, unchanged 0"}},
		"another case": {
			{"Key,Name\nA-1,one\n", "", "added 1, changed 0, unchanged 0"},
			{"KEY,NAME\nA-1,two\n", "", "added 0, changed 1, unchanged 0"}},
		"white space": {
			{"key,name\nA-1,one\n", "", "added 1, changed 0, unchanged 0"},
			{"key,name\n A-1 ,one\n", "", "added 0, changed 1, unchanged 0"}},
		"contents": {
			{"Title,Qty\nApples,3\nPears,4\n", "", "added 2, changed 0, unchanged 0"},
			{"qty , name\n 3,Apples \n4,Pears\n", "", "added 0, changed 0, unchanged 2"}},
		"name and Name": {
			{"key,name,Name\n1,a,x\n", "", "added 1, changed 0, unchanged 0"},
			{"key,Name,name\n1,x,a\n", "", "added 0, changed 0, unchanged 1"}},
		"repeated columns": {
			{"key,name,Owner,Owner,owner\n1,a,x,y,z\n", "", "added 1, changed 0, unchanged 0"},
			{"key,name,Owner,Owner,owner\n1,a,x,y,z\n", "", "added 0, changed 0, unchanged 1"},
			{"key,name,owner,Owner,Owner\n1,a,z,x,y\n", "", "added 0, changed 0, unchanged 1"}},
		"repeated columns without words": {
			{"key,name,Fix,Fix\n1,a,1.0-beta,2.0\n2,b,1.0,2.0\n", "", "added 2, changed 0, unchanged 0"},
			{"key,name,Fix,Fix\n2,b,1.0,2.0\n", "", "added 0, changed 0, unchanged 1"},
			{"key,name,Fix,Fix\n2,b,,\n", "", "added 0, changed 1, unchanged 0"}},
		"an option with a comma": {
			{"key,name,O,O\n1,a,\"Smith, Jo\",Ann\n2,b,Ann,\"Smith, Jo\"\n", "",
				"added 2, changed 0, unchanged 0"},
			{"key,name,O\n1,a,\"\"\"Smith, Jo\"\", Ann\"\n2,b,\"Smith, Jo\"\n", "",
				"added 0, changed 1, unchanged 1"},
			{"key,name,O\n1,a,\"\"\"Smith, Jo\"\", \"\"Ann\"\"\"\n", "", "added 0, changed 0, unchanged 1"}},
		"an option whose parts are options": {
			{"key,name,O,O\n1,a,\"A, B\",A\n2,b,B,A\n3,c,\"A, B\",B\n", "",
				"added 3, changed 0, unchanged 0"},
			{"key,name,O\n1,a,\"A, B\"\n", "", "added 0, changed 1, unchanged 0"},
			{"key,name,O,O\n1,a,A,B\n", "", "added 0, changed 0, unchanged 1"}},
		"a third spelling": {
			{"key,name,Cost,cost\n1,a,x,y\n", "", "added 1, changed 0, unchanged 0"},
			{"key,name,Cost,COST\n1,a,x,z\n", "", "added 0, changed 1, unchanged 0"},
			{"key,name,Cost,cost\n1,a,x,y\n", "", "added 0, changed 0, unchanged 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := setup(t)
			for n, step := range steps {
				opts := importer.Options{File: f.file("in.csv", step.file), Project: "P"}
				if step.mapping != "" {
					opts.Mapping = f.mapping(step.mapping)
				}
				s, err := f.try(opts)
				if !strings.HasPrefix(step.want, "added") {
					wantBad(t, err, step.want)
				} else if err != nil || !strings.HasPrefix(s.String(), step.want) {
					t.Errorf("step %d: %v, error %v, want %s", n, s, err, step.want)
				}
			}
		})
	}
}

// TestFieldsOfRenamedColumns: the fields of columns may be renamed, also to names that other columns have:
// the columns of a file keep their fields, and those of an export have the names of the fields.
func TestFieldsOfRenamedColumns(t *testing.T) {
	f := setup(t)
	file := importer.Options{File: f.file("a.csv", "key,name,Due,Start\n1,a,d,s\n"), Project: "P"}
	content := importer.Options{File: f.file("c.csv", "Name,Qty,Due\na,d,s\n"), Project: "C"}
	for _, opts := range []importer.Options{file, content} {
		wantSummary(t, f.run(opts), "added 1, changed 0, unchanged 0, rejected 0")
	}
	rename := func(project, from, to string) {
		d := f.definition(project)
		if _, err := f.tenant.UpdateField(t.Context(), d.Project.ID, d.FieldNamed(from).ID,
			func(f *tracker.Field) error { f.Name = to; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	rename("P", "Start", "Begin")
	rename("P", "Due", "Start")
	rename("C", "Qty", "Quantity")
	for _, opts := range []importer.Options{file, content, {Project: "P", File: f.file("export.csv",
		"key,number,name,state,created,updated,created by,updated by,description,key (field),Start,Begin\n"+
			"abc,1,a,Open,,,,,,1,d,s\n")}} {
		wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 1, rejected 0")
	}
}

// TestKeyOfFieldThatExists: the first import into a project without issues takes a field that was created for
// the key.
func TestKeyOfFieldThatExists(t *testing.T) {
	f := setup(t)
	f.project(tracker.Field{ID: "k", Name: "Issue key", Type: tracker.TypeText})
	for _, c := range []struct{ file, want string }{
		{"Issue key,Summary\nP-1,a\nP-2,b\n", "added 2, changed 0, unchanged 0, rejected 0"},
		{"Issue key,Summary\nP-1,a\nP-2,c\n", "added 0, changed 1, unchanged 1, rejected 0"},
	} {
		wantSummary(t, f.run(importer.Options{File: f.file("in.csv", c.file), Project: "P"}), c.want)
	}
	d := f.definition("P")
	if got := f.shown(d.Fields[0], f.issues(d)[1]); len(d.Fields) != 1 || got != "P-2" {
		t.Errorf("the field shows %s", got)
	}
}
