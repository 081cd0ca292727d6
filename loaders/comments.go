package loaders

import (
	"context"

	"issuegrid/dynamo/comments"
	"issuegrid/tracker"
)

// Comments reads the comments of the issues of a tenant.
type Comments struct{ *Tenant }

// Comments returns the comments of the tenant's issues.
func (t *Tenant) Comments() Comments { return Comments{t} }

func (t Comments) stored() *comments.Store { return comments.Of(t.store) }

// Comment returns a comment. The error is NotFound if there is none.
func (t Comments) Comment(ctx context.Context, ref tracker.CommentRef) (*tracker.Comment, error) {
	return t.comments.one(ctx, ref)()
}

// Prefetch starts to read comments in as few batches as possible, for calls of Comment that run in parallel.
func (t Comments) Prefetch(ctx context.Context, refs []tracker.CommentRef) {
	t.comments.many(ctx, refs)
}

// Forget drops what was read of a comment that has changed: the numbers of comments on its issue, and the
// reactions of the caller, too.
func (t Comments) Forget(ctx context.Context, ref tracker.CommentRef) {
	for _, r := range tracker.Reactions {
		t.reacted.loader.Clear(ctx, comments.ReactionRef{Comment: ref, Reaction: r, By: t.set.Caller.UserID})
	}
	t.comments.loader.Clear(ctx, ref)
	t.commentCounts.loader.Clear(ctx, ref.Issue)
	if ref.Reply() {
		t.comments.loader.Clear(ctx, tracker.CommentRef{Issue: ref.Issue, ID: ref.Parent})
	}
}

// CommentQuery selects a list of comments.
type CommentQuery struct {
	Issue tracker.IssueID
	// Parent selects the replies to a comment.
	Parent      tracker.CommentID
	Filter      tracker.CommentFilter
	NewestFirst bool
}

// List returns a page of comments. Their positions are their ids.
func (t Comments) List(ctx context.Context, of CommentQuery, r Range) (List[tracker.Comment], error) {
	q := comments.Query{Issue: of.Issue, Parent: of.Parent, Filter: of.Filter,
		After: tracker.CommentID(r.After), Before: tracker.CommentID(r.Before),
		Descending: r.Backward != of.NewestFirst, Limit: max(1, r.Size)}
	if of.NewestFirst {
		q.After, q.Before = q.Before, q.After
	}
	page, more, err := t.stored().List(ctx, q)
	if err != nil {
		return List[tracker.Comment]{}, err
	}
	if r.Size == 0 {
		more, page = more || len(page) > 0, nil
	}
	out := List[tracker.Comment]{Count: func(ctx context.Context) (int, bool, error) {
		return t.stored().Count(ctx, q)
	}}
	for _, c := range page {
		out.Rows = append(out.Rows, Listed[tracker.Comment]{Value: c, Position: []byte(c.Ref.ID)})
	}
	out.finish(r, more)
	return out, nil
}

// Counts returns the numbers of comments on an issue in a language, or in all if it is empty. Those in all
// languages share batches.
func (t Comments) Counts(ctx context.Context, id tracker.IssueID, language string) (tracker.CommentCounts,
	error) {
	if language == "" {
		counts, err := t.commentCounts.one(ctx, id)()
		if err != nil {
			return tracker.CommentCounts{}, err
		}
		return *counts, nil
	}
	all, err := t.stored().Counts(ctx, []tracker.IssueID{id}, language)
	if err != nil {
		return tracker.CommentCounts{}, err
	}
	return all[0], nil
}

// PrefetchCounts starts to read the numbers of comments on issues.
func (t Comments) PrefetchCounts(ctx context.Context, ids []tracker.IssueID) {
	t.commentCounts.many(ctx, ids)
}

func (t Comments) readCounts(ctx context.Context, ids []tracker.IssueID) ([]*tracker.CommentCounts, error) {
	all, err := t.stored().Counts(ctx, ids, "")
	return pointers(all), err
}

// pointers returns pointers to the elements of a list.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// maxLanguages is the maximum number of languages of the comments on an issue that are listed.
const maxLanguages = 100

// LanguageCounts has the numbers of comments in a language.
type LanguageCounts = comments.LanguageCounts

// Languages returns the numbers of comments on an issue in each language.
func (t Comments) Languages(ctx context.Context, id tracker.IssueID) ([]LanguageCounts, error) {
	return t.stored().Languages(ctx, id, maxLanguages)
}

// Text returns the text of a comment after n edits. It counts toward LimitTexts if it is not in its comment.
func (t Comments) Text(ctx context.Context, ref tracker.CommentRef, n int, b tracker.CommentBody) (string,
	error) {
	if b.Inline() || b.Text != "" {
		return b.Text, nil
	}
	at := comments.TextRef{Comment: ref, N: n, Bytes: b.Bytes}
	if err := t.checkShown(at, b.Bytes); err != nil {
		return "", err
	}
	text, err := t.commentTexts.one(ctx, at)()
	if err != nil {
		return "", err
	}
	return *text, nil
}

// PrefetchTexts starts to read the texts of comments.
func (t Comments) PrefetchTexts(ctx context.Context, all []*tracker.Comment) {
	var refs []comments.TextRef
	for _, c := range all {
		at := comments.TextRef{Comment: c.Ref, N: c.Edits, Bytes: c.Body.Bytes}
		if !c.Body.Inline() && c.Body.Text == "" && t.checkShown(at, at.Bytes) == nil {
			refs = append(refs, at)
		}
	}
	if len(refs) > 0 {
		t.commentTexts.many(ctx, refs)
	}
}

func (t Comments) readTexts(ctx context.Context, refs []comments.TextRef) ([]*string, error) {
	all, err := t.stored().Texts(ctx, refs)
	return pointers(all), err
}

// Edits returns the texts of a comment that were replaced, the first one first.
func (t Comments) Edits(ctx context.Context, ref tracker.CommentRef) ([]*tracker.CommentEdit, error) {
	return t.stored().Edits(ctx, ref)
}

// CallerReacted reports whether the caller has a reaction to a comment.
func (t Comments) CallerReacted(ctx context.Context, ref tracker.CommentRef, r tracker.Reaction) (bool,
	error) {
	by := t.set.Caller.UserID
	if by == "" || t.set.Caller.Tenant != t.store.ID() {
		return false, nil
	}
	has, err := t.reacted.one(ctx, comments.ReactionRef{Comment: ref, Reaction: r, By: by})()
	return err == nil && *has, err
}

func (t Comments) readReacted(ctx context.Context, refs []comments.ReactionRef) ([]*bool, error) {
	all, err := t.stored().Reacted(ctx, refs)
	return pointers(all), err
}

// Reactors returns the first users that have a reaction to a comment.
func (t Comments) Reactors(ctx context.Context, ref tracker.CommentRef, r tracker.Reaction, first int) (
	[]tracker.UserID, error) {
	users, _, err := t.stored().Reactors(ctx, ref, r, "", first)
	return users, err
}
