package dynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// soon shortens the time that jobs wait for changes with older definitions to half a second.
func soon(s *dynamo.Settings) {
	s.DefinitionTTL, s.WriteTime, s.IndexLag = time.Millisecond, 250*time.Millisecond, time.Millisecond
	s.ReadTime = time.Millisecond
}

// definition reads the current definition of the project.
func (f *fixture) definition() *tracker.Definition {
	f.Helper()
	d, err := f.another().Definition(f.Context(), project)
	f.must(err)
	return tracker.NewDefinition(d.Project, d.Fields)
}

func (f *fixture) jobs() []tracker.Job {
	f.Helper()
	d, err := f.another().Definition(f.Context(), project)
	f.must(err)
	return d.Jobs
}

// some creates n issues and sets the field of each to the result of value. It returns the values that are
// set.
func (f *fixture) some(n int, field tracker.FieldID,
	value func(n int) tracker.Value) map[tracker.IssueID]tracker.Value {
	f.Helper()
	d := f.definition()
	want := map[tracker.IssueID]tracker.Value{}
	var issues []tracker.Issue
	first, err := f.store.ReserveNums(f.Context(), project, n)
	f.must(err)
	for i := range n {
		issue := tracker.Issue{ID: tracker.IssueID{Project: project,
			Issue: fmt.Sprintf("%sx%d", field, int(first)+i)}, Num: first + int64(i), Name: fmt.Sprint(
			"Issue ", i), State: "open",
			Values: map[tracker.FieldID]tracker.Value{"fint": tracker.Int(int64(i))}}
		if v := value(i); v.Kind != tracker.KindNone {
			issue.Values[field] = v
			want[issue.ID] = v
		}
		issues = append(issues, issue)
	}
	f.must(f.store.PutIssues(f.Context(), d, issues))
	return want
}

// verifyAll compares all issues of the project and the whole index with the documents under the current
// definition, including long texts. It returns the issues.
func (f *fixture) verifyAll() []*tracker.Issue {
	f.Helper()
	d := f.definition()
	var docs []*document
	var ids []tracker.IssueID
	for _, m := range f.raw.issues(project) {
		_, issue, _ := strings.Cut(m["PK"].(string), "-p1.")
		ids = append(ids, tracker.IssueID{Project: project, Issue: issue})
	}
	issues, err := f.store.Issues(f.Context(), ids)
	f.must(err)
	stored := map[string]map[string]item{}
	for k, m := range f.raw.items(string(acme) + "/") {
		if stored[k.PK] == nil {
			stored[k.PK] = map[string]item{}
		}
		stored[k.PK][k.SK] = m
	}
	for at, i := range issues {
		if i == nil {
			f.Fatalf("issue %v does not exist", ids[at])
		}
		values := maps.Clone(i.Values)
		for id, v := range values {
			if v.Kind == tracker.KindLong {
				text, err := f.longText(tracker.LongRef{Issue: i.ID, Column: id.Column(), Long: v.Long()})
				f.must(err)
				values[id] = tracker.Text(text)
			}
		}
		doc := documentOf(acme, i, i.Description.Text(), values)
		verifyItems(f, stored[doc.pk()], d, doc)
		docs = append(docs, doc)
	}
	verifyIndex(f, f.raw, d, docs, ofAcme)
	return issues
}

func (f *fixture) runJobs() {
	f.Helper()
	f.must(f.store.RunJobs(f.Context(), project))
	for _, j := range f.jobs() {
		if j.Open() || j.Ended.IsZero() {
			f.Errorf("job %+v has not ended", j)
		}
	}
	for _, field := range f.definition().Fields {
		if field.Rebuilding() {
			f.Errorf("field %s is still being rebuilt", field.ID)
		}
	}
}

