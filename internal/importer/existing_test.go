package importer_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// TestInferenceForExistingProject uses the names and types of the project. Cells that do not fit reject their
// rows instead of turning their column into another field.
func TestInferenceForExistingProject(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("in.csv",
		"Key,Title,Status,Due,Priority,Points,Created,Labels\n"+
			"K-1,a,Open,2020-01-01,High,1,2020-01-01,x\nK-2,b,Done,2020-01-02,High,2,2020-01-02,x\n"+
			"K-3,c,Open,2020-01-03,Low,3,2020-01-03,x\nK-4,d,Open,2020-01-03,Low,3,2020-01-03,x\n"),
		Mapping: f.mapping(`{"columns": [{"column": "Key", "to": "rowKey"}, {"column": "Title", "to": "name"},
			{"column": "Status", "to": "state"}, {"column": "Due", "type": "DATE"},
			{"column": "Priority", "type": "SELECT"}, {"column": "Points", "type": "NUMBER"},
			{"column": "Created", "to": "createdAt"}, {"column": "Labels", "type": "TAGS", "separator": " "}]}`)})
	before := f.definition("P")
	got := f.rejected(importer.Options{File: f.file("in.csv",
		"key,title,status,due,priority,points,created,labels,new\n"+
			"K-1,A,Open,,High,1,2020-01-01,\"y, z\",n\n"+ // changed
			"K-2,b,Open,soon,High,2,2020-01-02,x,n\n"+
			"K-3,c,Waiting,2020-01-03,Low,3,2020-01-03,x,n\n"+
			"K-4,d,Open,2020-01-03,Urgent,3,2020-01-03,x,n\n"+
			"K-5,e,Open,2020-01-03,Low,three,2020-01-03,x,n\n"+
			"K-6,f,Open,2020-01-03,Low,1,some day,x,n\n"+
			",g,Open,2020-01-03,Low,1,2020-01-03,x,n\n"+
			"K-1,h,Open,2020-01-03,Low,1,2020-01-03,x,n\n")})
	want := map[string]string{"K-2": "not a date", "K-3": "not a state", "K-4": "not an option",
		"K-5": "not a number", "K-6": "not a datetime", "": "no row key", "K-1": "row key given twice"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("rejected %q, want %q", got, want)
	}
	d := f.definition("P")
	if n := len(before.Fields); len(d.Fields) != n+2 || d.Fields[n].Name != "key" ||
		d.Fields[n+1].Name != "new" || len(d.Project.States) != len(before.Project.States) {
		t.Errorf("the project has the fields %+v and the states %+v", d.Fields, d.Project.States)
	}
	f.want("P", "1 A", "2 b", "3 c", "4 d")
	if got := f.shown(fieldOf(d, "Labels"), f.issues(d)[0]); got != "y|z" {
		t.Errorf("the labels are %s", got)
	}
}

// TestArchivedField takes no values, and none are required: an inferred mapping skips its column, another one
// is refused.
func TestArchivedField(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("in.csv", "key,title,old\n1,a,x\n2,b,y\n")})
	d := f.definition("P")
	if _, err := f.tenant.UpdateField(t.Context(), d.Project.ID, d.Fields[1].ID,
		func(f *tracker.Field) error { f.Archived, f.Required = true, true; return nil }); err != nil {
		t.Fatal(err)
	}
	opts := importer.Options{File: f.file("in.csv", "key,title,old\n1,A,z\n2,b,z\n3,c,z\n"), Project: "P"}
	wantSummary(t, f.run(opts), "added 1, changed 1, unchanged 1, rejected 0")
	d = f.definition("P")
	if i := f.issues(d); f.shown(d.Fields[1], i[0]) != "x" || len(i[2].Values) > 1 || len(d.Fields) != 2 {
		t.Errorf("the issues are %+v", i)
	}
	opts.Mapping = f.mapping(`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "title", "to": "name"},
		{"column": "old", "type": "TEXT"}]}`)
	_, err := f.try(opts)
	wantBad(t, err, `the field "old" is archived`)
}

