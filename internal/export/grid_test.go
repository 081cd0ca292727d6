package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/graph"
	"issuegrid/graph/model"
	"issuegrid/internal/export"
	"issuegrid/internal/importer"
	"issuegrid/internal/sample"
	"issuegrid/internal/session"
	"issuegrid/tracker"
)

func csvOf(columns string) export.Options {
	return export.Options{Format: importer.CSV, Columns: columns}
}

// load creates a table with a sample project. Its definition is cached.
func load(t *testing.T, p sample.Project, set ...func(*dynamo.Settings)) *fixture {
	t.Helper()
	f := open(t, set...)
	f.must(sample.Load(t.Context(), f.db, []sample.Project{p}, func(int, int) {}))
	var err error
	f.tenant, err = f.db.Tenant(p.Tenant.ID)
	f.must(err)
	_, err = f.tenant.Definition(t.Context(), p.Project.ID)
	f.must(err)
	return f
}

// rows reads a CSV file.
func rows(t *testing.T, file string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, importer.ByteOrderMark))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOrderAndFilter compares exports with the pages of the API for the same arguments (E2), also if the work
// budget ends pages early.
func TestOrderAndFilter(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:700]
	f := load(t, p)
	field := func(id tracker.FieldID) string { return model.FieldNodeID(p.Tenant.ID, p.Project.ID, id) }
	grids := []graph.ExportedGrid{
		{},
		{OrderBy: `[{"column": {"builtin": "CREATED_AT"}, "direction": "DESC"}]`},
		{OrderBy: fmt.Sprintf(`{"column": {"fieldId": %q}, "nulls": "FIRST"}`, field("f05"))},
		{Where: `{"open": true}`, OrderBy: fmt.Sprintf(
			`[{"column": {"builtin": "STATE"}}, {"column": {"fieldId": %q}}]`, field("f04"))},
		{Where: fmt.Sprintf(`{"fields": [{"fieldId": %q, "option": {"eq": "High"}}]}`, field("f08"))},
		{Where: `{"name": {"contains": "paint"}, "state": {"in": ["New", "Done"]}}`},
		{Where: `{"num": {"lt": 0}}`},
		{Where: fmt.Sprintf(`{"fields": [{"fieldId": %q,
			"date": {"relative": {"lt": {"base": "START_OF_DAY"}}}}]}`, field("f05")),
			TimeZone: "Pacific/Kiritimati"},
	}
	begin := session.NewFactory(f.db, session.Anonymous, nil)
	for _, budget := range []int{0, 30} {
		options := graph.Options{PageBudget: budget}
		api := graph.NewHandler(begin, options)
		for _, g := range grids {
			g.Project = model.ProjectNodeID(p.Tenant.ID, p.Project.ID)
			x, err := graph.NewExports(begin, options).Open(t.Context(), g)
			f.must(err)
			var b bytes.Buffer
			_, err = export.Write(t.Context(), &b, x, csvOf("number"))
			f.must(err)
			x.Close()
			var got []string
			for _, row := range rows(t, b.String())[1:] {
				got = append(got, row[0])
			}
			if diff := cmp.Diff(pages(t, api, g), got); diff != "" {
				t.Errorf("%+v with a budget of %d (-API +export):\n%.1000s", g, budget, diff)
			}
		}
	}
}

