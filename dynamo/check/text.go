package check

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// foundText is a long text that was read, without its bytes.
type foundText struct {
	name  layout.TextName
	parts []foundPart
	// long is the reference that a document should contain. whole is set if the parts form one text, and its
	// ID is derived from that text.
	long  tracker.Long
	whole bool
	// sort is the position of the text in the order of its column.
	sort sortkey.Value
}

// foundPart is an item of a long text.
type foundPart struct {
	key     layout.Key
	at      types.AttributeValue // nil if the time of writing is missing
	expires bool
}

// item returns the part without its data and its expiry.
func (p foundPart) item() layout.Item {
	m := layout.KeyItem(p.key)
	m[layout.AttrAt] = p.at
	return m
}

// written returns when the part was written.
func (p foundPart) written() time.Time { return time.Unix(layout.GetN(p.item(), layout.AttrAt), 0) }

// texts collects the long texts of an issue and the references to them. It holds the bytes only of the text
// being read.
type texts struct {
	found map[layout.TextName]*foundText
	// current is the text whose parts are being read; items contains its parts.
	current layout.TextName
	items   []layout.Item
	refs    map[reference]referrer
}

// referrer is the item that refers to a text; among items of the history it is the one that expires last.
type referrer struct {
	key     layout.Key
	expires int64
}

// reference is a reference of an item to a long text.
type reference struct {
	holder holder
	column tracker.Column
	long   tracker.Long
}

func (r reference) name() layout.TextName { return layout.TextName{Column: r.column, ID: r.long.ID} }

// holder is the kind of item that refers to a text. The first kinds take precedence.
type holder uint8

const (
	byDoc holder = iota
	byTrash
	byHistory
	byExpired // an expired item of the history, whose texts may already have been removed
)

// refer records v if it is a long text.
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

// add adds the n-th part of a text.
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

// end processes the current text, all parts of which were read.
func (x *texts) end() {
	items, name := x.items, x.current
	x.items, x.current = nil, layout.TextName{}
	f := x.found[name]
	if f == nil || len(items) != len(f.parts) {
		return
	}
	data, ok := layout.Inflate(items, 0)
	text := string(data)
	f.long = tracker.Long{ID: name.ID, Bytes: len(data), Parts: len(items), Excerpt: tracker.Excerpt(text)}
	if f.whole = ok && f.long.Holds(text); f.whole && name.Column != tracker.ColumnDescription {
		f.sort = sortkey.Text(text)
	}
}

// has reports whether a text exists as a document describes it, apart from its excerpt.
func (x *texts) has(column tracker.Column, l tracker.Long) bool {
	found := x.long(column, l)
	found.Excerpt, l.Excerpt = "", ""
	return found.Parts > 0 && found == l
}

// long returns the reference to a text that a document should contain. It has no parts if the text is lost.
func (x *texts) long(column tracker.Column, l tracker.Long) tracker.Long {
	f := x.found[layout.TextName{Column: column, ID: l.ID}]
	if f == nil || !f.whole {
		return tracker.Long{}
	}
	return f.long
}

// check compares the references with the texts. holders are the kinds of items whose texts must exist.
// settled is set if no change is in progress.
func (x *texts) check(pk string, now time.Time, settled bool, holders ...holder) []Finding {
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

// at returns the text whose first part has this key, or one without parts.
func (x *texts) at(first layout.Key) *foundText {
	for _, f := range x.found {
		if f.parts[0].key == first {
			return f
		}
	}
	return &foundText{}
}

// references returns all references, those of the document first.
func (x *texts) references() []reference {
	return slices.SortedFunc(maps.Keys(x.refs), func(a, b reference) int {
		return cmp.Or(cmp.Compare(a.holder, b.holder), cmp.Compare(a.column, b.column),
			cmp.Compare(a.long.ID, b.long.ID))
	})
}

// until returns when the last item of the history that refers to a text expires.
func (x *texts) until(name layout.TextName) int64 {
	last := int64(0)
	for r, by := range x.refs {
		if r.name() == name {
			last = max(last, by.expires)
		}
	}
	return last
}

// orphan reports whether a part without references was left by a crash. A part that has an expiry is removed
// anyway, and a change in progress may still refer to a recent one.
func (p foundPart) orphan(now time.Time) bool { return !p.expires && now.Sub(p.written()) > orphanAge }
