package check

import (
	"context"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/work"
	"issuegrid/internal/columns"
	"issuegrid/internal/sortkey"
	"issuegrid/tracker"
)

// projectSeen is what a check keeps of a project.
type projectSeen struct {
	t  *tenant
	id tracker.ProjectID
	// project is nil until its item was read, and counter is -1 until the counter was.
	project *tracker.Project
	counter int64
	// highest is the highest number of an issue, including those in the trash. nums contains the numbers of
	// the issues, and duplicates those of more than one issue.
	highest    int64
	nums       numbers
	duplicates map[int64]bool
}

// project returns what the check keeps of a project.
func (c *checker) project(t *tenant, id tracker.ProjectID) *projectSeen {
	key := t.Keys.ProjectItem(id)
	p := c.projects[key]
	if p == nil {
		p = &projectSeen{t: t, id: id, counter: -1, nums: numbers{}, duplicates: map[int64]bool{}}
		c.projects[key] = p
	}
	return p
}

// projectPartition contains what was read of a project: its item, its fields and its counter.
type projectPartition struct {
	c  *checker
	t  *tenant
	id tracker.ProjectID

	item    layout.Item
	project *tracker.Project
	counter layout.Item
	listed  layout.Item // in the list of deleted projects
	fields  []*tracker.Field
	items   []layout.Item // of the fields
	history int           // the number of entries of the history
	views   int           // the number of views and of the heads of their lists
	lists   map[layout.Views]*viewsSeen
	tags    []tagSeen
	damage  []Finding
	// guards contains the guards of the fields' names, as read by the last inspection.
	guards []layout.Item
}

func (p *projectPartition) add(m layout.Item) {
	k, sk := p.t.Keys, layout.GetS(m, layout.AttrSK)
	if sk == k.ProjectItem(p.id).SK {
		p.item = m
		project, err := k.DecodeProject(m)
		if err != nil {
			p.damage = append(p.damage, damaged(m, []string{layout.AttrPK})...)
			return
		}
		found := checkAttributes(m, differences(m, k.EncodeProject(project)))
		if err := project.Check(project); err != nil && len(found) == 0 {
			found = append(found, Finding{Kind: KindItem, Key: layout.KeyOf(m), Detail: err.Error()})
		}
		p.project, p.damage = project, append(p.damage, found...)
		return
	}
	if sk == k.Counter(p.id).SK {
		p.counter, p.damage = m, append(p.damage, damaged(m, counterAttributes.unexpected(m))...)
		return
	}
	if sk == layout.DeletedProjects(k) {
		p.listed = m
		return
	}
	if sk == k.Jobs(p.id).SK {
		again := work.Encode(p.t.Keys, p.id, work.Decode(p.id, m))
		p.damage = append(p.damage, checkAttributes(m, differences(m, again))...)
		return
	}
	history := layout.HistoryOf(k, p.id)
	if _, ok := history.Parse(sk); ok {
		p.history++
		p.damage = append(p.damage, damaged(m, unexpectedInProjectHistory(history, m))...)
		return
	}
	if list, view, ok := layout.ParseViews(k, p.id, sk); ok {
		p.views++
		p.addView(list, view, m)
		return
	}
	if list, tag, ok := layout.ParseTag(k, p.id, sk); ok && columns.FoldTag(tag) == tag {
		p.addTag(list, tag, m)
		return
	}
	id, ok := k.ParseField(p.id, sk)
	if !ok {
		p.damage = append(p.damage, misplaced(p.t.ID, m))
		return
	}
	f := layout.DecodeField(m)
	encoded := k.EncodeField(p.id, f)
	if names := differences(m, encoded); f.ID != id || len(names) > 0 {
		p.damage = append(p.damage, damaged(m, append(names, "id"))...)
		return
	}
	p.fields, p.items = append(p.fields, f), append(p.items, m)
}

func (p *projectPartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	out := slices.Clone(p.damage)
	if p.item == nil {
		if p.counter != nil || p.listed != nil || len(p.fields) > 0 ||
			p.history > 0 || p.views > 0 {
			return append(out, Finding{Kind: KindParent, Key: p.t.Keys.ProjectItem(p.id),
				Detail: "there is no such project"}), nil
		}
		unused, err := p.checkTags(ctx, nil) // of a change that was made while the project was removed
		return append(out, unused...), err
	}
	if p.project != nil && p.project.Deleted {
		return out, nil // a job is removing it
	}
	if p.project != nil {
		out = append(out, p.checkListed()...)
		out = append(out, p.checkViews()...)
		missing, err := p.checkGuards(ctx, fresh)
		if err != nil {
			return nil, err
		}
		out = append(out, missing...)
		d := tracker.NewDefinition(*p.project, p.fields)
		for n, f := range p.fields {
			if err := layout.CheckField(d, f); err != nil {
				out = append(out, Finding{Kind: KindItem, Key: layout.KeyOf(p.items[n]), Detail: err.Error()})
			}
		}
		unused, err := p.checkTags(ctx, d)
		if err != nil {
			return nil, err
		}
		out = append(out, unused...)
	}
	return byKey(out), nil
}

// checkListed checks that a project is in the list of deleted projects if and only if it is in the trash.
func (p *projectPartition) checkListed() []Finding {
	at := layout.DeletedProject(p.t.Keys, p.id)
	switch {
	case p.project.Trash == nil && p.listed == nil:
		return nil
	case p.project.Trash == nil:
		return []Finding{{Kind: KindItem, Key: at, Detail: "the project is not in the trash"}}
	case p.listed == nil:
		return []Finding{{Kind: KindItem, Key: at, Detail: "the project is in the trash and not listed"}}
	}
	return damaged(p.listed, differences(p.listed, layout.EncodeDeletedProject(p.t.Keys, p.project)))
}

func (p *projectPartition) record() {
	record := p.c.project(p.t, p.id)
	if p.item != nil {
		p.c.report.Projects++
		record.project = p.project
	}
	if p.counter != nil {
		record.counter = layout.GetN(p.counter, "n")
	}
}

func (p *projectPartition) moved(ctx context.Context) (bool, error) {
	found, err := p.t.Get(ctx, []layout.Key{p.t.Keys.ProjectItem(p.id)}, true)
	return err == nil && layout.GetN(found[0], "version") != layout.GetN(p.item, "version"), err
}

// repair corrects the sort string of the project, assigns guards to the names of fields, and removes tags.
func (p *projectPartition) repair(ctx context.Context, kind FindingKind, all []Finding) error {
	if kind == KindGuard {
		return p.repairGuards(ctx, all)
	}
	if kind == KindTagUnused {
		return p.removeTags(ctx, all)
	}
	if kind != KindSortString || p.project == nil || p.project.Hidden() {
		return client.ErrStale
	}
	want := sortkey.Name(p.project.Name, string(p.id))
	return rewrite(ctx, p.t.DB, p.item, layout.Item{layout.AttrSS: layout.B(want)}, nil, "version",
		"name", layout.AttrSS)
}
