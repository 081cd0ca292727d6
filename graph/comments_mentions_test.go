package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/tracker"
)

// tryWrite makes a mutation, and returns its outcome.
func tryWrite(t testing.TB, s *server, name string, members ...any) string {
	t.Helper()
	return s.ask(t, mutation(name, "__typename"), input(nil, members...)).outcome()
}

// watching is an issue's version and the names of its watchers.
type watching struct {
	Version  int
	Watchers []struct{ Name string }
}

func watchersOf(t testing.TB, s *server, issue string) watching {
	t.Helper()
	return get[watching](t, s, "issue", fmt.Sprintf(
		`{ issue(id: %q) { version watchers(first: 100) { ... on User { name } } } }`, issue), nil)
}

// TestMentions checks when users that a comment mentions become watchers: never by a mutation that fails or
// that was made already.
func TestMentions(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 1)
	ada := c.as[0]
	issue := c.create(t, "Commented", nil).ID
	gone := wrote(t, ada, "createComment", "issueId", issue, "body", "Deleted").ID
	same(t, "the deletion", "", tryWrite(t, ada, "deleteComment", "id", gone))
	before := watchersOf(t, s, issue)
	const bad = "BAD_USER_INPUT "
	for what, members := range map[string][]any{
		"input.replyToId":     {"replyToId", gone, "mentionIds", []any{c.users[1]}},
		"input.mentionIds[2]": {"mentionIds", []any{c.users[1], c.users[1], c.teams[0]}},
		"input.rating":        {"rating", 9, "mentionIds", []any{c.users[1]}},
	} {
		members = append(members, "issueId", issue, "body", "x")
		same(t, what, bad+what, tryWrite(t, ada, "createComment", members...))
	}
	same(t, "the watchers after errors", before, watchersOf(t, s, issue))

	create := func(body, user string) string {
		return tryWrite(t, ada, "createComment", "issueId", issue, "body", body, "mentionIds", []any{user},
			"idempotencyKey", "once")
	}
	same(t, "a comment", "", create("x", c.users[2]))
	same(t, "the watchers", []struct{ Name string }{{"User 2"}}, watchersOf(t, s, issue).Watchers)
	same(t, "the removal", "", tryWrite(t, ada, "updateIssue", "id", issue,
		"watchers", inputOf("removeIds", []any{c.users[2]})))
	before = watchersOf(t, s, issue)
	same(t, "the comment again", "", create("x", c.users[2]))
	same(t, "another one under its key", bad+"input.idempotencyKey", create("y", c.users[1]))
	c.changed(t, s, "updateUser", map[string]any{"id": c.users[2], "active": false})
	same(t, "again, after the user was deactivated", "", create("x", c.users[2]))
	same(t, "a new one", bad+"input.mentionIds[0]", tryWrite(t, ada, "createComment",
		"issueId", issue, "body", "x", "mentionIds", []any{c.users[2]}))
	same(t, "the watchers in the end", before, watchersOf(t, s, issue))
	if n := len(commentsOf(t, s, issue, "").Nodes); n != 1 {
		t.Errorf("%d comments, want 1", n)
	}
}

// TestManyWatchers mentions a user in a comment on an issue that can have no more watchers.
func TestManyWatchers(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, tracker.MaxParticipants+1, 0)
	issue := c.create(t, "Commented", nil).ID
	var all []any
	for _, u := range c.users[:tracker.MaxParticipants] {
		all = append(all, u)
	}
	same(t, "the watchers", "", tryWrite(t, s, "updateIssue", "id", issue,
		"watchers", inputOf("addIds", all)))
	last := c.users[tracker.MaxParticipants]
	made := wrote(t, c.as[0], "createComment", "issueId", issue, "body", "x", "mentionIds", []any{last})
	if len(made.Mentions) != 1 || len(watchersOf(t, s, issue).Watchers) != tracker.MaxParticipants {
		t.Errorf("the comment is %+v", made)
	}
}

// TestKeysOfUsers checks that users do not share idempotency keys: the same change under the same key is
// one of
// each.
func TestKeysOfUsers(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	issue := c.create(t, "Commented", nil).ID
	made := wrote(t, c.as[0], "createComment", "issueId", issue, "body", "x", "idempotencyKey", "a")
	other := wrote(t, c.as[1], "createComment", "issueId", issue, "body", "x", "idempotencyKey", "a")
	if made.ID == other.ID || other.Author.Name != "User 1" {
		t.Errorf("the comment of another user is %+v", other)
	}
	again := wrote(t, c.as[0], "createComment", "issueId", issue, "body", "x", "idempotencyKey", "a")
	same(t, "the comment of the same user again", made.ID, again.ID)
	for n := range 2 {
		reacted := wrote(t, c.as[n], "addReaction", "commentId", made.ID, "reaction", "HEART",
			"idempotencyKey", "b")
		same(t, "the reactions", n+1, reacted.Reactions[0].Count)
	}
}

// TestCommentOfDeletedIssue changes a comment after its issue was deleted in the same request.
func TestCommentOfDeletedIssue(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 1, 0)
	issue := c.create(t, "Commented", nil).ID
	made := wrote(t, c.as[0], "createComment", "issueId", issue, "body", "x", "rating", 3)
	a := c.as[0].ask(t, fmt.Sprintf(`mutation {
		a: updateComment(input: {id: %[1]q, body: "one"}) { __typename }
		b: deleteIssue(input: {issue: {id: %[2]q}}) { __typename }
		c: updateComment(input: {id: %[1]q, body: "two", rating: 1}) { __typename }
		d: addReaction(input: {commentId: %[1]q, reaction: EYES}) { __typename }
		e: deleteComment(input: {id: %[1]q}) { __typename } }`, made.ID, issue), nil)
	var codes []string
	for _, e := range a.Errors {
		codes = append(codes, fmt.Sprint(e.Path[0], " ", e.Extensions["code"]))
	}
	same(t, "errors", []string{"c NOT_FOUND", "d NOT_FOUND", "e NOT_FOUND"}, codes)
	if data := decode[map[string]any](t, a.Data); data["b"] == nil {
		t.Errorf("the data is %s", a.Data)
	}
	same(t, "the restoration", "", tryWrite(t, s, "restoreIssue", "id", issue))
	stored := commentsOf(t, s, issue, "").Nodes
	if len(stored) != 1 || stored[0].Body != "one" || *stored[0].Rating != 3 {
		t.Errorf("the comments are %+v", stored)
	}
}
