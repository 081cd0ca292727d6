package dynamo

import (
	"context"
	"maps"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// guard is the condition of the transactions that write entries. It ensures that the entries belong to the
// version of the document from which they were derived.
type guard uint8

const (
	// byMarker checks the marker, a small item, and removes it in the last transaction.
	byMarker guard = iota
	// byDocument checks the document, for an issue without a marker. It consumes write units for the size of
	// the document.
	byDocument
)

// index replaces the entries of an issue by those that follow from its document (I3, I5). texts contains long
// texts of the issue that are already loaded. It returns client.ErrStale if there is a newer document.
func (t indexer) index(ctx context.Context, d *tracker.Definition, doc *tracker.Issue,
	texts map[tracker.Column]string, by guard) error {
	doc = d.Current(doc)
	texts, lost, err := t.sortedTexts(ctx, d, doc, texts)
	if err != nil {
		return err
	}
	existing, err := reader(t).entriesNow(ctx, doc.ID)
	if err != nil {
		return err
	}
	var all client.Transaction
	t.entryWrites(&all, t.known(d, doc, existing, lost),
		t.readable(doc.ID, t.keys.AllEntries(d, doc, texts), lost), doc.Version)
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

// known removes from existing the entries that the definition does not determine: those of columns that are
// not layout.Derivable, and those of empty values in columns that have none by this definition. A server with
// a newer definition has written them, so that they must not change.
func (t indexer) known(d *tracker.Definition, doc *tracker.Issue, existing map[layout.Key][]byte,
	lost lostTexts) map[layout.Key][]byte {
	for key, ss := range existing {
		c := t.keys.ColumnOf(doc.ID, key)
		f := d.Field(c.Field())
		isEmpty := sortkey.IsEmpty(ss) && !d.WritesEmpties(c) && !d.RemovesEmpties(c) &&
			(c.Builtin() || f != nil && f.Type.Indexed())
		if !layout.Derivable(d, doc, c) || lost[c] || isEmpty {
			delete(existing, key)
		}
	}
	return existing
}

// lostTexts is a set of columns whose long text cannot be read. `check` reports them. Their entries are not
// changed.
type lostTexts map[tracker.Column]bool

// readable removes the entries of columns whose text is lost.
func (t indexer) readable(id tracker.IssueID, entries []layout.Entry, lost lostTexts) []layout.Entry {
	if len(lost) == 0 {
		return entries
	}
	return slices.DeleteFunc(entries, func(e layout.Entry) bool { return lost[t.keys.ColumnOf(id, e.Key)] })
}

// sortedBytes is the number of bytes of long texts that are read at a time to sort by them.
const sortedBytes = 4 << 20

// sortedTexts adds to known the beginnings (sortkey.Start) of the long texts in sortable columns of the
// document, except for those that are lost.
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
	for len(refs) > 0 { // read a few at a time, because only their beginnings are kept
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

// entriesNow reads the keys and sort strings of all entries of an issue consistently.
func (t reader) entriesNow(ctx context.Context, id tracker.IssueID) (map[layout.Key][]byte, error) {
	existing := map[layout.Key][]byte{}
	err := t.db.queryPrefix(ctx, t.keys.Issue(id), t.keys.EntryPrefix(),
		layout.AttrPK+","+layout.AttrSK+","+layout.AttrSS, func(m layout.Item) error {
			existing[layout.KeyOf(m)] = layout.GetB(m, layout.AttrSS)
			return nil
		})
	return existing, err
}

// marked reports whether an issue has a marker with the version of its document, so that its entries may be
// outdated.
func (t reader) marked(ctx context.Context, doc *tracker.Issue) (bool, error) {
	if !doc.Indexing {
		return false, nil
	}
	found, err := t.db.batchGet(ctx, []layout.Key{t.keys.Marker(doc.ID)}, true)
	return err == nil && found[0] != nil, err
}

// withNumber returns the keys of the index entries with a number.
func (t reader) withNumber(ctx context.Context, p *tracker.Project, num int64) ([]columns.IndexKey, error) {
	at := sortkey.Num(num)
	page, err := t.queryKeys(ctx, columns.KeyQuery{Project: p.ID, Shards: p.Shards, Column: tracker.ColumnNum,
		From: at, To: sortkey.After(at), Limit: MaxBatch})
	return page.Keys, err
}
