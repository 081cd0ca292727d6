package comments

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"time"

	"issuegrid/dynamo/internal/client"
	"issuegrid/dynamo/internal/layout"
	"issuegrid/dynamo/internal/store"
	"issuegrid/tracker"
)

// errChanged is the error of a change that others have prevented again and again.
var errChanged = &tracker.Error{Code: tracker.Conflict,
	Message: "too many requests are changing the comment; try again"}

// again makes a change again while an item that it has read was changed meanwhile.
func (s *Store) again(ctx context.Context, make func() error) error {
	err := s.t.Again(ctx, client.ErrStale, make)
	if errors.Is(err, client.ErrStale) {
		return errChanged
	}
	return err
}

// call calls prepare unless it is nil.
func call(ctx context.Context, prepare func(context.Context) error) error {
	if prepare == nil {
		return nil
	}
	return prepare(ctx)
}

// CreateComment writes a new comment, or a reply if Ref.Parent is set. c needs the issue and what clients
// write; num is the number of the issue. It returns NotFound if the issue or the parent does not exist.
//
// prepare, which may be nil, is called before the comment is written, if it can be written and was not
// already under the same idempotency key. It may be called again. If it returns an error, nothing is written.
func (s *Store) CreateComment(ctx context.Context, c tracker.Comment, num int64,
	prepare func(context.Context) error) (*tracker.Comment, error) {
	id, err := tracker.NewCommentID(s.t.Time(), s.t.Random)
	if err != nil {
		return nil, err
	}
	c.Ref.ID, c.Version = id, 1
	c.Edits, c.Edited, c.Reactions, c.Replies = 0, time.Time{}, nil, 0
	if !c.Ref.Valid() {
		return nil, tracker.Missing("issue")
	}
	if err := c.Check(nil); err != nil {
		return nil, err
	}
	at := s.at(c.Ref.Issue)
	return s.once(ctx, c.Ref.Issue, c.Ref.Parent, func() (*tracker.Comment, error) {
		return &c, s.again(ctx, func() error {
			var x client.Transaction
			x.Put(s.t.Table, at.Encode(&c), client.MustNotExist(client.ErrStale))
			s.addText(&x, &c)
			for _, k := range at.EntriesOf(&c) {
				x.Put(s.t.Table, layout.KeyItem(k), client.Condition{})
			}
			s.count(&x, &c, 1)
			s.t.AddActivity(&x, tracker.CommentActivity(c.Ref, num))
			if err := s.countReply(ctx, &x, c.Ref, 1); err != nil {
				return err
			}
			if err := call(ctx, prepare); err != nil {
				return err
			}
			return s.send(ctx, &x, c.Ref)
		})
	})
}

// addText adds the item of the text of a comment if it is not in the comment (K3).
func (s *Store) addText(x *client.Transaction, c *tracker.Comment) {
	if !c.Body.Inline() {
		x.Put(s.t.Table, s.at(c.Ref.Issue).EncodeText(c.Ref, c.Edits, c.Body.Text),
			client.Condition{})
	}
}

// count adds by to the counts that include a comment (K2).
func (s *Store) count(x *client.Transaction, c *tracker.Comment, by int64) {
	for _, k := range s.at(c.Ref.Issue).SumsOf(c) {
		x.Update(s.t.Table, k, "ADD "+layout.CountName(c.Rating)+" :by",
			layout.Item{":by": layout.N(by)})
	}
}

// countReply adds by to the number of replies of the parent of a reply (K4). It returns NotFound if the
// parent does not exist.
func (s *Store) countReply(ctx context.Context, x *client.Transaction, ref tracker.CommentRef,
	by int64) error {
	if !ref.Reply() {
		return nil
	}
	found, err := s.t.Get(ctx, []layout.Key{s.parent(ref)}, true)
	if err != nil {
		return err
	}
	if found[0] == nil {
		return tracker.Missing("comment")
	}
	if n := layout.GetN(found[0], "replies") + by; n > 0 {
		x.Rewrite(s.t.Table, found[0], layout.Item{"replies": layout.N(n)}, nil, "replies")
	} else {
		x.Rewrite(s.t.Table, found[0], nil, []string{"replies"}, "replies")
	}
	return nil
}

// send makes a change of a comment, whose issue must exist (K5).
func (s *Store) send(ctx context.Context, x *client.Transaction, ref tracker.CommentRef) error {
	s.t.CheckIssue(x, ref.Issue)
	s.t.AddOnce(x, string(ref.ID))
	return s.t.Write(ctx, x)
}

