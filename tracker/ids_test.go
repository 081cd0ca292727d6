package tracker_test

import (
	"testing"

	"issuegrid/tracker"
)

// TestNewFieldID checks that the ids of fields are short, valid and different, and that none is given again.
func TestNewFieldID(t *testing.T) {
	d := tracker.NewDefinition(tracker.Project{ID: "p"},
		[]*tracker.Field{{ID: "03", Name: "Created with an id"}})
	d.Jobs = []tracker.Job{{Kind: tracker.JobDeleteField, Field: "05", Status: tracker.JobRunning}}
	given := map[tracker.FieldID]bool{"03": true, "05": true}
	for n := range 40_000 { // beyond the names of built-in columns, such as name
		id := d.NewFieldID()
		if given[id] || !id.Valid() {
			t.Fatalf("field %d got the id %q", n, id)
		}
		given[id] = true
		if want := map[bool]int{true: 2, false: 4}[n < 1000]; len(id) > want {
			t.Errorf("field %d has the id %q", n, id)
		}
	}
	again := tracker.NewDefinition(d.Project, nil)
	if id := again.NewFieldID(); given[id] {
		t.Errorf("%q was given again, after the project had been stored", id)
	}
}
