package dynamo_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// once lets something happen once, before the first request for which is says so.
func (f *fixture) once(is func(r *dynamotest.Request) bool, do func()) {
	var done atomic.Bool
	f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
		if !done.Load() && is(r) && done.CompareAndSwap(false, true) {
			do()
		}
		return send(r)
	})
	f.Cleanup(func() {
		if !done.Load() {
			f.Error("what was to happen in between has not")
		}
	})
}

// change makes a job of a change of type.
func (f *fixture) change(field tracker.FieldID, to tracker.FieldType, remove bool) {
	f.Helper()
	_, err := f.store.ChangeFieldType(f.Context(), project, field, tracker.Form{Type: to}, remove)
	f.must(err)
}

// columnsOf are the columns that the history of an issue tells to have changed.
func (f *fixture) columnsOf(id tracker.IssueID) (out []tracker.Column) {
	f.Helper()
	history, _, err := f.store.History(f.Context(), id, dynamo.HistoryQuery{Limit: 99})
	f.must(err)
	for _, h := range history {
		for _, c := range h.Columns {
			out = append(out, c.Column)
		}
	}
	return out
}

// TestStaleGeneration sets a value by a definition from before a change of type, of an issue that was converted already.
func TestStaleGeneration(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(40 + n)) })
	stale := f.definition()
	f.change("ftext", tracker.TypeInteger, false)
	id := tracker.IssueID{Project: project, Issue: "ftextx1"}
	f.once(func(r *dynamotest.Request) bool { // the type is changed, and whoever knows of it changes the issue
		return r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), `"since":{"S":"0001`)
	}, func() {})
	ended := make(chan error)
	go func() { ended <- f.store.RunJobs(t.Context(), project) }()
	for f.definition().Field("ftext").Type != tracker.TypeInteger {
		if t.Context().Err() != nil {
			t.Fatal("the type does not change")
		}
	}
	other := f.another()
	_, err := other.UpdateIssue(t.Context(), f.definition(), id, one("fint", tracker.Int(1)))
	f.must(err)
	_, err = other.UpdateIssue(t.Context(), stale, id, one("ftext", tracker.Text("77")))
	f.must(err)
	f.must(<-ended)
	if v := f.read(id).Values["ftext"]; v.Kind != tracker.KindNum || v.Int() != 77 {
		t.Errorf("the INTEGER field has %+v, want 77", v)
	}
	f.verifyAll()
}

// TestNewFieldDuringJob makes a field, and gives it values, in the midst of a job that does not know it yet.
func TestNewFieldDuringJob(t *testing.T) {
	f := setup(t, soon)
	f.some(40, "fsel", func(n int) tracker.Value { return tracker.Text([]string{"o0", "o1"}[n%2]) })
	_, err := f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error { slices.Reverse(field.Options); return nil })
	f.must(err)
	other := f.another()
	id := tracker.IssueID{Project: project, Issue: "fselx30"}
	f.once(func(r *dynamotest.Request) bool {
		return r.Operation == "BatchGetItem" && strings.Contains(string(r.Body), "issue-p1")
	}, func() {
		_, err := other.CreateField(t.Context(), project, tracker.Field{ID: "fnew", Name: "New", Type: tracker.TypeInteger})
		f.must(err)
		d, err := other.Definition(t.Context(), project)
		f.must(err)
		_, err = other.UpdateIssue(t.Context(), d, id, one("fnew", tracker.Int(5)))
		f.must(err)
	})
	f.runJobs()
	if v := f.read(id).Values["fnew"]; v.Int() != 5 {
		t.Errorf("the new field has %v", v)
	}
	f.verifyAll()
}

