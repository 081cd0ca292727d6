package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// changeToOptions begins a job that changes the type of a field and creates the options from the values.
func (f *fixture) changeToOptions(field tracker.FieldID, to tracker.FieldType, remove bool) {
	f.Helper()
	_, err := f.store.ChangeFieldType(f.Context(), project, field,
		tracker.Form{Type: to, FromValues: true}, remove, nil)
	f.must(err)
}

// shownOptions returns the names of the options of a value.
func shownOptions(f *tracker.Field, v tracker.Value) []string {
	if v.Kind == tracker.KindNone {
		return nil
	}
	return strings.Split(f.Display(v), ", ")
}

// TestOptionsFromValues changes fields to types with options, which the jobs create from the values, also
// from those of deleted issues.
func TestOptionsFromValues(t *testing.T) {
	long := strings.Repeat("long ", 100)
	for _, test := range []struct {
		name    string
		field   tracker.FieldID
		to      tracker.FieldType
		values  []tracker.Value
		want    []string
		refused int // values that are removed
	}{
		{"text to select", "ftext", tracker.TypeSelect,
			[]tracker.Value{tracker.Text("b"), tracker.Text(" A "), tracker.Text("B"), tracker.Text("ä")},
			[]string{"A", "ä", "b"}, 0},
		{"invalid names", "ftext", tracker.TypeSelect,
			[]tracker.Value{tracker.Text("b"), tracker.Text(long), tracker.Text("a\nb"), tracker.Text(" "),
				tracker.Text("10"), tracker.Text("１０")}, []string{"10", "１０", "b"}, 3},
		{"tags to multi-select", "ftags", tracker.TypeMultiSelect,
			[]tracker.Value{tracker.Set([]string{"y", "x"}), tracker.Set([]string{"X", "z"})},
			[]string{"x", "y", "z"}, 0},
		{"user to select", "fuser", tracker.TypeSelect,
			[]tracker.Value{tracker.Text("Bob"), tracker.Text("Ann")}, []string{"Ann", "Bob"}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := setup(t, soon)
			f.some(110, test.field, func(n int) tracker.Value { return test.values[n%len(test.values)] })
			i := f.issue(map[tracker.FieldID]tracker.Value{test.field: test.values[0]})
			f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
			if test.refused > 0 {
				f.changeToOptions(test.field, test.to, false)
				f.runJobs()
				j := f.jobs()[0]
				if j.Status != tracker.JobFailed || j.ProblemCount == 0 || len(j.Options) > 0 {
					t.Errorf("the job %+v", j)
				}
			}
			f.changeToOptions(test.field, test.to, test.refused > 0)
			f.runJobs()
			if j := f.jobs()[0]; j.Status != tracker.JobDone || len(j.Options) > 0 {
				t.Errorf("the job %+v", j)
			}
			field := f.definition().Field(test.field)
			var got []string
			for _, o := range field.Options {
				got = append(got, o.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || field.Next != nil || field.Type != test.to {
				t.Errorf("the field is %+v; options (-want +got):\n%s", field, diff)
			}
			empty := 0
			for _, i := range f.verifyAll() {
				v := i.Values[test.field]
				if v.Kind == tracker.KindNone {
					empty++
				}
				for _, name := range shownOptions(field, v) {
					if !slices.Contains(got, name) {
						t.Errorf("issue %d has the option %q", i.Num, name)
					}
				}
			}
			if empty < test.refused || (empty > 0) != (test.refused > 0) {
				t.Errorf("%d issues have no value", empty)
			}
		})
	}
}

// TestTooManyOptions changes a field with more different values than a field can have options.
func TestTooManyOptions(t *testing.T) {
	f := setup(t, soon)
	f.some(tracker.MaxOptions+100, "ftext", func(n int) tracker.Value {
		return tracker.Text(fmt.Sprint("v", n))
	})
	before := f.raw.items("acme/issue-")
	f.changeToOptions("ftext", tracker.TypeSelect, true)
	f.runJobs()
	j := f.jobs()[0]
	if j.Status != tracker.JobFailed || !strings.Contains(j.Reason, "500 options") {
		t.Errorf("the job is %s: %q", j.Status, j.Reason)
	}
	if field := f.definition().Field("ftext"); field.Type != tracker.TypeText || field.Next != nil {
		t.Errorf("the field is %+v", field)
	}
	if diff := cmp.Diff(before, f.raw.items("acme/issue-")); diff != "" {
		t.Errorf("the job changed issues:\n%s", diff)
	}
}

// TestWritesWhileOptionsAreCreated checks that no value is written that the job may have missed.
func TestWritesWhileOptionsAreCreated(t *testing.T) {
	f := setup(t, soon)
	f.some(3, "ftext", func(int) tracker.Value { return tracker.Text("a") })
	f.changeToOptions("ftext", tracker.TypeSelect, false)
	err := f.definition().Field("ftext").CheckWrite(tracker.Text("b"))
	wantCode(t, err, tracker.BadInput, "a job is changing the type")
	f.runJobs()
}

// TestImpossibleChanges checks that a change of type that cannot succeed is refused without a job.
func TestImpossibleChanges(t *testing.T) {
	f := setup(t, soon)
	for _, test := range []struct {
		field tracker.FieldID
		to    tracker.Form
		path  string
	}{
		{"ftext", tracker.Form{Type: tracker.TypeSelect}, "options"},
		{"ftags", tracker.Form{Type: tracker.TypeMultiSelect}, "options"},
		{"fbool", tracker.Form{Type: tracker.TypeDate}, "type"},
		{"ftext", tracker.Form{Type: tracker.TypeInteger, FromValues: true}, "createOptions"},
	} {
		_, err := f.store.ChangeFieldType(t.Context(), project, test.field, test.to, false, nil)
		wantCode(t, err, tracker.BadInput)
		if all := tracker.AllOf(err); all[0].Path != test.path {
			t.Errorf("%s to %s: path %q, want %q", test.field, test.to.Type, all[0].Path, test.path)
		}
	}
	if jobs := f.jobs(); len(jobs) > 0 {
		t.Errorf("jobs %+v", jobs)
	}
	f.change("fbool", tracker.TypeDate, true)
	f.runJobs()
}

// TestCancelJob cancels jobs that wait, that check values, and that cannot be canceled.
func TestCancelJob(t *testing.T) {
	p := &pace{}
	f := setup(t, p.settings)
	f.some(120, "ftext", func(n int) tracker.Value { return tracker.Text(fmt.Sprint(n)) })
	before := f.raw.items("acme/issue-")
	canceled := func() tracker.Job {
		t.Helper()
		j := f.jobs()[0]
		if field := f.definition().Field("ftext"); j.Status != tracker.JobCanceled || j.Ended.IsZero() ||
			j.Cancelable || field.Next != nil || field.Type != tracker.TypeText {
			t.Errorf("the job %+v, the field %+v", j, field)
		}
		if diff := cmp.Diff(before, f.raw.items("acme/issue-")); diff != "" {
			t.Errorf("the job changed issues:\n%s", diff)
		}
		return j
	}
	f.change("ftext", tracker.TypeInteger, false)
	id := f.jobs()[0].ID
	for range 2 { // the second time under the same key
		j, err := f.store.Once(tracker.Once{Key: "k", Fingerprint: "x"}).CancelJob(t.Context(), project, id)
		if f.must(err); j.ID != id || j.Status != tracker.JobCanceled {
			t.Errorf("canceled %+v", j)
		}
	}
	canceled()
	_, err := f.store.CancelJob(t.Context(), project, id)
	wantCode(t, err, tracker.Conflict, "ended")
	_, err = f.store.CancelJob(t.Context(), project, "unknown")
	wantCode(t, err, tracker.NotFound, "job")
	_, err = f.store.CancelJob(t.Context(), "unknown", id)
	wantCode(t, err, tracker.NotFound)
	f.runJobs() // nothing to do
	canceled()

	// while the values are checked
	f.change("ftext", tracker.TypeInteger, false)
	f.once(func(r *dynamotest.Request) bool {
		return r.Operation == "TransactWriteItems" && strings.Contains(string(r.Body), `"at":{"N":"50"}`)
	}, func() {
		_, err := f.another().CancelJob(t.Context(), project, f.jobs()[0].ID)
		f.must(err)
	})
	f.runJobs()
	canceled()

	f.merge("fsel", "o0", "o1")
	if j := f.jobs()[0]; j.Cancelable {
		t.Error("a job that applies a visible change is cancelable")
	}
	_, err = f.store.CancelJob(t.Context(), project, f.jobs()[0].ID)
	wantCode(t, err, tracker.Conflict, "already made")
	f.change("ftext", tracker.TypeInteger, false)
	if j := f.jobs()[0]; !j.Cancelable || j.Status != tracker.JobWaiting {
		t.Errorf("the job %+v", j)
	}
	f.runJobs()
	f.verifyAll()
}
