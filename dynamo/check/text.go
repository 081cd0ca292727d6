package check

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// foundText is what was read of a long text, without its bytes.
type foundText struct {
	name  layout.TextName
	parts []foundPart
	// long is what a document should say of it: whole tells that the parts are one text, the one that its
	// name is made from.
	long  tracker.Long
	whole bool
	// sort is where the text stands in the order of its column.
	sort sortkey.Value
}

// foundPart is what was read of one item of a long text.
type foundPart struct {
	key     layout.Key
	at      types.AttributeValue // nil if it does not say when it was written
	expires bool
}

// item is the part, without what it holds and when it expires.
func (p foundPart) item() layout.Item {
	m := layout.KeyItem(p.key)
	m[layout.AttrAt] = p.at
	return m
}

// written is when the part was written.
func (p foundPart) written() time.Time { return time.Unix(layout.GetN(p.item(), layout.AttrAt), 0) }

// texts collects the long texts of an issue, and who refers to them. Of the bytes it holds those of the text
// that is being read.
type texts struct {
	found map[layout.TextName]*foundText
	// current is the text of which parts are coming in; their items are held.
	current layout.TextName
	items   []layout.Item
	refs    map[reference]referrer
}

// referrer is the item that refers to a text, and of those of a history the one that stays the longest.
type referrer struct {
	key     layout.Key
	expires int64
}

// reference is what some item says about a long text.
type reference struct {
	holder holder
	column tracker.Column
	long   tracker.Long
}

func (r reference) name() layout.TextName { return layout.TextName{Column: r.column, ID: r.long.ID} }

// holder is what kind of item refers to a text; the first ones tell for the others.
type holder uint8

const (
	byDoc holder = iota
	byTrash
	byHistory
	byExpired // an entry of a history that is about to go, whose texts may have gone before it
)

// refer notes the long texts among values.
func (x *texts) refer(by holder, m layout.Item, column tracker.Column, v tracker.Value) {
	if v.Kind != tracker.KindLong {
		return
	}
	if x.refs == nil {
		x.refs = map[reference]referrer{}
	}
	r := reference{by, column, v.Long()}
	if last, ok := x.refs[r]; !ok || last.expires < layout.GetN(m, layout.AttrExpires) {
		x.refs[r] = referrer{layout.KeyOf(m), layout.GetN(m, layout.AttrExpires)}
	}
}

func (x *texts) referIssue(by holder, m layout.Item, i *tracker.Issue) {
	x.refer(by, m, tracker.ColumnDescription, i.Description)
	for id, v := range i.Values {
		x.refer(by, m, id.Column(), v)
	}
}

// add takes the n-th part of a text.
func (x *texts) add(name layout.TextName, n int, m layout.Item) {
	if name != x.current {
		x.end()
		x.current = name
	}
	if x.found == nil {
		x.found = map[layout.TextName]*foundText{}
	}
	f := x.found[name]
	if f == nil {
		f = &foundText{name: name}
		x.found[name] = f
	}
	f.parts = append(f.parts, foundPart{key: layout.KeyOf(m), at: m[layout.AttrAt],
		expires: m[layout.AttrExpires] != nil})
	if n == len(x.items) && len(f.parts) == n+1 && m["v"] != nil {
		x.items = append(x.items, m)
	}
}

// end takes the text of which parts came in for complete.
func (x *texts) end() {
	items, name := x.items, x.current
	x.items, x.current = nil, layout.TextName{}
	f := x.found[name]
	if f == nil || len(items) != len(f.parts) {
		return
	}
	data, ok := layout.Inflate(items, 0)
	f.long = tracker.Long{ID: name.ID, Bytes: len(data), Parts: len(items)}
	text := string(data)
	if f.whole = ok && f.long.Holds(text); f.whole && name.Column != tracker.ColumnDescription {
		f.sort = sortkey.Text(text)
	}
}

// has tells whether a text is there as a document says.
func (x *texts) has(column tracker.Column, l tracker.Long) bool {
	f := x.found[layout.TextName{Column: column, ID: l.ID}]
	return f != nil && f.whole && f.long == l
}

// judge compares references with what there is. holders are those whose texts must be there; settled tells
// that no change is under way.
func (x *texts) judge(pk string, now time.Time, settled bool, holders ...holder) []Finding {
	var out []Finding
	by := map[layout.TextName]holder{}
	for _, r := range x.references() {
		f, first := x.found[r.name()], x.refs[r].key
		if _, seen := by[r.name()]; seen {
			continue
		}
		by[r.name()] = r.holder
		switch {
		case slices.Contains(holders, r.holder) && !x.has(r.column, r.long):
			kind := KindText
			if r.holder == byHistory {
				kind = KindHistoryText
			}
			out = append(out, Finding{Kind: kind, Key: first, Column: r.column,
				Detail: "the text " + r.long.ID})
		case f == nil:
		case r.holder == byDoc && slices.ContainsFunc(f.parts, func(p foundPart) bool { return p.expires }):
			out = append(out, Finding{Kind: KindTextExpires, Key: f.parts[0].key})
		case r.holder >= byHistory && settled && slices.ContainsFunc(f.parts, func(p foundPart) bool {
			return !p.expires
		}):
			out = append(out, Finding{Kind: KindTextStays, Key: f.parts[0].key})
		}
	}
	for name, f := range x.found {
		if _, referred := by[name]; !referred && slices.ContainsFunc(f.parts, func(p foundPart) bool {
			return p.orphan(now)
		}) {
			out = append(out, Finding{Kind: KindOrphan, Key: layout.Key{PK: pk, SK: f.parts[0].key.SK}})
		}
	}
	return out
}

// at returns the text whose first part has this key; one without parts if there is none.
func (x *texts) at(first layout.Key) *foundText {
	for _, f := range x.found {
		if f.parts[0].key == first {
			return f
		}
	}
	return &foundText{}
}

// references are all references, those of a document first.
func (x *texts) references() []reference {
	return slices.SortedFunc(maps.Keys(x.refs), func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.holder, b.holder), cmp.Compare(a.column, b.column),
			cmp.Compare(a.long.ID, b.long.ID))
	})
}

// until is when the last item of the history goes that refers to a text.
func (x *texts) until(name layout.TextName) int64 {
	last := int64(0)
	for r, by := range x.refs {
		if r.name() == name {
			last = max(last, by.expires)
		}
	}
	return last
}

// orphan tells whether a part that nobody refers to was left by a crash: one that expires goes by itself, and
// to a young one its change may yet refer.
func (p foundPart) orphan(now time.Time) bool { return !p.expires && now.Sub(p.written()) > orphanAge }
