package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// issuePartition contains what was read of an issue: its document or its item in the trash, its entries, long
// texts and history.
type issuePartition struct {
	c  *checker
	t  *tenant
	id tracker.IssueID

	doc, trash, marker layout.Item
	// issue and deleted are the decoded document and item in the trash, nil if they cannot be decoded. damage
	// contains the findings about single items.
	issue, deleted *tracker.Issue
	damage         []Finding
	entries        map[layout.Key]entryFound
	texts          texts
	comments       commentsSeen
	activity       activitySeen
	// last is the time of the last change.
	last time.Time
	// want contains the entries that follow from the document, as far as they can be derived; unknown
	// contains the columns for which they cannot. lagging is set if there is a marker with the document's
	// version.
	want    map[layout.Key]layout.Entry
	unknown map[tracker.Column]bool
	lagging bool
	// migrating is set if a job is processing the issues of the project.
	migrating bool
	// unlisted are the keys of the items that the lists of tags lack.
	unlisted []layout.Key
}

// entryFound is an index entry that was read.
type entryFound struct {
	ss         []byte
	version    int64
	unexpected bool // it has other attributes than an entry
}

func (p *issuePartition) add(m layout.Item) {
	k := p.t.Keys
	sk := layout.GetS(m, layout.AttrSK)
	switch {
	case sk == k.IssueItem(p.id).SK:
		p.doc = m
		p.issue = p.decode(m, byDoc)
	case sk == k.Trash(p.id).SK:
		p.trash = m
		if p.deleted = p.decode(m, byTrash); p.deleted != nil {
			p.recordChange(m, "deleted")
		}
	case sk == k.Marker(p.id).SK:
		p.marker = m
		p.damage = append(p.damage, damaged(m, markerAttributes.unexpected(m))...)
	case layout.IsEntry(k, p.id, sk):
		if p.entries == nil {
			p.entries = map[layout.Key]entryFound{}
		}
		p.entries[layout.KeyOf(m)] = entryFound{ss: layout.GetB(m, layout.AttrSS),
			version: layout.GetN(m, "ver"), unexpected: len(m) != 4}
	default:
		p.addMore(m, sk)
	}
}

// addMore adds an item of the comments, a part of a long text, or an item of the history.
func (p *issuePartition) addMore(m layout.Item, sk string) {
	p.activity.add(p.t, p.id, m)
	if p.comments.add(p.t.DB, m) {
		return
	}
	if name, n, ok := p.t.Keys.ParsePart(p.id.Project, sk); ok {
		// an update of the expiry of an expired part creates an item with no other attributes
		if names := partAttributes.unexpected(m); m["v"] != nil || m[layout.AttrExpires] == nil {
			p.damage = append(p.damage, damaged(m, names)...)
		}
		p.texts.add(name, n, m)
		return
	}
	version, n, ok := p.t.Keys.ParseHistory(p.id, sk)
	if !ok || version > tracker.MaxVersion {
		p.damage = append(p.damage, misplaced(p.t.ID, m))
		return
	}
	p.damage = append(p.damage, damaged(m, unexpectedInHistory(m, n))...)
	p.recordChange(m, "at")
	by := byHistory
	if p.t.Expired(m) {
		by = byExpired
	}
	for _, side := range []string{"before", "after"} {
		for column, av := range layout.GetM(m, side) {
			p.texts.refer(by, m, tracker.Column(column), layout.DecodeValue(av))
		}
	}
}

// recordChange records the time of a change.
func (p *issuePartition) recordChange(m layout.Item, attribute string) {
	if at, err := time.Parse(time.RFC3339Nano, layout.GetS(m, attribute)); err == nil && at.After(p.last) {
		p.last = at
	}
}

// decode returns a document, or nil if encoding it again results in another item; only derived attributes may
// differ.
func (p *issuePartition) decode(m layout.Item, by holder) *tracker.Issue {
	i, err := p.t.Keys.DecodeIssue(m)
	if err != nil {
		p.damage = append(p.damage, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
		return nil
	}
	encoded := p.t.Keys.EncodeIssue(i)
	if by == byTrash {
		p.trashed(m, encoded)
	}
	names := differences(m, encoded)
	for name, valid := range map[string]bool{"num": i.Num >= 1 && i.Num <= tracker.MaxNum,
		"version": i.Version >= 1 && i.Version <= tracker.MaxVersion} {
		if !valid && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	found := checkAttributes(m, names)
	p.damage = append(p.damage, found...)
	p.texts.referIssue(by, m, i)
	if slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == KindItem }) {
		return nil
	}
	return i
}

// trashed copies the attributes specific to the trash from m to the item encoded again.
func (p *issuePartition) trashed(m, encoded layout.Item) {
	encoded[layout.AttrSK] = m[layout.AttrSK]
	layout.CopyDeletion(encoded, m)
	if at, err := time.Parse(time.RFC3339Nano, layout.GetS(m, "deleted")); err == nil {
		encoded[layout.AttrSS] = layout.B(layout.TrashSort(at, layout.GetN(m, "num")))
	}
	if layout.GetN(m, layout.AttrExpires) == 0 {
		encoded[layout.AttrExpires] = layout.N(0)
	}
}

