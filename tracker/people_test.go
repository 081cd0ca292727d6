package tracker_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestFormerNames: a history shows the name that a user or a team had at the time of an entry, or, if that is
// not kept any more, the oldest one that is (F9). A case is an entry after some renames, several of which may
// be at the same time.
func TestFormerNames(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 1))
	for cases := 0; cases < tier.Cases(2_000, 100_000); {
		var former tracker.FormerNames
		name, now := "name 0", time.Unix(1_000, 0)
		type entry struct {
			at    time.Time
			name  string
			place int // of the name among all
		}
		var entries []entry
		renames := 0
		for range random.IntN(50) {
			now = now.Add(time.Duration(random.IntN(3)) * time.Microsecond)
			if random.IntN(2) == 0 {
				entries = append(entries, entry{now, name, renames})
				continue
			}
			if random.IntN(4) == 0 { // another change of the user, which keeps the name
				former = former.Rename(name, name, now)
				continue
			}
			// An entry is not at the time of a later change of the name.
			now = now.Add(time.Microsecond)
			renames++
			next := fmt.Sprint("name ", renames)
			name, former = next, former.Rename(name, next, now)
		}
		oldest := renames - len(former)
		if len(former) > 10 || renames <= 10 && oldest != 0 {
			t.Fatalf("%d of %d names are kept", len(former), renames)
		}
		for _, e := range entries {
			cases++
			want := e.name
			if e.place < oldest {
				want = fmt.Sprint("name ", oldest)
			}
			if got := former.At(e.at, name); got != want {
				t.Fatalf("%v: at %v the name is %q, want %q", former, e.at, got, want)
			}
		}
	}
}
