package graph

import (
	"context"
	"slices"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

func parseCommentID(ctx context.Context, id string) (model.NodeID, error) {
	return parseID(ctx, id, model.ParseCommentID)
}

// lookUpComment reads a comment and its issue.
func lookUpComment(ctx context.Context, id string) (*model.Comment, error) {
	n, err := parseCommentID(ctx, id)
	if err != nil {
		return nil, err
	}
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return nil, err
	}
	// Wait for it even if there is no such issue: prefetchNodes has begun to read it, and no call may go on
	// after the response.
	c, missing := l.Comments().Comment(ctx, n.Comment)
	i, err := lookUpIssue(ctx, model.IssueNodeID(n.Tenant, n.Issue), false)
	if err != nil {
		return nil, asComment(err)
	}
	if missing != nil {
		return nil, missing
	}
	return &model.Comment{Comment: c, Issue: i}, nil
}

// asComment converts the error of an issue that is not found to that of a comment.
func asComment(err error) error {
	if tracker.CodeOf(err) == tracker.NotFound {
		return tracker.Missing("comment")
	}
	return err
}

// commentWriter makes a change of a comment or of the comments on an issue.
type commentWriter struct {
	TenantWrites // nil if invalid is set
	node         model.NodeID
	issue        *model.Issue
	invalid      error // about the idempotency key
}

// commentWriterOf parses the id of an issue or a comment and reads the issue. what names it in errors.
func commentWriterOf(ctx context.Context, what, id string,
	parse func(context.Context, string) (model.NodeID, error), key *string, mutation string, input any) (
	*commentWriter, error) {
	n, w, invalid := keyedWriterOf(ctx, id, parse, key, mutation, input)
	if err := otherError(invalid); err != nil {
		return nil, err
	}
	i, err := lookUpIssue(ctx, model.IssueNodeID(n.Tenant, n.Issue), true)
	if err != nil {
		return nil, asInput(what, err)
	}
	return &commentWriter{w, n, i, invalid}, nil
}

// mentioned converts the ids of users that a comment mentions.
func (w *commentWriter) mentioned(ctx context.Context, ids []string) ([]tracker.UserID, error) {
	if n := len(ids); n > tracker.MaxMentions {
		return nil, tracker.Bad("mentionIds", "%d users; the limit is %d", n, tracker.MaxMentions)
	}
	p, err := newParticipantParser(ctx, w.node.Tenant)
	if err != nil {
		return nil, err
	}
	var wrong []error
	for i, id := range ids {
		if one, ok := p.participant(ctx, id); ok {
			if _, isUser := one.User(); !isUser {
				wrong = append(wrong,
					tracker.Bad("mentionIds"+index(i), "a team can't be mentioned; mention its members"))
			}
		}
	}
	all, err := p.parse(ctx, "mentionIds", ids)
	if err := tracker.Join(append(wrong, err)...); err != nil {
		return nil, err
	}
	out := make([]tracker.UserID, len(all))
	for i, one := range all {
		out[i], _ = one.User()
	}
	return out, nil
}

// prepare returns what is done before a comment is written: if its mentions are invalid, nothing, and
// otherwise the users become watchers of the issue. So a crash between the two loses no watcher.
func (w *commentWriter) prepare(users []tracker.UserID, badMention error) func(context.Context) error {
	if badMention != nil {
		return func(context.Context) error { return badMention }
	}
	if len(users) == 0 {
		return nil
	}
	return func(ctx context.Context) error { return w.watch(ctx, users) }
}

// watch makes users watchers of the issue, as many as it can have.
func (w *commentWriter) watch(ctx context.Context, users []tracker.UserID) error {
	var add []tracker.Participant
	watchers := w.issue.Issue.Watchers
	for _, u := range users {
		p := tracker.UserParticipant(u)
		if !slices.Contains(watchers, p) && len(watchers)+len(add) < tracker.MaxParticipants {
			add = append(add, p)
		}
	}
	if len(add) == 0 {
		return nil
	}
	change := tracker.ParticipantChange{Add: add, Path: "mentionIds"}
	plain, err := session(ctx).Writes.Tenant(w.node.Tenant, nil)
	if err != nil {
		return err
	}
	changed, err := plain.UpdateIssue(ctx, w.issue.Definition, w.node.Issue, tracker.Change{Watchers: change})
	if tracker.CodeOf(err) == tracker.BadInput { // others have become watchers meanwhile
		return nil
	}
	if err == nil {
		w.issue = &model.Issue{Issue: changed, Definition: w.issue.Definition, Loaders: w.issue.Loaders}
	}
	return err
}