// TestMembersWithSeparators: the members of a column that was repeated may have commas, and are the same in a
// later file in which the column comes once. Other cells are lists, which a dry run says.
func TestMembersWithSeparators(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("a.csv", "key,name,Owner,Owner\n"+
		`1,a,"Smith, Jo",Ann`+"\n"+`2,b,Ann,"Smith, Jo"`+"\n")})
	d := f.definition("P")
	if o := optionNames(d.Fields[1]); len(d.Fields) != 2 || o != "Smith, Jo Ann" {
		t.Fatalf("the fields are %+v with the options %s", d.Fields, o)
	}
	once := importer.Options{File: f.file("b.csv", "key,name,Owner\n"+`1,a,"Smith, Jo"`+"\n2,b,Ann\n"),
		Project: "P"}
	wantSummary(t, f.run(once), "added 0, changed 2, unchanged 0, rejected 0")
	d = f.definition("P")
	for i, want := range []string{"Smith, Jo", "Ann"} {
		got := namesOf(d.Fields[1], f.issues(d)[i].Values[d.Fields[1].ID].Set())
		if len(got) != 1 || got[0] != want {
			t.Errorf("issue %d has %q, want %s", i, got, want)
		}
	}
	lists := importer.Options{File: f.file("c.csv", "key,name,Owner\n"+`1,a,"Ann, ""Smith, Jo"""`+"\n"),
		Project: "P"}
	const note = `The cells of the column "Owner" are lists, whose members are separated by ",".`
	if r := f.inspect(lists); !strings.Contains(r.String(), note) {
		t.Errorf("the dry run does not say %s:\n%s", note, r)
	}
	wantSummary(t, f.run(lists), "added 0, changed 1, unchanged 0, rejected 0")
	if got := f.issues(d)[0].Values[d.Fields[1].ID].Set(); len(got) != 2 {
		t.Errorf("the issue has %q", got)
	}
}

// TestDelimiterOfMapping imports a file with another delimiter than that of the mapping of an export. The
// error says how to read it.
func TestDelimiterOfMapping(t *testing.T) {
	f := setup(t)
	m := f.keyed()
	m.Delimiter = ","
	_, err := f.try(importer.Options{File: f.file("a.csv", "key;name\n1;a\n"), Mapping: m, Project: "P"})
	wantBad(t, err, `it has "key;name"; remove the delimiter "," from the mapping to have it detected`)
}

// TestRenamedFields imports a column whose field was renamed since. It remains its field, unless a field with
// the name of the column was created.
func TestRenamedFields(t *testing.T) {
	f := setup(t)
	opts := importer.Options{File: f.file("in.csv", "key,title,kind\n1,a,x\n2,b,y\n")}
	f.run(opts)
	d := f.definition("P")
	if _, err := f.tenant.UpdateField(t.Context(), d.Project.ID, d.Fields[1].ID,
		func(f *tracker.Field) error { f.Name = "Sort"; return nil }); err != nil {
		t.Fatal(err)
	}
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 2, rejected 0")
	if _, err := f.tenant.CreateField(t.Context(), d.Project.ID,
		tracker.Field{Name: "Kind", Type: tracker.TypeText}); err != nil {
		t.Fatal(err)
	}
	opts.File = f.file("in.csv", "key,title,Kind\n1,a,z\n2,b,z\n")
	wantSummary(t, f.run(opts), "added 0, changed 2, unchanged 0, rejected 0")
	d = f.definition("P")
	i := f.issues(d)[0]
	if len(d.Fields) != 3 || f.shown(d.Fields[1], i) != "x" || f.shown(d.Fields[2], i) != "z" {
		t.Errorf("the fields are %+v, and the first issue %+v", d.Fields, i)
	}
}

// edits is synthetic(n) with another name in one of each rows.
func edits(n, each int) string {
	rows := strings.Split(synthetic(n), ",issue ")
	out := rows[0]
	for i, row := range rows[1:] {
		if i%each == 0 {
			out += ",edited " + row
		} else {
			out += ",issue " + row
		}
	}
	return out
}

