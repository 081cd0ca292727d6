package tracker_test

import (
	"testing"

	"issuegrid/tracker"
)

// TestActors checks that every actor is read as it was stored, and that users are not mistaken for jobs or
// imports.
func TestActors(t *testing.T) {
	for _, kind := range []tracker.ActorKind{tracker.ActorUser, tracker.ActorJob, tracker.ActorImport} {
		for _, name := range []string{"ada", "job", "import", "user", "job:ada", "user:ada", "user:job:x",
			"a:b", ":", "jobs", "Job", "import:"} {
			a := tracker.Actor{Kind: kind, Name: name}
			if got, ok := tracker.ActorOf(a.Stored()); got != a || !ok {
				t.Errorf("%+v is stored as %q and read as %+v, %t", a, a.Stored(), got, ok)
			}
		}
	}
	for stored, want := range map[string]tracker.Actor{"ada": {Kind: tracker.ActorUser, Name: "ada"},
		"job": {Kind: tracker.ActorJob}, "import": {Kind: tracker.ActorImport},
		"user": {Kind: tracker.ActorUser, Name: "user"}} {
		if got, ok := tracker.ActorOf(stored); got != want || !ok || got.Stored() != stored {
			t.Errorf("%q is read as %+v, %t", stored, got, ok)
		}
	}
	if a, ok := tracker.ActorOf(""); ok || (tracker.Actor{Kind: tracker.ActorUser}).Stored() != "" {
		t.Errorf("an unknown actor is %+v", a)
	}
}