// written returns a comment after a change. What the request reads from then on includes the change.
func (w *commentWriter) written(ctx context.Context, c *tracker.Comment) *model.Comment {
	w.issue.Loaders.Comments().Forget(ctx, c.Ref)
	return &model.Comment{Comment: c, Issue: w.issue}
}

func createComment(ctx context.Context, in model.CreateCommentInput) (*model.CreateCommentPayload, error) {
	w, err := commentWriterOf(ctx, "issue", in.IssueID, parseIssueID, in.IdempotencyKey, "createComment", in)
	if err != nil {
		return nil, err
	}
	c := tracker.Comment{Ref: tracker.CommentRef{Issue: w.node.Issue}, Author: w.by(ctx),
		Body: tracker.BodyOf(in.Body), Language: orEmpty(in.Language)}
	var wrong []error
	if in.ReplyToID != nil {
		n, err := parseCommentID(ctx, *in.ReplyToID)
		switch {
		case err != nil || n.Tenant != w.node.Tenant || n.Issue != w.node.Issue:
			wrong = append(wrong, tracker.Bad("replyToId", "the issue has no such comment"))
		case n.Comment.Reply():
			wrong = append(wrong, tracker.Bad("replyToId", "a reply has no replies; reply to its comment"))
		}
		c.Ref.Parent = n.Comment.ID
	}
	wrong = append(wrong, setRating(&c, in.Rating))
	var badMention error
	c.Mentions, badMention = w.mentioned(ctx, in.MentionIds)
	if err := otherError(badMention); err != nil {
		return nil, err
	}
	wrong = append(wrong, c.Check(nil))
	if err := w.wrong(tracker.Join(wrong...), badMention); err != nil {
		return nil, err
	}
	created, err := w.CreateComment(ctx, c, w.issue.Issue.Num, w.prepare(c.Mentions, badMention))
	if err != nil && c.Ref.Reply() && tracker.CodeOf(err) == tracker.NotFound {
		err = tracker.Bad("replyToId", "the issue has no such comment")
	}
	if err != nil {
		return nil, asInput("issue", err)
	}
	return &model.CreateCommentPayload{Comment: w.written(ctx, created)}, nil
}

// wrong returns the errors of an input, unless only its mentions are invalid: they are not an error if the
// change was made already, before a user was deactivated.
func (w *commentWriter) wrong(invalid, badMention error) error {
	if w.invalid == nil && invalid == nil {
		return nil
	}
	return tracker.Join(w.invalid, tracker.At("input", tracker.Join(invalid, badMention)))
}

// by returns the user that the caller is in the tenant, or empty.
func (w *commentWriter) by(ctx context.Context) tracker.UserID {
	return session(ctx).Principal.UserIn(w.node.Tenant)
}

// setRating sets a rating that is given, which must not be 0.
func setRating(c *tracker.Comment, rating *int32) error {
	if c.Rating = 0; rating == nil {
		return nil
	}
	if c.Rating = int(*rating); c.Rating == 0 {
		return tracker.Bad("rating", "a rating is 1 to %d; got 0", tracker.MaxRating)
	}
	return nil
}

// mayChangeComment returns a Forbidden error unless the caller wrote the comment or is an administrator.
func (w *commentWriter) mayChangeComment(ctx context.Context, c *tracker.Comment) error {
	if by := w.by(ctx); by != "" && by == c.Author {
		return nil
	}
	return mustBe(ctx, tracker.Admin, "")
}

