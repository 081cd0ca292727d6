package importer_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// fixture is a table with a tenant to import into, and a second tenant with a project of the same key, which
// must not change.
type fixture struct {
	testing.TB
	db     *dynamo.DB
	wire   *dynamotest.Wire
	tenant *dynamo.Tenant
	dir    string
}

// Context outlives the test's own context, because the clean-up also reads.
func (f *fixture) Context() context.Context { return context.WithoutCancel(f.TB.Context()) }

const rivalRows = "key,name\n1,The rival's\n"

func setup(t testing.TB, options ...func(*dynamo.Settings)) *fixture {
	t.Helper()
	f := &fixture{TB: t, dir: t.TempDir()}
	f.db, f.wire = dynamotest.Open(t, options...)
	rival := f.open("rival")
	f.tenant = rival
	f.run(importer.Options{File: f.file("rival.csv", rivalRows)})
	t.Cleanup(func() {
		f.tenant = rival
		f.want("P", "1 The rival's")
	})
	f.tenant = f.open("acme")
	return f
}

func (f *fixture) open(id tracker.TenantID) *dynamo.Tenant {
	f.Helper()
	if err := f.db.CreateTenant(f.Context(), tracker.Tenant{ID: id, Name: "Tenant " + string(id)}); err !=
		nil {
		f.Fatal(err)
	}
	t, err := f.db.Tenant(id)
	if err != nil {
		f.Fatal(err)
	}
	return t
}

// file writes a file to the fixture's directory.
func (f *fixture) file(name, content string) string {
	f.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.Fatal(err)
	}
	return path
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(s))
	z.Close()
	return b.String()
}

// try imports, into the project P by default.
func (f *fixture) try(opts importer.Options) (*importer.Summary, error) {
	opts.Project = cmp.Or(opts.Project, "P")
	return importer.Run(f.Context(), f.tenant, opts)
}

// run imports, must succeed, must account for every row (R1), and must do what a dry run says (R6).
func (f *fixture) run(opts importer.Options) *importer.Summary {
	f.Helper()
	var dry *importer.Summary
	if _, bench := f.TB.(*testing.B); !bench && !strings.HasPrefix(opts.File, "/dev/") {
		dry = f.dry(opts)
	}
	s, err := f.try(opts)
	if err != nil {
		f.Fatalf("importing %s: %v", opts.File, err)
	}
	if s.Rows != s.Added+s.Changed+s.Unchanged+s.Rejected {
		f.Errorf("the counts do not add up to %d rows: %s", s.Rows, s)
	}
	if dry != nil {
		if diff := difference(dry, s); diff != "" {
			f.Errorf("%s: the dry run differs from the import (-dry +import):\n%s", opts.File, diff)
		}
	}
	return s
}

// dry makes a dry run, which must succeed and write nothing.
func (f *fixture) dry(opts importer.Options) *importer.Summary {
	f.Helper()
	opts.Progress = nil
	before := f.wire.Calls()
	r := f.inspect(opts)
	for call, n := range f.wire.Calls() {
		if call != "GetItem" && call != "BatchGetItem" && call != "Query" && n > before[call] {
			f.Errorf("a dry run made %d calls of %s", n-before[call], call)
		}
	}
	return r.Summary
}

// difference returns how the summary of a dry run differs from that of the import, "" if not at all.
func difference(dry, imported *importer.Summary) string {
	a, b := *dry, *imported
	for _, s := range []*importer.Summary{&a, &b} {
		s.Dry, s.Elapsed, s.RejectsFile = false, 0, ""
	}
	return gocmp.Diff(a, b)
}

// inspect returns the report of a dry run, which must find no problem.
func (f *fixture) inspect(opts importer.Options) *importer.Report {
	f.Helper()
	opts.Project = cmp.Or(opts.Project, "P")
	r, err := importer.Inspect(f.Context(), f.tenant, opts)
	if err != nil || r.Problem != nil {
		f.Fatalf("dry run of %s: %v, problem %v", opts.File, err, r.Problem)
	}
	return r
}

// unsaved is a fixture for dry runs without a table.
func unsaved(t testing.TB) *fixture { return &fixture{TB: t, dir: t.TempDir()} }

// csv writes a file with one column of texts, and a name for each row.
func (f *fixture) column(name string, cells ...string) string {
	f.Helper()
	in := "title," + name + "\n"
	for i, cell := range cells {
		in += fmt.Sprintf("row %d,\"%s\"\n", i, cell)
	}
	return f.file("in.csv", in)
}

