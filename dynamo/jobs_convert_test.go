package dynamo_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestProblemsOfJobs checks that a job records a problem for each issue that it cannot convert, and still
// ends.
func TestProblemsOfJobs(t *testing.T) {
	f := setup(t, soon)
	long := strings.Repeat("long ", 100)
	f.some(5, "ftext", func(n int) tracker.Value { return tracker.Text(long) })
	for k := range f.raw.items("acme/issue-p1.ftextx1") {
		if strings.Contains(k.SK, "xtext") {
			f.raw.delete(k)
		}
	}
	// a job on another field
	f.merge("fsel", "o0", "o2")
	f.runJobs()
	if j := f.jobs()[0]; j.Status != tracker.JobDone || j.ProblemCount != 0 {
		t.Errorf("job %+v", j)
	}
	f.change("ftext", tracker.TypeUser, true)
	f.runJobs()
	// five from the first look at the values, and one for the issue with the missing text
	if j := f.jobs()[0]; j.Status != tracker.JobDone || j.ProblemCount != 6 {
		t.Errorf("job %+v", j)
	}
}

// TestConvertedTextsAreLong converts many options with long names to a text that is larger than an item.
func TestConvertedTextsAreLong(t *testing.T) {
	f := setup(t, soon)
	var options []tracker.Option
	var all []string
	for n := range 400 {
		id := fmt.Sprint("b", n)
		options, all = append(options,
			tracker.Option{ID: tracker.OptionID(id),
				Name: fmt.Sprintf("%04d%s", n, strings.Repeat("漢", 240))}), append(all, id)
	}
	fields := []tracker.FieldID{"fbig", "fbig2"}
	for _, id := range fields {
		f.field(tracker.Field{ID: id, Name: "Big " + string(id), Type: tracker.TypeMultiSelect,
			Options: options})
	}
	values := map[tracker.FieldID]tracker.Value{"fbig": tracker.Set(all), "fbig2": tracker.Set(all)}
	i := f.create(f.store, f.definition(), tracker.Issue{Name: "Big", State: "open", Values: values})
	trashed := f.create(f.store, f.definition(), tracker.Issue{Name: "Big", State: "open", Values: values})
	f.must(f.store.DeleteIssue(t.Context(), trashed.ID, nil))
	for _, id := range fields {
		f.change(id, tracker.TypeText, false)
		f.runJobs()
	}
	restored := f.restore(f.definition(), trashed.ID)
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

// TestManyProblems checks that the jobs of a project fit into one item: a job keeps at most 100 problems, and
// old jobs keep none once there are too many in total.
func TestManyProblems(t *testing.T) {
	f := setup(t, func(s *dynamo.Settings) {
		s.DefinitionTTL, s.WriteTime, s.IndexLag = time.Millisecond, time.Millisecond, time.Millisecond
	})
	f.some(101, "ftext", func(n int) tracker.Value { return tracker.Text(strings.Repeat("漢", 70)) })
	for range tier.Cases(12, 18) {
		f.change("ftext", tracker.TypeInteger, false)
		f.must(f.store.RunJobs(t.Context(), project))
	}
	jobs := f.jobs()
	if j := jobs[0]; j.Status != tracker.JobFailed || j.ProblemCount != 101 || len(j.Problems) != 100 {
		t.Errorf("%s with %d problems, %d of them kept", j.Status, j.ProblemCount, len(j.Problems))
	}
	if j := jobs[10]; j.ProblemCount != 101 || len(j.Problems) != 0 {
		t.Errorf("an old job with %d problems keeps %d", j.ProblemCount, len(j.Problems))
	}
}

// TestJobsIndexWhatTheyConvert checks that a job does not end before it has written all index entries.
func TestJobsIndexWhatTheyConvert(t *testing.T) {
	f := setup(t, soon)
	var tags []string
	to := tracker.Form{Type: tracker.TypeMultiSelect}
	for n := range 60 {
		tags = append(tags, fmt.Sprint("tag", n))
		to.Options = append(to.Options,
			tracker.Option{ID: tracker.OptionID(fmt.Sprint("t", n)), Name: fmt.Sprint("tag", n)})
	}
	f.some(2, "ftags", func(int) tracker.Value { return tracker.Set(tags) })
	_, err := f.store.ChangeFieldType(t.Context(), project, "ftags", to, false, nil)
	f.must(err)
	var refused atomic.Int64
	f.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
		body := string(r.Body)
		if r.Operation == "TransactWriteItems" && strings.Contains(body, "xindex") &&
			strings.Contains(body, "ConditionCheck") && refused.Add(1) <= 2 {
			return dynamotest.Refusal("AccessDeniedException", "no")
		}
		return send(r)
	})
	for f.jobs()[0].Open() {
		_ = f.store.RunJobs(t.Context(), project) // each call continues the job
	}
	f.wire.Intercept(nil)
	if refused.Load() < 2 {
		t.Errorf("%d requests were refused, want at least 2", refused.Load())
	}
	f.verifyAll()
}
