package dynamo

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"issuegrid/dynamo/internal/layout"
)

// A repair writes what follows from a document, in transactions that check that the document is the one from which it follows. So it is safe beside
// writers: whoever changes the issue first wins, and the repair is refused. Removing a text, or an entry of no issue, checks that there is still no
// document, or that it is the one that was read.

// unchanged is the condition that some attributes of an item are as they were read; of nil, that there is no item.
func unchanged(m layout.Item, otherwise error, names ...string) condition {
	if m == nil {
		return mustNotExist(otherwise)
	}
	c := condition{names: map[string]string{}, values: layout.Item{}, otherwise: otherwise}
	all := []string{"attribute_exists(" + layout.AttrPK + ")"}
	for n, name := range names {
		at := "#was" + strconv.Itoa(n)
		c.names[at] = name
		if av := m[name]; av != nil {
			c.values[":was"+strconv.Itoa(n)] = av
			all = append(all, at+" = :was"+strconv.Itoa(n))
		} else {
			all = append(all, "attribute_not_exists("+at+")")
		}
	}
	c.expression = strings.Join(all, " AND ")
	if len(c.values) == 0 {
		c.values = nil
	}
	return c
}

// rewrite sets and removes attributes of an item, if those that names tell are as they were read.
func (db *DB) rewrite(ctx context.Context, m, set layout.Item, remove []string, names ...string) error {
	var x transaction
	x.rewrite(db, m, set, remove, names...)
	return db.write(ctx, &x)
}

func (x *transaction) rewrite(db *DB, m, set layout.Item, remove []string, names ...string) {
	c := unchanged(m, errOutrun, names...)
	var clauses, assign, drop []string
	for name, av := range set {
		n := strconv.Itoa(len(assign))
		c.names["#set"+n], assign = name, append(assign, "#set"+n+" = :set"+n)
		if c.values == nil {
			c.values = layout.Item{}
		}
		c.values[":set"+n] = av
	}
	for n, name := range remove {
		at := "#gone" + strconv.Itoa(n)
		c.names[at], drop = name, append(drop, at)
	}
	if len(assign) > 0 {
		clauses = append(clauses, "SET "+strings.Join(assign, ", "))
	}
	if len(drop) > 0 {
		clauses = append(clauses, "REMOVE "+strings.Join(drop, ", "))
	}
	expression := strings.Join(clauses, " ")
	x.add(types.TransactWriteItem{Update: &types.Update{TableName: &db.table, Key: layout.KeyItem(layout.KeyOf(m)), UpdateExpression: &expression,
		ConditionExpression: c.expr(), ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values}}, c)
}

// mend sets right what can be derived from the document.
func (p *issuePartition) mend(ctx context.Context, kind Kind, all []Finding) error {
	switch kind {
	case KindHas, KindSortString:
		return p.mendDocument(ctx, all[0].Key)
	case KindTextExpires:
		return p.keepTexts(ctx, all)
	case KindIndexing:
		if err := p.mendEntries(ctx); err != nil {
			return err
		}
		return p.removeMarker(ctx)
	case KindMarker:
		return p.removeMarker(ctx)
	case KindEntryMissing, KindEntryWrong, KindEntryExtra, KindEntryVersion:
		return p.mendEntries(ctx)
	case KindGhost:
		return p.t.sweep(ctx, p.id, false, p.t.noDocument(p.id))
	case KindTextStays:
		return p.letTextsGo(ctx, all)
	case KindOrphan:
		return p.removeTexts(ctx, all)
	}
	return fmt.Errorf("%w: %s can't be mended", errOutrun, kind)
}

// guarded is the check that the document is the one that was read.
func (p *issuePartition) guarded(x *transaction) {
	x.check(p.t.db, p.t.keys.IssueItem(p.id), unchanged(p.doc, errOutrun, "version"))
}