// TestJobsInTheTrash converts and removes values of deleted issues: none goes unreported, and none is in no history.
func TestJobsInTheTrash(t *testing.T) {
	f := setup(t, soon)
	long := strings.Repeat("long ", 100)
	var trashed []tracker.IssueID
	for range 3 {
		i := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("precious"), "flong": tracker.Text(long), "fint": tracker.Int(7)})
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
		trashed = append(trashed, i.ID)
	}
	f.change("ftext", tracker.TypeInteger, false)
	f.runJobs()
	if j := f.jobs()[0]; j.Status != tracker.JobFailed || j.ProblemCount != 3 || j.Problems[0].Issue.Project != project {
		t.Errorf("job %+v, want three problems", j)
	}
	restored, err := f.store.RestoreIssue(t.Context(), f.definition(), trashed[0])
	f.must(err)
	if restored.Values["ftext"].Text() != "precious" {
		t.Errorf("restored with %v", restored.Values)
	}

	f.change("ftext", tracker.TypeInteger, true)
	f.must(f.store.DeleteField(t.Context(), project, "fint"))
	_, err = f.store.RestoreIssue(t.Context(), f.definition(), trashed[1]) // while the jobs are under way
	f.must(err)
	f.runJobs()
	f.must(f.store.DeleteField(t.Context(), project, "flong"))
	f.runJobs()
	_, err = f.store.RestoreIssue(t.Context(), f.definition(), trashed[2])
	f.must(err)
	f.verifyAll()
	for n, id := range trashed {
		if i := f.read(id); len(i.Values) != 0 {
			t.Errorf("issue %d has %v", n, i.Values)
		}
		got := f.columnsOf(id)
		for _, c := range []tracker.Column{"ftext", "fint", "flong"} {
			if !slices.Contains(got, c) {
				t.Errorf("issue %d: the value of %s is in no history: %v", n, c, got)
			}
		}
	}
	for k, m := range f.raw.items("acme/issue-p1") {
		if strings.Contains(k.SK, "xtext") && m["expires"] == nil {
			t.Errorf("no document refers to %s, and it does not expire", k.SK)
		}
	}
}

// TestRestoreBesideJobs restores an issue that the job converts, and ends, behind its reading.
func TestRestoreBesideJobs(t *testing.T) {
	f := setup(t, soon)
	i := f.issue(map[tracker.FieldID]tracker.Value{"ftext": tracker.Text("42"), "fsel": tracker.Text("o0")})
	f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	f.change("ftext", tracker.TypeInteger, false)
	_, err := f.store.MergeOptions(t.Context(), project, "fsel", []tracker.OptionID{"o0"}, "o2")
	f.must(err)
	wire := &dynamotest.Wire{}
	db, err := dynamo.Open(t.Context(), dynamo.Settings{Table: f.db.Table(), Endpoint: dynamotest.Endpoint(), Embedded: true, Transport: wire.Around})
	f.must(err)
	other, err := db.Tenant(acme)
	f.must(err)
	d, err := other.Definition(t.Context(), project)
	f.must(err)
	var ran atomic.Bool
	wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
		if r.Operation == "Query" && ran.CompareAndSwap(false, true) { // behind the reading of the trash
			f.runJobs()
		}
		return send(r)
	})
	restored, err := other.RestoreIssue(t.Context(), d, i.ID)
	f.must(err)
	if v := restored.Values["ftext"]; v.Int() != 42 || restored.Values["fsel"].Text() != "o2" {
		t.Errorf("restored with %v", restored.Values)
	}
	f.verifyAll()
}

