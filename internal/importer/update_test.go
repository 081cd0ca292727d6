package importer_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/check"
	"issuegrid/internal/importer"
	"issuegrid/tracker"
)

// wantSummary checks the counts of an import.
func wantSummary(t testing.TB, s *importer.Summary, want string) {
	t.Helper()
	if got, _, _ := strings.Cut(s.String(), "\n"); got != want {
		t.Errorf("the summary is %q, want %q", got, want)
	}
}

// consistent checks that the table has no damage.
func (f *fixture) consistent() {
	f.Helper()
	report, err := check.Run(f.Context(), f.db, check.Options{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, kind := range report.Kinds {
		f.Errorf("the check finds %d of the kind %s: %v", kind.Found, kind.Kind, kind.Examples)
	}
	if report.InProgress > 0 {
		f.Errorf("%d issues are in progress", report.InProgress)
	}
}

// last returns the last change of an issue.
func (f *fixture) last(i *tracker.Issue) tracker.Changed {
	f.Helper()
	page, _, err := f.tenant.History(f.Context(), i.ID, dynamo.HistoryQuery{Limit: 1})
	if err != nil || len(page) != 1 {
		f.Fatalf("%d changes of issue %d, error %v", len(page), i.Num, err)
	}
	return page[0]
}

const everyColumn = `{"columns": [{"column": "key", "to": "rowKey"}, {"column": "name", "to": "name"},
	{"column": "state", "to": "state"}, {"column": "description", "to": "description"},
	{"column": "created", "to": "createdAt"}, {"column": "updated", "to": "updatedAt"},
	{"column": "text", "type": "TEXT"}, {"column": "long", "type": "LONG_TEXT"},
	{"column": "integer", "type": "INTEGER"}, {"column": "number", "type": "NUMBER"},
	{"column": "date", "type": "DATE"}, {"column": "datetime", "type": "DATETIME"},
	{"column": "boolean", "type": "BOOLEAN"}, {"column": "select", "type": "SELECT"},
	{"column": "multi", "type": "MULTI_SELECT", "separator": ";"},
	{"column": "tags", "type": "TAGS", "separator": " "}, {"column": "user", "type": "USER"}]}`

// TestUpdateEachColumn changes one cell after the other. Each change is one version of its issue, with that
// column alone, and the issue in the other line does not change.
func TestUpdateEachColumn(t *testing.T) {
	f := setup(t)
	long := strings.Repeat("long ", 1000)
	type cells map[string]string
	row := cells{"name": "a", "state": "Open", "description": "d", "created": "2020-01-01",
		"updated": "2020-01-02", "text": "t", "long": long, "integer": "1", "number": "1.5",
		"date": "2020-01-01", "datetime": "2020-01-01T00:00:00Z", "boolean": "true", "select": "x",
		"multi": "x;y", "tags": "a b", "user": "ada"}
	columns := slices.Sorted(maps.Keys(row))
	m := f.mapping(everyColumn)
	run := func(row cells) *importer.Summary {
		t.Helper()
		var in strings.Builder
		in.WriteString("key," + strings.Join(columns, ","))
		for _, key := range []string{"edited", "other"} {
			in.WriteString("\n" + key)
			for _, c := range columns {
				in.WriteString(",\"" + row[c] + "\"")
			}
			row = cells{"name": "other", "state": "Closed", "select": "y", "multi": "y;z", "long": long}
		}
		return f.run(importer.Options{File: f.file("in.csv", in.String()), Mapping: m})
	}
	wantSummary(t, run(row), "added 2, changed 0, unchanged 0, rejected 0")
	wantSummary(t, run(row), "added 0, changed 0, unchanged 2, rejected 0")
	version := int64(1)
	for _, c := range []struct{ column, cell string }{{"name", "b"}, {"name", ""}, {"state", "Closed"},
		{"description", long}, {"description", long + "er"}, {"description", ""}, {"text", long},
		{"text", ""}, {"long", "short"}, {"long", long + "er"}, {"long", ""}, {"integer", "2"},
		{"integer", ""}, {"number", "1e3"}, {"number", ""}, {"date", "2020-01-02"}, {"date", ""},
		{"datetime", "2020-01-01T00:00:01+01:00"}, {"datetime", ""}, {"boolean", "no"}, {"boolean", ""},
		{"select", "y"}, {"select", ""}, {"multi", "y;x"}, {"multi", "y"}, {"multi", ""}, {"tags", "b"},
		{"tags", ""}, {"user", "bob"}, {"user", ""}} {
		row[c.column] = c.cell
		s := run(row)
		version++
		issue := f.issues(f.definition("P"))[0]
		last := f.last(issue)
		if s.Changed != 1 || s.Unchanged != 1 || issue.Version != version || last.Version != version ||
			last.By.Kind != tracker.ActorImport || last.Kind != tracker.Updated || len(last.Columns) != 1 {
			t.Errorf("%s becomes %.10q: %s; version %d, want %d; the last change is %+v", c.column, c.cell,
				s, issue.Version, version, last)
		}
	}
	for _, c := range []struct{ column, cell string }{{"state", ""}, {"created", "2021-01-01"},
		{"updated", ""}} {
		row[c.column] = c.cell
		wantSummary(t, run(row), "added 0, changed 0, unchanged 2, rejected 0")
	}
	d := f.definition("P")
	issues := f.issues(d)
	if i := issues[0]; len(i.Values) != 0 || i.Description.Kind != tracker.KindNone || i.Name != "" ||
		tracker.FormatDateTime(i.Created) != "2020-01-01T00:00:00Z" || time.Since(i.Updated) > time.Hour {
		t.Errorf("the issue is %+v", i)
	}
	if i := issues[1]; i.Version != 1 || f.shown(fieldOf(d, "long"), i) != long {
		t.Errorf("the other issue is %+v", i)
	}
	f.consistent()
}

func fieldOf(d *tracker.Definition, name string) *tracker.Field {
	return d.FieldNamed(name)
}

// TestUpdateLeavesTheRest checks that what the file does not have stays: other columns, other issues, members
// that are missing in a line of JSON, and with Options.OnlyNew all issues.
func TestUpdateLeavesTheRest(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("a.csv", "key,title,points,text\n1,a,1,x\n2,b,2,y\n3,c,3,z\n")})
	shown := func() string {
		t.Helper()
		d := f.definition("P")
		var out []string
		for _, i := range f.issues(d) {
			out = append(out, strings.Join([]string{fmt.Sprint(i.Version), i.Name,
				f.shown(fieldOf(d, "points"), i), f.shown(fieldOf(d, "text"), i)}, " "))
		}
		return strings.Join(out, ", ")
	}
	for _, c := range []struct {
		name, in, summary, want string
		onlyNew                 bool
	}{
		{"b.csv", "key,title,points\n2,b,20\n", "added 0, changed 1, unchanged 0, rejected 0",
			"1 a 1 x, 2 b 20 y, 1 c 3 z", false},
		{"c.jsonl", `{"key": "1", "title": "a", "text": null}` + "\n" + `{"key": "3", "points": 4}` + "\n",
			"added 0, changed 2, unchanged 0, rejected 0", "2 a 1 , 2 b 20 y, 2 c 4 z", false},
		{"d.csv", "key,title,points\n1,A,\n2,B,\n4,d,5\n", "added 1, changed 0, unchanged 2, rejected 0",
			"2 a 1 , 2 b 20 y, 2 c 4 z, 1 d 5 ", true},
	} {
		wantSummary(t, f.run(importer.Options{File: f.file(c.name, c.in), OnlyNew: c.onlyNew}), c.summary)
		if got := shown(); got != c.want {
			t.Errorf("after %s the issues are %q, want %q", c.name, got, c.want)
		}
	}
}

