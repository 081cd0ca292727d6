package export_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

func TestMain(m *testing.M) { dynamotest.Main(m) }

// fixture is a table with a tenant.
type fixture struct {
	testing.TB
	db      *dynamo.DB
	wire    *dynamotest.Wire
	tenant  *dynamo.Tenant
	exports *graph.Exports
	made    int // projects

	settings dynamo.Settings // of the table
}

func setup(t testing.TB) *fixture {
	t.Helper()
	f := open(t)
	f.must(f.db.CreateTenant(t.Context(), tracker.Tenant{ID: "acme", Name: "Acme"}))
	var err error
	f.tenant, err = f.db.Tenant("acme")
	f.must(err)
	return f
}

// open creates a table without tenants.
func open(t testing.TB, set ...func(*dynamo.Settings)) *fixture {
	t.Helper()
	f := &fixture{TB: t}
	f.db, f.wire = dynamotest.Open(t, func(s *dynamo.Settings) {
		s.GroupWrites = true
		s.DefinitionTTL = time.Hour
		s.RenewEvery = time.Nanosecond
		for _, set := range set {
			set(s)
		}
		f.settings = *s
	})
	f.exports = graph.NewExports(session.NewFactory(f.db, session.Anonymous, nil))
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// key returns the key of a new project.
func (f *fixture) key() string {
	f.made++
	return fmt.Sprint("P", f.made)
}

// project creates a project with issues.
func (f *fixture) project(fields []tracker.Field, issues []tracker.Issue) *tracker.Definition {
	f.Helper()
	key := f.key()
	p, err := f.tenant.CreateProject(f.Context(), tracker.Project{ID: tracker.ProjectID(strings.ToLower(key)),
		Key: key, Name: key, States: []tracker.State{{ID: "a", Name: "To do", Open: true},
			{ID: "b", Name: "Doing, \"now\"", Open: true}, {ID: "c", Name: "Done; closed"}}})
	f.must(err)
	for _, field := range fields {
		_, err := f.tenant.CreateField(f.Context(), p.ID, field)
		f.must(err)
	}
	d, err := f.tenant.Definition(f.Context(), p.ID)
	f.must(err)
	for i := range issues {
		issues[i].ID.Project = p.ID
	}
	for page := range slices.Chunk(issues, 50) {
		f.must(f.tenant.PutIssues(f.Context(), d, page))
	}
	return d
}

// grid opens the grid of a project.
func (f *fixture) grid(p tracker.ProjectID) *graph.Export {
	f.Helper()
	x, err := f.exports.Open(f.Context(), graph.ExportedGrid{Project: model.ProjectNodeID(f.tenant.ID(), p)})
	f.must(err)
	f.Cleanup(x.Close)
	return x
}

// export writes a project to a string.
func (f *fixture) export(d *tracker.Definition, o export.Options) (string, *importer.Mapping) {
	f.Helper()
	var b bytes.Buffer
	m, err := export.Write(f.Context(), &b, f.grid(d.Project.ID), o)
	f.must(err)
	return b.String(), m
}

// imported imports a file into a new project, which must take all rows.
func (f *fixture) imported(file string, m *importer.Mapping) *tracker.Definition {
	f.Helper()
	path, key := filepath.Join(f.TempDir(), "file"), f.key()
	f.must(os.WriteFile(path, []byte(file), 0o600))
	if m != nil {
		var err error
		m, err = importer.ParseMapping([]byte(m.String()))
		f.must(err)
	}
	s, err := importer.Run(f.Context(), f.tenant, importer.Options{File: path, Project: key, Mapping: m})
	f.must(err)
	if s.Rejected > 0 || s.Rows != s.Added {
		reasons, _ := os.ReadFile(s.RejectsFile)
		f.Fatalf("%d of %d rows were added: %.2000s", s.Added, s.Rows, reasons)
	}
	id, err := f.tenant.ProjectByKey(f.Context(), key)
	f.must(err)
	d, err := f.tenant.Definition(f.Context(), id)
	f.must(err)
	return d
}

// view is an issue with names instead of ids.
type view struct {
	Num              int64
	Name, State      string
	Created, Updated string
	Values           map[string][]string // by the name of the field, and "" for the description
}

// issues returns the issues of a project by number, read without the code that is tested.
func (f *fixture) issues(d *tracker.Definition) (out []view) {
	f.Helper()
	for _, i := range dynamotest.Issues(f, f.tenant, &d.Project) {
		out = append(out, f.view(d, i))
	}
	return out
}

func (f *fixture) view(d *tracker.Definition, i *tracker.Issue) view {
	f.Helper()
	state, _ := d.Project.State(i.State)
	// An import stores names without white space at their ends, as the API does.
	v := view{Num: i.Num, Name: tracker.CleanName(i.Name), State: state.Name,
		Created: tracker.FormatDateTime(i.Created), Updated: tracker.FormatDateTime(i.Updated),
		Values: map[string][]string{}}
	text := func(c tracker.Column, v tracker.Value) string { return dynamotest.Text(f, f.tenant, i, c, v) }
	if i.Description.Kind != tracker.KindNone {
		v.Values[""] = []string{text(tracker.ColumnDescription, i.Description)}
	}
	for _, field := range d.Fields {
		value := i.Values[field.ID]
		switch {
		case value.Kind == tracker.KindNone:
		case field.Type == tracker.TypeNumber: // engines write literals differently
			v.Values[field.Name] = []string{fmt.Sprint(value.Float())}
		case field.Type == tracker.TypeSelect || field.Type == tracker.TypeMultiSelect:
			for _, id := range append(slices.Clone(value.Set()), value.Text()) {
				if o, ok := field.Option(tracker.OptionID(id)); ok {
					v.Values[field.Name] = append(v.Values[field.Name], o.Name)
				}
			}
		case value.Kind == tracker.KindSet:
			v.Values[field.Name] = value.Set()
		case value.Kind == tracker.KindNum || value.Kind == tracker.KindBool:
			v.Values[field.Name] = []string{value.Literal()}
		default:
			v.Values[field.Name] = []string{text(field.ID.Column(), value)}
		}
	}
	return v
}

// roundTrip exports a project in both formats, imports the files, and compares every issue (E1).
func (f *fixture) roundTrip(d *tracker.Definition) {
	f.Helper()
	want := f.issues(d)
	for _, format := range []importer.Format{importer.CSV, importer.JSONLines} {
		file, m := f.export(d, export.Options{Format: format})
		if format == importer.CSV {
			f.again(file)
		}
		got := f.imported(file, m)
		if diff := cmp.Diff(want, f.issues(got)); diff != "" {
			f.Errorf("%s (-exported +imported):\n%.5000s", format, diff)
		}
		for i, field := range got.Fields {
			was := d.Fields[i]
			var options, had []string
			for _, o := range field.Options {
				options = append(options, o.Name)
			}
			for _, o := range was.Options {
				had = append(had, o.Name)
			}
			if field.Name != was.Name || field.Type != was.Type || !slices.Equal(options, had) {
				f.Errorf("%s: the field %q of type %s with %q became %q of type %s with %q", format,
					was.Name, was.Type, had, field.Name, field.Type, options)
			}
		}
	}
}

// again imports the export of a project without its mapping, and exports the copy: the cells are the same,
// but for the key of the project and the users, which an import cannot set.
func (f *fixture) again(file string) {
	f.Helper()
	rows := func(file string) [][]string {
		read := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, importer.ByteOrderMark)))
		out, err := read.ReadAll()
		f.must(err)
		if diff := cmp.Diff([]string{"key", "number", "name", "state", "created", "updated", "created by",
			"updated by", "description"}, out[0][:9]); diff != "" {
			f.Fatalf("names (-want +got):\n%s", diff)
		}
		for _, row := range out[1:] {
			row[0], row[2], row[6], row[7] = "", tracker.CleanName(row[2]), "", ""
		}
		return out
	}
	copied := f.imported(file, nil)
	exported, _ := f.export(copied, export.Options{Format: importer.CSV})
	if diff := cmp.Diff(rows(file), rows(exported)); diff != "" {
		f.Errorf("(-exported +exported again):\n%.5000s", diff)
	}
	path := filepath.Join(f.TempDir(), "again")
	f.must(os.WriteFile(path, []byte(file), 0o600))
	s, err := importer.Run(f.Context(), f.tenant, importer.Options{File: path, Project: copied.Project.Key})
	f.must(err)
	if s.Unchanged != s.Rows || len(s.Definitions) > 0 {
		f.Errorf("imported once more: %s", s)
	}
}

