package issues

import (
	"context"
	"maps"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/account"
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
func (s *Store) index(ctx context.Context, d *tracker.Definition, doc *tracker.Issue,
	texts map[tracker.Column]string, by guard) error {
	doc = d.Current(doc)
	texts, lost, err := s.sortedTexts(ctx, d, doc, texts)
	if err != nil {
		return err
	}
	existing, err := s.entriesNow(ctx, doc.ID)
	if err != nil {
		return err
	}
	var all client.Transaction
	tags := s.entryWrites(&all, s.known(d, doc, existing, lost),
		s.readable(doc.ID, s.t.Keys.AllEntries(d, doc, texts), lost), doc.Version)
	if err := s.list(ctx, d, tags); err != nil {
		return err
	}
	for {
		n := min(len(all.Writes), client.MaxTransaction-1)
		var x client.Transaction
		x.Writes, all.Writes = all.Writes[:n:n], all.Writes[n:]
		last := len(all.Writes) == 0
		switch {
		case by == byDocument && n == 0:
			return nil
		case by == byDocument:
			x.Check(s.t.Table, s.t.Keys.IssueItem(doc.ID),
				client.MustHaveVersion(doc.Version, client.ErrStale))
		case last:
			x.Delete(s.t.Table, s.t.Keys.Marker(doc.ID), client.MustHaveVersion(doc.Version, client.ErrStale))
		default:
			x.Check(s.t.Table, s.t.Keys.Marker(doc.ID), client.MustHaveVersion(doc.Version, client.ErrStale))
		}
		if err := s.t.Write(ctx, &x); err != nil || last {
			return err
		}
	}
}

// known removes from existing the entries that the definition does not determine: those of columns that are
// not layout.Derivable, and those of empty values in columns that have none by this definition. A server with
// a newer definition has written them, so that they must not change.
func (s *Store) known(d *tracker.Definition, doc *tracker.Issue, existing map[layout.Key][]byte,
	lost lostTexts) map[layout.Key][]byte {
	for key, ss := range existing {
		c := s.t.Keys.ColumnOf(doc.ID, key)
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
func (s *Store) readable(id tracker.IssueID, entries []layout.Entry, lost lostTexts) []layout.Entry {
	if len(lost) == 0 {
		return entries
	}
	return slices.DeleteFunc(entries, func(e layout.Entry) bool { return lost[s.t.Keys.ColumnOf(id, e.Key)] })
}

// sortedBytes is the number of bytes of long texts that are read at a time to sort by them.
const sortedBytes = 4 << 20

// sortedTexts adds to known the beginnings (sortkey.Start) of the long texts in sortable columns of the
// document, except for those that are lost.
func (s *Store) sortedTexts(ctx context.Context, d *tracker.Definition, doc *tracker.Issue,
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
		found, errs := s.LongTexts(ctx, refs[:n])
		for i, r := range refs[:n] {
			switch {
			case OfItem(errs[i]):
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