func updateComment(ctx context.Context, in model.UpdateCommentInput) (*model.UpdateCommentPayload, error) {
	w, err := commentWriterOf(ctx, "comment", in.ID, parseCommentID, in.IdempotencyKey, "updateComment", in)
	if err != nil {
		return nil, err
	}
	mentions, badMention := w.mentioned(ctx, in.MentionIds)
	if err := otherError(badMention); err != nil {
		return nil, err
	}
	// Nothing is written if the caller must not change the comment, so that it is read first.
	old, err := w.issue.Loaders.Comments().Comment(ctx, w.node.Comment)
	if err != nil {
		return nil, asInput("comment", err)
	}
	if err := w.mayChangeComment(ctx, old); err != nil {
		return nil, err
	}
	change := func(c *tracker.Comment) error { return setComment(c, in, mentions) }
	tried := *old
	if err := w.wrong(tracker.Join(change(&tried), tried.Check(old)), badMention); err != nil {
		return nil, err
	}
	changed, err := w.UpdateComment(ctx, w.node.Comment, int64Of(in.ExpectedVersion), w.by(ctx), change,
		w.prepare(mentions, badMention))
	if err != nil {
		return nil, asInput("comment", err)
	}
	return &model.UpdateCommentPayload{Comment: w.written(ctx, changed)}, nil
}

// setComment sets the members of a comment that are given.
func setComment(c *tracker.Comment, in model.UpdateCommentInput, mentions []tracker.UserID) error {
	var wrong []error
	if in.Body != nil {
		c.Body = tracker.BodyOf(*in.Body)
	}
	set(&c.Language, in.Language)
	switch remove := model.Is(in.RemoveRating, true); {
	case remove && in.Rating != nil:
		wrong = append(wrong, tracker.Bad("removeRating", "give either `rating` or `removeRating`"))
	case remove || in.Rating != nil:
		wrong = append(wrong, setRating(c, in.Rating))
	}
	if in.MentionIds != nil {
		c.Mentions = mentions
	}
	return tracker.Join(wrong...)
}

func deleteComment(ctx context.Context, in model.DeleteCommentInput) (*model.DeleteCommentPayload, error) {
	w, err := commentWriterOf(ctx, "comment", in.ID, parseCommentID, in.IdempotencyKey, "deleteComment", in)
	if err != nil {
		return nil, err
	}
	if w.invalid != nil {
		return nil, w.invalid
	}
	err = w.DeleteComment(ctx, w.node.Comment, int64Of(in.ExpectedVersion), func(c *tracker.Comment) error {
		return w.mayChangeComment(ctx, c)
	})
	if err != nil {
		return nil, asInput("comment", err)
	}
	w.issue.Loaders.Comments().Forget(ctx, w.node.Comment)
	return &model.DeleteCommentPayload{DeletedCommentID: &in.ID, Issue: w.issue}, nil
}

// react adds a reaction of the caller to a comment, or removes it.
func react(ctx context.Context, id string, r model.Reaction, key *string, mutation string, input any,
	add bool) (*model.Comment, error) {
	w, err := commentWriterOf(ctx, "comment", id, parseCommentID, key, mutation, input)
	if err != nil {
		return nil, err
	}
	by := w.by(ctx)
	switch {
	case w.invalid != nil:
		return nil, w.invalid
	case by == "":
		return nil, &tracker.Error{Code: tracker.Forbidden,
			Message: "reactions are those of users of the tenant, and you are not one of them"}
	}
	changed, err := w.React(ctx, w.node.Comment, tracker.Reaction(r), by, add)
	if err != nil {
		return nil, asInput("comment", err)
	}
	return w.written(ctx, changed), nil
}

func addReaction(ctx context.Context, in model.AddReactionInput) (*model.AddReactionPayload, error) {
	c, err := react(ctx, in.CommentID, in.Reaction, in.IdempotencyKey, "addReaction", in, true)
	if err != nil {
		return nil, err
	}
	return &model.AddReactionPayload{Comment: c}, nil
}

func removeReaction(ctx context.Context, in model.RemoveReactionInput) (*model.RemoveReactionPayload, error) {
	c, err := react(ctx, in.CommentID, in.Reaction, in.IdempotencyKey, "removeReaction", in, false)
	if err != nil {
		return nil, err
	}
	return &model.RemoveReactionPayload{Comment: c}, nil
}
