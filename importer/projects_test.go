package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/importer"
	"issuegrid/tracker"
)

const selectMapping = `{"columns": [{"column": "key", "to": "rowKey"}, {"column": "key", "to": "name"}, {"column": "s", "to": "state"%[1]s}, {"column": "x", "name": "Kind", "type": "SELECT"%[1]s}]}`

// TestExistingProject gets the states, fields and options that it has not, behind its own, and keeps
// everything else.
func TestExistingProject(t *testing.T) {
	for _, c := range []struct {
		name, extra, want, rejects string
	}{
		{"exact", "", "1 a Bug, 2 c Story", "b: differs in case only, d: differs in case only"},
		{"ignoring case", `, "ignoreCase": true`, "1 a Bug, 2 b Bug, 3 c Story, 4 d Story", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := setup(t)
			p, err := f.tenant.CreateProject(t.Context(),
				tracker.Project{ID: "mine", Key: "P", Name: "Mine",
					States: []tracker.State{{ID: "o", Name: "New", Open: true}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, field := range []tracker.Field{{ID: "other", Name: "Other", Type: tracker.TypeText},
				{ID: "kind", Name: "KIND", Type: tracker.TypeSelect,
					Options: []tracker.Option{{ID: "b", Name: "Bug"}}}} {
				if _, err := f.tenant.CreateField(t.Context(), p.ID, field); err != nil {
					t.Fatal(err)
				}
			}
			opts := importer.Options{File: f.file("in.csv",
				"key,s,x\na,New,Bug\nb,New,bug\nc,Done,Story\nd,done,Story\n"), Mapping: f.mapping(
				fmt.Sprintf(selectMapping, c.extra))}
			// A row that differs in case from another row is found by the dry run; one that differs from the
			// database, by the import.
			rejected := f.rejected(opts)
			d := f.definition("P")
			if d.Project.ID != p.ID || d.Project.Name != "Mine" || len(d.Fields) != 2 ||
				optionNames(d.Fields[1]) != "Bug Story" {
				t.Errorf("the project is %+v with the fields %+v", d.Project, d.Fields)
			}
			if s := d.Project.States; len(s) != 2 || s[0].ID != "o" || s[1].Name != "Done" || s[1].Open {
				t.Errorf("the states are %+v", s)
			}
			var got, reasons []string
			for _, i := range f.issues(d) {
				got = append(got, fmt.Sprint(i.Num, " ", i.Name, " ", f.shown(d.Fields[1], i)))
			}
			for _, key := range []string{"a", "b", "c", "d"} {
				if reason, ok := rejected[key]; ok {
					reasons = append(reasons, key+": "+reason)
				}
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("the issues are %s, want %s", got, c.want)
			}
			if got := strings.Join(reasons, ", "); got != c.rejects {
				t.Errorf("the rejects are %s, want %s", got, c.rejects)
			}
		})
	}
}

// TestProjectThatDoesNotFit is refused before an issue is written.
func TestProjectThatDoesNotFit(t *testing.T) {
	options := make([]string, 0, 501)
	for i := range 501 {
		options = append(options, fmt.Sprintf("%d,New,option %d", i, i))
	}
	states := make([]string, 0, 51)
	for i := range 51 {
		states = append(states, fmt.Sprintf("%d,state %d,x", i, i))
	}
	for _, c := range []struct {
		name, rows, want string
		field            tracker.Field
	}{
		{"field of another type", "a,New,Bug",
			`a field "kind" of type TEXT; the mapping makes SELECT of the column "x"`,
			tracker.Field{ID: "k", Name: "kind", Type: tracker.TypeText}},
		{"required field", "a,New,Bug", `requires a value of the field "Must"`,
			tracker.Field{ID: "k", Name: "Must", Type: tracker.TypeText, Required: true}},
		{"too many options", strings.Join(options, "\n"), `more than 500 options in the project P`,
			tracker.Field{ID: "k", Name: "K", Type: tracker.TypeText}},
		{"too many options with those that are there", strings.Join(options[1:], "\n"),
			`501 options; the limit is 500`,
			tracker.Field{ID: "k", Name: "Kind", Type: tracker.TypeSelect,
				Options: []tracker.Option{{ID: "o", Name: "one more"}}}},
		{"too many states", strings.Join(states, "\n"), `more than 50 states in the project P`,
			tracker.Field{ID: "k", Name: "K", Type: tracker.TypeText}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			p, err := f.tenant.CreateProject(t.Context(),
				tracker.Project{ID: "mine", Key: "P", Name: "Mine",
					States: []tracker.State{{ID: "o", Name: "New", Open: true}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.tenant.CreateField(t.Context(), p.ID, c.field); err != nil {
				t.Fatal(err)
			}
			_, err = f.try(importer.Options{File: f.file("in.csv", "key,s,x\n"+c.rows+"\n"),
				Mapping: f.mapping(fmt.Sprintf(selectMapping, ""))})
			wantBad(t, err, c.want)
			f.want("P")
		})
	}
}

// TestRequiredField rejects the rows without a value, and no others.
func TestRequiredField(t *testing.T) {
	f := setup(t)
	if _, err := f.tenant.CreateProject(t.Context(),
		tracker.Project{ID: "mine", Key: "P", Name: "Mine",
			States: []tracker.State{{ID: "o", Name: "New", Open: true}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.tenant.CreateField(t.Context(), "mine",
		tracker.Field{ID: "k", Name: "Kind", Type: tracker.TypeSelect, Required: true}); err != nil {
		t.Fatal(err)
	}
	got := f.rejected(importer.Options{File: f.file("in.csv", "key,s,x\na,,Bug\nb,,\n"),
		Mapping: f.mapping(fmt.Sprintf(selectMapping, ""))})
	if len(got) != 1 || got["b"] != "not a value of the field" {
		t.Errorf("rejected %q", got)
	}
	f.want("P", "1 a")
}

// TestTooManyProjects is what a wrong column for the project's key would make.
func TestTooManyProjects(t *testing.T) {
	f := setup(t)
	var b strings.Builder
	b.WriteString("key,name\n")
	for i := range 1001 {
		fmt.Fprintf(&b, "K%d,a\n", i)
	}
	_, err := f.try(importer.Options{File: f.file("in.csv", b.String()),
		Mapping: f.mapping(
			`{"rowKey": "CONTENT", "columns": [{"column": "key", "to": "projectKey"}, {"column": "name", "to": "name"}]}`)})
	wantBad(t, err, `"key" names more than 1000 projects`)
}

// TestTenantAndProjectMustBeKnown before anything is read.
func TestTenantAndProjectMustBeKnown(t *testing.T) {
	f := setup(t)
	file, m := f.file("in.csv", "key,name\n1,a\n"),
		f.mapping(`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"}]}`)
	nobody, err := f.db.Tenant("nobody")
	if err != nil {
		t.Fatal(err)
	}
	_, err = importer.Run(t.Context(), nobody, importer.Options{File: file, Mapping: m, Project: "P"})
	if tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("importing into no tenant: %v", err)
	}
	_, err = importer.Run(t.Context(), f.tenant, importer.Options{File: file, Mapping: m})
	wantBad(t, err, "--project")
	_, err = importer.Run(t.Context(), f.tenant, importer.Options{File: file, Mapping: m, Project: "p-1"})
	wantBad(t, err, "a project's key is")
}

// TestContentKey tells rows apart by their mapped cells, whatever the order of the columns.
func TestContentKey(t *testing.T) {
	f := setup(t)
	m := f.mapping(
		`{"rowKey": "CONTENT", "rest": "skip", "columns": [{"column": "name", "to": "name"}, {"column": "x", "type": "TEXT"}]}`)
	s := f.run(importer.Options{File: f.file("in.csv", "name,x,y\na,1,1\na,,1\na,1,2\n,a,1\n"), Mapping: m})
	if got := f.rejectsOf(s); len(got) != 1 || !strings.HasPrefix(got[0][2], "row key given twice") {
		t.Errorf("rejected %q", got)
	}
	if s := f.run(importer.Options{File: f.file("in.csv", "y,x,name\n5,1,a\n5,,a\n5,2,a\n"),
		Mapping: m}); s.Present != 2 || s.Added != 1 {
		t.Errorf("%d present and %d added, want 2 and 1", s.Present, s.Added)
	}
	f.want("P", "1 a", "2 a", "3 ", "4 a")
}