// mendDocument sets `has` and the sort string of a document, or of that in the trash.
func (p *issuePartition) mendDocument(ctx context.Context, key layout.Key) error {
	m, i := p.doc, p.issue
	if key == p.t.keys.Trash(p.id) {
		m, i = p.trash, p.deleted
	}
	if m == nil || i == nil {
		return errOutrun
	}
	again := p.t.keys.EncodeIssue(i)
	if key == p.t.keys.Trash(p.id) {
		p.trashed(m, again)
	}
	set, remove := layout.Item{layout.AttrSS: again[layout.AttrSS]}, []string(nil)
	if has := again[layout.AttrHas]; has != nil {
		set[layout.AttrHas] = has
	} else {
		remove = append(remove, layout.AttrHas)
	}
	return p.t.db.rewrite(ctx, m, set, remove, "version", "num", "values")
}

// mendEntries makes the entries what the document says. It does what Tenant.index does, which knows no versions of entries and needs a document
// without any fault: here, columns of which the entries can't be known stay as they are.
func (p *issuePartition) mendEntries(ctx context.Context) error {
	if p.want == nil {
		return errOutrun
	}
	var all transaction
	for key, e := range p.want {
		has, ok := p.entries[key]
		if !ok || !bytes.Equal(has.ss, e.Sort) || has.strange || has.version < 1 || has.version > p.issue.Version {
			all.put(p.t.db, e.Item(p.issue.Version), condition{})
		}
	}
	for key := range p.entries {
		if _, ok := p.want[key]; !ok && !p.unknown[p.t.keys.ColumnOf(p.id.Project, key)] {
			all.delete(p.t.db, key, condition{})
		}
	}
	return p.t.db.writeGuarded(ctx, &all, p.guarded)
}

// removeMarker removes the marker that was read.
func (p *issuePartition) removeMarker(ctx context.Context) error {
	var x transaction
	x.delete(p.t.db, layout.KeyOf(p.marker), unchanged(p.marker, errOutrun, "version"))
	p.guarded(&x)
	return p.t.db.write(ctx, &x)
}

// keepTexts lets texts that the document refers to not expire.
func (p *issuePartition) keepTexts(ctx context.Context, all []Finding) error {
	return p.eachText(ctx, all, func(x *transaction, _ *foundText, part foundPart) {
		x.rewrite(p.t.db, part.item(), nil, []string{layout.AttrExpires}, layout.AttrAt)
	})
}

// letTextsGo lets texts to which only the history refers expire with it.
func (p *issuePartition) letTextsGo(ctx context.Context, all []Finding) error {
	return p.eachText(ctx, all, func(x *transaction, f *foundText, part foundPart) {
		if !part.expires {
			x.rewrite(p.t.db, part.item(), layout.Item{layout.AttrExpires: layout.N(p.texts.until(f.name))}, nil, layout.AttrAt, layout.AttrExpires)
		}
	})
}

// removeTexts removes texts that nobody refers to, unless somebody has written them again: an import that is repeated gives the same texts the
// same keys.
func (p *issuePartition) removeTexts(ctx context.Context, all []Finding) error {
	return p.eachText(ctx, all, func(x *transaction, _ *foundText, part foundPart) {
		if part.orphan(p.t.db.now()) {
			x.delete(p.t.db, part.key, unchanged(part.item(), errOutrun, layout.AttrAt, layout.AttrExpires))
		}
	})
}

// eachText makes a transaction for each text that was found, of what each does with its parts. It checks that neither the document nor that in the
// trash, which refer to texts, are others than were read.
func (p *issuePartition) eachText(ctx context.Context, all []Finding, each func(*transaction, *foundText, foundPart)) error {
	for _, finding := range all {
		var x transaction
		f := p.texts.at(finding.Key)
		for _, part := range f.parts {
			each(&x, f, part)
		}
		p.guarded(&x)
		x.check(p.t.db, p.t.keys.Trash(p.id), unchanged(p.trash, errOutrun, "version"))
		if err := p.t.db.write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}
