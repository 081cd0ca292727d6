package columns_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/internal/columns"
	"issuegrid/test/tier"
	"issuegrid/tracker"
)

// TestChoiceMarks: the mark of an option that has moved differs exactly if other options are before it, and
// all marks differ after a merge and while a job rebuilds the index (F7). A case is a change of all options.
func TestChoiceMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9]{1,3}`), 1, 12,
			func(id string) string { return id })
		before := ids.Draw(t, "ids")
		for range tier.PerCheck(2_100, 100_000) {
			after := rapid.Permutation(before).Draw(t, "moved")
			after = append(after[:rapid.IntRange(1, len(after)).Draw(t, "kept")], "added")
			now := rapid.SampledFrom([]tracker.Rebuild{{}, {}, {}, {Moving: true}, {Merges: 1}}).Draw(t,
				"now")
			was, is := choiceMarks(before, tracker.Rebuild{}), choiceMarks(after, now)
			for n, id := range before {
				at := slices.Index(after, id)
				if at < 0 {
					continue
				}
				same := !now.Moving && now.Merges == 0 && equalSets(before[:n], after[:at])
				if same != (was[n] == is[at]) {
					t.Fatalf("%q in %v, then in %v, %+v: %x, then %x", id, before, after, now, was[n], is[at])
				}
			}
		}
	})
}

func choiceMarks(ids []string, now tracker.Rebuild) []uint32 {
	f := tracker.Field{ID: "f", Type: tracker.TypeSelect, Rebuild: now}
	for _, id := range ids {
		f.Options = append(f.Options, tracker.Option{ID: tracker.OptionID(id)})
	}
	return columns.ChoiceMarks(tracker.NewDefinition(tracker.Project{}, []*tracker.Field{&f}), f.ID.Column())
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
