package layout

import (
	"strconv"
	"strings"
	"time"

	"issuegrid/tracker"
)

// Tags has the keys and the items of the list of the tags of a TAGS field: one item for each tag that an
// issue has or had, in the order of the folded tags. A tag is listed before its index entries are written, so
// the list misses none (I7); one that no issue has any more may remain. The list is in the partition of the
// project, after all items of the definition (ProjectHistory.Start).
type Tags struct {
	keys    Keys
	project tracker.ProjectID
	// Field is the field, and Gen the generation of its values.
	Field tracker.FieldID
	Gen   int64
}

// TagsOf returns the list of the tags of a field.
func TagsOf(k Keys, p tracker.ProjectID, f *tracker.Field) Tags { return Tags{k, p, f.ID, f.Gen} }

// Of reports whether it is the list of a field.
func (t Tags) Of(f *tracker.Field) bool {
	return f != nil && f.Type == tracker.TypeTags && t.Field == f.ID && t.Gen == f.Gen
}

// AllTags returns the prefix of the sort keys of the lists of a project.
func AllTags(k Keys, p tracker.ProjectID) string { return k.pk("xtags", string(p)+".") }

// Key returns the key of a folded tag. That of an empty one is the start of the list.
func (t Tags) Key(tag string) Key {
	return Key{PK: t.keys.Project(t.project),
		SK: Generation(AllTags(t.keys, t.project)+string(t.Field), t.Gen) + "." + tag}
}

// End returns a sort key after those of the list, and before those of others.
func (t Tags) End() string {
	return strings.TrimSuffix(t.Key("").SK, ".") + "/" // the character after the period
}

// TagRange is a part of the sort keys of the lists of a project.
type TagRange struct{ First, Last string }

// FormerTags returns the ranges of the lists of a field that it has no more: those of the former generations
// of its values, or all if f is nil, because the field is deleted.
func FormerTags(k Keys, p tracker.ProjectID, id tracker.FieldID, f *tracker.Field) []TagRange {
	list := Tags{k, p, id, 0}
	if f == nil {
		begin := AllTags(k, p) + string(id) + "~"
		return []TagRange{{list.Key("").SK, list.End()}, {begin, begin + "~"}}
	}
	var out []TagRange
	for ; list.Gen < f.Gen; list.Gen++ {
		out = append(out, TagRange{list.Key("").SK, list.End()})
	}
	return out
}

// ListTags returns the items of tags with the given keys that are listed at a time.
func ListTags(all []Key, at time.Time) []Item {
	items := make([]Item, len(all))
	for n, k := range all {
		items[n] = KeyItem(k)
		items[n][AttrAt] = N(at.Unix())
	}
	return items
}

// ParseTag returns the list and the folded tag in the sort key of an item.
func ParseTag(k Keys, p tracker.ProjectID, sk string) (t Tags, tag string, ok bool) {
	rest, ok := strings.CutPrefix(sk, AllTags(k, p))
	field, tag, found := strings.Cut(rest, ".")
	field, gen, _ := strings.Cut(field, "~")
	n, _ := strconv.ParseInt(gen, 10, 64) // of another form, the key differs
	t = Tags{k, p, tracker.FieldID(field), n}
	return t, tag, ok && found && tag != "" && tracker.ValidID(field) && t.Key(tag).SK == sk
}
