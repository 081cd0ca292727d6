package dynamo

import (
	"testing"
	"time"

	"issuegrid/tracker"
)

// TestSweep checks that adding a definition to the cache removes those that are too old.
func TestSweep(t *testing.T) {
	d := newDefinitions(time.Second, time.Second, 1<<20)
	begin := time.Unix(1_700_000_000, 0)
	add := func(partition string, after time.Duration) {
		read := tracker.NewDefinition(tracker.Project{}, nil)
		read.Read = begin.Add(after)
		d.remember("t", partition, cached{definition: read, checked: read.Read}, d.changed())
	}
	add("a", 0)
	add("b", 3*time.Second)
	add("c", maxAge*time.Second)
	kept := 0
	d.cache.RemoveFunc(func(cached) bool { kept++; return false })
	if _, known := d.cache.Get("a"); known || kept != 2 {
		t.Errorf("%d definitions are cached, want 2; expired one cached: %t", kept, known)
	}
}