func (p *issuePartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	var d *tracker.Definition
	if p.doc != nil || p.trash != nil {
		var err error
		if d, err = p.c.definition(ctx, p.t, p.id.Project, fresh); err != nil {
			return nil, err
		}
	}
	missing, err := p.checkActivity(ctx, d, fresh)
	if err != nil {
		return nil, err
	}
	all := append(p.findings(d), missing...)
	unlisted, err := p.checkTags(ctx, fresh)
	if err != nil {
		return nil, err
	}
	all = byKey(append(all, unlisted...))
	if i := cmp.Or(p.issue, p.deleted); i != nil && d != nil {
		for n := range all {
			all[n].Issue = d.Project.IssueKey(i.Num)
		}
	}
	return all, nil
}

// findings returns the findings. d is nil if the issue's project does not exist, and for an issue without a
// document.
func (p *issuePartition) findings(d *tracker.Definition) []Finding {
	p.texts.end()
	now := p.t.Now()
	out := append(slices.Clone(p.damage), p.checkComments(p.recent())...)
	if d == nil && (p.doc != nil || p.trash != nil) {
		out = append(out, Finding{Kind: KindParent,
			Key:    p.t.Keys.IssueItem(p.id),
			Detail: "there is no such project"})
	}
	if d != nil && (p.doc != nil || p.trash != nil) && p.id.Shard() >= d.Project.ShardCount() {
		out = append(out, Finding{Kind: KindParent, Key: p.t.Keys.IssueItem(p.id),
			Detail: "the project has no such shard"})
	}
	recent := p.recent()
	p.migrating = d != nil && (d.Project.Deleted || d.Rebuilding() ||
		slices.ContainsFunc(d.Jobs, func(j tracker.Job) bool {
			return j.Open()
		}))
	switch {
	case p.migrating:
		// A job that migrates the issue is not damage, but no job restores a lost text.
		lost := slices.DeleteFunc(p.texts.check(p.t.Keys.Issue(p.id), now, false,
			p.holders()...), func(f Finding) bool {
			return f.Kind != KindText
		})
		return byKey(append(out, lost...))
	case p.doc == nil:
		out = append(out, p.checkDeleted(recent)...)
	case p.issue != nil && d != nil:
		out = append(out, p.checkDocument(d, recent)...)
	}
	found := p.texts.check(p.t.Keys.Issue(p.id), now, !recent, p.holders()...)
	// an item that cannot be read may refer to it
	if slices.ContainsFunc(p.damage, func(f Finding) bool { return f.Kind == KindItem }) {
		found = slices.DeleteFunc(found, func(f Finding) bool {
			return f.Kind == KindOrphan || f.Kind == KindTextStays
		})
	}
	return byKey(append(out, found...))
}

// recent reports whether a change may still be in progress.
func (p *issuePartition) recent() bool { return p.t.Now().Sub(p.last).Abs() < maxChangeTime }

// holders returns the items whose long texts must exist. Those of a deleted issue are removed after
// KeepTrash, before its history is.
func (p *issuePartition) holders() []holder {
	switch {
	case p.trash != nil && !p.t.Expired(p.trash):
		return []holder{byDoc, byTrash, byHistory}
	case p.doc != nil:
		return []holder{byDoc, byHistory}
	}
	return nil
}

// checkDeleted checks the remaining items of an issue without a document.
func (p *issuePartition) checkDeleted(recent bool) []Finding {
	var out []Finding
	if recent {
		return nil // the deletion may still be in progress
	}
	if p.marker != nil {
		out = append(out, Finding{Kind: KindMarker, Key: layout.KeyOf(p.marker)})
	}
	for key := range p.entries {
		out = append(out, Finding{Kind: KindGhost, Key: key})
	}
	return out
}

// checkDocument compares the values with their fields, and the entries with the values.
func (p *issuePartition) checkDocument(d *tracker.Definition, recent bool) []Finding {
	out := append(p.checkValues(d), p.checkExcerpts()...)
	if p.marker != nil {
		p.lagging = p.issue.Indexing && layout.GetN(p.marker, "version") == p.issue.Version
		switch {
		case p.lagging && recent:
			return out
		case p.lagging:
			out = append(out, Finding{Kind: KindIndexing, Key: layout.KeyOf(p.marker)})
		default:
			out = append(out, Finding{Kind: KindMarker, Key: layout.KeyOf(p.marker)})
		}
	}
	p.derive(d)
	if p.lagging {
		return out
	}
	for key, e := range p.want {
		has, ok := p.entries[key]
		switch {
		case !ok:
			out = append(out, Finding{Kind: KindEntryMissing, Key: key})
		case !bytes.Equal(has.ss, e.Sort) || has.unexpected:
			out = append(out, Finding{Kind: KindEntryWrong, Key: key})
		case has.version < 1 || has.version > p.issue.Version:
			out = append(out, Finding{Kind: KindEntryVersion, Key: key,
				Detail: fmt.Sprintf("version %d of an issue of version %d", has.version, p.issue.Version)})
		}
	}
	for key := range p.entries {
		if _, ok := p.want[key]; !ok && !p.unknown[p.t.Keys.ColumnOf(p.id, key)] {
			out = append(out, Finding{Kind: KindEntryExtra, Key: key})
		}
	}
	return out
}

