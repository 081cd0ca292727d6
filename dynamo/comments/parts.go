package comments

import (
	"context"

	"issuegrid/dynamo/internal/layout"
	"issuegrid/tracker"
)

// TextRef identifies the text of a comment, or of one of its edits, that is not in its item.
type TextRef struct {
	Comment tracker.CommentRef
	N       int // the number of edits before
	Bytes   int
}

// Texts returns texts in the order of refs; "" for those of a comment that was deleted.
func (s *Store) Texts(ctx context.Context, refs []TextRef) ([]string, error) {
	keys := make([]layout.Key, len(refs))
	bytes := 0
	for i, r := range refs {
		if r.Comment.Valid() {
			keys[i] = s.at(r.Comment.Issue).Body(r.Comment, r.N)
			bytes += r.Bytes
		}
	}
	items, err := s.t.Texts(ctx, keys, bytes)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(refs))
	for i, m := range items {
		if m == nil {
			continue
		}
		data, ok := layout.Inflate([]layout.Item{m}, refs[i].Bytes)
		if !ok || len(data) != refs[i].Bytes {
			return nil, tracker.Internal("the text of a comment is damaged: "+keys[i].SK, nil)
		}
		out[i] = string(data)
	}
	return out, nil
}

// Edits returns the texts of a comment that were replaced, the first one first.
func (s *Store) Edits(ctx context.Context, ref tracker.CommentRef) ([]*tracker.CommentEdit, error) {
	if !ref.Valid() {
		return nil, tracker.Missing("comment")
	}
	at := s.at(ref.Issue)
	var out []*tracker.CommentEdit
	err := s.t.Prefix(ctx, at.Partition(), at.Edits(ref), func(m layout.Item) error {
		e, err := at.DecodeEdit(m)
		out = append(out, e)
		return err
	})
	return out, err
}

// ReactionRef identifies a reaction of a user to a comment.
type ReactionRef struct {
	Comment  tracker.CommentRef
	Reaction tracker.Reaction
	By       tracker.UserID
}

// Reacted reports for each of refs whether the user has the reaction.
func (s *Store) Reacted(ctx context.Context, refs []ReactionRef) ([]bool, error) {
	keys := make([]layout.Key, len(refs))
	for i, r := range refs {
		if r.Comment.Valid() && r.Reaction.Valid() && tracker.ValidID(string(r.By)) {
			keys[i] = s.at(r.Comment.Issue).Reaction(r.Comment, r.Reaction, r.By)
		}
	}
	items, err := s.t.Get(ctx, keys, true)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(refs))
	for i, m := range items {
		out[i] = m != nil
	}
	return out, nil
}

// Reactors returns at most limit users that have a reaction to a comment, from those after a user on, by id.
// more reports whether there are others.
func (s *Store) Reactors(ctx context.Context, ref tracker.CommentRef, r tracker.Reaction,
	after tracker.UserID, limit int) (users []tracker.UserID, more bool, err error) {
	if !ref.Valid() || !r.Valid() || after != "" && !tracker.ValidID(string(after)) {
		return nil, false, tracker.Missing("comment")
	}
	at := s.at(ref.Issue).Reactions(ref, r)
	first, last := at.Bounds("", "")
	if after != "" {
		first = at.Key(tracker.CommentID(after)) + " "
	}
	found, more, err := s.t.Between(ctx, s.at(ref.Issue).Partition(), first, last, false, limit)
	for _, m := range found {
		users = append(users, tracker.UserID(at.ID(layout.GetS(m, layout.AttrSK))))
	}
	return users, more, err
}
