package check

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// A repair writes what follows from a document, in transactions on condition that the document is unchanged.
// So it is safe to run it while clients write: if a client changes the issue first, the repair fails. The
// removal of a long text, or of an entry without an issue, has the condition that there is still no document,
// or that the document is unchanged.

// rewrite sets and removes attributes of an item, on condition that the attributes in names are unchanged.
func rewrite(ctx context.Context, in *store.DB, m, set layout.Item, remove []string,
	names ...string) error {
	var x client.Transaction
	x.Rewrite(in.Table, m, set, remove, names...)
	return in.Write(ctx, &x)
}

// repair repairs what can be derived from the document.
func (p *issuePartition) repair(ctx context.Context, kind FindingKind, all []Finding) error {
	switch kind {
	case KindHas, KindSortString:
		return p.repairDocument(ctx, all[0].Key)
	case KindExcerpt:
		return p.repairExcerpts(ctx)
	case KindTextExpires:
		return p.keepTexts(ctx, all)
	case KindIndexing:
		if err := p.repairEntries(ctx); err != nil {
			return err
		}
		return p.removeMarker(ctx)
	case KindMarker:
		return p.removeMarker(ctx)
	case KindEntryMissing, KindEntryWrong, KindEntryExtra, KindEntryVersion:
		return p.repairEntries(ctx)
	case KindGhost:
		return p.t.Issues.RemoveEntries(ctx, p.id)
	case KindTextStays:
		return p.expireTexts(ctx, all)
	case KindOrphan:
		return p.removeTexts(ctx, all)
	case KindComment:
		return p.repairComments(ctx, all)
	case KindCommentRest:
		return p.removeCommentRest(ctx, all)
	case KindCommentExpires:
		return p.keepComments(ctx, all)
	case KindActivity:
		return p.addActivity(ctx)
	case KindTag:
		return p.t.Put(ctx, layout.ListTags(p.unlisted, p.t.Now())...)
	}
	return fmt.Errorf("%w: %s cannot be repaired", client.ErrStale, kind)
}

// guarded adds the condition that the document is unchanged.
func (p *issuePartition) guarded(x *client.Transaction) {
	x.Check(p.t.Table, p.t.Keys.IssueItem(p.id), client.Unchanged(p.doc, client.ErrStale, "version"))
}

// repairDocument sets `has` and the sort string of a document, or of an item in the trash.
func (p *issuePartition) repairDocument(ctx context.Context, key layout.Key) error {
	m, i := p.doc, p.issue
	if key == p.t.Keys.Trash(p.id) {
		m, i = p.trash, p.deleted
	}
	if m == nil || i == nil {
		return client.ErrStale
	}
	encoded := p.t.Keys.EncodeIssue(i)
	if key == p.t.Keys.Trash(p.id) {
		p.trashed(m, encoded)
	}
	set, remove := layout.Item{layout.AttrSS: encoded[layout.AttrSS]}, []string(nil)
	if has := encoded[layout.AttrHas]; has != nil {
		set[layout.AttrHas] = has
	} else {
		remove = append(remove, layout.AttrHas)
	}
	return rewrite(ctx, p.t.DB, m, set, remove, "version", "num", "values")
}

// repairExcerpts sets the excerpts of the long texts in the document.
func (p *issuePartition) repairExcerpts(ctx context.Context) error {
	values := maps.Clone(layout.GetM(p.doc, "values"))
	for id, v := range p.issue.Values {
		if v.Kind == tracker.KindLong && p.texts.has(id.Column(), v.Long()) {
			values[string(id)] = layout.EncodeValue(tracker.LongText(p.texts.long(id.Column(), v.Long())))
		}
	}
	set := layout.Item{"values": &types.AttributeValueMemberM{Value: values}}
	return rewrite(ctx, p.t.DB, p.doc, set, nil, "version", "values")
}

// repairEntries replaces the entries by those that follow from the document. index of package dynamo does the
// same, but ignores the versions of entries and requires an undamaged document. repairEntries leaves columns
// unchanged whose entries cannot be derived.
func (p *issuePartition) repairEntries(ctx context.Context) error {
	if p.want == nil {
		return client.ErrStale
	}
	var all client.Transaction
	var tags []layout.Key
	for key, e := range p.want {
		has, ok := p.entries[key]
		if !ok || !bytes.Equal(has.ss, e.Sort) || has.unexpected || has.version < 1 ||
			has.version > p.issue.Version {
			all.Put(p.t.Table, e.Item(p.issue.Version), client.Condition{})
			tags = e.AppendTag(tags)
		}
	}
	for key := range p.entries {
		if _, ok := p.want[key]; !ok && !p.unknown[p.t.Keys.ColumnOf(p.id, key)] {
			all.Delete(p.t.Table, key, client.Condition{})
		}
	}
	if err := p.t.Put(ctx, layout.ListTags(tags, p.t.Now())...); err != nil {
		return err
	}
	return p.t.WriteGuarded(ctx, &all, p.guarded)
}

// removeMarker removes the marker that was read.
func (p *issuePartition) removeMarker(ctx context.Context) error {
	var x client.Transaction
	x.Delete(p.t.Table, layout.KeyOf(p.marker),
		client.Unchanged(p.marker, client.ErrStale, "version"))
	p.guarded(&x)
	return p.t.Write(ctx, &x)
}

// keepTexts removes the expiry of long texts that the document refers to.
func (p *issuePartition) keepTexts(ctx context.Context, all []Finding) error {
	return p.eachText(ctx, all, func(x *client.Transaction, _ *foundText, part foundPart) {
		x.Rewrite(p.t.Table, part.item(), nil, []string{layout.AttrExpires}, layout.AttrAt)
	})
}

// expireTexts makes long texts that only the history refers to expire with it.
func (p *issuePartition) expireTexts(ctx context.Context, all []Finding) error {
	return p.eachText(ctx, all, func(x *client.Transaction, f *foundText, part foundPart) {
		if !part.expires {
			x.Rewrite(p.t.Table, part.item(),
				layout.Item{layout.AttrExpires: layout.N(p.texts.until(f.name))}, nil, layout.AttrAt,
				layout.AttrExpires)
		}
	})
}

// removeTexts removes long texts without references, unless they were written again: a repeated import writes
// the same texts under the same keys.
func (p *issuePartition) removeTexts(ctx context.Context, all []Finding) error {
	return p.eachText(ctx, all, func(x *client.Transaction, _ *foundText, part foundPart) {
		if part.orphan(p.t.Now()) {
			x.Delete(p.t.Table, part.key,
				client.Unchanged(part.item(), client.ErrStale, layout.AttrAt, layout.AttrExpires))
		}
	})
}

// eachText writes a transaction for each long text of the findings, to which each adds the writes of its
// parts. The transaction has the condition that the document and the item in the trash, which refer to texts,
// are unchanged.
func (p *issuePartition) eachText(ctx context.Context, all []Finding,
	each func(*client.Transaction, *foundText, foundPart)) error {
	for _, finding := range all {
		var x client.Transaction
		f := p.texts.at(finding.Key)
		for _, part := range f.parts {
			each(&x, f, part)
		}
		p.guarded(&x)
		x.Check(p.t.Table, p.t.Keys.Trash(p.id),
			client.Unchanged(p.trash, client.ErrStale, "version"))
		if err := p.t.Write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}