// pages returns the numbers of the rows of a grid, from the API.
func pages(t *testing.T, api http.Handler, g graph.ExportedGrid) (nums []string) {
	t.Helper()
	variables := map[string]any{"id": g.Project}
	if g.TimeZone != "" {
		variables["zone"] = g.TimeZone
	}
	for name, text := range map[string]string{"where": g.Where, "orderBy": g.OrderBy} {
		if text != "" {
			variables[name] = json.RawMessage(text)
		}
	}
	for {
		body, err := json.Marshal(map[string]any{"variables": variables, "query": `
			query($id: ID!, $where: IssueFilter, $orderBy: [IssueOrder!], $after: String,
				$zone: TimeZone! = "UTC") { project(id: $id) {
				issues(first: 37, after: $after, where: $where, orderBy: $orderBy, timeZone: $zone) {
					nodes { num } pageInfo { hasNextPage endCursor } } } }`})
		if err != nil {
			t.Fatal(err)
		}
		r, w := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/json")
		api.ServeHTTP(w, r)
		var got struct {
			Data struct {
				Project struct {
					Issues struct {
						Nodes    []struct{ Num int }
						PageInfo struct {
							HasNextPage bool
							EndCursor   string
						}
					}
				}
			}
			Errors []struct{ Message string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Errors != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
		page := got.Data.Project.Issues
		for _, n := range page.Nodes {
			nums = append(nums, fmt.Sprint(n.Num))
		}
		if !page.PageInfo.HasNextPage {
			return nums
		}
		variables["after"] = page.PageInfo.EndCursor
	}
}

// TestCalls checks what an export reads: a definition, and for each 100 rows one Query and one BatchGetItem.
func TestCalls(t *testing.T) {
	p := sample.Generated()
	p.Issues = p.Issues[:250]
	f := load(t, p)
	f.wire.Reset()
	x := f.grid(p.Project.ID)
	_, err := export.Write(t.Context(), io.Discard, x, csvOf("key, Priority"))
	f.must(err)
	want := map[string]int{"Query": 3, "BatchGetItem": 3} // the definition is cached
	if diff := cmp.Diff(want, f.wire.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, x.Cost().Calls); diff != "" {
		t.Errorf("reported calls (-want +got):\n%s", diff)
	}
	if rcu := x.Cost().RCU; rcu < 125 || rcu > 130 {
		t.Errorf("%v RCU for 250 documents", rcu)
	}
}

// TestColumns exports the named columns in their order.
func TestColumns(t *testing.T) {
	f := setup(t)
	d := f.project(everyType(t))
	for list, want := range map[string][]string{
		"": {"key", "number", "name", "state", "created", "updated", "created by", "updated by",
			"description", "The TEXT", "The LONG_TEXT", "The INTEGER", "The NUMBER", "The DATE",
			"The DATETIME", "The BOOLEAN", "The SELECT", "The MULTI_SELECT", "The TAGS", "The USER",
			"Key (field)", "created (field)", "key (field) (field)", `a,"b";c|d`},
		"number":                               {"number"},
		`name, number,"a,""b"";c|d", THE USER`: {"name", "number", `a,"b";c|d`, "The USER"},
		"Key (field),key":                      {"Key (field)", "key"},
	} {
		file, _ := f.export(d, csvOf(list))
		if diff := cmp.Diff(want, rows(t, file)[0]); diff != "" {
			t.Errorf("columns of %q (-want +got):\n%s", list, diff)
		}
		file, _ = f.export(d, export.Options{Format: importer.JSONLines, Columns: list})
		line, _, _ := strings.Cut(file, "\n")
		var members map[string]any
		f.must(json.Unmarshal([]byte(line), &members))
		if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("the members for %q are %q", list, got)
		}
		at := -1
		for _, name := range want {
			quoted, _ := json.Marshal(name)
			next := strings.Index(line, string(quoted)+":")
			if next <= at {
				t.Errorf("%q is out of order in %s", name, line)
			}
			at = next
		}
	}
	// a file of one column has a record for each row, also for those without a value
	file, m := f.export(d, export.Options{Format: importer.CSV, Columns: "The SELECT"})
	if got := len(rows(t, file)); got != len(f.issues(d))+1 || m != nil {
		t.Errorf("%d records, mapping %v", got, m)
	}
	// a part of the columns can be imported
	file, m = f.export(d, export.Options{Format: importer.CSV, Columns: "The TAGS,name,created,description"})
	if got, want := len(f.issues(f.imported(file, m))), len(f.issues(d)); got != want {
		t.Errorf("%d of %d rows were imported", got, want)
	}
}

// TestFormats compares the cells with a file that is written by hand.
func TestFormats(t *testing.T) {
	f := setup(t)
	at := time.Date(2026, 1, 31, 9, 30, 0, 123000, time.UTC)
	d := f.project([]tracker.Field{{ID: "n", Name: "N", Type: tracker.TypeNumber},
		{ID: "t", Name: "T", Type: tracker.TypeTags, Position: 1},
		{ID: "b", Name: "B", Type: tracker.TypeBoolean, Position: 2}},
		[]tracker.Issue{{ID: tracker.IssueID{Issue: "i"}, Num: 12, Version: 1, State: "b", Name: " =1+1",
			CreatedBy: "Zoë", UpdatedBy: "b,c", Created: at, Updated: at.Add(time.Hour).Truncate(time.Second),
			Description: tracker.Text("a\r\n<b>"),
			Values: map[tracker.FieldID]tracker.Value{"t": tracker.Set([]string{"x", "y,z"}),
				"n": tracker.Float(1e-7), "b": tracker.Bool(false)}},
			{ID: tracker.IssueID{Issue: "j"}, Num: 13, Version: 1, State: "a", Name: "x", Created: at,
				Updated: at}})
	for format, want := range map[importer.Format]string{
		importer.CSV: importer.ByteOrderMark +
			"key,number,name,state,created,updated,created by,updated by,description,N,T,B\r\n" +
			"P1-12,12,\" =1+1\",\"Doing, \"\"now\"\"\",2026-01-31T09:30:00.000123Z,2026-01-31T10:30:00Z," +
			"Zoë,\"b,c\",\"a\r\n<b>\",1e-07,\"x\ny,z\",false\r\n" +
			"P1-13,13,x,To do,2026-01-31T09:30:00.000123Z,2026-01-31T09:30:00.000123Z,,,,,,\r\n",
		importer.JSONLines: `{"key":"P1-12","number":12,"name":" =1+1","state":"Doing, \"now\"",` +
			`"created":"2026-01-31T09:30:00.000123Z","updated":"2026-01-31T10:30:00Z",` +
			`"created by":"Zoë","updated by":"b,c","description":"a\r\n<b>","N":1e-07,"T":["x","y,z"],"B":false}` + "\n" +
			`{"key":"P1-13","number":13,"name":"x","state":"To do","created":"2026-01-31T09:30:00.000123Z",` +
			`"updated":"2026-01-31T09:30:00.000123Z","created by":null,"updated by":null,` +
			`"description":null,"N":null,"T":null,"B":null}` + "\n",
	} {
		file, _ := f.export(d, export.Options{Format: format})
		if diff := cmp.Diff(want, file); diff != "" {
			t.Errorf("%s (-want +got):\n%s", format, diff)
		}
	}
}

// TestLineBreakInTag: a tag that CSV would split is an error, and exact in JSON Lines (E1).
func TestLineBreakInTag(t *testing.T) {
	f := setup(t)
	d := f.project([]tracker.Field{{ID: "t", Name: "T", Type: tracker.TypeTags}}, []tracker.Issue{{
		ID: tracker.IssueID{Issue: "i"}, Num: 7, Version: 1, State: "a", Name: "x", Created: time.Unix(1, 0),
		Updated: time.Unix(1, 0), Values: map[tracker.FieldID]tracker.Value{
			"t": tracker.Set([]string{"a\nb", "c"})}}})
	x := f.grid(d.Project.ID)
	var b bytes.Buffer
	if _, err := export.Write(t.Context(), &b, x, csvOf("")); tracker.CodeOf(err) != tracker.BadInput ||
		b.Len() > 0 || !strings.Contains(err.Error(), "issue 7") {
		t.Errorf("%v, %q", err, &b)
	}
	file, _ := f.export(d, export.Options{Format: importer.JSONLines, Columns: "T"})
	if want := `{"T":["a\nb","c"]}` + "\n"; file != want {
		t.Errorf("%q, want %q", file, want)
	}
}

// TestInvalid checks that every invalid argument has an error with its path, and that nothing is written.
func TestInvalid(t *testing.T) {
	f := setup(t)
	d := f.project(everyType(t))
	for _, tt := range []struct {
		g       graph.ExportedGrid
		columns string
		paths   []string
	}{
		{graph.ExportedGrid{Where: `{`}, "", []string{"where"}},
		{graph.ExportedGrid{Where: `{} {}`}, "", []string{"where"}},
		{graph.ExportedGrid{Where: `"open"`, OrderBy: `7`}, "", []string{"where", "orderBy"}},
		{graph.ExportedGrid{Where: `{"open": "yes", "name": {"eq": 7}}`}, "",
			[]string{"where.name.eq", "where.open"}},
		{graph.ExportedGrid{Where: `{"open": true, "open": true}`}, "", []string{"where"}},
		{graph.ExportedGrid{Where: `{"name": {"eq": null}}`}, "", []string{"where.name"}},
		{graph.ExportedGrid{Where: `{"state": {"eq": "None"}}`}, "", []string{"where.state.eq"}},
		{graph.ExportedGrid{Where: `{"state": {"eqId": "None"}}`}, "", []string{"where.state.eqId"}},
		{graph.ExportedGrid{OrderBy: `[{"column": {"builtin": "KEY"}}]`}, "",
			[]string{"orderBy[0].column.builtin"}},
		{graph.ExportedGrid{OrderBy: `[{"column": {"fieldId": "x"}}]`}, "",
			[]string{"orderBy[0].column.fieldId"}},
		{graph.ExportedGrid{Where: strings.Repeat(`{"not":`, 50) + "{}" + strings.Repeat(`}`, 50)}, "",
			[]string{"where"}},
		{graph.ExportedGrid{TimeZone: "Mars/Base"}, "", []string{"timeZone"}},
		{graph.ExportedGrid{Where: `{"createdAt": {"relative": {"lt":
			{"base": "START_OF_DAY", "offset": 2000000}}}}`}, "", []string{"where.createdAt.relative.lt.offset"}},
		{graph.ExportedGrid{}, "name,nothing,name", []string{"columns[1]", "columns[2]"}},
		{graph.ExportedGrid{}, strings.Repeat("name,", 100), []string{"columns"}},
		{graph.ExportedGrid{}, `"name`, []string{"columns"}},
		{graph.ExportedGrid{}, "name\nstate", []string{"columns"}},
	} {
		tt.g.Project = model.ProjectNodeID("acme", d.Project.ID)
		x, err := f.exports.Open(t.Context(), tt.g)
		var b bytes.Buffer
		if err == nil {
			_, err = export.Write(t.Context(), &b, x, csvOf(tt.columns))
			x.Close()
		}
		var paths []string
		for _, e := range tracker.AllOf(err) {
			if e.Code != tracker.BadInput {
				t.Errorf("%+v: %s is %s", tt.g, e.Message, e.Code)
			}
			paths = append(paths, e.Path)
		}
		if diff := cmp.Diff(tt.paths, paths); diff != "" || b.Len() > 0 {
			t.Errorf("%+v %q: %v (-want +got), %d bytes written:\n%s", tt.g, tt.columns, err, b.Len(), diff)
		}
	}
	x, err := f.exports.Open(t.Context(), graph.ExportedGrid{Project: "nothing"})
	f.must(err)
	if _, _, _, err = x.Page(t.Context(), nil); tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("an unknown project: %v", err)
	}
}