// TestProjectChangedDuringImport adds a field while an import changes and adds issues. The import continues
// with the changed project.
func TestProjectChangedDuringImport(t *testing.T) {
	f := setup(t)
	m := f.mapping(syntheticMapping)
	f.run(importer.Options{File: f.file("in.csv", synthetic(200)), Mapping: m})
	opts := importer.Options{File: f.file("edits.csv", edits(300, 3)), Mapping: m, Project: "P"}
	want := f.dry(opts)
	var writes atomic.Int64
	f.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if r.Operation == "TransactWriteItems" && writes.Add(1) == 3 {
			for _, key := range []string{"A", "B"} {
				if _, err := f.tenant.CreateField(f.Context(), f.definition(key).Project.ID,
					tracker.Field{ID: "added", Name: "Added", Type: tracker.TypeText}); err != nil {
					t.Error(err)
				}
			}
		}
		return nil
	}))
	s, err := f.try(opts)
	f.wire.Intercept(nil)
	if err != nil || s.Changed != want.Changed || s.Added != 100 {
		t.Errorf("the import: %v, error %v, want %v", s, err, want)
	}
	if writes.Load() < 3 || f.definition("A").Field("added") == nil {
		t.Errorf("%d transactions, and the fields %v", writes.Load(), f.definition("A").Fields)
	}
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 300, rejected 0")
	f.consistent()
}

// wantVersions checks that edited issues have this version, and the others 1.
func (f *fixture) wantVersions(edited int64) {
	f.Helper()
	for _, key := range []string{"A", "B"} {
		for _, i := range f.issues(f.definition(key)) {
			want := int64(1)
			if strings.HasPrefix(i.Name, "edited") {
				want = edited
			}
			if i.Version != want {
				f.Errorf("%q has the version %d, want %d", i.Name, i.Version, want)
			}
		}
	}
}

// TestFieldReplacedDuringImport replaces a field by one of another type and the same name while an import
// changes issues. The import ends with CONFLICT, and can be repeated with another mapping.
func TestFieldReplacedDuringImport(t *testing.T) {
	f := setup(t)
	rows := func(name string) string {
		var b strings.Builder
		b.WriteString("key,name,Kind\n")
		for i := range 30 {
			fmt.Fprintf(&b, "%d,%s,x\n", i, name)
		}
		return b.String()
	}
	f.run(importer.Options{File: f.file("a.csv", rows("a")), Project: "P"})
	var writes atomic.Int64
	f.wire.Intercept(dynamotest.Instead(func(r *dynamotest.Request) *dynamotest.Response {
		if r.Operation == "TransactWriteItems" && writes.Add(1) == 3 {
			d := f.definition("P")
			kind := d.FieldNamed("Kind").ID
			if err := f.tenant.DeleteField(f.Context(), d.Project.ID, kind, nil); err != nil {
				t.Error(err)
			}
			if _, err := f.tenant.CreateField(f.Context(), d.Project.ID,
				tracker.Field{Name: "Kind", Type: tracker.TypeText}); err != nil {
				t.Error(err)
			}
		}
		return nil
	}))
	opts := importer.Options{File: f.file("b.csv", rows("b")), Project: "P"}
	_, err := f.try(opts)
	f.wire.Intercept(nil)
	if tracker.CodeOf(err) != tracker.Conflict {
		t.Errorf("after %d writes: %v", writes.Load(), err)
	}
	if s := f.run(opts); s.Rejected+s.Added > 0 {
		t.Errorf("repeated: %s", s)
	}
}

