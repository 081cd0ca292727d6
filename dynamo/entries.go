package dynamo

import (
	"slices"
	"time"

	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// builtinColumns are the built-in columns that have index entries of their own. The place of num is the issue item itself.
var builtinColumns = [...]tracker.Column{tracker.ColumnName, tracker.ColumnState, tracker.ColumnCreated, tracker.ColumnUpdated}

// builtinEntries are the index entries of the built-in columns.
func (k keys) builtinEntries(p *tracker.Project, i *tracker.Issue) []item {
	out := make([]item, len(builtinColumns))
	for n, c := range builtinColumns {
		out[n] = k.entry(i, c, BuiltinValue(p, i, c))
	}
	return out
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

func (k keys) entry(i *tracker.Issue, c tracker.Column, v sortkey.Value) item {
	m := keyItem(k.value(i.ID, c))
	m[attrSS] = avB(sortkey.Join(v, i.Num))
	m["ver"] = avN(i.Version)
	return m
}

// valueItems are the items that hold or order an issue's value of a field: its index entry, one entry for each member of
// a set, and the parts of a long text. stored is the value as the issue item holds it. The value must have been checked
// against the field.
func (k keys) valueItems(i *tracker.Issue, f *tracker.Field, v tracker.Value) (stored tracker.Value, items []item) {
	switch v.Kind {
	case tracker.KindNone:
		return v, nil
	case tracker.KindSet:
		for _, member := range members(f, v) {
			m := keyItem(k.member(i.ID, f.ID, member))
			m[attrSS] = avB(sortkey.Num(i.Num))
			m["ver"] = avN(i.Version)
			items = append(items, m)
		}
		return v, items
	}
	c := f.ID.Column()
	if isLong(f, v) {
		stored, items = k.longItems(i, c, v.Text())
	} else {
		stored = v
	}
	if f.Type.Sortable() {
		if items == nil {
			items = []item{keyItem(k.value(i.ID, c))}
			items[0]["ver"] = avN(i.Version)
		}
		items[0][attrSS] = avB(sortkey.Join(SortValue(f, v), i.Num))
	}
	return stored, items
}

// isLong tells whether a value is held outside the document. A user's name never is, though it may have more than MaxInlineText bytes.
func isLong(f *tracker.Field, v tracker.Value) bool {
	return (f.Type == tracker.TypeText || f.Type == tracker.TypeLongText) && len(v.Text()) > tracker.MaxInlineText
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
