package dynamo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestDefinitionsAreBoundedByBytes checks the size limit of the cache of definitions: the most recently used
// ones stay, one that is larger than the limit is not cached, and the few definitions of one tenant stay
// while another tenant reads many.
func TestDefinitionsAreBoundedByBytes(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	f := setup(t, longTTL, func(s *dynamo.Settings) {
		s.DefinitionBytes = 400 << 10
		s.Now = func() time.Time { return now }
	})
	options := make([]tracker.Option, 300)
	for i := range options {
		options[i] = tracker.Option{ID: tracker.OptionID(fmt.Sprint("o", i)),
			Name: fmt.Sprint(strings.Repeat("x", 200), i)}
	}
	// Each takes about 90 KB, except for the last one, which is larger than the limit.
	var ids []tracker.ProjectID
	for n, fields := range []int{1, 1, 1, 1, 1, 6} {
		id := tracker.ProjectID(fmt.Sprint("large", n))
		ids = append(ids, id)
		var all []tracker.Field
		for i := range fields {
			all = append(all, tracker.Field{ID: tracker.FieldID(fmt.Sprint("f", i)), Name: fmt.Sprint("F", i),
				Type: tracker.TypeSelect, Options: options})
		}
		f.project(f.store, tracker.Project{ID: id, Key: fmt.Sprint("LARGE", n), Name: string(id)}, all...)
	}
	readsOf := func(store *dynamo.Tenant, id tracker.ProjectID) int {
		t.Helper()
		f.wire.Reset()
		_, err := store.Definition(t.Context(), id)
		f.must(err)
		return f.wire.Calls()["Query"]
	}
	reads := func(id tracker.ProjectID) int { return readsOf(f.store, id) }
	other, err := f.db.Tenant(rival)
	f.must(err)
	readsOf(other, project)
	for _, id := range ids[:5] {
		reads(id)
	}
	for n, want := range map[int]int{4: 0, 3: 0, 2: 0} {
		if got := reads(ids[n]); got != want {
			t.Errorf("the recently used %s was read again %d times", ids[n], got)
		}
	}
	if reads(ids[0]) == 0 {
		t.Error("more definitions are cached than the limit allows")
	}
	for range 2 {
		if reads(ids[5]) == 0 {
			t.Error("a definition larger than the limit is cached")
		}
	}
	if reads(ids[0]) != 0 {
		t.Error("a definition that is too large evicted another")
	}
	if readsOf(other, project) != 0 {
		t.Error("the definitions of one tenant evicted another tenant's")
	}
}
