package model

import (
	"context"

	"issuegrid/tracker"
)

// Comment is a comment on an issue.
type Comment struct {
	Comment *tracker.Comment
	Issue   *Issue
}

// IsNode implements Node.
func (*Comment) IsNode() {}

func (c *Comment) tenant() tracker.TenantID { return c.Issue.Definition.Project.Tenant }

// ID returns the opaque id.
func (c *Comment) ID() string { return CommentNodeID(c.tenant(), c.Comment.Ref) }

// Parent returns the comment that this is a reply to, or nil.
func (c *Comment) Parent(ctx context.Context) (*Comment, error) {
	if !c.Comment.Ref.Reply() {
		return nil, nil
	}
	parent, err := c.Issue.Loaders.Comments().Comment(ctx,
		tracker.CommentRef{Issue: c.Comment.Ref.Issue, ID: c.Comment.Ref.Parent})
	if err != nil {
		return nil, err
	}
	return &Comment{parent, c.Issue}, nil
}

// Author returns the user that wrote the comment, or nil.
func (c *Comment) Author(ctx context.Context) (*User, error) {
	return c.Issue.user(ctx, c.Comment.Author)
}

// user returns a user, or nil if id is empty.
func (i *Issue) user(ctx context.Context, id tracker.UserID) (*User, error) {
	return userOf(ctx, i.Definition.Project.Tenant, i.Loaders, id)
}

// userOf returns a user of a tenant, or nil for an empty id.
func userOf(ctx context.Context, t tracker.TenantID, l Reads, id tracker.UserID) (*User, error) {
	if id == "" {
		return nil, nil
	}
	u, err := l.People().User(ctx, id)
	if err != nil {
		return nil, err
	}
	return &User{u, t, l}, nil
}

// users returns the users with ids, without missing ones.
func (i *Issue) users(ctx context.Context, ids []tracker.UserID) ([]*User, error) {
	found, err := i.Loaders.People().Users(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*User, 0, len(found))
	for _, u := range found {
		if u != nil {
			out = append(out, &User{u, i.Definition.Project.Tenant, i.Loaders})
		}
	}
	return out, nil
}

// Body returns the text.
func (c *Comment) Body(ctx context.Context) (*string, error) {
	text, err := c.Issue.Loaders.Comments().Text(ctx, c.Comment.Ref, c.Comment.Edits, c.Comment.Body)
	if err != nil {
		return nil, err
	}
	return &text, nil
}

// CreatedAt returns when the comment was written.
func (c *Comment) CreatedAt() DateTime { return DateTime(tracker.FormatDateTime(c.Comment.Created())) }

// EditedAt returns when the text was last changed, or nil.
func (c *Comment) EditedAt() *DateTime { return timeOrNil(c.Comment.Edited) }

// EditCount returns how often the text was changed.
func (c *Comment) EditCount() int32 { return int32(c.Comment.Edits) }

// Edits returns the earlier texts.
func (c *Comment) Edits(ctx context.Context) ([]*CommentEdit, error) {
	if c.Comment.Edits == 0 {
		return []*CommentEdit{}, nil
	}
	all, err := c.Issue.Loaders.Comments().Edits(ctx, c.Comment.Ref)
	if err != nil {
		return nil, err
	}
	out := make([]*CommentEdit, len(all))
	for i, e := range all {
		out[i] = &CommentEdit{e, c}
	}
	return out, nil
}

// Language returns the BCP 47 tag of the language, or nil.
func (c *Comment) Language() *string { return nonEmpty(c.Comment.Language) }

// Rating returns the rating, or nil.
func (c *Comment) Rating() *int32 {
	if c.Comment.Rating == 0 {
		return nil
	}
	rating := int32(c.Comment.Rating)
	return &rating
}

// Mentions returns the users that the comment mentions.
func (c *Comment) Mentions(ctx context.Context) ([]Participant, error) {
	users, err := c.Issue.users(ctx, c.Comment.Mentions)
	if err != nil {
		return nil, err
	}
	out := make([]Participant, len(users))
	for i, u := range users {
		out[i] = u
	}
	return out, nil
}