// checkValues compares the state and the values with their definitions, and records the columns whose entries
// cannot be derived. These entries are not repaired: if the definition of a field is lost or damaged, they
// are correct again once it is restored.
func (p *issuePartition) checkValues(d *tracker.Definition) []Finding {
	var out []Finding
	p.unknown = map[tracker.Column]bool{}
	wrong := func(kind FindingKind, c tracker.Column, detail string) {
		p.unknown[c] = true
		out = append(out, Finding{Kind: kind, Key: layout.KeyOf(p.doc), Column: c, Detail: detail})
	}
	if _, ok := d.Project.StateRank(p.issue.State); !ok {
		wrong(KindValue, tracker.ColumnState, fmt.Sprintf("the project has no state %q", p.issue.State))
	}
	if k := p.issue.Description.Kind; k != tracker.KindNone && k != tracker.KindText &&
		k != tracker.KindLong {
		wrong(KindValue, tracker.ColumnDescription, "not a string")
	}
	for id, v := range p.issue.Values {
		f := d.Field(id)
		if f == nil {
			wrong(KindField, id.Column(), "")
			continue
		}
		if !slices.Contains(tracker.FieldTypes, f.Type) { // reported as a finding of the project
			p.unknown[id.Column()] = true
			continue
		}
		if err := f.Check(v); err != nil {
			wrong(KindValue, id.Column(), err.Error())
		} else if v.Kind == tracker.KindLong && f.Type.Indexed() && !p.texts.has(id.Column(), v.Long()) {
			p.unknown[id.Column()] = true // the lost text is reported separately
		}
	}
	for key, e := range p.entries { // of the empty values of a field that is lost
		if c := p.t.Keys.ColumnOf(p.id, key); sortkey.IsEmpty(e.ss) && !c.Builtin() &&
			d.Field(c.Field()) == nil {
			p.unknown[c] = true
		}
	}
	return out
}

// checkExcerpts compares the excerpts in the document with the long texts.
func (p *issuePartition) checkExcerpts() []Finding {
	var out []Finding
	for id, v := range p.issue.Values {
		if v.Kind == tracker.KindLong && p.texts.has(id.Column(), v.Long()) &&
			p.texts.long(id.Column(), v.Long()) != v.Long() {
			out = append(out, Finding{Kind: KindExcerpt, Key: layout.KeyOf(p.doc), Column: id.Column()})
		}
	}
	return out
}

// derive sets the entries that follow from the document (I3).
func (p *issuePartition) derive(d *tracker.Definition) {
	p.want = map[layout.Key]layout.Entry{}
	for _, c := range layout.EntryColumns(d, p.issue) {
		if p.unknown[c] {
			continue
		}
		for _, e := range p.t.Keys.EntriesOf(d, p.issue, c, "") {
			if v := p.issue.Values[c.Field()]; v.Kind == tracker.KindLong {
				e.Sort = sortkey.Join(p.texts.found[layout.TextName{Column: c, ID: v.Long().ID}].sort,
					p.issue.Num)
			}
			if _, ok := p.entries[e.Key]; !ok && sortkey.IsEmpty(e.Sort) && !d.IndexesEmpties(c) {
				continue // a job will add it
			}
			p.want[e.Key] = e
		}
	}
}

// record keeps the number, and whether a change of the issue is in progress.
func (p *issuePartition) record() {
	if p.doc != nil {
		p.c.report.Issues++
	}
	if p.migrating || p.recent() && (p.lagging || p.doc == nil && (p.marker != nil || len(p.entries) > 0)) {
		p.c.report.InProgress++
	}
	project := p.c.project(p.t, p.id.Project)
	if p.deleted != nil {
		project.highest = max(project.highest, p.deleted.Num)
	}
	if p.issue != nil {
		project.highest = max(project.highest, p.issue.Num)
		if !project.nums.add(p.issue.Num) {
			project.duplicates[p.issue.Num] = true
		}
	}
}

func (p *issuePartition) moved(ctx context.Context) (bool, error) {
	found, err := p.t.Get(ctx,
		[]layout.Key{p.t.Keys.IssueItem(p.id), p.t.Keys.Marker(p.id), p.t.Keys.Trash(p.id)}, true)
	if err != nil {
		return false, err
	}
	for n, m := range []layout.Item{p.doc, p.marker, p.trash} {
		if (found[n] == nil) != (m == nil) || layout.GetN(found[n], "version") != layout.GetN(m, "version") {
			return true, nil
		}
	}
	return p.commentsMoved(ctx)
}