// TestImportsAtTheSameTime makes the same change by several imports, while a user changes another column.
// Each issue gets each change once.
func TestImportsAtTheSameTime(t *testing.T) {
	f := setup(t)
	const rows = 200
	m := f.mapping(syntheticMapping)
	f.run(importer.Options{File: f.file("in.csv", synthetic(rows)), Mapping: m})
	file := f.file("edits.csv", strings.ReplaceAll(edits(rows, 3), ",labels\n", ",user\n"))
	m = f.mapping(strings.Replace(syntheticMapping, `, {"column": "labels", "type": "TAGS"}`, "", 1))
	m.Rest = "skip"
	opts := importer.Options{File: file, Mapping: m, Project: "P"}
	changed := f.dry(opts).Changed
	d := f.definition("A")
	issues := f.issues(d)
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if s, err := importer.Run(f.Context(), f.tenant, opts); err != nil || s.Added+s.Rejected > 0 {
				t.Errorf("an import: %v, error %v", s, err)
			}
		})
	}
	group.Go(func() {
		for _, i := range issues {
			if _, err := f.tenant.UpdateIssue(f.Context(), d, i.ID, tracker.Change{
				Values: map[tracker.FieldID]tracker.Value{
					fieldOf(d, "labels").ID: tracker.Set([]string{"by a user"})}}); err != nil {
				t.Error(err)
			}
		}
	})
	group.Wait()
	var versions int64
	for _, key := range []string{"A", "B"} {
		d := f.definition(key)
		for _, i := range f.issues(d) {
			versions += i.Version - 1
			if got := f.shown(fieldOf(d, "labels"), i); key == "A" && got != "by a user" {
				t.Errorf("%q has the labels %q", i.Name, got)
			}
		}
	}
	if want := changed + int64(len(issues)); versions != want {
		t.Errorf("%d changes were written, want %d", versions, want)
	}
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 200, rejected 0")
	f.consistent()
}

// TestEmptyBuiltinColumns checks that an empty column with the name of a built-in one does not become a
// field, which would take the cells of later files.
func TestEmptyBuiltinColumns(t *testing.T) {
	f := setup(t)
	for _, file := range []string{
		"key,number,name\nq1,1,Q1\n",
		"key,number,name,state,created,project\nq9,,Q9,,,\n",
		"key,number,name,created\nq11,50,Q11,2020-01-01T00:00:00Z\n",
	} {
		if s := f.run(importer.Options{Project: "P", File: f.file("in.csv", file)}); s.Added != 1 {
			t.Errorf("%q: %s", file, s)
		}
	}
	f.want("P", "1 Q1", "2 Q9", "50 Q11")
	d := f.definition("P")
	if len(d.Fields) > 1 {
		t.Errorf("the project has the field %q", d.Fields[1].Name)
	}
	for _, i := range f.issues(d) {
		if i.Num == 50 && i.Created.Year() != 2020 {
			t.Errorf("#50 was created at %s", i.Created)
		}
	}
}

// TestExportForExistingProject checks that members of sets in an export that is imported without its mapping
// are separated as in the export.
func TestExportForExistingProject(t *testing.T) {
	f := setup(t)
	file := "key,number,name,state,created,updated,created by,updated by,description,Tags\n" +
		"k1,1,a,Open,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z,,,,\"Smith, Ann\n\"\"z\"\"\"\n"
	f.run(importer.Options{Project: "P", File: f.file("in.csv", file), Mapping: f.mapping(`{"columns": [
		{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"},
		{"column": "Tags", "type": "TAGS", "separator": "\n"}], "rest": "skip"}`)})
	s := f.run(importer.Options{Project: "P", File: f.file("again.csv", file)})
	d := f.definition("P")
	if got := f.shown(fieldOf(d, "Tags"), f.issues(d)[0]); s.Unchanged != 1 || got != `Smith, Ann|"z"` {
		t.Errorf("%s: %s", s, got)
	}
}

// TestNumbersOfRejectedRows checks that the number of a row that is rejected, because its issue has another
// one, does not use up the numbers up to it, in a dry run and in an import.
func TestNumbersOfRejectedRows(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{Project: "P", File: f.file("in.csv", "key,number,name\na,1,A\nb,2,B\n")})
	s := f.run(importer.Options{Project: "P", File: f.file("in.csv",
		"key,number,name\na,1073741824,A\nc,,C\nb,500,B\nd,7,D\ne,,E\n")})
	if s.Added != 3 || s.Rejected != 2 {
		t.Errorf("%s", s)
	}
	f.want("P", "1 A", "2 B", "7 D", "8 C", "9 E")
}
