package dynamo

import (
	"context"
	"maps"
	"slices"

	"issuegrid/account"
	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/sortkey"
	"issuegrid/tracker"
)

// guard is what the transactions that write entries check, so that they belong to the version of the document
// that they were made from.
type guard uint8

const (
	// byMarker checks the marker, a small item, and removes it at the end.
	byMarker guard = iota
	// byDocument checks the document, which costs write units by its size, where there is no marker.
	byDocument
)

// index makes the entries of an issue what its document says (I3, I5). texts are long texts of it that are
// known already. A newer document ends it, with client.ErrStale.
func (t indexer) index(ctx context.Context, d *tracker.Definition, doc *tracker.Issue,
	texts map[tracker.Column]string, by guard) error {
	doc = d.Current(doc)
	texts, lost, err := t.sortedTexts(ctx, d, doc, texts)
	if err != nil {
		return err
	}
	had, err := reader(t).entriesNow(ctx, doc.ID)
	if err != nil {
		return err
	}
	var all client.Transaction
	t.entryWrites(&all, t.known(d, doc, had, lost),
		t.readable(doc.ID.Project, t.keys.AllEntries(d, doc, texts), lost), doc.Version)
	for {
		n := min(len(all.Writes), client.MaxTransaction-1)
		var x client.Transaction
		x.Writes, all.Writes = all.Writes[:n:n], all.Writes[n:]
		last := len(all.Writes) == 0
		switch {
		case by == byDocument && n == 0:
			return nil
		case by == byDocument:
			x.Check(t.db.table, t.keys.IssueItem(doc.ID),
				client.MustHaveVersion(doc.Version, client.ErrStale))
		case last:
			x.Delete(t.db.table, t.keys.Marker(doc.ID), client.MustHaveVersion(doc.Version, client.ErrStale))
		default:
			x.Check(t.db.table, t.keys.Marker(doc.ID), client.MustHaveVersion(doc.Version, client.ErrStale))
		}
		if err := t.db.write(ctx, &x); err != nil || last {
			return err
		}
	}
}

// known leaves out the entries of columns of which the definition does not tell the entries (tells). They
// stay as they are: the server that knows more has written them.
func (t indexer) known(d *tracker.Definition, doc *tracker.Issue, had map[layout.Key][]byte,
	lost lostTexts) map[layout.Key][]byte {
	for key := range had {
		if c := t.keys.ColumnOf(doc.ID.Project, key); !layout.Derivable(d, doc, c) || lost[c] {
			delete(had, key)
		}
	}
	return had
}

// lostTexts are columns whose text can't be read any more, which `check` reports. Their entries stay as they
// are.
type lostTexts map[tracker.Column]bool

// readable leaves out the entries of columns whose text is lost.
func (t indexer) readable(p tracker.ProjectID, entries []layout.Entry, lost lostTexts) []layout.Entry {
	if len(lost) == 0 {
		return entries
	}
	return slices.DeleteFunc(entries, func(e layout.Entry) bool { return lost[t.keys.ColumnOf(p, e.Key)] })
}

// sortedBytes is how many bytes of long texts are read at a time to sort by them.
const sortedBytes = 4 << 20

// sortedTexts completes texts by what the long ones that the document is sorted by begin with
// (sortkey.Start), but for those that are lost.
func (t indexer) sortedTexts(ctx context.Context, d *tracker.Definition, doc *tracker.Issue,
	known map[tracker.Column]string) (map[tracker.Column]string, lostTexts, error) {
	var refs []tracker.LongRef
	for id, v := range doc.Values {
		if f := d.Field(id); f != nil && f.Type.Sortable() && v.Kind == tracker.KindLong {
			if _, ok := known[id.Column()]; !ok {
				refs = append(refs, tracker.LongRef{Issue: doc.ID, Column: id.Column(), Long: v.Long()})
			}
		}
	}
	all := make(map[tracker.Column]string, len(known)+len(refs))
	maps.Copy(all, known)
	var lost lostTexts
	for len(refs) > 0 { // a few at a time, of which little is kept
		n, bytes := 0, 0
		for n < len(refs) && (n == 0 || bytes+refs[n].Long.Bytes <= sortedBytes) {
			bytes += refs[n].Long.Bytes
			n++
		}
		found, errs := reader(t).longTexts(ctx, refs[:n])
		for i, r := range refs[:n] {
			switch {
			case ofItem(errs[i]):
				if lost == nil {
					lost = lostTexts{}
				}
				lost[r.Column] = true
			case errs[i] != nil:
				return nil, nil, errs[i]
			default:
				all[r.Column] = sortkey.Start(found[i])
			}
		}
		account.From(ctx).Release(int64(bytes))
		refs = refs[n:]
	}
	return all, lost, nil
}

// entriesNow reads the keys and sort strings of all entries of an issue.
func (t reader) entriesNow(ctx context.Context, id tracker.IssueID) (map[layout.Key][]byte, error) {
	had := map[layout.Key][]byte{}
	err := t.db.under(ctx, t.keys.Issue(id), t.keys.EntryPrefix(id.Project),
		layout.AttrPK+","+layout.AttrSK+","+layout.AttrSS, func(m layout.Item) error {
			had[layout.KeyOf(m)] = layout.GetB(m, layout.AttrSS)
			return nil
		})
	return had, err
}

// marked tells whether an issue has a marker of the version of its document, so that its entries may not be
// what the document says.
func (t reader) marked(ctx context.Context, doc *tracker.Issue) (bool, error) {
	if !doc.Indexing {
		return false, nil
	}
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.Marker(doc.ID)}, true)
	return err == nil && found[0] != nil, err
}
