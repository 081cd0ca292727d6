package loaders_test

import (
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/loaders"
	"issuegrid/tracker"
)

// TestOneDefinition checks that a request uses one version of a definition until it asks for the current one.
func TestOneDefinition(t *testing.T) {
	db, wire := dynamotest.Open(t, func(s *dynamo.Settings) {
		s.DefinitionTTL = time.Nanosecond // every read of the store returns the current definition
	})
	must(t, db.CreateTenant(t.Context(), tracker.Tenant{ID: "t", Name: "T"}))
	store, err := db.Tenant("t")
	must(t, err)
	_, err = store.CreateProject(t.Context(), tracker.Project{ID: project, Key: "P", Name: "P",
		States: []tracker.State{{ID: "open", Name: "Open", Open: true}}})
	must(t, err)
	set := loaders.New(t.Context(), db)
	tenant, err := set.Tenant("t")
	must(t, err)
	read := func() *tracker.Definition {
		t.Helper()
		d, err := tenant.Definition(t.Context(), project)
		must(t, err)
		return d
	}
	change := func() {
		t.Helper()
		_, err := store.UpdateProject(t.Context(), project, func(p *tracker.Project) error {
			p.Name += "+"
			return nil
		})
		must(t, err)
	}
	renew := func(err error) bool {
		t.Helper()
		changed, renewErr := set.Renew(t.Context(), err)
		must(t, renewErr)
		return changed
	}
	unknown := tracker.Missing("field").MayBeOutdated()
	first := read()
	change()
	if read() != first {
		t.Error("a second call returns another definition")
	}
	wire.Reset()
	if renew(unknown) {
		t.Error("renewed a definition that was read after the request began")
	}
	if calls := wire.Calls(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
	if !renew(tracker.ErrDefinitionChanged) || read().Project.Version != first.Project.Version+1 {
		t.Error("not renewed after a change failed")
	}
	second := read()
	change()
	set.ForgetDefinitions()
	if now := read(); now.Project.Version != second.Project.Version+1 {
		t.Error("the definition was not forgotten")
	}
	must(t, store.DeleteProject(t.Context(), project, nil))
	if !renew(tracker.ErrDefinitionChanged) {
		t.Error("the deletion of the project is not a change")
	}
	if _, err := tenant.Definition(t.Context(), project); tracker.CodeOf(err) != tracker.NotFound {
		t.Errorf("the deleted project: %v", err)
	}
}
