package comments

import (
	"context"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// DeleteComment deletes a comment with its replies, unless allow returns an error.
func (s *Store) DeleteComment(ctx context.Context, ref tracker.CommentRef, expected *int64,
	allow func(*tracker.Comment) error) error {
	return store.DoOnce(ctx, s.t, func() error {
		return s.again(ctx, func() error { return s.delete(ctx, ref, expected, allow) })
	})
}

func (s *Store) delete(ctx context.Context, ref tracker.CommentRef, expected *int64,
	allow func(*tracker.Comment) error) error {
	items, c, err := s.stored(ctx, ref)
	if err != nil {
		return err
	}
	if err := allow(c); err != nil {
		return err
	}
	if expected != nil && *expected != c.Version {
		return tracker.OtherVersion("comment", c.Version)
	}
	var x client.Transaction
	at, table := s.at(ref.Issue), s.t.Table
	x.Delete(table, at.Comment(ref), client.Unchanged(items[0], client.ErrStale, "version"))
	for _, k := range at.EntriesOf(c) {
		x.Delete(table, k, client.Condition{})
	}
	s.count(&x, c, -1)
	activity := layout.ActivityOf(s.t.Keys, ref.Issue.Project)
	entry := tracker.CommentActivity(ref, 0)
	x.Delete(table, activity.Key(&entry), client.Condition{})
	if err := s.countReply(ctx, &x, ref, -1); err != nil {
		return err
	}
	if err := s.send(ctx, &x, ref); err != nil {
		return err
	}
	// The comment is deleted. Remove the rest even if the client disconnects.
	ctx, cancel := store.Completing(ctx)
	defer cancel()
	_ = s.sweep(ctx, ref)
	return nil
}

// sweepChunk is the number of items that sweep removes in a transaction, with its two conditions. An item may
// have an entry in the activity, which is removed with it.
const sweepChunk = client.MaxTransaction - 2 - 1

// sweep removes the texts and the reactions of a comment that does not exist, and its replies with theirs. If
// the issue is deleted meanwhile, it removes no more, because what is left expires with the issue (K5).
func (s *Store) sweep(ctx context.Context, ref tracker.CommentRef) error {
	at, table := s.at(ref.Issue), s.t.Table
	activity := layout.ActivityOf(s.t.Keys, ref.Issue.Project)
	var x client.Transaction
	flush := func() error {
		if len(x.Writes) == 0 {
			return nil
		}
		x.Check(table, at.Comment(ref), client.MustNotExist(client.ErrStale))
		s.t.CheckIssue(&x, ref.Issue)
		err := s.t.Write(ctx, &x)
		x = client.Transaction{}
		return err
	}
	prefixes := []string{at.RestOf(ref)}
	if !ref.Reply() {
		prefixes = []string{at.List(ref.ID).Prefix, at.Rest(ref.ID)}
	}
	for _, prefix := range prefixes {
		err := s.t.KeysOf(ctx, at.Partition(), prefix, func(k layout.Key) error {
			x.Delete(table, k, client.Condition{})
			if e, ok := activity.EntryFor(ref.Issue, layout.KeyItem(k)); ok {
				x.Delete(table, activity.Key(&e), client.Condition{})
			}
			if len(x.Writes) < sweepChunk {
				return nil
			}
			return flush()
		})
		if err != nil {
			return err
		}
	}
	return flush()
}