// project makes the project P with some fields.
func (f *fixture) project(fields ...tracker.Field) {
	f.Helper()
	p, err := f.tenant.CreateProject(f.Context(), tracker.Project{ID: "mine", Key: "P", Name: "Mine",
		States: []tracker.State{{ID: "o", Name: "New", Open: true}}})
	if err != nil {
		f.Fatal(err)
	}
	for _, field := range fields {
		if _, err := f.tenant.CreateField(f.Context(), p.ID, field); err != nil {
			f.Fatal(err)
		}
	}
}

// keyed returns a mapping of the columns key and name, and of others.
func (f *fixture) keyed(columns ...string) *importer.Mapping {
	f.Helper()
	return f.mapping(`{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"}` +
		strings.Join(append([]string{""}, columns...), ", ") + "]}")
}

func (f *fixture) mapping(text string) *importer.Mapping {
	f.Helper()
	m, err := importer.ParseMapping([]byte(text))
	if err != nil {
		f.Fatal(err)
	}
	return m
}

// definition returns the project with a key; it must exist.
func (f *fixture) definition(key string) *tracker.Definition {
	f.Helper()
	d := f.find(key)
	if d == nil {
		f.Fatalf("there is no project %s", key)
	}
	return d
}

func (f *fixture) find(key string) *tracker.Definition {
	f.Helper()
	id, err := f.tenant.ProjectByKey(f.Context(), key)
	if tracker.CodeOf(err) == tracker.NotFound {
		return nil
	}
	if err != nil {
		f.Fatal(err)
	}
	d, err := f.tenant.Current(f.Context(), id)
	if err != nil {
		f.Fatal(err)
	}
	return d
}

// issues returns all issues of a project in the order of their numbers.
func (f *fixture) issues(d *tracker.Definition) []*tracker.Issue {
	f.Helper()
	return dynamotest.Issues(f, f.tenant, &d.Project)
}

// shown returns a value as a string, independent of its form in the file: names of options, members joined
// with |.
func (f *fixture) shown(field *tracker.Field, i *tracker.Issue) string {
	f.Helper()
	v := i.Values[field.ID]
	name := func(id string) string {
		o, ok := field.Option(tracker.OptionID(id))
		if !ok {
			f.Fatalf("the field %s has no option %s", field.Name, id)
		}
		return o.Name
	}
	switch {
	case v.Kind == tracker.KindNone:
		return ""
	case v.Kind == tracker.KindBool:
		return fmt.Sprint(v.Bool())
	case field.Type == tracker.TypeNumber: // engines write literals differently
		return fmt.Sprint(v.Float())
	case v.Kind == tracker.KindNum:
		return v.Literal()
	case field.Type == tracker.TypeSelect:
		return name(v.Text())
	case field.Type == tracker.TypeMultiSelect:
		names := make([]string, len(v.Set()))
		for n, id := range v.Set() {
			names[n] = name(id)
		}
		return strings.Join(names, "|")
	case v.Kind == tracker.KindSet:
		return strings.Join(v.Set(), "|")
	}
	return dynamotest.Text(f, f.tenant, i, field.ID.Column(), v)
}

// want checks the issues of a project, each as its number and name.
func (f *fixture) want(key string, want ...string) {
	f.Helper()
	var got []string
	for _, i := range f.issues(f.definition(key)) {
		got = append(got, fmt.Sprint(i.Num, " ", i.Name))
	}
	if !slices.Equal(got, want) {
		f.Errorf("the project %s has\n%q, want\n%q", key, got, want)
	}
}

// wantBad checks that an error is BadInput, and that its message contains the words.
func wantBad(t testing.TB, err error, words ...string) {
	t.Helper()
	if got := tracker.CodeOf(err); got != tracker.BadInput {
		t.Fatalf("error %v has code %q, want %q", err, got, tracker.BadInput)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("message %q does not say %q", err, word)
		}
	}
}

// rejectsOf reads the rejects file of an import, without its header.
func (f *fixture) rejectsOf(s *importer.Summary) [][]string {
	f.Helper()
	if s.RejectsFile == "" {
		return nil
	}
	file, err := os.Open(s.RejectsFile)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		f.Fatal(err)
	}
	if int64(len(rows)) != s.Rejected+1 {
		f.Errorf("%s has %d rows, want %d and a header", s.RejectsFile, len(rows), s.Rejected)
	}
	return rows[1:]
}