// TestChangesWhileChecking changes a field while a job looks at its values.
func TestChangesWhileChecking(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "fsel", func(n int) tracker.Value { return tracker.Text("o1") })
	f.change("fsel", tracker.TypeMultiSelect, true)
	_, err := f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error {
		field.Options = append(field.Options, tracker.Option{ID: "added", Name: "Added"})
		field.Options[0].Name = "Renamed"
		return nil
	})
	f.must(err)
	_, err = f.store.MergeOptions(t.Context(), project, "fsel", []tracker.OptionID{"o0"}, "o2")
	wantCode(t, err, tracker.Conflict, "changing the type")
	_, err = f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error { field.Required = true; return nil })
	wantCode(t, err, tracker.Conflict, "changing the type")
	f.runJobs()
	field := f.definition().Field("fsel")
	if _, ok := field.Option("added"); !ok || field.Type != tracker.TypeMultiSelect || field.Options[0].Name != "Renamed" || field.Next != nil {
		t.Errorf("the field is %+v", field)
	}
	f.verifyAll()

	f.change("ftext", tracker.TypeInteger, false)
	text := f.definition().Field("ftext")
	if err := text.CheckWrite(tracker.Text("12")); err != nil {
		t.Error(err)
	}
	wantCode(t, text.CheckWrite(tracker.Text("x")), tracker.BadInput, "changing the type", "INTEGER")
	if err := text.CheckWrite(tracker.Value{}); err != nil {
		t.Error(err)
	}
	f.must(f.store.DeleteField(t.Context(), project, "ftext"))
	f.runJobs()
}

// TestIDsThatComeBack makes a field and an option again whose values a job is removing: an import derives their ids from their names.
func TestIDsThatComeBack(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "ftext", func(n int) tracker.Value { return tracker.Text("deleted") })
	f.must(f.store.DeleteField(t.Context(), project, "ftext"))
	again := tracker.Field{ID: "ftext", Name: "Text", Type: tracker.TypeInteger}
	_, err := f.store.CreateField(t.Context(), project, again)
	wantCode(t, err, tracker.Conflict, "removing the values")
	_, err = f.store.MergeOptions(t.Context(), project, "fsel", []tracker.OptionID{"o0"}, "o2")
	f.must(err)
	add := func(field *tracker.Field) error {
		field.Options = append(field.Options, tracker.Option{ID: "o0", Name: "Option 0"})
		return nil
	}
	_, err = f.store.UpdateField(t.Context(), project, "fsel", add)
	wantCode(t, err, tracker.Conflict, "replacing")
	f.runJobs()
	_, err = f.store.CreateField(t.Context(), project, again)
	f.must(err)
	_, err = f.store.UpdateField(t.Context(), project, "fsel", add)
	f.must(err)
	for _, i := range f.verifyAll() {
		if v, ok := i.Values["ftext"]; ok {
			t.Errorf("issue %d has %v in the new field", i.Num, v)
		}
	}
}

// TestJobsBeginLate: the wait for older definitions is counted from when the change is made, however long that took.
func TestJobsBeginLate(t *testing.T) {
	c := &clock{now: time.Now()}
	f := setup(t, soon, func(s *dynamo.Settings) { s.Now = c.time })
	f.some(1, "fsel", func(n int) tracker.Value { return tracker.Text("o1") })
	other := f.another()
	var stale *tracker.Definition
	f.once(func(r *dynamotest.Request) bool { return r.Operation == "TransactWriteItems" }, func() {
		c.add(2 * time.Second)
		var err error
		stale, err = other.Definition(t.Context(), project)
		f.must(err)
	})
	_, err := f.store.MergeOptions(t.Context(), project, "fsel", []tracker.OptionID{"o0"}, "o2")
	f.must(err)
	ended := make(chan error)
	go func() { ended <- f.store.RunJobs(t.Context(), project) }()
	_, err = other.CreateIssue(t.Context(), stale, tracker.Issue{Name: "Late", State: "open", Values: map[tracker.FieldID]tracker.Value{"fsel": tracker.Text("o0")}})
	f.must(err)
	for tick := time.NewTicker(time.Millisecond); ; { // the time from which the job waits may be any of the last ones
		c.add(2 * time.Second)
		select {
		case err = <-ended:
			tick.Stop()
		case <-tick.C:
			continue
		}
		break
	}
	f.must(err)
	for _, i := range f.verifyAll() {
		if v := i.Values["fsel"].Text(); v == "o0" {
			t.Errorf("issue %d has the option that was merged", i.Num)
		}
	}
}