// names are names of options and tags.
var names = []string{"a,b", `a"b`, "a;b|c", "[\"x\"]", "=1+1", "-1", "é🙂", "a b", "null", "true", "0"}

// values has values of each type of field.
var values = map[tracker.FieldType][]tracker.Value{
	tracker.TypeText:     texts(append(words(), strings.Repeat("long, \"text\"\r\n", 50))...),
	tracker.TypeLongText: texts(append(words(), strings.Repeat("é\n", tracker.MaxText/3))...),
	tracker.TypeUser:     texts("ann", "Ann, B.", `"ann"`, "a;b", "é🙂", "=1+1", "null"),
	tracker.TypeInteger: {tracker.Int(0), tracker.Int(-1), tracker.Int(1<<63 - 1), tracker.Int(-1 << 63),
		tracker.Int(1<<53 + 1)},
	tracker.TypeNumber: {tracker.Float(0), tracker.Float(math.Copysign(0, -1)), tracker.Float(0.1),
		tracker.Float(-12.5),
		tracker.Float(tracker.MaxNumber), tracker.Float(-tracker.MinNumber), tracker.Float(1e23),
		tracker.Float(1 << 53), tracker.Float(1.0 / 3)},
	tracker.TypeDate: texts("0001-01-01", "2024-02-29", "9999-12-31"),
	tracker.TypeDateTime: texts("0001-01-01T00:00:00Z", "2024-02-29T23:59:59.999999Z",
		"2026-01-31T09:30:00.1Z", "9999-12-31T23:59:59.999999Z"),
	tracker.TypeBoolean: {tracker.Bool(true), tracker.Bool(false)},
	tracker.TypeSelect:  texts("o0", "o1", "o2", "o3", "o10"),
	tracker.TypeMultiSelect: {tracker.Set([]string{"o0"}), tracker.Set([]string{"o1", "o2", "o3"}),
		tracker.Set([]string{"o3", "o4", "o5", "o6", "o7", "o8", "o9", "o10"})},
	tracker.TypeTags: {tracker.Set(names), tracker.Set([]string{"one"}), tracker.Set(manyTags())},
}

