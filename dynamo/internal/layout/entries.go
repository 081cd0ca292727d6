package layout

import (
	"slices"
	"time"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// builtinColumns are the built-in columns that have index entries of their own. The place of num is the issue item itself.
var builtinColumns = [...]tracker.Column{tracker.ColumnName, tracker.ColumnState, tracker.ColumnCreated, tracker.ColumnUpdated}

// BuiltinColumns returns the built-in columns that have index entries of their own.
func BuiltinColumns() []tracker.Column { return slices.Clone(builtinColumns[:]) }

// Entry is an index entry of an issue: an item that puts it into the order of a column, or among the issues with a member of a set.
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

// EntriesOf are the entries that an issue has in a column. The issue must be one that Definition.Current has returned. text is the text of a value
// that the document only refers to; what it is only matters for a sortable field.
func (k Keys) EntriesOf(d *tracker.Definition, i *tracker.Issue, c tracker.Column, text string) []Entry {
	gen := int64(0)
	one := func(v sortkey.Value) []Entry {
		return []Entry{{k.value(i.ID, c, gen), sortkey.Join(v, i.Num)}}
	}
	if c.Builtin() {
		if slices.Contains(builtinColumns[:], c) {
			return one(BuiltinValue(&d.Project, i, c))
		}
		return nil
	}
	f, v := d.Field(c.Field()), i.Values[c.Field()]
	switch {
	case f == nil || v.Kind == tracker.KindNone || !f.Type.Indexed():
		return nil
	case v.Kind == tracker.KindSet:
		var out []Entry
		for _, member := range members(f, v) {
			out = append(out, Entry{k.member(i.ID, f, member), sortkey.Num(i.Num)})
		}
		return out
	}
	if gen = f.Gen; v.Kind == tracker.KindLong {
		return one(sortkey.Text(text))
	}
	return one(SortValue(f, v))
}

// AllEntries are all entries of an issue (I3), as far as the definition tells. texts are those of the values that the document only refers to.
func (k Keys) AllEntries(d *tracker.Definition, i *tracker.Issue, texts map[tracker.Column]string) []Entry {
	var out []Entry
	columns := BuiltinColumns()
	for id := range i.Values {
		columns = append(columns, id.Column())
	}
	for _, c := range columns {
		if Derivable(d, i, c) {
			out = append(out, k.EntriesOf(d, i, c, texts[c])...)
		}
	}
	return out
}

// Derivable reports whether a definition says what entries an issue has in a column. It does not of a value of a field, an option or a state that another server
// has added since the definition was read.
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

// BuiltinValue encodes what an issue has in a built-in column.
func BuiltinValue(p *tracker.Project, i *tracker.Issue, c tracker.Column) sortkey.Value {
	switch c {
	case tracker.ColumnName:
		return sortkey.Text(i.Name)
	case tracker.ColumnState:
		rank, _ := p.StateRank(i.State)
		return sortkey.Rank(rank)
	case tracker.ColumnCreated:
		return sortkey.Time(i.Created)
	case tracker.ColumnUpdated:
		return sortkey.Time(i.Updated)
	}
	return sortkey.Num(i.Num)
}

// IsLong reports whether a value that is given is to be held outside the document. A user's name never is, though it may have more than
// MaxInlineText bytes.
func IsLong(d *tracker.Definition, c tracker.Column, v tracker.Value) bool {
	if v.Kind != tracker.KindText || len(v.Text()) <= tracker.MaxInlineText {
		return false
	}
	if c == tracker.ColumnDescription {
		return true
	}
	f := d.Field(c.Field())
	return f.Type == tracker.TypeText || f.Type == tracker.TypeLongText
}

// members are the names under which a set is indexed: option ids as they are; tags folded, each once.
func members(f *tracker.Field, v tracker.Value) []string {
	if f.Type != tracker.TypeTags {
		return v.Set()
	}
	out := make([]string, len(v.Set()))
	for i, tag := range v.Set() {
		out[i] = FoldTag(tag)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// maxFolded is the greatest length of a folded tag in a key, because DynamoDB takes no sort key of more than 1,024 bytes.
const maxFolded = 800

// FoldTag is the name under which a tag is indexed. A tag of nothing but marks keeps them, because a key must name it. One that folding
// makes longer than a key can be, which takes dozens of the few characters that stand for whole phrases, goes by a hash.
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

// SortValue encodes a value of a sortable field. A long text must be given as the text itself.
func SortValue(f *tracker.Field, v tracker.Value) sortkey.Value {
	switch f.Type {
	case tracker.TypeInteger:
		return sortkey.Int(v.Int())
	case tracker.TypeNumber:
		return sortkey.Float(v.Float())
	case tracker.TypeBoolean:
		return sortkey.Bool(v.Bool())
	case tracker.TypeSelect:
		rank, _ := f.OptionRank(tracker.OptionID(v.Text()))
		return sortkey.Rank(rank)
	case tracker.TypeDate:
		d, _ := time.Parse(time.DateOnly, v.Text())
		return sortkey.Date(d)
	case tracker.TypeDateTime:
		d, _ := time.Parse(time.RFC3339Nano, v.Text())
		return sortkey.Time(d)
	}
	return sortkey.Text(v.Text())
}

// TrashSort is the sort string of an issue in the trash: the last deleted first.
func TrashSort(at time.Time, num int64) []byte {
	return sortkey.Join(sortkey.Int(-at.UnixMicro()), num)
}
