package dynamo_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestProjectByKey finds projects by the keys that they have at the moment, each by one request of one key.
func TestProjectByKey(t *testing.T) {
	f := setup(t) // both tenants have a project with the key PRJ
	meter := dynamo.NewMeter()
	metered, err := f.db.Metered(meter).Tenant(acme)
	f.must(err)
	want := func(key string, project tracker.ProjectID) {
		t.Helper()
		before := meter.Cost().Calls["BatchGetItem"]
		got, err := metered.ProjectByKey(t.Context(), key)
		if project == "" {
			wantCode(t, err, tracker.NotFound, "project")
		} else if f.must(err); got != project {
			t.Errorf("%q is the key of %q, want %q", key, got, project)
		}
		if n := meter.Cost().Calls["BatchGetItem"] - before; n != 1 {
			t.Errorf("%q took %d calls", key, n)
		}
	}
	want("PRJ", project)
	want("NEW", "")
	rename := func(key string) {
		_, err := f.store.UpdateProject(t.Context(), project, func(p *tracker.Project) error { p.Key = key; return nil })
		f.must(err)
	}
	rename("NEW")
	want("PRJ", "")
	want("NEW", project)
	_, err = f.store.CreateProject(t.Context(), tracker.Project{ID: "p2", Key: "PRJ", Name: "Another", States: twoStates})
	f.must(err)
	want("PRJ", "p2")
	f.must(f.store.DeleteProject(t.Context(), project))
	want("NEW", "")

	before := meter.Cost().Calls
	for _, key := range []string{"", "prj", "p1", "PRJ/x", "fieldname.p1", "PRJ.", "A-B", "ABCDEFGHIJK"} {
		_, err := metered.ProjectByKey(t.Context(), key)
		wantCode(t, err, tracker.NotFound, "project")
	}
	if diff := cmp.Diff(before, meter.Cost().Calls); diff != "" {
		t.Errorf("calls for what is no key (-want +got):\n%s", diff)
	}
}
