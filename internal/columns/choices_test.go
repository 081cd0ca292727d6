package columns_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"issuegrid/internal/columns"
	"issuegrid/tracker"
)

// TestChoiceMarks: the mark of an option that has moved differs exactly if other options are before it, and
// all marks differ while a job rebuilds the index.
func TestChoiceMarks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9]{1,3}`), 1, 12,
			func(id string) string { return id })
		before := ids.Draw(t, "ids")
		after := rapid.Permutation(before).Draw(t, "moved")
		after = append(after[:rapid.IntRange(1, len(after)).Draw(t, "kept")], "added")
		moving := rapid.Bool().Draw(t, "moving")
		was, is := choiceMarks(before, false), choiceMarks(after, moving)
		for n, id := range before {
			now := slices.Index(after, id)
			if now < 0 {
				continue
			}
			same := !moving && equalSets(before[:n], after[:now])
			if same != (was[n] == is[now]) {
				t.Fatalf("%q in %v, then in %v, moving %v: %x, then %x", id, before, after, moving, was[n],
					is[now])
			}
		}
	})
}

func choiceMarks(ids []string, moving bool) []uint32 {
	f := tracker.Field{ID: "f", Type: tracker.TypeSelect, Rebuild: tracker.Rebuild{Moving: moving}}
	for _, id := range ids {
		f.Options = append(f.Options, tracker.Option{ID: tracker.OptionID(id)})
	}
	return columns.ChoiceMarks(tracker.NewDefinition(tracker.Project{}, []*tracker.Field{&f}), f.ID.Column())
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