// TestMoveOptions reorders the options of a field.
//
//test:engine
func TestMoveOptions(t *testing.T) {
	f := setup(t, soon)
	f.some(120, "fsel", func(n int) tracker.Value {
		return tracker.Text([]string{"o0", "o1", "o2", ""}[n%4])
	})
	changed, err := f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error {
		slices.Reverse(field.Options)
		field.Options = slices.Insert(field.Options, 1, tracker.Option{ID: "new", Name: "New"})
		return nil
	})
	f.must(err)
	if !changed.Rebuilding() {
		t.Error("the field is not being rebuilt")
	}
	if jobs := f.jobs(); len(jobs) != 1 || jobs[0].Kind != tracker.JobMoveOptions ||
		jobs[0].Status != tracker.JobWaiting || jobs[0].Name != "Select" || jobs[0].Total != 120 {
		t.Errorf("jobs %+v", jobs)
	}
	f.runJobs()
	for _, i := range f.verifyAll() {
		if i.Version != 1 {
			t.Errorf("issue %d has version %d: moving options changed a document", i.Num, i.Version)
		}
	}
	if jobs := f.jobs(); jobs[0].Status != tracker.JobDone {
		t.Errorf("jobs %+v", jobs)
	}
	f.edit("fsel", func(field *tracker.Field) {
		field.Options = append(field.Options, tracker.Option{ID: "last", Name: "Last"})
		field.Options[0].Name = "Renamed"
	})
	if jobs := f.jobs(); len(jobs) != 1 {
		t.Errorf("renaming and adding at the end made a job: %+v", jobs)
	}
}

// TestMergeOptions merges options of fields of both types into others, and into none.
func TestMergeOptions(t *testing.T) {
	f := setup(t, soon)
	single := f.some(40, "fsel", func(n int) tracker.Value {
		return tracker.Text([]string{"o0", "o1", "o2", ""}[n%4])
	})
	multi := f.some(40, "fmulti", func(n int) tracker.Value {
		return tracker.Set([][]string{{"m0", "m1"}, {"m1", "m2"}, {"m2"}, {"m0", "m5"}, nil}[n%5])
	})
	f.merge("fsel", "o0", "o1")
	// issues with o0 end with o2 as well
	f.merge("fsel", "o1", "o2")
	f.merge("fmulti", "m0", "m1")
	f.merge("fmulti", "m2", "")
	want := map[tracker.IssueID]tracker.Value{}
	for id := range single {
		want[id] = tracker.Text("o2")
	}
	for id, v := range multi {
		var out []string
		for _, m := range v.Set() {
			if m == "m0" {
				m = "m1"
			}
			if m != "m2" && !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
		want[id] = tracker.Set(out)
	}
	check := func(when string, d *tracker.Definition) {
		t.Helper()
		for id, v := range want {
			field := tracker.FieldID("fsel")
			if strings.HasPrefix(id.Issue, "fmulti") {
				field = "fmulti"
			}
			if got := d.Current(f.read(id)).Values[field]; !got.Equal(v) {
				t.Errorf("%s: issue %v has %v, want %v", when, id, got, v)
			}
		}
	}
	d := f.definition()
	check("before the job", d)
	// An update of an issue that the job has not reached yet converts the issue and applies the change.
	var id tracker.IssueID
	for id = range single {
		if single[id].Text() == "o0" {
			break
		}
	}
	changed, err := f.store.UpdateIssue(t.Context(), d, id, one("fuser", tracker.Text("Ada")))
	f.must(err)
	if changed.Version != 3 {
		t.Errorf("version %d, want 3: the merging, and the change", changed.Version)
	}
	f.runJobs()
	f.verifyAll()
	check("after the job", f.definition())
	history, _, err := f.store.History(t.Context(), id, dynamo.HistoryQuery{Limit: 9})
	f.must(err)
	if len(history) != 2 || len(history[1].Columns) != 1 ||
		!history[1].Columns[0].After.Equal(tracker.Text("o2")) {
		t.Errorf("history %+v", history)
	}
	for _, test := range []struct {
		name string
		from []tracker.OptionID
		into tracker.OptionID
	}{{"none", nil, "m1"}, {"unknown", []tracker.OptionID{"gone"}, "m1"},
		{"into unknown", []tracker.OptionID{"m3"}, "gone"}, {"into itself", []tracker.OptionID{"m3"}, "m3"},
		{"merged before", []tracker.OptionID{"m0"}, "m3"}} {
		_, err := mergeOptions(t.Context(), f.store, project, "fmulti", test.from, test.into)
		wantCode(t, err, tracker.BadInput)
	}
}

// TestDeleteField deletes a field with its values, also those of deleted issues.
func TestDeleteField(t *testing.T) {
	f := setup(t, soon)
	long := strings.Repeat("long ", 100)
	f.some(60, "ftext", func(n int) tracker.Value { return tracker.Text([]string{"a", long, ""}[n%3]) })
	trashed := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("b")})
	f.must(f.store.DeleteIssue(t.Context(), trashed.ID, nil))
	f.must(f.store.DeleteField(t.Context(), project, "ftext", nil))
	if f.definition().Field("ftext") != nil {
		t.Error("the field is still there")
	}
	_, err := f.store.CreateField(t.Context(), project,
		tracker.Field{ID: "again", Name: "TEXT", Type: tracker.TypeText})
	f.must(err) // its name is free
	f.runJobs()
	for _, i := range f.verifyAll() {
		if _, ok := i.Values["ftext"]; ok {
			t.Errorf("issue %d has a value", i.Num)
		}
	}
	restored := f.restore(f.definition(), trashed.ID)
	if _, ok := restored.Values["ftext"]; ok {
		t.Error("the restored issue has a value")
	}
	f.verifyAll()
	wantCode(t, f.store.DeleteField(t.Context(), project, "ftext", nil), tracker.NotFound, "field")
}