// TestUpdateRejects checks rows that cannot change their issue: all of the row is rejected.
func TestUpdateRejects(t *testing.T) {
	f := setup(t)
	m := f.keyed(`{"column": "n", "to": "num"}`, `{"column": "points", "type": "INTEGER"}`,
		`{"column": "kind", "type": "SELECT"}`)
	f.run(importer.Options{File: f.file("in.csv", "key,n,name,points,kind\na,1,a,1,x\nb,2,b,2,y\n"),
		Mapping: m})
	rejected := f.rejected(importer.Options{Mapping: m, File: f.file("in.csv", "key,n,name,points,kind\n"+
		"a,3,A,1,x\nb,,B,many,y\nc,2,c,3,x\nd,4,d,4,z\ne,1,e,5,x\n")})
	want := map[string]string{"a": "another number", "b": "not an integer", "c": "number taken",
		"d": "not an option", "e": "number taken"}
	if !maps.Equal(rejected, want) {
		t.Errorf("rejected %q, want %q", rejected, want)
	}
	f.want("P", "1 a", "2 b")
	wantSummary(t, f.run(importer.Options{File: f.file("in.csv", "key,n,name,points,kind\na,,A,1,x\n"),
		Mapping: m}), "added 0, changed 1, unchanged 0, rejected 0")
}

// TestTooLarge rejects rows that would make their issues too large, new or existing ones, and no others of
// the same calls.
func TestTooLarge(t *testing.T) {
	f := setup(t)
	// 50 fields of 100 tags of 100 characters exceed the size of an item.
	var columns, tags []string
	head := "key,name"
	for i := range 50 {
		columns = append(columns, fmt.Sprintf(`{"column": "t%d", "type": "TAGS", "separator": " "}`, i))
		head += fmt.Sprint(",t", i)
	}
	for i := range 100 {
		tags = append(tags, fmt.Sprintf("%0100d", i))
	}
	m := f.keyed(columns...)
	small, large := strings.Repeat(",", 50), strings.Repeat(","+strings.Join(tags, " "), 50)
	for _, c := range []struct{ in, rejected string }{
		{"\na,a" + small + "\nb,b" + large + "\nc,c" + small + "\n", "b"},
		{"\na,A" + small + "\nc,c" + large + "\n", "c"},
	} {
		got := f.rejected(importer.Options{File: f.file("in.csv", head+c.in), Mapping: m})
		if len(got) != 1 || got[c.rejected] != "too large" {
			t.Errorf("rejected %q", got)
		}
	}
	f.want("P", "1 A", "3 c")
	if issues := f.issues(f.definition("P")); issues[0].Version != 2 || issues[1].Version != 1 {
		t.Errorf("the issues are %+v", issues)
	}
}

// TestDeletedIssue is added again by a repeated import, and can be changed by the next.
func TestDeletedIssue(t *testing.T) {
	f := setup(t)
	f.run(importer.Options{File: f.file("in.csv", "key,title\n1,a\n2,b\n")})
	deleted := f.issues(f.definition("P"))[0]
	if err := f.tenant.DeleteIssue(t.Context(), deleted.ID, nil); err != nil {
		t.Fatal(err)
	}
	opts := importer.Options{File: f.file("in.csv", "key,title\n1,a\n2,c\n")}
	wantSummary(t, f.run(opts), "added 1, changed 1, unchanged 0, rejected 0")
	wantSummary(t, f.run(opts), "added 0, changed 0, unchanged 2, rejected 0")
	f.want("P", "2 c", "3 a")
}
