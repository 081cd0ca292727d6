package columns

import (
	"slices"

	"issuegrid/internal/fold"
	"issuegrid/tracker"
)

// Folds reports whether set members of a type are compared in the form that FoldTag returns.
func Folds(t tracker.FieldType) bool { return rule(t).folds }

// FoldsColumn reports whether the set members of a column are compared in the form that FoldTag returns.
func FoldsColumn(d *tracker.Definition, c tracker.Column) bool {
	f := field(d, c)
	return f != nil && Folds(f.Type)
}

// Members returns the names under which a set is indexed: option ids unchanged; tags folded, without
// duplicates.
func Members(f *tracker.Field, v tracker.Value) []string {
	if !Folds(f.Type) {
		return v.Set()
	}
	out := make([]string, len(v.Set()))
	for i, member := range v.Set() {
		out[i] = FoldTag(member)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// maxFolded is the maximum length of a folded tag in a key, in bytes. DynamoDB limits sort keys to 1,024
// bytes.
const maxFolded = 800

// FoldTag returns the name under which a tag is indexed. A tag that consists only of accents is
// unchanged, because its folded form is empty. A folded form that is too long for a key is replaced by a
// hash; this takes dozens of the few characters that fold to whole phrases.
func FoldTag(tag string) string {
	folded := fold.String(tag)
	switch {
	case folded == "":
		return tag
	case len(folded) > maxFolded:
		return tracker.IDFor("tag", folded)
	}
	return folded
}
