package dynamo_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"issuegrid/dynamo/check"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestCheckAfterCrashes stops a server before each of the requests of a large change, and checks that a
// repair leaves the issue as before or as after the change, with a matching index.
func TestCheckAfterCrashes(t *testing.T) {
	f, c := checked(t)
	d := f.wideProject(enough)
	kinds := map[check.FindingKind]bool{}
	for n, more := 0, true; more; n += tier.Cases(2, 1) {
		i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
		undo := f.cut(n)
		_, err := f.store.UpdateIssue(t.Context(), d, i.ID, tracker.Change{Values: stamped(d, 2)})
		more = undo()
		c.add(2 * time.Hour)
		for _, k := range f.check(check.Options{Repair: true}).Kinds {
			kinds[k.Kind] = true
			if k.Repaired < k.Found {
				t.Errorf("after %d requests: %d of %q, and only %d were repaired", n, k.Found, k.Kind,
					k.Repaired)
			}
		}
		f.sound()
		got := f.read(i.ID)
		if made := got.Version == 2; made != (err == nil) {
			t.Errorf("after %d requests: version %d, %v", n, got.Version, err)
		}
		want := stamped(d, int(got.Version))
		f.sameValues(got, want)
		f.verifyOnly(t, d, got, want)
		f.must(f.store.PurgeIssue(t.Context(), i.ID, nil))
	}
	if want := []check.FindingKind{check.KindIndexing, check.KindOrphan,
		check.KindTextStays, check.KindTagUnused}; !slices.Equal(slices.Sorted(maps.Keys(kinds)),
		slices.Sorted(slices.Values(want))) {
		t.Errorf("crashes left %v, want %v", kinds, want)
	}
}

// TestCheckAfterCrashesOfDeletions does the same for moving an issue to the trash, restoring it and purging
// it.
func TestCheckAfterCrashesOfDeletions(t *testing.T) {
	f, c := checked(t)
	d := f.wideProject(enough)
	for n, more := 0, true; more; n += every {
		more = false
		for _, purge := range []bool{false, true} {
			i := f.create(f.store, d, tracker.Issue{Name: "Wide", State: "open", Values: stamped(d, 1)})
			undo := f.cut(n)
			if purge {
				_ = f.store.PurgeIssue(t.Context(), i.ID, nil)
			} else {
				_ = f.store.DeleteIssue(t.Context(), i.ID, nil)
			}
			more = undo() || more
			c.add(2 * time.Hour)
			f.repairAll("after %d requests of a deletion", n)
			undo = f.cut(n)
			_, err := f.store.RestoreIssue(t.Context(), d, i.ID)
			more = undo() || more
			c.add(2 * time.Hour)
			f.repairAll("after %d requests of a restoration", n)
			if err == nil {
				f.sameValues(f.read(i.ID), stamped(d, 1))
			}
			err = f.store.PurgeIssue(t.Context(), i.ID, nil)
			if code := tracker.CodeOf(err); code != "" && code != tracker.NotFound {
				t.Fatal(err)
			}
		}
	}
}

// repairAll repairs all findings, and checks that none is left.
func (f *fixture) repairAll(format string, args ...any) {
	f.Helper()
	if r := f.check(check.Options{Repair: true}); r.Left() > 0 {
		f.Errorf(format+": %v", append(args, r)...)
	}
	f.sound()
}
