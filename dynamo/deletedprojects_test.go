package dynamo_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/tracker"
)

// trash moves the project to the trash.
func (f *fixture) trash() *tracker.Project {
	f.Helper()
	p, err := f.store.TrashProject(f.Context(), project, nil)
	f.must(err)
	return p
}

// deletedProjects returns the ids of the projects in the trash, as the index lists them.
func (f *fixture) deletedProjects() (ids []tracker.ProjectID) {
	f.Helper()
	list := f.store.DeletedList()
	page, _, err := list.Page(f.Context(), dynamo.ListQuery{Limit: 9})
	f.must(err)
	for _, found := range page {
		all, err := f.store.DeletedProjects(f.Context(), []tracker.ProjectID{found.ID})
		if f.must(err); all[0] != nil {
			ids = append(ids, all[0].ID)
		}
	}
	if n, exact, err := list.Count(f.Context(), nil, nil); err != nil || !exact || n != len(ids) {
		f.Errorf("%d projects counted in the trash, %v, and %v listed", n, err, ids)
	}
	return ids
}

// unseen checks that the project is not found.
func (f *fixture) unseen() {
	f.Helper()
	ctx := f.Context()
	_, err := f.store.Definition(ctx, project)
	wantCode(f.T, err, tracker.NotFound, "project")
	found, err := f.store.Projects(ctx, []tracker.ProjectID{project})
	if f.must(err); found[0] != nil {
		f.Error("the project is found by its id")
	}
	list := f.store.ProjectList()
	if page, _, err := list.Page(ctx, dynamo.ListQuery{Limit: 9}); err != nil || len(page) != 0 {
		f.Errorf("projects %v, %v", page, err)
	}
	if n, _, err := list.Count(ctx, nil, nil); err != nil || n != 0 {
		f.Errorf("%d projects, %v", n, err)
	}
}

// unchangeable checks that nothing of the project can be changed, nor its key be used.
func (f *fixture) unchangeable(stale *tracker.Definition, issue, deleted tracker.IssueID) {
	f.Helper()
	ctx := f.Context()
	missing := func(name string, err error) {
		f.Helper()
		if tracker.CodeOf(err) != tracker.NotFound {
			f.Errorf("%s: %v, want NOT_FOUND", name, err)
		}
	}
	outdated := func(name string, err error) {
		f.Helper()
		if !errors.Is(err, tracker.ErrDefinitionChanged) {
			f.Errorf("%s: %v, want ErrDefinitionChanged", name, err)
		}
	}
	_, err := f.store.CreateIssue(ctx, stale, tracker.Issue{Name: "Late", State: "open"})
	outdated("a new issue", err)
	_, err = f.store.UpdateIssue(ctx, stale, issue, one("fint", tracker.Int(9)))
	outdated("a changed issue", err)
	_, err = f.store.RestoreIssue(ctx, stale, deleted)
	missing("a restored issue", err)
	missing("a deleted issue", f.store.DeleteIssue(ctx, issue, nil))
	missing("a purged issue", f.store.PurgeIssue(ctx, issue, nil))
	missing("an issue purged from the trash", f.store.PurgeIssue(ctx, deleted, nil))
	_, err = f.store.UpdateProject(ctx, project, func(*tracker.Project) error { return nil })
	missing("a changed project", err)
	late := tracker.Field{ID: "late", Name: "Late", Type: tracker.TypeText}
	_, err = f.store.CreateField(ctx, project, late)
	missing("a new field", err)
	_, err = f.store.UpdateField(ctx, project, "fint", func(*tracker.Field) error { return nil })
	missing("a changed field", err)
	missing("a deleted field", f.store.DeleteField(ctx, project, "fint", nil))
	_, err = f.store.CancelJob(ctx, project, "job")
	missing("a canceled job", err)
	_, err = f.store.TrashProject(ctx, project, nil)
	missing("the trash, again", err)
	for _, id := range []tracker.ProjectID{"p9", project} {
		_, err = f.store.CreateProject(ctx,
			tracker.Project{ID: id, Key: "PRJ", Name: "New", States: twoStates})
		wantCode(f.T, err, tracker.Conflict, "trash", "PRJ", "key")
	}
}