// once makes a change of a comment, or loads the comment if the change was already made.
func (s *Store) once(ctx context.Context, issue tracker.IssueID, parent tracker.CommentID,
	make func() (*tracker.Comment, error)) (*tracker.Comment, error) {
	return store.ApplyOnce(ctx, s.t, func(id string) (*tracker.Comment, error) {
		ref := tracker.CommentRef{Issue: issue, Parent: parent, ID: tracker.CommentID(id)}
		all, err := s.Get(ctx, []tracker.CommentRef{ref})
		if err == nil && all[0] == nil {
			err = tracker.Missing(
				"comment; the change was applied earlier, and the comment has been deleted since")
		}
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}, make)
}

// stored returns a comment, and its item followed by those of other keys, nil for those that do not exist. It
// returns NotFound if the comment or its parent does not exist.
func (s *Store) stored(ctx context.Context, ref tracker.CommentRef, others ...layout.Key) ([]layout.Item,
	*tracker.Comment, error) {
	if !ref.Valid() {
		return nil, nil, tracker.Missing("comment")
	}
	keys := append([]layout.Key{s.at(ref.Issue).Comment(ref)}, others...)
	if ref.Reply() {
		keys = append(keys, s.parent(ref))
	}
	found, err := s.t.Get(ctx, keys, true)
	if err != nil {
		return nil, nil, err
	}
	if found[0] == nil || ref.Reply() && found[len(found)-1] == nil {
		return nil, nil, tracker.Missing("comment")
	}
	c, err := s.decode(found[0])
	if err == nil && c == nil {
		err = tracker.Missing("comment")
	}
	return found, c, err
}

// UpdateComment changes the body, the language, the rating and the mentions of a comment. change modifies it,
// and is called again after a conflict with another change, unless expected is set: then the comment must
// have this version. A body of which change sets no Text stays as it is. by is the user that changes it.
// prepare is called as CreateComment does.
func (s *Store) UpdateComment(ctx context.Context, ref tracker.CommentRef, expected *int64, by tracker.UserID,
	change func(*tracker.Comment) error, prepare func(context.Context) error) (*tracker.Comment, error) {
	return s.once(ctx, ref.Issue, ref.Parent, func() (changed *tracker.Comment, err error) {
		err = s.again(ctx, func() error {
			changed, err = s.update(ctx, ref, expected, by, change, prepare)
			return err
		})
		return changed, err
	})
}

func (s *Store) update(ctx context.Context, ref tracker.CommentRef, expected *int64, by tracker.UserID,
	change func(*tracker.Comment) error, prepare func(context.Context) error) (*tracker.Comment, error) {
	items, old, err := s.stored(ctx, ref)
	switch {
	case err != nil:
		return nil, err
	case expected != nil && *expected != old.Version:
		return nil, tracker.OtherVersion("comment", old.Version)
	}
	c := *old
	invalid := change(&c)
	c.Ref, c.Author, c.Edits, c.Edited, c.Reactions, c.Replies, c.Version = old.Ref, old.Author, old.Edits,
		old.Edited, old.Reactions, old.Replies, old.Version
	if len(c.Mentions) == 0 {
		c.Mentions = nil
	}
	if err := tracker.Join(invalid, c.Check(old)); err != nil {
		return nil, err
	}
	if err := s.sameText(ctx, old, &c); err != nil {
		return nil, err
	}
	table, at := s.t.Table, s.at(ref.Issue)
	var x client.Transaction
	if reflect.DeepEqual(&c, old) {
		x.Check(table, at.Comment(ref), client.Unchanged(items[0], client.ErrStale, "version"))
		if err := call(ctx, prepare); err != nil {
			return nil, err
		}
		return old, s.send(ctx, &x, ref)
	}
	if c.Body != old.Body {
		if c.Edits >= tracker.MaxEdits {
			return nil, tracker.Bad("body", "the comment was edited %d times, which is the limit", c.Edits)
		}
		c.Edited = s.t.Time()
		was := tracker.CommentEdit{N: old.Edits, Body: old.Body, At: c.Edited, By: by}
		x.Put(table, at.EncodeEdit(ref, was), client.Condition{})
		c.Edits++
		s.addText(&x, &c)
	}
	c.Version++
	set, remove := at.Change(old, &c)
	x.Rewrite(table, items[0], set, remove, "version")
	s.replaceEntries(&x, old, &c)
	s.checkParent(&x, ref)
	if err := call(ctx, prepare); err != nil {
		return nil, err
	}
	return &c, s.send(ctx, &x, ref)
}

// checkParent adds the condition that the parent of a reply exists, so that a change adds nothing after the
// parent was deleted.
func (s *Store) checkParent(x *client.Transaction, ref tracker.CommentRef) {
	if ref.Reply() {
		x.Check(s.t.Table, s.parent(ref), client.MustExist(tracker.Missing("comment")))
	}
}