// TestDeletionGoesOn removes a project though a request fails for good, and though a server dies at it that still has the lease.
func TestDeletionGoesOn(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(f *fixture, run func() (stop func()), failed <-chan error)
	}{
		{"an error", func(f *fixture, run func() func(), failed <-chan error) {
			stop := run()
			defer stop()
			f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
				if r.Operation == "BatchWriteItem" || r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), `"Delete"`) && !strings.Contains(string(r.Body), "xcounter") {
					return dynamotest.Refusal("AccessDeniedException", "no")
				}
				return send(r)
			})
			f.must(f.store.DeleteProject(f.Context(), project))
			<-failed
			f.wire.Intercept(nil)
			f.gone()
		}},
		{"a death", func(f *fixture, run func() func(), failed <-chan error) {
			f.must(f.store.DeleteProject(f.Context(), project))
			undo := f.cut(2) // the lease, and not the next
			stop := run()
			<-failed
			stop()
			undo()
			stop = run()
			defer stop()
			f.gone()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ahead atomic.Int64
			f := setup(t, soon, func(s *dynamo.Settings) {
				s.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Add(int64(100 * time.Millisecond)))) } // a clock that hurries
			})
			f.some(60, "fsel", func(n int) tracker.Value { return tracker.Text("o1") })
			failed := make(chan error, 99)
			test.do(f, func() func() {
				ctx, cancel := context.WithCancel(t.Context())
				wait := f.db.RunJobs(ctx, func(err error) { failed <- err })
				return func() { cancel(); wait() }
			}, failed)
		})
	}
}

// gone waits until nothing of the project is left.
func (f *fixture) gone() {
	f.Helper()
	for len(f.raw.items("acme/issue-p1"))+len(f.raw.items("acme/project-p1")) > 0 {
		if err := f.Context().Err(); err != nil {
			f.Fatal(err)
		}
	}
}

// TestDeletionFindsAll: whatever request fails while an issue of a project is removed, what is left is found again.
func TestDeletionFindsAll(t *testing.T) {
	f := setup(t, soon)
	var tags []string
	for n := range 100 {
		tags = append(tags, fmt.Sprint("tag", n))
	}
	f.issue(map[tracker.FieldID]tracker.Value{"ftags": tracker.Set(tags), "flong": tracker.Text(strings.Repeat("secret ", 100))})
	f.must(f.store.DeleteProject(t.Context(), project))
	failures := 0
	for fail := 1; ; fail++ {
		var n atomic.Int64
		f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
			if r.Operation == "BatchWriteItem" {
				if n.Add(1) == int64(fail) {
					return dynamotest.Refusal("ValidationException", "it is dead")
				}
			}
			return send(r)
		})
		err := f.store.RunJobs(t.Context(), project)
		if f.wire.Intercept(nil); err == nil {
			break
		}
		failures++
		db, err := dynamo.Open(t.Context(), dynamo.Settings{Table: f.db.Table(), Endpoint: dynamotest.Endpoint(), Embedded: true, Transport: f.wire.Around,
			DefinitionTTL: time.Millisecond, WriteTime: time.Second, Now: func() time.Time { return time.Now().Add(time.Duration(fail) * time.Minute) }})
		f.must(err)
		f.store, err = db.Tenant(acme)
		f.must(err)
	}
	if left := f.raw.items("acme/issue-p1"); len(left) > 0 || failures == 0 {
		t.Errorf("after %d failures %d items are left for good", failures, len(left))
	}
}

