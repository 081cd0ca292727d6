package definitions

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/tracker"
)

// TestSweep checks that adding a definition to the cache removes those that are too old.
func TestSweep(t *testing.T) {
	d := NewCache(time.Second, time.Second, 1<<20)
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

// TestBounds checks that the cache has a limited number of definitions and a limited size of them: the most
// recently used ones stay, one that is larger than the limit is not cached, and the few definitions of one
// tenant stay while another tenant reads many.
func TestBounds(t *testing.T) {
	few := NewCache(time.Second, time.Second, 400<<10)
	of := func(d *Cache, owner tracker.TenantID, partition string, kilobytes int) {
		read := tracker.NewDefinition(tracker.Project{}, []*tracker.Field{{ID: "f",
			Description: strings.Repeat("x", kilobytes<<10)}})
		d.remember(owner, partition, cached{definition: read, checked: time.Unix(1, 0)}, d.changed())
	}
	of(few, "other", "other", 80)
	for _, partition := range []string{"a", "b", "c", "d", "e"} {
		of(few, "t", partition, 80)
	}
	of(few, "t", "too large", 500)
	for partition, want := range map[string]bool{"other": true, "a": false, "b": false, "c": true, "d": true,
		"e": true, "too large": false} {
		if _, known := few.cache.Get(partition); known != want {
			t.Errorf("%s: cached %t, want %t", partition, known, want)
		}
	}
	many, kept := NewCache(time.Second, time.Second, 1<<40), 0
	for n := range maxDefinitions + 6 {
		of(many, "t", fmt.Sprint(n), 0)
	}
	many.cache.RemoveFunc(func(cached) bool { kept++; return false })
	if kept != maxDefinitions {
		t.Errorf("%d definitions are cached, want %d", kept, maxDefinitions)
	}
}
