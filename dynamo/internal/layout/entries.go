package layout

import (
	"slices"
	"time"

	"issuegrid/columns"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// builtinColumns are the built-in columns that have index entries of their own. The place of num is the issue
// item itself.
var builtinColumns = [...]tracker.Column{tracker.ColumnName, tracker.ColumnState, tracker.ColumnCreated,
	tracker.ColumnUpdated}

// BuiltinColumns returns the built-in columns that have index entries of their own.
func BuiltinColumns() []tracker.Column { return slices.Clone(builtinColumns[:]) }

// Entry is an index entry of an issue: an item that puts it into the order of a column, or among the issues
// with a member of a set.
type Entry struct {
	Key  Key
	Sort []byte
}

// Item makes the item of the entry, which is of a version of the document.
func (e Entry) Item(version int64) Item {
	m := KeyItem(e.Key)
	m[AttrSS] = B(e.Sort)
	m["ver"] = N(version)
	return m
}

// EntriesOf are the entries that an issue has in a column. The issue must be one that Definition.Current has
// returned. text is the text of a value that the document only refers to; what it is only matters for a
// sortable field.
func (k Keys) EntriesOf(d *tracker.Definition, i *tracker.Issue, c tracker.Column, text string) []Entry {
	gen := int64(0)
	one := func(v sortkey.Value) []Entry {
		return []Entry{{k.value(i.ID, c, gen), sortkey.Join(v, i.Num)}}
	}
	if c.Builtin() {
		if slices.Contains(builtinColumns[:], c) {
			return one(columns.BuiltinValue(&d.Project, i, c))
		}
		return nil
	}
	f, v := d.Field(c.Field()), i.Values[c.Field()]
	switch {
	case f == nil || v.Kind == tracker.KindNone || !f.Type.Indexed():
		return nil
	case v.Kind == tracker.KindSet:
		var out []Entry
		for _, member := range columns.Members(f, v) {
			out = append(out, Entry{k.member(i.ID, f, member), sortkey.Num(i.Num)})
		}
		return out
	}
	if gen = f.Gen; v.Kind == tracker.KindLong {
		return one(sortkey.Text(text))
	}
	return one(columns.SortValue(f, v))
}

// AllEntries are all entries of an issue (I3), as far as the definition tells. texts are those of the values
// that the document only refers to.
func (k Keys) AllEntries(d *tracker.Definition, i *tracker.Issue, texts map[tracker.Column]string) []Entry {
	var out []Entry
	all := BuiltinColumns()
	for id := range i.Values {
		all = append(all, id.Column())
	}
	for _, c := range all {
		if Derivable(d, i, c) {
			out = append(out, k.EntriesOf(d, i, c, texts[c])...)
		}
	}
	return out
}

// Derivable reports whether a definition says what entries an issue has in a column. It does not of a value
// of a field, an option or a state that another server has added since the definition was read.
func Derivable(d *tracker.Definition, doc *tracker.Issue, c tracker.Column) bool {
	if c == tracker.ColumnState {
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

// IsLong reports whether a value that is given is to be held outside the document. A user's name never is,
// though it may have more than MaxInlineText bytes.
func IsLong(d *tracker.Definition, c tracker.Column, v tracker.Value) bool {
	if v.Kind != tracker.KindText || len(v.Text()) <= tracker.MaxInlineText {
		return false
	}
	if c == tracker.ColumnDescription {
		return true
	}
	return d.Field(c.Field()).Type.LongTexts()
}

// TrashSort is the sort string of an issue in the trash: the last deleted first.
func TrashSort(at time.Time, num int64) []byte {
	return sortkey.Join(sortkey.Int(-at.UnixMicro()), num)
}
