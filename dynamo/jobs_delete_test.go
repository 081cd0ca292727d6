package dynamo_test

import (
	"errors"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// of returns a function that reports whether a partition key is of the project p.
func of(p string) func(pk string) bool {
	return regexp.MustCompile(`[-.]` + p + `(\.|~|$)`).MatchString
}

// TestDeleteProject deletes a project while servers crash. It checks that all items of the project are
// deleted, and no others.
func TestDeleteProject(t *testing.T) {
	f := setup(t, soon)
	other := f.project(f.store, tracker.Project{ID: "p2", Key: "OTHER", Name: "Stays"}, everyField()...)
	f.create(f.store, other, tracker.Issue{Name: "Stays", State: "open", Values: fullValues()})
	before := f.raw.items("acme/")
	maps.DeleteFunc(before, func(k key, _ item) bool {
		return !of("p2")(k.PK) && !strings.Contains(k.PK, "tenant-") && k.PK != "acme/unique-projectkey.OTHER"
	})
	f.some(70, "ftext", func(n int) tracker.Value { return tracker.Text(strings.Repeat("long ", 100)) })
	i := f.issue(fullValues())
	f.update(f.d, i.ID, one("fint", tracker.Int(3)))
	f.must(f.store.DeleteIssue(t.Context(), i.ID, nil))
	stale := f.known()
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	_, err := f.store.Definition(t.Context(), project)
	wantCode(t, err, tracker.NotFound, "project")
	_, err = f.store.CreateIssue(t.Context(), stale, tracker.Issue{Name: "Late", State: "open"})
	if !errors.Is(err, tracker.ErrDefinitionChanged) {
		t.Errorf("an issue of the deleted project: %v", err)
	}
	wantCode(t, f.store.DeleteProject(t.Context(), project, nil), tracker.NotFound, "project")
	_, err = f.store.CreateProject(t.Context(),
		tracker.Project{ID: "p3", Key: "PRJ", Name: "The key is free", States: twoStates})
	f.must(err)
	if page, _, err := f.store.ProjectList().Page(t.Context(), dynamo.ListQuery{Limit: 9}); err != nil ||
		len(page) != 2 {
		t.Errorf("projects %v, %v", page, err)
	}
	found, err := f.store.Projects(t.Context(), []tracker.ProjectID{project})
	if f.must(err); found[0] != nil {
		t.Error("the deleted project is found by its id")
	}
	clock, crashes := time.Now(), 0
	for n := 1; ; n += 5 {
		clock = clock.Add(time.Minute)
		undo := f.cut(n)
		err := f.later(clock).RunJobs(t.Context(), project)
		more := undo()
		if !more {
			f.must(err)
			break
		}
		crashes++
	}
	if crashes < 3 {
		t.Errorf("%d crashes, want at least 3", crashes)
	}
	after := f.raw.items("acme/")
	maps.DeleteFunc(after, func(k key, _ item) bool {
		return of("p3")(k.PK) || k.PK == "acme/unique-projectkey.PRJ"
	})
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("items of the tenant (-before the project +after it):\n%s", diff)
	}
}
