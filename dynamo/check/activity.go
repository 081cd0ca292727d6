package check

import (
	"cmp"
	"context"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// activityPartition is a partition of the activity of a project. It keeps none of its items, because there
// may be very many.
type activityPartition struct {
	unrepairable
	c       *checker
	t       *tenant
	project tracker.ProjectID
	first   layout.Key // of the items; empty if there are none
	found   []Finding
}

var (
	changeActivity = attributes{"num": "N", "kind": "S", "items": "N", "by": "S?", layout.AttrByUser: "S?",
		layout.AttrExpires: "N"}
	commentActivity = attributes{"num": "N", layout.AttrExpires: "N"}
)

func (p *activityPartition) add(m layout.Item) {
	if p.first.PK == "" {
		p.first = layout.KeyOf(m)
	}
	if len(p.found) >= maxFew {
		return
	}
	e, err := layout.ActivityOf(p.t.Keys, p.project).Decode(m)
	if err != nil {
		p.found = append(p.found, misplaced(p.t.ID, m))
		return
	}
	want := changeActivity
	if e.OfComment() {
		want = commentActivity
	}
	names := want.unexpected(m)
	for name, valid := range map[string]bool{
		"num":   e.Num >= 1 && e.Num <= tracker.MaxNum,
		"kind":  e.OfComment() || slices.Contains(changeKinds, e.Kind),
		"items": e.OfComment() || e.Items >= 1,
	} {
		if !valid && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	p.found = append(p.found, damaged(m, names)...)
}

func (p *activityPartition) check(ctx context.Context, fresh bool) ([]Finding, error) {
	if p.first.PK == "" {
		return nil, nil
	}
	d, err := p.c.definition(ctx, p.t, p.project, fresh)
	if err != nil || d != nil {
		return p.found, err
	}
	return append(slices.Clone(p.found), Finding{Kind: KindParent, Key: p.first,
		Detail: "there is no such project"}), nil
}

func (p *activityPartition) record() {}

func (p *activityPartition) moved(context.Context) (bool, error) { return false, nil }

// activitySeen are the entries of the activity that follow from the history and the comments of an issue (L1
// of package activity).
type activitySeen struct {
	entries []activityWanted
	items   map[int64]int // the number of items of the history entry of each version
}

// activityWanted is an entry, and the key of the item that it follows from.
type activityWanted struct {
	tracker.Activity
	from layout.Key
}

// add adds what follows from an item of an issue, unless it has expired.
func (s *activitySeen) add(t *tenant, id tracker.IssueID, m layout.Item) {
	if t.Expired(m) {
		return
	}
	if version, _, ok := t.Keys.ParseHistory(id, layout.GetS(m, layout.AttrSK)); ok {
		if s.items == nil {
			s.items = map[int64]int{}
		}
		s.items[version]++
	}
	e, ok := layout.ActivityOf(t.Keys, id.Project).EntryFor(id, m)
	if !ok || e.At.Before(t.HistoryStart()) || e.By.OfJob() {
		return
	}
	s.entries = append(s.entries, activityWanted{e, layout.KeyOf(m)})
}

// activityChunk is the number of entries that are read in one call, and repairChunk that of those that a
// transaction adds, each with a condition.
const (
	activityChunk = 100
	repairChunk   = client.MaxTransaction / 2
)

// checkActivity returns a finding if entries of the activity do not exist, and forgets the others. An issue
// has none if its project does not exist, or if neither its document nor its item in the trash can be read,
// because its number is not known then.
func (p *issuePartition) checkActivity(ctx context.Context, d *tracker.Definition, fresh bool) ([]Finding,
	error) {
	i := cmp.Or(p.issue, p.deleted)
	if d == nil || i == nil {
		return nil, nil
	}
	of := layout.ActivityOf(p.t.Keys, p.id.Project)
	var missing []activityWanted
	for chunk := range slices.Chunk(p.activity.entries, activityChunk) {
		keys := make([]layout.Key, len(chunk))
		for n := range chunk {
			if chunk[n].Num = i.Num; !chunk[n].OfComment() {
				chunk[n].Items = p.activity.items[chunk[n].Version]
			}
			keys[n] = of.Key(&chunk[n].Activity)
		}
		found, err := p.t.Get(ctx, keys, fresh)
		if err != nil {
			return nil, err
		}
		for n, m := range found {
			if m == nil {
				missing = append(missing, chunk[n])
			}
		}
	}
	p.activity = activitySeen{entries: missing, items: p.activity.items}
	if len(missing) == 0 {
		return nil, nil
	}
	return []Finding{{Kind: KindActivity, Key: layout.Key{PK: p.t.Keys.Issue(p.id), SK: of.SK("")},
		Detail: plural(len(missing), "change or comment")}}, nil
}

// addActivity adds the entries that do not exist, each on condition that the item that it follows from does.
func (p *issuePartition) addActivity(ctx context.Context) error {
	for chunk := range slices.Chunk(p.activity.entries, repairChunk) {
		var x client.Transaction
		for _, e := range chunk {
			p.t.AddActivity(&x, e.Activity)
			x.Check(p.t.Table, e.from, client.MustExist(client.ErrStale))
		}
		if err := p.t.Write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}
