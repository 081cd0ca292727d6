package dynamo_test

import (
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

// once calls do before the first request that matches.
func (f *fixture) once(matches func(r *dynamotest.Request) bool, do func()) {
	var done atomic.Bool
	f.wire.Intercept(dynamotest.Before("", func(r *dynamotest.Request) {
		if !done.Load() && matches(r) && done.CompareAndSwap(false, true) {
			do()
		}
	}))
	f.Cleanup(func() {
		if !done.Load() {
			f.Error("no request matched: the test did nothing in between")
		}
	})
}

// change begins a job that changes the type of a field.
func (f *fixture) change(field tracker.FieldID, to tracker.FieldType, remove bool) {
	f.Helper()
	_, err := f.store.ChangeFieldType(f.Context(), project, field, tracker.Form{Type: to}, remove, nil)
	f.must(err)
}

// columnsOf returns the columns that changed according to the history of an issue.
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

// TestStaleGeneration uses a definition from before a change of type to set a value of an issue that is
// already converted.
func TestStaleGeneration(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(40 + n)) })
	stale := f.definition()
	f.change("ftext", tracker.TypeInteger, false)
	id := tracker.IssueID{Project: project, Issue: "ftextx1"}
	// a server with the new type converts the issue when it updates it
	f.once(func(r *dynamotest.Request) bool {
		return r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), `"since":{"S":"0001`)
	}, func() {})
	ended := make(chan error)
	go func() { ended <- f.store.RunJobs(t.Context(), project) }()
	f.until(func() bool { return f.definition().Field("ftext").Type == tracker.TypeInteger })
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

// TestNewFieldDuringJob creates a field and sets a value of it while a job runs with an older definition.
func TestNewFieldDuringJob(t *testing.T) {
	f := setup(t, soon)
	f.some(40, "fsel", func(n int) tracker.Value { return tracker.Text([]string{"o0", "o1"}[n%2]) })
	f.edit("fsel", func(field *tracker.Field) { slices.Reverse(field.Options) })
	other := f.another()
	id := tracker.IssueID{Project: project, Issue: "fselx30"}
	f.once(func(r *dynamotest.Request) bool {
		return r.Operation == "BatchGetItem" && strings.Contains(string(r.Body), "issue-p1")
	}, func() {
		_, err := other.CreateField(t.Context(), project,
			tracker.Field{ID: "fnew", Name: "New", Type: tracker.TypeInteger})
		f.must(err)
		d, err := other.Definition(t.Context(), project)
		f.must(err)
		_, err = other.UpdateIssue(t.Context(), d, id, one("fnew", tracker.Int(5)))
		f.must(err)
	})
	f.runJobs()
	if v := f.read(id).Values["fnew"]; v.Int() != 5 {
		t.Errorf("the value of the new field is %v, want 5", v)
	}
	f.verifyAll()
}

// TestChangesWhileChecking changes a field while a job checks its values.
func TestChangesWhileChecking(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "fsel", func(n int) tracker.Value { return tracker.Text("o1") })
	f.change("fsel", tracker.TypeMultiSelect, true)
	f.edit("fsel", func(field *tracker.Field) {
		field.Options = append(field.Options, tracker.Option{ID: "added", Name: "Added"})
		field.Options[0].Name = "Renamed"
	})
	_, err := mergeOptions(t.Context(), f.store, project, "fsel", []tracker.OptionID{"o0"}, "o2")
	wantCode(t, err, tracker.Conflict, "changing the type")
	_, err = f.store.UpdateField(t.Context(), project, "fsel", func(field *tracker.Field) error {
		field.Required = true
		return nil
	})
	wantCode(t, err, tracker.Conflict, "changing the type")
	f.runJobs()
	field := f.definition().Field("fsel")
	if _, ok := field.Option("added"); !ok || field.Type != tracker.TypeMultiSelect ||
		field.Options[0].Name != "Renamed" || field.Next != nil {
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
	f.must(f.store.DeleteField(t.Context(), project, "ftext", nil))
	f.runJobs()
}

// TestIDsThatComeBack creates a field and an option with the ids of deleted ones whose values a job is
// removing. An import does so: it derives the ids from the names.
func TestIDsThatComeBack(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "ftext", func(n int) tracker.Value { return tracker.Text("deleted") })
	f.must(f.store.DeleteField(t.Context(), project, "ftext", nil))
	again := tracker.Field{ID: "ftext", Name: "Text", Type: tracker.TypeInteger}
	_, err := f.store.CreateField(t.Context(), project, again)
	wantCode(t, err, tracker.Conflict, "removing the values")
	f.merge("fsel", "o0", "o2")
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

// TestJobsBeginLate checks that a job waits for older definitions from the time its change is written,
// however long that takes.
func TestJobsBeginLate(t *testing.T) {
	c := &clock{now: time.Now()}
	f := setup(t, soon, func(s *dynamo.Settings) { s.Now = c.time })
	f.some(1, "fsel", func(n int) tracker.Value { return tracker.Text("o1") })
	other, wire := f.server(soon, func(s *dynamo.Settings) { s.Now = c.time })
	g, created := holdWrites(wire), make(chan error)
	f.once(func(r *dynamotest.Request) bool { return r.Operation == "TransactWriteItems" }, func() {
		c.add(2 * time.Second)
		stale, err := other.Definition(t.Context(), project)
		f.must(err)
		go func() {
			_, err := other.CreateIssue(t.Context(), stale, tracker.Issue{Name: "Late", State: "open",
				Values: map[tracker.FieldID]tracker.Value{"fsel": tracker.Text("o0")}})
			created <- err
		}()
		<-g.came
	})
	f.merge("fsel", "o0", "o2")
	ended := make(chan error)
	go func() { ended <- f.store.RunJobs(t.Context(), project) }()
	close(g.open)
	f.must(<-created)
	f.must(advanceUntil(ended, func() { c.add(2 * time.Second) }))
	for _, i := range f.verifyAll() {
		if v := i.Values["fsel"].Text(); v == "o0" {
			t.Errorf("issue %d has the option that was merged", i.Num)
		}
	}
}

// TestMadeTwiceAtATime creates a field, and a project, twice at the same time with one idempotency key. Both
// calls return the one that was created.
func TestMadeTwiceAtATime(t *testing.T) {
	f := setup(t)
	once, other := f.store.Once(tracker.Once{Key: "k", Fingerprint: "x"}),
		f.another().Once(tracker.Once{Key: "k", Fingerprint: "x"})
	f.overtaken(func() {
		_, err := other.CreateField(t.Context(), project,
			tracker.Field{ID: "first", Name: "New", Type: tracker.TypeText})
		f.must(err)
	})
	field, err := once.CreateField(t.Context(), project,
		tracker.Field{ID: "second", Name: "New", Type: tracker.TypeText})
	if f.must(err); field.ID != "first" {
		t.Errorf("got field %s, want first", field.ID)
	}
	once, other = f.store.Once(tracker.Once{Key: "p", Fingerprint: "x"}),
		f.another().Once(tracker.Once{Key: "p", Fingerprint: "x"})
	f.overtaken(func() {
		_, err := other.CreateProject(t.Context(),
			tracker.Project{ID: "p8", Key: "TWICE", Name: "Twice", States: twoStates})
		f.must(err)
	})
	made, err := once.CreateProject(t.Context(),
		tracker.Project{ID: "p9", Key: "TWICE", Name: "Twice", States: twoStates})
	if f.must(err); made.ID != "p8" {
		t.Errorf("got project %s, want p8", made.ID)
	}
}
