package dynamo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// TestDefinitionsAreBoundedByBytes: definitions that are believed take no more bytes than they may: those
// that were used last stay, one that is larger than all may be is not kept, and those of a tenant that has
// few stay whatever another one reads.
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
	// Of some 90 KB each, but for the last one, which has more than all may have.
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
			t.Errorf("%s, which was used lately, was read %d times again", ids[n], got)
		}
	}
	if reads(ids[0]) == 0 {
		t.Error("more definitions are kept than their bytes allow")
	}
	for range 2 {
		if reads(ids[5]) == 0 {
			t.Error("a definition is kept that has more bytes than all may have")
		}
	}
	if reads(ids[0]) != 0 {
		t.Error("a definition that is too large has pushed out another")
	}
	if readsOf(other, project) != 0 {
		t.Error("the definitions of one tenant have pushed out another tenant's")
	}
}