// TestProjectTrash checks that a project in the trash is not seen and cannot be changed, by the server that
// has moved it there and by one that has cached its definition, and that it can be restored as it was.
func TestProjectTrash(t *testing.T) {
	f, c := timed(t)
	f.store = f.store.As(ada)
	issue, deleted := f.issue(fullValues()), f.issue(nil)
	f.must(f.store.DeleteIssue(t.Context(), deleted.ID, nil))
	stale := f.known()
	other := *f
	other.store = f.another()
	theirs, err := other.store.Definition(t.Context(), project)
	f.must(err)
	c.add(time.Millisecond) // the requests that follow begin after these definitions were read
	f.sound()
	before := f.raw.items("acme/")
	trashed := f.trash()
	other.unchangeable(theirs, issue.ID, deleted.ID) // although its definition is still cached
	f.unchangeable(stale, issue.ID, deleted.ID)
	f.unseen()
	if at := trashed.Trash; at.By.Name != "ada" || at.Purge.Sub(at.At) != dynamo.DefaultKeepTrash {
		t.Errorf("the trash has %+v", at)
	}
	if ids := f.deletedProjects(); len(ids) != 1 || ids[0] != project {
		t.Errorf("the trash has %v", ids)
	}
	f.sound()
	c.add(time.Hour)
	restored, err := f.store.RestoreProject(t.Context(), project)
	f.must(err)
	if d := f.definition(); restored.Version != d.Project.Version || d.Project.Trash != nil {
		t.Errorf("restored %+v, and read %+v", restored, d.Project)
	}
	if ids := f.deletedProjects(); len(ids) != 0 {
		t.Errorf("the trash has %v", ids)
	}
	_, err = f.store.RestoreProject(t.Context(), project)
	wantCode(t, err, tracker.NotFound, "trash")
	after := f.raw.items("acme/")
	maps.DeleteFunc(after, func(k key, _ item) bool {
		return before[k] == nil && strings.Contains(k.SK, "/xlog-")
	})
	at := key{"acme/project-p1", "acme/tenant-acme"}
	for _, counts := range []string{"version", "changes"} {
		delete(before[at], counts)
		delete(after[at], counts)
	}
	counter := key{"acme/project-p1", "acme/xcounter-num"} // the refused issues have used numbers
	delete(before, counter)
	delete(after, counter)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("items (-before the deletion +after restoring):\n%s", diff)
	}
	want := []string{"ada: PROJECT RESTORED The Project", "ada: PROJECT DELETED The Project"}
	if diff := cmp.Diff(want, f.history(project)[:2]); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	f.update(f.definition(), issue.ID, one("fint", tracker.Int(9)))
	f.sound()
}

// TestProjectTrashOnce repeats changes under their idempotency keys.
func TestProjectTrashOnce(t *testing.T) {
	f := setup(t)
	once := func(key string) *dynamo.Tenant {
		return f.store.Once(tracker.Once{Key: key, Fingerprint: "p"})
	}
	first, err := once("a").TrashProject(t.Context(), project, nil)
	f.must(err)
	again, err := once("a").TrashProject(t.Context(), project, nil)
	if f.must(err); !again.Trash.Purge.Equal(first.Trash.Purge) {
		t.Errorf("repeated: %+v, first %+v", again.Trash, first.Trash)
	}
	for range 2 {
		_, err = once("b").RestoreProject(t.Context(), project)
		f.must(err)
	}
	if again, err = once("a").TrashProject(t.Context(), project, nil); err != nil || again.Trash != nil {
		t.Errorf("repeated after restoring: %+v, %v", again, err)
	}
	f.definition()
	for range 2 {
		store := f.store.Once(tracker.Once{Key: "c", Fingerprint: "p"})
		f.must(store.DeleteProject(t.Context(), project, nil))
	}
	if again, err = once("a").TrashProject(t.Context(), project, nil); err != nil || again.ID != project {
		t.Errorf("repeated after deleting: %+v, %v", again, err)
	}
}

// TestProjectTrashCrashes fails each request of moving a project to the trash, of restoring it, and of
// deleting it there.
func TestProjectTrashCrashes(t *testing.T) {
	f := setup(t, soon)
	for n, more := 0, true; more; n++ {
		undo := f.cut(n)
		_, err := f.store.TrashProject(t.Context(), project, nil)
		more = undo()
		if made := len(f.deletedProjects()) == 1; made != (err == nil) {
			t.Errorf("after %d requests: in the trash %t, %v", n, made, err)
		}
		f.sound()
		for n, more := 0, err == nil; more; n++ {
			undo := f.cut(n)
			_, err := f.store.RestoreProject(t.Context(), project)
			more = undo()
			if made := len(f.deletedProjects()) == 0; made != (err == nil) {
				t.Errorf("after %d requests: restored %t, %v", n, made, err)
			}
			f.sound()
		}
	}
	f.trash()
	refused := errors.New("refused")
	err := f.store.DeleteProject(t.Context(), project, func(p *tracker.Project) error {
		if p.Key != "PRJ" {
			t.Errorf("to confirm: %+v", p)
		}
		return refused
	})
	if !errors.Is(err, refused) || len(f.deletedProjects()) != 1 {
		t.Errorf("a deletion that is not confirmed: %v", err)
	}
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	f.must(f.store.RunJobs(t.Context(), project))
	if left := f.raw.items("acme/project-p1"); len(left) > 0 {
		t.Errorf("%d items are left", len(left))
	}
}

