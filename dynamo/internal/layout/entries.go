package layout

import (
	"slices"
	"time"

	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// builtinColumns are the built-in columns with separate index entries. The entry of num is the issue item.
var builtinColumns = [...]tracker.Column{tracker.ColumnName, tracker.ColumnState, tracker.ColumnCreated,
	tracker.ColumnUpdated, tracker.ColumnCreatedBy, tracker.ColumnUpdatedBy}

// BuiltinColumns returns the built-in columns with separate index entries.
func BuiltinColumns() []tracker.Column { return slices.Clone(builtinColumns[:]) }

// Entry is an index entry of an issue. It determines the position of the issue in the order of a column, adds
// it to the issues with a member of a set, to those without a value (tracker.Empties), or to those of a
// participant. In a sortable column, an entry of an empty value has the key of one of a value, so that an
// issue never has both.
type Entry struct {
	Key  Key
	Sort []byte
	// List is the key of the tag of the entry in the list of the tags of its field; empty if it has none.
	List Key
}

// AppendTag appends the key of the tag of the entry, if it has one.
func (e Entry) AppendTag(tags []Key) []Key {
	if e.List == (Key{}) {
		return tags
	}
	return append(tags, e.List)
}

// Item returns the item of the entry for a version of the document.
func (e Entry) Item(version int64) Item {
	m := KeyItem(e.Key)
	m[AttrSS] = B(e.Sort)
	m["ver"] = N(version)
	return m
}

// EntriesOf returns the entries of an issue in a column. The issue must have been returned by
// Definition.Current. text is the long text of a value that the document only refers to; it is used only for
// a sortable field.
func (k Keys) EntriesOf(d *tracker.Definition, i *tracker.Issue, c tracker.Column, text string) []Entry {
	gen := int64(0)
	one := func(v sortkey.Value) []Entry {
		return []Entry{{Key: k.value(i.ID, c, gen), Sort: sortkey.Join(v, i.Num)}}
	}
	if c == tracker.ColumnParticipation {
		return participation(k, d, i)
	}
	if c.Builtin() {
		if !slices.Contains(builtinColumns[:], c) {
			return nil
		}
		if !c.Nullable() || i.Value(c).Kind != tracker.KindNone {
			return one(columns.BuiltinValue(&d.Project, i, c))
		}
	}
	f, v := d.Field(c.Field()), i.Values[c.Field()]
	switch {
	case v.Kind == tracker.KindNone:
		if !d.WritesEmpties(c) {
			return nil
		}
		if f != nil {
			gen = f.Gen
		}
		return one(sortkey.Empties())
	case f == nil || !f.Type.Indexed():
		return nil
	case v.Kind == tracker.KindSet:
		var out []Entry
		for _, member := range columns.Members(f, v) {
			e := Entry{Key: k.member(i.ID, f, member), Sort: sortkey.Num(i.Num)}
			if f.Type == tracker.TypeTags {
				e.List = TagsOf(k, i.ID.Project, f).Key(member)
			}
			out = append(out, e)
		}
		return out
	}
	if gen = f.Gen; v.Kind == tracker.KindLong {
		return one(sortkey.Text(text))
	}
	return one(columns.SortValue(f, v))
}

// AllEntries returns all entries of an issue (I3) that the definition determines. texts contains the long
// texts that the document refers to.
func (k Keys) AllEntries(d *tracker.Definition, i *tracker.Issue, texts map[tracker.Column]string) []Entry {
	var out []Entry
	for _, c := range EntryColumns(d, i) {
		if Derivable(d, i, c) {
			out = append(out, k.EntriesOf(d, i, c, texts[c])...)
		}
	}
	return out
}

// EntryColumns returns the columns in which an issue may have entries.
func EntryColumns(d *tracker.Definition, i *tracker.Issue) []tracker.Column {
	out := BuiltinColumns()
	if i.HasParticipants() {
		out = append(out, tracker.ColumnParticipation)
	}
	for id, v := range i.Values {
		if v.Kind != tracker.KindNone { // which is also a value that is damaged
			out = append(out, id.Column())
		}
	}
	for _, f := range d.Fields {
		if c := f.ID.Column(); d.WritesEmpties(c) && i.Values[f.ID].Kind == tracker.KindNone {
			out = append(out, c)
		}
	}
	return out
}

// Derivable reports whether a definition determines the entries of an issue in a column. It does not if
// another server has added the field, option or state since the definition was read.
func Derivable(d *tracker.Definition, doc *tracker.Issue, c tracker.Column) bool {
	if c == tracker.ColumnState || c == tracker.ColumnParticipation {
		_, ok := d.Project.StateRank(doc.State)
		return ok
	}
	v, has := doc.Values[c.Field()]
	if c.Builtin() || !has {
		return true
	}
	f := d.Field(c.Field())
	return f != nil && f.Check(v) == nil
}

// IsLong reports whether a value must be stored outside the document. The name of a user never is, even if it
// is longer than MaxInlineText bytes.
func IsLong(d *tracker.Definition, c tracker.Column, v tracker.Value) bool {
	if v.Kind != tracker.KindText || len(v.Text()) <= tracker.MaxInlineText {
		return false
	}
	if c == tracker.ColumnDescription {
		return true
	}
	return d.Field(c.Field()).Type.LongTexts()
}

// CopyDeletion copies what an issue in the trash has besides the issue, such as the time of the deletion and
// who made it.
func CopyDeletion(to, from Item) {
	for _, name := range []string{"deleted", "by", AttrByUser, "kept", AttrExpires} {
		if from[name] != nil {
			to[name] = from[name]
		}
	}
}

// TrashSort returns the sort string of an issue in the trash. It sorts the most recently deleted first.
func TrashSort(at time.Time, num int64) []byte {
	return sortkey.Join(sortkey.Int(-at.UnixMicro()), num)
}
