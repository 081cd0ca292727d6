package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

const selectMapping = `{"columns": [{"column": "key", "to": "rowKey"}, {"column": "key", "to": "name"}, {"column": "s", "to": "state"%[1]s}, {"column": "x", "name": "Kind", "type": "SELECT"%[1]s}]}`

// TestExistingProject gets the fields that it does not have, and on request the states and options, after its
// own. It keeps everything else. Otherwise rows with other states and options are rejected.
func TestExistingProject(t *testing.T) {
	for _, c := range []struct {
		name, extra     string
		all             bool
		options, states string
		want, rejects   string
	}{
		{"exact", "", false, "Bug", "New", "1 a Bug",
			"b: differs in case only, c: not a state and not an option, " +
				"d: not a state and not an option"},
		{"ignoring case", `, "ignoreCase": true`, false, "Bug", "New", "1 a Bug, 2 b Bug",
			"c: not a state and not an option, d: not a state and not an option"},
		{"exact, all added", "", true, "Bug Story", "New Done", "1 a Bug, 2 c Story",
			"b: differs in case only, d: differs in case only"},
		{"ignoring case, all added", `, "ignoreCase": true`, true, "Bug Story", "New Done",
			"1 a Bug, 2 b Bug, 3 c Story, 4 d Story", ""},
		{"added by the mapping", `, "newOptions": true`, false, "Bug Story", "New Done", "1 a Bug, 2 c Story",
			"b: differs in case only, d: differs in case only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := setup(t)
			f.project(tracker.Field{ID: "other", Name: "Other", Type: tracker.TypeText},
				tracker.Field{ID: "kind", Name: "KIND", Type: tracker.TypeSelect,
					Options: []tracker.Option{{ID: "b", Name: "Bug"}}})
			opts := importer.Options{File: f.file("in.csv",
				"key,s,x\na,New,Bug\nb,New,bug\nc,Done,Story\nd,done,Story\n"), Mapping: f.mapping(
				fmt.Sprintf(selectMapping, c.extra)), NewOptions: c.all}
			rejected := f.rejected(opts)
			d := f.definition("P")
			if d.Project.ID != "mine" || d.Project.Name != "Mine" || len(d.Fields) != 2 ||
				optionNames(d.Fields[1]) != c.options {
				t.Errorf("the project is %+v with the fields %+v", d.Project, d.Fields)
			}
			var states []string
			for i, s := range d.Project.States {
				states = append(states, s.Name)
				if s.Open != (i == 0) || i == 0 && s.ID != "o" {
					t.Errorf("the states are %+v", d.Project.States)
				}
			}
			if got := strings.Join(states, " "); got != c.states {
				t.Errorf("the states are %s, want %s", got, c.states)
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

// TestRenamedSinceTheLastImport imports names that an earlier import has made, and that were renamed since.
// They become new ones, because ids must be unique.
func TestRenamedSinceTheLastImport(t *testing.T) {
	f := setup(t)
	mapping := f.mapping(fmt.Sprintf(selectMapping, ""))
	f.run(importer.Options{File: f.file("a.csv", "key,s,x\na,Open,Bug\n"), Mapping: mapping})
	p := f.definition("P")
	if _, err := f.tenant.UpdateProject(t.Context(), p.Project.ID, func(p *tracker.Project) error {
		s := p.States[0]
		s.Name = "To do"
		return p.ChangeState(s)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.tenant.UpdateField(t.Context(), p.Project.ID, p.Fields[0].ID,
		func(f *tracker.Field) error {
			return f.ChangeOption(tracker.Option{ID: f.Options[0].ID, Name: "Defect"})
		}); err != nil {
		t.Fatal(err)
	}
	f.run(importer.Options{File: f.file("b.csv", "key,s,x\nb,Open,Bug\n"), Mapping: mapping,
		NewOptions: true})
	d := f.definition("P")
	var got []string
	for _, i := range f.issues(d) {
		s, _ := d.Project.State(i.State)
		got = append(got, i.Name+" "+s.Name+" "+f.shown(d.Fields[0], i))
	}
	if got := strings.Join(got, ", "); got != "a To do Defect, b Open Bug" {
		t.Errorf("the issues are %s", got)
	}
}

// TestClosedIssuesOnly makes a project of them, which gets an open state for new issues.
func TestClosedIssuesOnly(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("in.csv", "key,title,status\n1,a,Done\n2,b,Done\n")})
	if s := f.definition("P").Project.States; len(s) != 2 || s[0].Name != "Open" || !s[0].Open ||
		s[1].Name != "Done" || s[1].Open {
		t.Errorf("the states are %+v", s)
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
		{"too many options", strings.Join(options, "\n"), `more than 500 options in the project P`,
			tracker.Field{ID: "k", Name: "K", Type: tracker.TypeText}},
		{"too many options with those that are there", strings.Join(options[1:], "\n"),
			`more than 500 options in the project P`,
			tracker.Field{ID: "k", Name: "Kind", Type: tracker.TypeSelect,
				Options: []tracker.Option{{ID: "o", Name: "one more"}}}},
		{"too many states", strings.Join(states, "\n"), `more than 50 states in the project P`,
			tracker.Field{ID: "k", Name: "K", Type: tracker.TypeText}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.project(c.field)
			opts := importer.Options{File: f.file("in.csv", "key,s,x\n"+c.rows+"\n"), Project: "P",
				Mapping: f.mapping(fmt.Sprintf(selectMapping, "")), NewOptions: true}
			r, err := importer.Inspect(t.Context(), f.tenant, opts)
			if err != nil {
				t.Fatal(err)
			}
			wantBad(t, r.Problem, c.want)
			_, err = f.try(opts)
			wantBad(t, err, c.want)
			f.want("P")
		})
	}
}

// TestRequiredField rejects the rows that would become an issue without a value, and no others.
func TestRequiredField(t *testing.T) {
	f := setup(t)
	f.project(tracker.Field{ID: "k", Name: "Kind", Type: tracker.TypeSelect, Required: true})
	m := f.mapping(fmt.Sprintf(selectMapping, `, "newOptions": true`))
	for _, c := range []struct {
		in, rejected string
		m            *importer.Mapping
	}{
		{"key,s,x\na,,Bug\nb,,\n", "b", m},
		// A file without the column changes issues, but cannot add any.
		{"key,name\na,changed\nc,new\n", "c", nil},
		// An empty cell cannot remove the value.
		{"key,s,x\na,,\n", "a", m},
	} {
		got := f.rejected(importer.Options{File: f.file("in.csv", c.in), Mapping: c.m})
		if len(got) != 1 || got[c.rejected] != "not a value of the field" {
			t.Errorf("rejected %q", got)
		}
	}
	f.want("P", "1 changed")
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
	file, m := f.file("in.csv", "key,name\n1,a\n"), f.keyed()
	nobody, err := f.db.Tenant("nobody")
	if err != nil {
		t.Fatal(err)
	}
	_, err = importer.Run(t.Context(), nobody, importer.Options{File: file, Mapping: m, Project: "P"})
	if tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("importing into no tenant: %v", err)
	}
	_, err = importer.Run(t.Context(), f.tenant, importer.Options{File: file, Mapping: m})
	wantBad(t, err, "name the project")
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
		Mapping: m}); s.Unchanged != 2 || s.Added != 1 {
		t.Errorf("%d present and %d added, want 2 and 1", s.Unchanged, s.Added)
	}
	f.want("P", "1 a", "2 a", "3 ", "4 a")
}