// TestProjectTrashExpires checks that a project can be restored until the end of its time, and is then
// removed by any server that runs jobs.
func TestProjectTrashExpires(t *testing.T) {
	f, c := timed(t, soon)
	f.issue(fullValues())
	kept := f.project(f.store, tracker.Project{ID: "p2", Key: "KEPT", Name: "Kept", States: twoStates})
	f.trash()
	c.add(time.Hour)
	_, err := f.store.TrashProject(t.Context(), kept.Project.ID, nil)
	f.must(err)
	c.add(dynamo.DefaultKeepTrash - time.Hour - time.Second)
	if ids := f.deletedProjects(); len(ids) != 2 || ids[0] != "p2" {
		t.Errorf("the trash has %v, want the last deleted first", ids)
	}
	f.runUntil(func() bool { return true })
	if ids := f.deletedProjects(); len(ids) != 2 {
		t.Errorf("the trash has %v, before the end of the time", ids)
	}
	c.add(2 * time.Second)
	if ids := f.deletedProjects(); len(ids) != 1 || ids[0] != "p2" {
		t.Errorf("the trash has %v after the end of the time", ids)
	}
	_, err = f.store.RestoreProject(t.Context(), project)
	wantCode(t, err, tracker.NotFound, "trash")
	f.runUntil(func() bool {
		c.add(time.Second)
		return len(f.raw.items("acme/project-p1"))+len(f.raw.items("acme/issue-p1")) == 0
	})
	if ids := f.deletedProjects(); len(ids) != 1 || ids[0] != "p2" {
		t.Errorf("the trash has %v", ids)
	}
	_, err = f.store.CreateProject(t.Context(),
		tracker.Project{ID: "p3", Key: "PRJ", Name: "The key is free", States: twoStates})
	f.must(err)
}

// runUntil runs jobs in the background until done, which is called again and again, returns true. Before, it
// waits for the first search for jobs.
func (f *fixture) runUntil(done func() bool) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	wait := f.db.RunJobs(ctx, func(err error) { f.Error(err) })
	f.until(done)
	cancel()
	wait()
}

// until polls a condition while jobs run. The pause leaves the engine to the jobs, and to other tests.
func (f *fixture) until(done func() bool) {
	f.Helper()
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for ; !done(); <-poll.C {
		if err := f.Context().Err(); err != nil {
			f.Fatal(err)
		}
	}
}

// TestJobsOfProjectsInTheTrash checks that a job that was open continues, so that a restored project has the
// change.
func TestJobsOfProjectsInTheTrash(t *testing.T) {
	f := setup(t, soon)
	i := f.issue(map[tracker.FieldID]tracker.Value{"fsel": tracker.Text("o0")})
	f.merge("fsel", "o0", "o1")
	f.trash()
	f.must(f.store.RunJobs(t.Context(), project))
	if got := f.read(i.ID).Values["fsel"].Text(); got != "o1" || len(f.deletedProjects()) != 1 {
		t.Errorf("the issue has %q, the trash %v", got, f.deletedProjects())
	}
	_, err := f.store.RestoreProject(t.Context(), project)
	f.must(err)
	if f.definition().Field("fsel").Rebuilding() {
		t.Error("the job has not ended")
	}
	f.verifyAll()
	f.sound()
}

// TestCostOfProjectTrash checks what it costs to move a project to the trash and to restore it, as
// docs/writes.md states it.
func TestCostOfProjectTrash(t *testing.T) {
	f := setup(t)
	f.issue(fullValues())
	store, meter := f.metered(acme)
	for _, test := range []struct {
		name string
		do   func(context.Context, tracker.ProjectID) (*tracker.Project, error)
	}{
		{"trash", func(ctx context.Context, p tracker.ProjectID) (*tracker.Project, error) {
			return store.TrashProject(ctx, p, nil)
		}},
		{"restore", store.RestoreProject},
	} {
		before := meter.Cost()
		_, err := test.do(t.Context(), project)
		f.must(err)
		if after := meter.Cost(); dynamotest.ReportsUnits() && after.WCU-before.WCU != 8 ||
			after.Calls["TransactWriteItems"]-before.Calls["TransactWriteItems"] != 1 {
			t.Errorf("%s: %g WCU, want 8, in the calls %v", test.name, after.WCU-before.WCU, after.Calls)
		}
	}
}
