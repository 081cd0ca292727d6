package dynamo_test

import (
	"context"
	"fmt"
	"testing"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// mostlySet is like mostly, for sets.
func mostlySet(member string) func(n int) tracker.Value {
	return func(n int) tracker.Value {
		if n%10 == 0 {
			return tracker.Value{}
		}
		return tracker.Set([]string{member})
	}
}

// mostly sets a value of the field fsel in nine issues of ten.
func mostly(n int) tracker.Value {
	if n%10 == 0 {
		return tracker.Value{}
	}
	return tracker.Text([]string{"o0", "o1", "o2"}[n%3])
}

// switches starts the job that adds or removes the entries of the empty values of a column.
func (f *fixture) switches(c tracker.Column) *tracker.Job {
	f.Helper()
	job, err := f.store.SwitchEmpties(f.Context(), project, c)
	if f.must(err); job == nil || job.Kind != tracker.JobIndexEmpties {
		f.Fatalf("job %+v", job)
	}
	return job
}

// TestIndexEmpties adds the entries of the empty values to a column, and then changes issues and the field.
func TestIndexEmpties(t *testing.T) {
	f := setup(t, soon)
	f.some(120, "fsel", mostly)
	if job := f.switches("fsel"); job.Name != "Select" {
		t.Errorf("job %+v", job)
	}
	if d := f.definition(); !d.WritesEmpties("fsel") || d.IndexesEmpties("fsel") {
		t.Errorf("while the job runs: %+v", d.Field("fsel"))
	}
	// Another job waits until this one has ended.
	if again, err := f.store.SwitchEmpties(t.Context(), project, "fsel"); again != nil || err != nil {
		t.Errorf("a second job %+v, %v", again, err)
	}
	// An issue that is created while the job runs, and one that loses its value.
	f.some(1, "fsel", func(int) tracker.Value { return tracker.Value{} })
	f.setValue(f.issueAt(2), "fsel", tracker.Value{})
	f.runJobs()
	if d := f.definition(); !d.IndexesEmpties("fsel") || d.WritesEmpties("fint") {
		t.Errorf("after the job: %+v", d.Field("fsel"))
	}
	f.verifyAll()
	f.sameEmpties("fsel", 14)

	f.setValue(f.issueAt(1), "fsel", tracker.Text("o1"))
	f.setValue(f.issueAt(3), "fsel", tracker.Value{})
	f.must(f.store.DeleteIssue(t.Context(), f.issueAt(11), nil))
	f.verifyAll()
	f.sameEmpties("fsel", 13)
	f.restore(f.definition(), tracker.IssueID{Project: project, Issue: "fselx11"})
	f.verifyAll()
	f.sameEmpties("fsel", 14)

	f.merge("fsel", "o2", "")
	f.runJobs()
	f.verifyAll()
	changes := []tracker.FieldType{tracker.TypeText, tracker.TypeTags, tracker.TypeText}
	for _, to := range changes[:tier.Cases(1, len(changes))] {
		f.change("fsel", to, false)
		f.runJobs()
		if d := f.definition(); d.Field("fsel").Type != to || !d.IndexesEmpties("fsel") {
			t.Errorf("after the change of type: %+v", d.Field("fsel"))
		}
		f.verifyAll()
		f.sameEmpties("fsel", 49) // with those whose option was removed
	}
	f.must(f.store.DeleteField(t.Context(), project, "fsel", nil))
	f.runJobs()
	f.verifyAll()
}

// TestIndexEmptiesOfSets adds the entries of the empty values to columns of sets.
func TestIndexEmptiesOfSets(t *testing.T) {
	for field, member := range map[tracker.FieldID]string{"ftags": "blue", "fmulti": "m1"} {
		t.Run(string(field), func(t *testing.T) {
			f := setup(t, soon)
			f.some(60, field, mostlySet(member))
			f.switches(field.Column())
			f.runJobs()
			f.verifyAll()
			f.sameEmpties(field, 6)
			f.setValue(f.issueAt(2), field, tracker.Value{})
			f.setValue(f.issueAt(1), field, tracker.Set([]string{member}))
			f.setValue(f.issueAt(11), field, tracker.Set([]string{member}))
			f.verifyAll()
			f.sameEmpties(field, 5)
		})
	}
}

// issueAt returns the id of an issue of some, by its number.
func (f *fixture) issueAt(num int64) tracker.IssueID {
	f.Helper()
	page := f.keys(columns.KeyQuery{Project: project,
		Shards: f.d.Project.Shards, Column: tracker.ColumnNum,
		From: sortkey.Num(num), Limit: 1})
	return page.Keys[0].Issue
}

func (f *fixture) setValue(id tracker.IssueID, field tracker.FieldID, v tracker.Value) {
	f.Helper()
	_, err := f.store.UpdateIssue(f.Context(), f.definition(), id, one(field, v))
	f.must(err)
}

// sameEmpties compares the rows without a value that the index has with those without one in the documents.
func (f *fixture) sameEmpties(field tracker.FieldID, want int) {
	f.Helper()
	d := f.definition()
	q := columns.KeyQuery{Project: project, Shards: d.Project.Shards, Column: field.Column(),
		Gen: d.Field(field).Gen, Empties: true}
	for _, q.Descending = range []bool{false, true} {
		page := f.keys(q)
		for _, k := range page.Keys {
			i := f.read(k.Issue)
			if num, err := sortkey.ParseNum(k.SS); err != nil || num != i.Num ||
				i.Values[field].Kind != tracker.KindNone {
				f.Errorf("issue %d with the value %v is at %x, %v", i.Num, i.Values[field], k.SS, err)
			}
		}
		if len(page.Keys) != want || page.Last != nil {
			f.Errorf("%d rows without a value, want %d", len(page.Keys), want)
		}
	}
	if q.Empties = false; !d.Field(field).Type.Sortable() {
		return // the values are in other partitions
	}
	values := f.keys(q)
	for _, k := range values.Keys {
		if i := f.read(k.Issue); i.Values[field].Kind == tracker.KindNone {
			f.Errorf("issue %d without a value is among those with one", i.Num)
		}
	}
}

// TestRemoveEmpties removes the entries of the empty values of a column in which few issues have a value,
// while issues change.
func TestRemoveEmpties(t *testing.T) {
	f := setup(t, soon)
	f.some(60, "fsel", mostly)
	f.switches("fsel")
	f.runJobs()
	remove := func(from, to int64) {
		t.Helper()
		for num := from; num <= to; num++ {
			f.setValue(f.issueAt(num), "fsel", tracker.Value{})
		}
	}
	remove(1, 40) // 18 of 60 have a value
	if job, err := f.store.SwitchEmpties(t.Context(), project, "fsel"); job != nil || err != nil {
		t.Errorf("30 %% have a value: %+v, %v", job, err)
	}
	remove(41, 52)
	f.sameEmpties("fsel", 52)
	f.switches("fsel")
	// Writers maintain the entries until all readers know that they must not use them.
	if d := f.definition(); d.IndexesEmpties("fsel") || !d.WritesEmpties("fsel") || d.RemovesEmpties("fsel") {
		t.Errorf("while the job waits: %+v", d.Field("fsel"))
	}
	f.some(1, "fsel", func(int) tracker.Value { return tracker.Value{} })
	f.setValue(f.issueAt(55), "fsel", tracker.Value{})
	f.setValue(f.issueAt(1), "fsel", tracker.Text("o1"))
	f.sameEmpties("fsel", 53) // what a reader with the earlier definition reads
	f.runJobs()
	if d := f.definition(); d.Field("fsel").Empties != tracker.EmptiesFiltered {
		t.Errorf("after the job: %+v", d.Field("fsel"))
	}
	f.verifyAll()
	page := f.keys(columns.KeyQuery{Project: project,
		Shards: f.d.Project.Shards, Column: "fsel",
		Empties: true})
	if page.Count > 0 {
		t.Errorf("%d entries are left", page.Count)
	}
}

// TestUsersSwitchTogether checks that the columns of users, which have the same method, do not change it back
// and forth if most issues have one of the users, and few have the other.
func TestUsersSwitchTogether(t *testing.T) {
	f := setup(t, soon)
	put := func(n int, created, updated string) {
		t.Helper()
		first, err := f.store.ReserveNums(t.Context(), project, n)
		f.must(err)
		var issues []tracker.Issue
		for num := first; num < first+int64(n); num++ {
			issues = append(issues, tracker.Issue{Num: num, Name: "Issue", State: "open", CreatedBy: created,
				UpdatedBy: updated, ID: tracker.IssueID{Project: project, Issue: fmt.Sprint("user", num)}})
		}
		f.must(f.store.PutIssues(t.Context(), f.definition(), issues))
	}
	try := func(want bool) {
		t.Helper()
		for _, c := range []tracker.Column{tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy} {
			job, err := f.store.SwitchEmpties(t.Context(), project, c)
			f.must(err)
			if got := job != nil; got != want {
				t.Fatalf("%s: job %+v, want one: %t", c, job, want)
			}
			if f.runJobs(); job != nil {
				break
			}
		}
		f.verifyAll()
	}
	put(1, "ann", "ann")
	put(5, "", "ann") // few were created by a user, all were changed by one
	try(false)
	put(25, "ann", "ann")
	try(true)
	if d := f.definition(); !d.IndexesEmpties(tracker.ColumnCreatedBy) {
		t.Errorf("the project %+v", d.Project)
	}
	put(90, "", "ann")
	try(false)
	put(400, "", "")
	try(true)
	if d := f.definition(); d.Project.Empties != tracker.EmptiesFiltered {
		t.Errorf("the project %+v", d.Project)
	}
}

// TestFewEmpties starts no job for columns that few issues have, and for those that have no entries
// of values.
func TestFewEmpties(t *testing.T) {
	f := setup(t, soon)
	f.some(60, "fsel", func(n int) tracker.Value {
		if n%2 == 0 {
			return tracker.Value{}
		}
		return tracker.Text("o1")
	})
	for _, c := range []tracker.Column{"fsel", "ftext", "ftags", "flong", "none", tracker.ColumnName,
		tracker.ColumnDescription} {
		if job, err := f.store.SwitchEmpties(t.Context(), project, c); job != nil || err != nil {
			t.Errorf("%s: %+v, %v", c, job, err)
		}
	}
}

// TestEmptiesOfLongTexts removes the entries when the type of the field changes to one that cannot have them.
func TestEmptiesOfLongTexts(t *testing.T) {
	f := setup(t, soon)
	f.some(60, "fsel", mostly)
	f.switches("fsel")
	f.runJobs()
	f.sameEmpties("fsel", 6)
	f.change("fsel", tracker.TypeLongText, false)
	f.runJobs()
	if d := f.definition(); d.Field("fsel").Type != tracker.TypeLongText || d.WritesEmpties("fsel") {
		t.Errorf("after the change of type: %+v", d.Field("fsel"))
	}
	f.verifyAll()
}

// TestCompleteEmpties makes readers use the entries of fields that were created with them, at once in a
// project without issues, and after a job in one that got an issue meanwhile.
func TestCompleteEmpties(t *testing.T) {
	f := setup(t, soon)
	create := func(id tracker.FieldID) *tracker.Field {
		t.Helper()
		created, err := f.store.CreateField(t.Context(), project, tracker.Field{ID: id, Name: string(id),
			Type: tracker.TypeInteger, Empties: tracker.EmptiesBuilding})
		f.must(err)
		return created
	}
	for n := range 100 { // more than one transaction has
		create(tracker.FieldID(fmt.Sprintf("fmany%d", n)))
	}
	f.must(f.store.CompleteEmpties(t.Context(), project))
	indexed := func() (n int) {
		d := f.definition()
		for _, field := range d.Fields {
			if d.IndexesEmpties(field.ID.Column()) {
				n++
			}
		}
		return n
	}
	if n := indexed(); n != 100 || len(f.jobs()) > 0 {
		t.Errorf("%d fields and the jobs %+v, want 100 and none", n, f.jobs())
	}
	create("flater")
	_, err := f.store.CreateIssue(t.Context(), f.d, tracker.Issue{Name: "Early", State: "open"})
	f.must(err)
	f.must(f.store.CompleteEmpties(t.Context(), project))
	if d := f.definition(); d.IndexesEmpties("flater") || len(f.jobs()) != 1 {
		t.Errorf("with an issue: %+v, jobs %+v", d.Field("flater"), f.jobs())
	}
	f.must(f.store.CompleteEmpties(t.Context(), project)) // the job is open
	f.runJobs()
	if n := indexed(); n != 101 || len(f.jobs()) != 1 {
		t.Errorf("%d fields after the jobs %+v, want 101 after one", n, f.jobs())
	}
	f.verifyAll()
	if field := create("fafter"); field.Empties != tracker.EmptiesFiltered {
		t.Errorf("in a project with issues: %+v", field)
	}
}

// TestEmptiesAreObserved starts the job when a Query had to pass the keys of many issues with a value, but
// not while another job runs, and when a Query has read many entries of a column that few issues have.
func TestEmptiesAreObserved(t *testing.T) {
	tier.Verify(t, "it takes a minute, and its jobs must meet no slow response")
	f := setup(t, soon)
	f.field(tracker.Field{ID: "frare", Name: "Rare",
		Type: tracker.TypeInteger, Empties: tracker.EmptiesBuilding})
	f.must(f.store.CompleteEmpties(t.Context(), project))
	f.some(1100, "fsel", mostly)
	ctx, cancel := context.WithCancel(t.Context())
	ended := f.db.RunJobs(ctx, func(err error) { t.Error(err) })
	defer func() {
		cancel()
		ended()
	}()
	read := func() {
		t.Helper()
		_ = f.keys(columns.KeyQuery{Project: project,
			Shards: f.d.Project.Shards, Column: tracker.ColumnNum,
			Without: []tracker.Column{"fsel"}})
	}
	read()
	f.until(func() bool { return f.definition().IndexesEmpties("fsel") })
	f.verifyAll()
	f.sameEmpties("fsel", 110)
	read() // by a server with the earlier definition
	if jobs := f.jobs(); len(jobs) != 1 || jobs[0].Kind != tracker.JobIndexEmpties {
		t.Errorf("jobs %+v", jobs)
	}
	_ = f.keys(columns.KeyQuery{Project: project, Shards: f.d.Project.Shards, Column: "frare", Empties: true})
	f.until(func() bool { return f.definition().Field("frare").Empties == tracker.EmptiesFiltered })
	if jobs := f.jobs(); len(jobs) != 2 || !f.definition().IndexesEmpties("fsel") {
		t.Errorf("jobs %+v, want one for each column", jobs)
	}
	f.verifyAll()
}
