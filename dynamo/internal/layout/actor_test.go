package layout_test

import (
	"testing"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// TestActors checks that every actor is read as it was stored, and that users are not mistaken for jobs or
// imports.
func TestActors(t *testing.T) {
	for _, kind := range []tracker.ActorKind{tracker.ActorUser, tracker.ActorJob, tracker.ActorImport} {
		for _, name := range []string{"ada", "job", "import", "user", "job:ada", "user:ada", "user:job:x",
			"a:b", ":", "jobs", "Job", "import:"} {
			a, m := tracker.Actor{Kind: kind, Name: name}, layout.Item{}
			layout.SetActor(m, a)
			if got := layout.GetActor(m); got != a {
				t.Errorf("%+v is stored as %q and read as %+v", a, layout.GetS(m, "by"), got)
			}
		}
	}
	for stored, want := range map[string]tracker.Actor{"ada": {Kind: tracker.ActorUser, Name: "ada"},
		"job": {Kind: tracker.ActorJob}, "import": {Kind: tracker.ActorImport},
		"user": {Kind: tracker.ActorUser, Name: "user"}, "": {}} {
		m := layout.Item{}
		if stored != "" {
			m["by"] = layout.S(stored)
		}
		got := layout.GetActor(m)
		if layout.SetActor(m, got); got != want || layout.GetS(m, "by") != stored {
			t.Errorf("%q is read as %+v", stored, got)
		}
	}
	m := layout.Item{}
	if layout.SetActor(m, tracker.Actor{Kind: tracker.ActorUser}); len(m) > 0 {
		t.Errorf("a user without a name is stored as %v", m)
	}
}