// TestWhatAJobCantDo: what is wrong with one issue is a problem of the job, and keeps it from nothing else.
func TestWhatAJobCantDo(t *testing.T) {
	f := setup(t, soon)
	long := strings.Repeat("long ", 100)
	f.some(5, "ftext", func(n int) tracker.Value { return tracker.Text(long) })
	for k := range f.raw.items("acme/issue-p1.ftextx1") {
		if strings.Contains(k.SK, "xtext") {
			f.raw.delete(k)
		}
	}
	_, err := f.store.MergeOptions(t.Context(), project, "fsel", []tracker.OptionID{"o0"}, "o2") // another field
	f.must(err)
	f.runJobs()
	if j := f.jobs()[0]; j.Status != tracker.JobDone || j.ProblemCount != 0 {
		t.Errorf("job %+v", j)
	}
	f.change("ftext", tracker.TypeUser, true)
	f.runJobs()
	if j := f.jobs()[0]; j.Status != tracker.JobDone || j.ProblemCount != 6 { // five when it looked, and the lost one
		t.Errorf("job %+v", j)
	}
}

// TestConvertedTextsAreLong: the names of options can make a text that is larger than an item.
func TestConvertedTextsAreLong(t *testing.T) {
	f := setup(t, soon)
	var options []tracker.Option
	var all []string
	for n := range 400 {
		id := fmt.Sprint("b", n)
		options, all = append(options, tracker.Option{ID: tracker.OptionID(id), Name: fmt.Sprintf("%04d%s", n, strings.Repeat("漢", 240))}), append(all, id)
	}
	fields := []tracker.FieldID{"fbig", "fbig2"}
	for _, id := range fields {
		_, err := f.store.CreateField(t.Context(), project, tracker.Field{ID: id, Name: "Big " + string(id), Type: tracker.TypeMultiSelect, Options: options})
		f.must(err)
	}
	values := map[tracker.FieldID]tracker.Value{"fbig": tracker.Set(all), "fbig2": tracker.Set(all)}
	i := f.create(f.store, f.definition(), tracker.Issue{Name: "Big", State: "open", Values: values})
	trashed := f.create(f.store, f.definition(), tracker.Issue{Name: "Big", State: "open", Values: values})
	f.must(f.store.DeleteIssue(t.Context(), trashed.ID, nil))
	for _, id := range fields {
		f.change(id, tracker.TypeText, false)
		f.runJobs()
	}
	restored, err := f.store.RestoreIssue(t.Context(), f.definition(), trashed.ID)
	f.must(err)
	f.verifyAll()
	for _, i := range []*tracker.Issue{f.read(i.ID), restored} {
		for _, id := range fields {
			v := i.Values[id]
			if v.Kind != tracker.KindLong {
				t.Fatalf("%s is of kind %d", id, v.Kind)
			}
			text, err := f.longText(tracker.LongRef{Issue: i.ID, Column: id.Column(), Long: v.Long()})
			f.must(err)
			if n := strings.Count(text, ", "); n != 399 {
				t.Errorf("%s has %d options", id, n+1)
			}
		}
	}
}

// TestManyProblems: the jobs of a project are in one item, whatever they have to tell.
func TestManyProblems(t *testing.T) {
	f := setup(t, func(s *dynamo.Settings) { s.DefinitionTTL, s.WriteTime = time.Millisecond, time.Millisecond })
	f.some(101, "ftext", func(n int) tracker.Value { return tracker.Text(strings.Repeat("漢", 70)) })
	for range 18 {
		f.change("ftext", tracker.TypeInteger, false)
		f.must(f.store.RunJobs(t.Context(), project))
	}
	jobs := f.jobs()
	if j := jobs[0]; j.Status != tracker.JobFailed || j.ProblemCount != 101 || len(j.Problems) != 100 {
		t.Errorf("%s with %d problems, %d of them told", j.Status, j.ProblemCount, len(j.Problems))
	}
	if j := jobs[10]; j.ProblemCount != 101 || len(j.Problems) != 0 {
		t.Errorf("an old job with %d problems tells %d", j.ProblemCount, len(j.Problems))
	}
}