// TestChangeFieldType converts values of every type that can be converted.
func TestChangeFieldType(t *testing.T) {
	long := strings.Repeat("é long ", 100)
	for _, test := range []struct {
		name    string
		field   tracker.FieldID
		to      tracker.Form
		values  []tracker.Value
		want    []tracker.Value
		refused int
	}{
		{"text to integer", "ftext", tracker.Form{Type: tracker.TypeInteger},
			[]tracker.Value{tracker.Text("42"), tracker.Text(" -7 "), tracker.Text("1e3"), tracker.Text("x"),
				tracker.Text("1.5"), tracker.Text(long)},
			[]tracker.Value{tracker.Int(42), tracker.Int(-7), tracker.Int(1000), {}, {}, {}}, 3},
		{"text to long text", "ftext", tracker.Form{Type: tracker.TypeLongText},
			[]tracker.Value{tracker.Text("a"), tracker.Text(long)},
			[]tracker.Value{tracker.Text("a"), tracker.Text(long)}, 0},
		{"long text to text", "flong", tracker.Form{Type: tracker.TypeText},
			[]tracker.Value{tracker.Text("a"), tracker.Text(long)},
			[]tracker.Value{tracker.Text("a"), tracker.Text(long)}, 0},
		{"text to user", "ftext", tracker.Form{Type: tracker.TypeUser},
			[]tracker.Value{tracker.Text("Ada"), tracker.Text(strings.Repeat("日", 200)), tracker.Text(long)},
			[]tracker.Value{tracker.Text("Ada"), tracker.Text(strings.Repeat("日", 200)), {}}, 1},
		{"integer to number", "fint", tracker.Form{Type: tracker.TypeNumber}, []tracker.Value{tracker.Int(5)},
			[]tracker.Value{tracker.Float(5)}, 0},
		{"number to integer", "fnum", tracker.Form{Type: tracker.TypeInteger},
			[]tracker.Value{tracker.Float(5), tracker.Float(2.5)}, []tracker.Value{tracker.Int(5), {}}, 1},
		{"date to datetime", "fdate", tracker.Form{Type: tracker.TypeDateTime},
			[]tracker.Value{tracker.Text("2024-02-29")},
			[]tracker.Value{tracker.Text("2024-02-29T00:00:00Z")}, 0},
		{"datetime to date", "ftime", tracker.Form{Type: tracker.TypeDate},
			[]tracker.Value{tracker.Text("2024-02-29T23:00:00.5Z")},
			[]tracker.Value{tracker.Text("2024-02-29")}, 0},
		{"boolean to text", "fbool", tracker.Form{Type: tracker.TypeText},
			[]tracker.Value{tracker.Bool(true), tracker.Bool(false)},
			[]tracker.Value{tracker.Text("true"), tracker.Text("false")}, 0},
		{"text to boolean", "ftext", tracker.Form{Type: tracker.TypeBoolean},
			[]tracker.Value{tracker.Text("Yes"), tracker.Text("0"), tracker.Text("maybe")},
			[]tracker.Value{tracker.Bool(true), tracker.Bool(false), {}}, 1},
		{"select to multi-select", "fsel", tracker.Form{Type: tracker.TypeMultiSelect},
			[]tracker.Value{tracker.Text("o1")}, []tracker.Value{tracker.Set([]string{"o1"})}, 0},
		{"multi-select to select", "fmulti", tracker.Form{Type: tracker.TypeSelect},
			[]tracker.Value{tracker.Set([]string{"m1"}), tracker.Set([]string{"m1", "m2"})},
			[]tracker.Value{tracker.Text("m1"), {}}, 1},
		{"select to text", "fsel", tracker.Form{Type: tracker.TypeText}, []tracker.Value{tracker.Text("o1")},
			[]tracker.Value{tracker.Text("Option 1")}, 0},
		{"text to select", "ftext", tracker.Form{Type: tracker.TypeSelect,
			Options: []tracker.Option{{ID: "x1", Name: "First"}, {ID: "x2", Name: "Second"}}},
			[]tracker.Value{tracker.Text("second"), tracker.Text("third")},
			[]tracker.Value{tracker.Text("x2"), {}}, 1},
		{"text to tags", "ftext", tracker.Form{Type: tracker.TypeTags},
			[]tracker.Value{tracker.Text("a, b"), tracker.Text(long)},
			[]tracker.Value{tracker.Set([]string{"a, b"}), {}}, 1},
		{"tags to text", "ftags", tracker.Form{Type: tracker.TypeText},
			[]tracker.Value{tracker.Set([]string{"a", "B"})}, []tracker.Value{tracker.Text("a, B")}, 0},
		{"tags to multi-select", "ftags",
			tracker.Form{Type: tracker.TypeMultiSelect,
				Options: []tracker.Option{{ID: "x1", Name: "A"}, {ID: "x2", Name: "B"}}},
			[]tracker.Value{tracker.Set([]string{"b", "a"}), tracker.Set([]string{"a", "c"})},
			[]tracker.Value{tracker.Set([]string{"x2", "x1"}), {}}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := setup(t, soon)
			f.some(60, test.field, func(n int) tracker.Value {
				if n < len(test.values) {
					return test.values[n]
				}
				return tracker.Value{}
			})
			if test.refused > 0 {
				before := f.raw.items("acme/issue-")
				_, err := f.store.ChangeFieldType(t.Context(), project, test.field, test.to, false, nil)
				f.must(err)
				f.runJobs()
				job := f.jobs()[0]
				if job.Status != tracker.JobFailed || job.ProblemCount != int64(test.refused) ||
					len(job.Problems) != test.refused || job.Problems[0].Reason == "" {
					t.Errorf("job %+v, want %d problems", job, test.refused)
				}
				if diff := cmp.Diff(before, f.raw.items("acme/issue-")); diff != "" {
					t.Errorf("a job that failed changed something:\n%s", diff)
				}
				if got := f.definition().Field(test.field); got.Gen != 0 || got.Type == test.to.Type {
					t.Errorf("the field is %+v", got)
				}
			}
			_, err := f.store.ChangeFieldType(t.Context(), project, test.field, test.to, test.refused > 0,
				nil)
			f.must(err)
			f.runJobs()
			if got := f.definition().Field(test.field); got.Gen != 1 || got.Type != test.to.Type {
				t.Errorf("the field is %+v", got)
			}
			for n, i := range f.verifyAll() {
				var want tracker.Value
				if n < len(test.want) {
					want = test.want[n]
				} else if test.field == "fint" && test.to.Type == tracker.TypeNumber {
					continue // every issue has a value of fint
				}
				got := i.Values[test.field]
				if got.Kind == tracker.KindLong {
					text, err := f.longText(tracker.LongRef{Issue: i.ID, Column: test.field.Column(),
						Long: got.Long()})
					f.must(err)
					got = tracker.Text(text)
				}
				if got.Kind == tracker.KindNum && want.Kind == tracker.KindNum &&
					got.Float() == want.Float() {
					continue
				}
				if !got.Equal(want) {
					t.Errorf("value %d became %v, want %v", n, got, want)
				}
			}
		})
	}
}