// sameText sets the body of c to that of old if they have the same text.
func (s *Store) sameText(ctx context.Context, old, c *tracker.Comment) error {
	if c.Body == old.Body || old.Body.Inline() || c.Body.Bytes != old.Body.Bytes {
		return nil
	}
	texts, err := s.Texts(ctx, []TextRef{{old.Ref, old.Edits, old.Body.Bytes}})
	if err == nil && texts[0] == c.Body.Text {
		c.Body = old.Body
	}
	return err
}

// replaceEntries adds the changes of the entries and the counts (K1, K2).
func (s *Store) replaceEntries(x *client.Transaction, old, c *tracker.Comment) {
	at, table := s.at(c.Ref.Issue), s.t.Table
	gone := map[layout.Key]bool{}
	for _, k := range at.EntriesOf(old) {
		gone[k] = true
	}
	for _, k := range at.EntriesOf(c) {
		if !gone[k] {
			x.Put(table, layout.KeyItem(k), client.Condition{})
		}
		delete(gone, k)
	}
	for k := range gone {
		x.Delete(table, k, client.Condition{})
	}
	moved := map[layout.Key]layout.Item{} // a transaction changes each item once
	if old.Rating == c.Rating && old.Language == c.Language {
		return
	}
	for _, k := range at.SumsOf(old) {
		moved[k] = layout.Item{}
	}
	for _, k := range at.SumsOf(c) {
		moved[k] = layout.Item{}
	}
	for k := range moved {
		s.recount(x, k, old, c)
	}
}

// recount adds the change of one item of counts.
func (s *Store) recount(x *client.Transaction, k layout.Key, old, c *tracker.Comment) {
	at := s.at(c.Ref.Issue)
	by := map[string]int64{}
	for _, of := range at.SumsOf(old) {
		if of == k {
			by[layout.CountName(old.Rating)]--
		}
	}
	for _, of := range at.SumsOf(c) {
		if of == k {
			by[layout.CountName(c.Rating)]++
		}
	}
	maps.DeleteFunc(by, func(_ string, n int64) bool { return n == 0 })
	if len(by) == 0 {
		return
	}
	expression, values := "ADD ", layout.Item{}
	for name, n := range by {
		if len(values) > 0 {
			expression += ", "
		}
		expression += name + " :" + name
		values[":"+name] = layout.N(n)
	}
	x.Update(s.t.Table, k, expression, values)
}

// React adds a reaction of a user to a comment, or removes it. It changes nothing if the user has it already,
// or has it not.
func (s *Store) React(ctx context.Context, ref tracker.CommentRef, r tracker.Reaction, by tracker.UserID,
	add bool) (*tracker.Comment, error) {
	if !r.Valid() || !tracker.ValidID(string(by)) {
		return nil, tracker.Bad("reaction", "a reaction is one of the known ones, of a user")
	}
	return s.once(ctx, ref.Issue, ref.Parent, func() (changed *tracker.Comment, err error) {
		err = s.again(ctx, func() error {
			changed, err = s.react(ctx, ref, r, by, add)
			return err
		})
		return changed, err
	})
}

func (s *Store) react(ctx context.Context, ref tracker.CommentRef, r tracker.Reaction, by tracker.UserID,
	add bool) (*tracker.Comment, error) {
	table, at := s.t.Table, s.at(ref.Issue).Reaction(ref, r, by)
	items, c, err := s.stored(ctx, ref, at)
	if err != nil {
		return nil, err
	}
	item := items[0]
	var x client.Transaction
	if has := items[1] != nil; has == add {
		x.Check(table, layout.KeyOf(item), client.MustExist(client.ErrStale))
		return c, s.send(ctx, &x, ref)
	}
	counts := maps.Clone(c.Reactions)
	if counts == nil {
		counts = map[tracker.Reaction]int{}
	}
	if add {
		counts[r]++
		x.Put(table, layout.KeyItem(at), client.MustNotExist(client.ErrStale))
	} else {
		counts[r]--
		x.Delete(table, at, client.MustExist(client.ErrStale))
	}
	maps.DeleteFunc(counts, func(_ tracker.Reaction, n int) bool { return n <= 0 })
	if c.Reactions = counts; len(counts) > 0 {
		x.Rewrite(table, item, layout.Item{"reacted": layout.EncodeReacted(counts)}, nil, "reacted")
	} else {
		c.Reactions = nil
		x.Rewrite(table, item, nil, []string{"reacted"}, "reacted")
	}
	s.checkParent(&x, ref)
	return c, s.send(ctx, &x, ref)
}