// TestJobsIndexWhatTheyConvert: a job does not end while entries are missing that it could not write.
func TestJobsIndexWhatTheyConvert(t *testing.T) {
	f := setup(t, soon)
	var tags []string
	to := tracker.Form{Type: tracker.TypeMultiSelect}
	for n := range 60 {
		tags = append(tags, fmt.Sprint("tag", n))
		to.Options = append(to.Options, tracker.Option{ID: tracker.OptionID(fmt.Sprint("t", n)), Name: fmt.Sprint("tag", n)})
	}
	f.some(2, "ftags", func(int) tracker.Value { return tracker.Set(tags) })
	_, err := f.store.ChangeFieldType(t.Context(), project, "ftags", to, false)
	f.must(err)
	var refused atomic.Int64
	f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
		body := string(r.Body)
		if r.Operation == "TransactWriteItems" && strings.Contains(body, "xindex") && strings.Contains(body, "ConditionCheck") && refused.Add(1) <= 2 {
			return dynamotest.Refusal("AccessDeniedException", "no")
		}
		return send(r)
	})
	for f.jobs()[0].Open() {
		_ = f.store.RunJobs(t.Context(), project) // whoever goes on
	}
	f.wire.Intercept(nil)
	if refused.Load() < 2 {
		t.Errorf("%d requests were refused", refused.Load())
	}
	f.verifyAll()
}

// TestMadeTwiceAtATime makes a field, and a project, twice under one key at the same time: both are told of the one that was made.
func TestMadeTwiceAtATime(t *testing.T) {
	f := setup(t)
	once, other := f.store.Once(tracker.Once{Key: "k", Print: "x"}), f.another().Once(tracker.Once{Key: "k", Print: "x"})
	f.overtaken(func() {
		_, err := other.CreateField(t.Context(), project, tracker.Field{ID: "first", Name: "New", Type: tracker.TypeText})
		f.must(err)
	})
	field, err := once.CreateField(t.Context(), project, tracker.Field{ID: "second", Name: "New", Type: tracker.TypeText})
	if f.must(err); field.ID != "first" {
		t.Errorf("the field %s", field.ID)
	}
	once, other = f.store.Once(tracker.Once{Key: "p", Print: "x"}), f.another().Once(tracker.Once{Key: "p", Print: "x"})
	f.overtaken(func() {
		_, err := other.CreateProject(t.Context(), tracker.Project{ID: "p8", Key: "TWICE", Name: "Twice", States: twoStates})
		f.must(err)
	})
	made, err := once.CreateProject(t.Context(), tracker.Project{ID: "p9", Key: "TWICE", Name: "Twice", States: twoStates})
	if f.must(err); made.ID != "p8" {
		t.Errorf("the project %s", made.ID)
	}
}

// TestLongTrash: the lease is kept while many deleted issues are dealt with.
func TestLongTrash(t *testing.T) {
	f := setup(t, soon)
	for range 101 {
		i := f.issue(nil)
		f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	}
	_, err := f.store.MergeOptions(t.Context(), project, "fsel", []tracker.OptionID{"o0"}, "o2")
	f.must(err)
	var pages, saves atomic.Int64
	f.wire.Intercept(func(r *dynamotest.Request, send func(*dynamotest.Request) *dynamotest.Answer) *dynamotest.Answer {
		switch body := string(r.Body); {
		case r.Operation == "BatchGetItem" && strings.Contains(body, "xtrash"):
			pages.Add(1)
		case r.Operation == "TransactWriteItems" && pages.Load() > 0 && strings.Contains(body, `"until"`):
			saves.Add(1)
		}
		return send(r)
	})
	f.runJobs()
	f.wire.Intercept(nil)
	if pages.Load() != 3 || saves.Load() != 3 { // two between pages, and the end
		t.Errorf("%d pages of the trash, and the lease was written %d times", pages.Load(), saves.Load())
	}
}