// words are strings that a careless reader or writer changes.
func words() []string {
	return []string{"a", `"`, `""`, `a"b`, `"a"`, ",", "a,b", "\n", "\r", "\r\n", "a\rb", "a\nb\rc\r\nd", " ", " a", "a ",
		"\t", "\x00", "a\x00b", "=1+1", "+1", "-1", "@x", "'", "null", "true", "007", "1e3", "é🙂", "\u2028",
		"\ufeff", "\ufffd", "[]", `["a"]`, "{}", `\n`, "<b>&", "\x1f", ";", "|", "\u00a0a\u00a0"}
}

func texts(all ...string) (out []tracker.Value) {
	for _, s := range all {
		out = append(out, tracker.Text(s))
	}
	return out
}

func manyTags() (tags []string) {
	for i := range tracker.MaxTags {
		tags = append(tags, fmt.Sprintf("tag %d, %s", i, strings.Repeat("x", 80)))
	}
	return tags
}

// everyType returns a field of each type, and an issue for each value of the type with the most values.
func everyType(t testing.TB) (fields []tracker.Field, issues []tracker.Issue) {
	t.Helper()
	rows := 0
	for i, kind := range tracker.FieldTypes {
		if values[kind] == nil {
			t.Errorf("internal/export/export_test.go: there are no values of type %s", kind)
		}
		field := tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", i)), Name: "The " + string(kind),
			Type: kind, Position: int64(i)}
		if kind.HasOptions() {
			for n, name := range names {
				field.Options = append(field.Options, tracker.Option{ID: tracker.OptionID(fmt.Sprint("o", n)),
					Name: name})
			}
		}
		fields = append(fields, field)
		rows = max(rows, len(values[kind])+1)
	}
	// names that clash with built-in columns, and with the syntax of the file
	for i, name := range []string{"Key", "created", "key (field)", `a,"b";c|d`} {
		fields = append(fields, tracker.Field{ID: tracker.FieldID(fmt.Sprint("x", i)), Name: name,
			Type: tracker.TypeText, Position: 100 + int64(i)})
	}
	at := time.Date(2024, 2, 29, 23, 59, 59, 123456000, time.UTC)
	for n := range rows {
		i := tracker.Issue{ID: tracker.IssueID{Issue: fmt.Sprint("i", n)}, Num: int64(3*n + 1), Version: 1,
			Name: words()[n%len(words())], State: []tracker.OptionID{"a", "b", "c"}[n%3],
			Created: at.Add(time.Duration(n) * time.Microsecond),
			Updated: at.Add(time.Duration(n) * time.Hour),
			Values:  map[tracker.FieldID]tracker.Value{}}
		i.Name = tracker.Shown(i.Name)
		if n < len(words()) {
			i.Description = tracker.Text(words()[n])
		}
		for k, field := range fields {
			if of := values[field.Type]; (n+k)%(len(of)+1) < len(of) {
				i.Values[field.ID] = of[(n+k)%(len(of)+1)]
			}
		}
		issues = append(issues, i)
	}
	last := &issues[len(issues)-1]
	last.Values, last.Description = nil, tracker.Value{} // a row without any value
	return fields, issues
}

// TestEveryFieldType exports and imports values of each type (E1).
func TestEveryFieldType(t *testing.T) {
	f := setup(t)
	f.roundTrip(f.project(everyType(t)))
}
