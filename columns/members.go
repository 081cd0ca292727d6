package columns

import (
	"slices"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// Folds reports whether the members of the sets of a type are compared in the form that FoldTag gives them.
func Folds(t tracker.FieldType) bool { return rule(t).folds }

// Members are the names under which a set is indexed: option ids as they are; tags folded, each once.
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

// maxFolded is the greatest length of a folded tag in a key, because DynamoDB takes no sort key of more than
// 1,024 bytes.
const maxFolded = 800

// FoldTag is the name under which a tag is indexed. A tag of nothing but marks keeps them, because a key must
// name it. One that folding makes longer than a key can be, which takes dozens of the few characters that
// stand for whole phrases, goes by a hash.
func FoldTag(tag string) string {
	folded := sortkey.Fold(tag)
	switch {
	case folded == "":
		return tag
	case len(folded) > maxFolded:
		return tracker.IDFor("tag", folded)
	}
	return folded
}
