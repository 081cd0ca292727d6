package check

import (
	"context"
	"slices"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// repairComments repairs what follows from the comments, each finding on condition that the items that it was
// derived from are unchanged.
func (p *issuePartition) repairComments(ctx context.Context, all []Finding) error {
	for _, f := range all {
		var x client.Transaction
		if err := p.repairComment(&x, f); err != nil {
			return err
		}
		if err := p.t.Write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}

func (p *issuePartition) repairComment(x *client.Transaction, f Finding) error {
	s, table := &p.comments, p.t.Table
	k, ok := s.at.Parse(f.Key.SK)
	if !ok {
		return client.ErrStale
	}
	c := s.comments[k.ID]
	switch {
	case k.Kind == layout.CommentSum:
		counts := new(tracker.CommentCounts)
		for _, c := range s.comments {
			if slices.Contains(c.sums, f.Key) {
				counts[c.rating]++
			}
		}
		x.Put(table, s.at.EncodeSum(k.Language, *counts), client.Unchanged(s.sums[k.Language],
			client.ErrStale, countNames()...))
	case c == nil || c.counters == nil:
		return client.ErrStale
	case k.Kind == layout.CommentItem:
		m := layout.KeyItem(c.key)
		for name, av := range c.counters {
			m[name] = av
		}
		set, remove := layout.Item{"replies": layout.N(int64(c.replies))}, []string(nil)
		if reacted := layout.EncodeReacted(c.reacted); reacted != nil {
			set["reacted"] = reacted
		} else {
			remove = append(remove, "reacted")
		}
		if c.replies == 0 {
			delete(set, "replies")
			remove = append(remove, "replies")
		}
		x.Rewrite(table, m, set, remove, "version", "reacted", "replies")
	case slices.Contains(c.entries, f.Key):
		x.Put(table, layout.KeyItem(f.Key), client.Condition{})
		x.Check(table, c.key, client.Unchanged(c.counters, client.ErrStale, "version"))
	default:
		x.Delete(table, f.Key, client.Condition{})
		x.Check(table, c.key, client.Unchanged(c.counters, client.ErrStale, "version"))
	}
	return nil
}

func countNames() []string {
	out := make([]string, tracker.MaxRating+1)
	for rating := range out {
		out[rating] = layout.CountName(rating)
	}
	return out
}

// removeCommentRest removes items of comments, or of an issue, that do not exist.
func (p *issuePartition) removeCommentRest(ctx context.Context, all []Finding) error {
	table := p.t.Table
	for _, f := range all {
		k, ok := p.comments.at.Parse(f.Key.SK)
		if !ok {
			return client.ErrStale
		}
		var x client.Transaction
		x.Delete(table, f.Key, client.Condition{})
		activity := layout.ActivityOf(p.t.Keys, p.id.Project)
		if e, ok := activity.EntryFor(p.id, layout.KeyItem(f.Key)); ok {
			x.Delete(table, activity.Key(&e), client.Condition{})
		}
		gone := p.comments.at.Ref(k)
		if k.Kind == layout.CommentItem { // a reply, whose parent does not exist
			gone = tracker.CommentRef{Issue: p.id, ID: k.Parent}
		}
		if p.doc == nil && p.trash == nil {
			x.Check(table, p.t.Keys.IssueItem(p.id), client.MustNotExist(client.ErrStale))
			x.Check(table, p.t.Keys.Trash(p.id), client.MustNotExist(client.ErrStale))
		} else {
			x.Check(table, p.comments.at.Comment(gone), client.MustNotExist(client.ErrStale))
		}
		if err := p.t.Write(ctx, &x); err != nil {
			return err
		}
	}
	return nil
}

// keepComments removes the expiry of items of comments whose issue has a document.
func (p *issuePartition) keepComments(ctx context.Context, all []Finding) error {
	var x client.Transaction
	for _, f := range all {
		x.Rewrite(p.t.Table, layout.KeyItem(f.Key), nil, []string{layout.AttrExpires})
	}
	return p.t.WriteGuarded(ctx, &x, p.guarded)
}