// Reactions returns the reactions that at least one user has.
func (c *Comment) Reactions() []*ReactionCount {
	out := []*ReactionCount{}
	for _, r := range tracker.Reactions {
		if n := c.Comment.Reactions[r]; n > 0 {
			out = append(out, &ReactionCount{Reaction: Reaction(r), Count: int32(n), comment: c})
		}
	}
	return out
}

// ReplyCount returns the number of replies.
func (c *Comment) ReplyCount() int32 { return int32(c.Comment.Replies) }

// Version returns the comment's version.
func (c *Comment) Version() int32 { return int32(c.Comment.Version) }

// CommentEdit is a text of a comment that was replaced.
type CommentEdit struct {
	edit    *tracker.CommentEdit
	comment *Comment
}

// Body returns the text.
func (e *CommentEdit) Body(ctx context.Context) (*string, error) {
	c := e.comment
	text, err := c.Issue.Loaders.Comments().Text(ctx, c.Comment.Ref, e.edit.N, e.edit.Body)
	if err != nil {
		return nil, err
	}
	return &text, nil
}

// ReplacedAt returns when the text was replaced.
func (e *CommentEdit) ReplacedAt() DateTime { return DateTime(tracker.FormatDateTime(e.edit.At)) }

// ReplacedBy returns the user that replaced it, or nil.
func (e *CommentEdit) ReplacedBy(ctx context.Context) (*User, error) {
	return e.comment.Issue.user(ctx, e.edit.By)
}

// ReactionCount is the number of users that have a reaction to a comment.
type ReactionCount struct {
	Reaction Reaction
	Count    int32
	comment  *Comment
}

// ViewerHasReacted reports whether the caller has the reaction.
func (r *ReactionCount) ViewerHasReacted(ctx context.Context) (*bool, error) {
	c := r.comment
	has, err := c.Issue.Loaders.Comments().CallerReacted(ctx, c.Comment.Ref, tracker.Reaction(r.Reaction))
	if err != nil {
		return nil, err
	}
	return &has, nil
}

// maxReactors is the maximum number of users of ReactionCount.Users.
const maxReactors = 100

// Users returns the first users that have the reaction.
func (r *ReactionCount) Users(ctx context.Context, first *int32) ([]*User, error) {
	n := Or(first, defaultFew)
	if n < 0 || n > maxReactors {
		return nil, tracker.Bad("first", "%d is out of range: 0 to %d can be returned", n, maxReactors)
	}
	if n == 0 {
		return []*User{}, nil
	}
	c := r.comment
	ids, err := c.Issue.Loaders.Comments().Reactors(ctx, c.Comment.Ref, tracker.Reaction(r.Reaction),
		int(n))
	if err != nil {
		return nil, err
	}
	return c.Issue.users(ctx, ids)
}

// CommentConnection is a page of comments.
type CommentConnection struct {
	Edges    []*CommentEdge
	Nodes    []*Comment
	PageInfo *PageInfo
	Counted
}

// CommentSummary returns the numbers of comments on the issue, of those in a language or of all.
func (i *Issue) CommentSummary(ctx context.Context, language *string) (*CommentSummary, error) {
	in := ""
	if language != nil {
		var err error
		if in, err = tracker.ParseLanguage(*language); err != nil {
			return nil, tracker.At("language", err)
		}
	}
	counts, err := i.Loaders.Comments().Counts(ctx, i.Issue.ID, in)
	if err != nil {
		return nil, err
	}
	return newCommentSummary(counts), nil
}

func newCommentSummary(counts tracker.CommentCounts) *CommentSummary {
	out := &CommentSummary{Count: int32(counts.Total())}
	if mean, ok := counts.Mean(); ok {
		out.MeanRating = &mean
	}
	for rating := 1; rating <= tracker.MaxRating; rating++ {
		out.Ratings = append(out.Ratings,
			&RatingCount{Rating: int32(rating), Count: int32(counts[rating])})
	}
	return out
}

// CommentLanguages returns the languages of the comments on the issue.
func (i *Issue) CommentLanguages(ctx context.Context) ([]*CommentLanguage, error) {
	all, err := i.Loaders.Comments().Languages(ctx, i.Issue.ID)
	if err != nil {
		return nil, err
	}
	out := make([]*CommentLanguage, len(all))
	for n, l := range all {
		out[n] = &CommentLanguage{Language: l.Language, Summary: newCommentSummary(l.Counts)}
	}
	return out, nil
}
