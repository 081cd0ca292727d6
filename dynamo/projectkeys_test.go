package dynamo_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"issuegrid/tracker"
)

// guards returns the owners of the tenant's project keys, by key.
func (f *fixture) guards(tenant tracker.TenantID) map[string]string {
	f.Helper()
	out := map[string]string{}
	for k, m := range f.raw.items(string(tenant) + "/unique-projectkey.") {
		_, projectKey, _ := strings.Cut(k.PK, ".")
		if out[projectKey] = m["owner"].(string); k.SK != "*" || len(m) != 3 {
			f.Errorf("guard %v is %v", k, m)
		}
	}
	return out
}

//test:engine
func TestProjectKeysAreUnique(t *testing.T) {
	f := setup(t) // both tenants have a project with the key PRJ
	create := func(id tracker.ProjectID, projectKey string) error {
		_, err := f.store.CreateProject(t.Context(),
			tracker.Project{ID: id, Key: projectKey, Name: "Another", States: twoStates})
		return err
	}
	rename := func(id tracker.ProjectID, projectKey string) error {
		_, err := f.store.UpdateProject(t.Context(), id, func(p *tracker.Project) error {
			p.Key = projectKey
			return nil
		})
		return err
	}
	before := f.raw.items("acme/")
	wantCode(t, create("p2", "PRJ"), tracker.Conflict, "PRJ", "already")
	wantCode(t, create("p1", "NEW"), tracker.Conflict, "already")
	for _, bad := range []string{"", "a", "1A", "A-B", "ABCDEFGHIJK"} {
		wantCode(t, create("p2", bad), tracker.BadInput, "key")
	}
	if diff := cmp.Diff(before, f.raw.items("acme/")); diff != "" {
		t.Errorf("a refused project wrote:\n%s", diff)
	}
	f.must(create("p2", "NEW"))
	wantCode(t, rename("p2", "PRJ"), tracker.Conflict, "PRJ", "already")
	want := map[string]string{"PRJ": "p1", "NEW": "p2"}
	if diff := cmp.Diff(want, f.guards(acme)); diff != "" {
		t.Errorf("guards (-want +got):\n%s", diff)
	}
	f.must(rename("p1", "OTHER"))
	f.must(rename("p2", "PRJ")) // p1 has released it
	f.must(rename("p2", "PRJ")) // p2 already has it
	f.must(create("p3", "NEW"))
	want = map[string]string{"OTHER": "p1", "PRJ": "p2", "NEW": "p3"}
	if diff := cmp.Diff(want, f.guards(acme)); diff != "" {
		t.Errorf("guards after the changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"PRJ": "p1"}, f.guards(rival)); diff != "" {
		t.Errorf("guards of the other tenant (-want +got):\n%s", diff)
	}

	t.Run("also in concurrent creations", func(t *testing.T) {
		var group errgroup.Group
		var won atomic.Int32
		for n := range 8 {
			group.Go(func() error {
				err := create(tracker.ProjectID(fmt.Sprintf("many%d", n)), "SAME")
				if err == nil {
					won.Add(1)
				} else if tracker.CodeOf(err) != tracker.Conflict {
					return err
				}
				return nil
			})
		}
		f.must(group.Wait())
		if won.Load() != 1 {
			t.Errorf("%d projects got the same key", won.Load())
		}
		// Only the created project, its counter and its history exist; a refused project writes no item.
		if left := f.raw.items("acme/project-many"); len(left) != 3 {
			t.Errorf("items of the projects: %v", left)
		}
	})
}

// TestProjectByKey finds projects by their current keys, with one request for one item each.
func TestProjectByKey(t *testing.T) {
	f := setup(t) // both tenants have a project with the key PRJ
	metered, meter := f.metered(acme)
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
			t.Errorf("%q took %d calls, want 1", key, n)
		}
	}
	want("PRJ", project)
	want("NEW", "")
	rename := func(key string) {
		f.editProject(func(p *tracker.Project) { p.Key = key })
	}
	rename("NEW")
	want("PRJ", "")
	want("NEW", project)
	_, err := f.store.CreateProject(t.Context(),
		tracker.Project{ID: "p2", Key: "PRJ", Name: "Another", States: twoStates})
	f.must(err)
	want("PRJ", "p2")
	f.must(f.store.DeleteProject(t.Context(), project, nil))
	want("NEW", "")

	before := meter.Cost().Calls
	for _, key := range []string{"", "prj", "p1", "PRJ/x", "fieldname.p1", "PRJ.", "A-B", "ABCDEFGHIJK"} {
		_, err := metered.ProjectByKey(t.Context(), key)
		wantCode(t, err, tracker.NotFound, "project")
	}
	if diff := cmp.Diff(before, meter.Cost().Calls); diff != "" {
		t.Errorf("calls for invalid keys (-want +got):\n%s", diff)
	}
}
