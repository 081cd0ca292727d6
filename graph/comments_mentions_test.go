package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// tryWrite makes a mutation, and returns the code and the argument of its first error.
func tryWrite(t testing.TB, s *server, mutation string, members ...any) [2]string {
	t.Helper()
	a := s.ask(t, fmt.Sprintf(`mutation($i: %s%sInput!) { %s(input: $i) { __typename } }`,
		strings.ToUpper(mutation[:1]), mutation[1:], mutation), map[string]any{"i": inputOf(members...)})
	if len(a.Errors) == 0 {
		return [2]string{}
	}
	e := a.Errors[0].Extensions
	argument, _ := e["argument"].(string)
	return [2]string{fmt.Sprint(e["code"]), argument}
}

// watching is an issue's version and the names of its watchers.
type watching struct {
	Version  int
	Watchers []struct{ Name string }
}

func watchersOf(t testing.TB, s *server, issue string) watching {
	t.Helper()
	var got struct{ Issue watching }
	s.data(t, fmt.Sprintf(`{ issue(id: %q) { version watchers(first: 100) { ... on User { name } } } }`, issue),
		nil, &got)
	return got.Issue
}

// TestMentions checks when users that a comment mentions become watchers: never by a mutation that fails or
// that was made already.
func TestMentions(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 1)
	ada := c.as[0]
	issue := c.create(t, "Commented", nil).ID
	gone := wrote(t, ada, "createComment", "issue", issue, "body", "Deleted").ID
	same(t, "the deletion", [2]string{}, tryWrite(t, ada, "deleteComment", "id", gone))
	before := watchersOf(t, s, issue)
	bad := string(tracker.BadInput)
	for what, made := range map[string]func() [2]string{
		"input.replyTo": func() [2]string {
			return tryWrite(t, ada, "createComment", "issue", issue, "replyTo", gone, "body", "x",
				"mentions", []any{c.users[1]})
		},
		"input.mentions[2]": func() [2]string {
			return tryWrite(t, ada, "createComment", "issue", issue, "body", "x",
				"mentions", []any{c.users[1], c.users[1], c.teams[0]})
		},
		"input.rating": func() [2]string {
			return tryWrite(t, ada, "createComment", "issue", issue, "body", "x", "rating", 9,
				"mentions", []any{c.users[1]})
		},
	} {
		same(t, what, [2]string{bad, what}, made())
	}
	same(t, "the watchers after errors", before, watchersOf(t, s, issue))

	create := func(body, user string) [2]string {
		return tryWrite(t, ada, "createComment", "issue", issue, "body", body, "mentions", []any{user},
			"idempotencyKey", "once")
	}
	same(t, "a comment", [2]string{}, create("x", c.users[2]))
	same(t, "the watchers", []struct{ Name string }{{"User 2"}}, watchersOf(t, s, issue).Watchers)
	same(t, "the removal", [2]string{}, tryWrite(t, ada, "updateIssue", "id", issue,
		"watchers", inputOf("remove", []any{c.users[2]})))
	before = watchersOf(t, s, issue)
	same(t, "the comment again", [2]string{}, create("x", c.users[2]))
	same(t, "another one under its key", [2]string{bad, "input.idempotencyKey"}, create("y", c.users[1]))
	c.changed(t, s, "updateUser", map[string]any{"id": c.users[2], "active": false})
	same(t, "again, after the user was deactivated", [2]string{}, create("x", c.users[2]))
	same(t, "a new one", [2]string{bad, "input.mentions[0]"}, tryWrite(t, ada, "createComment",
		"issue", issue, "body", "x", "mentions", []any{c.users[2]}))
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
	same(t, "the watchers", [2]string{}, tryWrite(t, s, "updateIssue", "id", issue,
		"watchers", inputOf("add", all)))
	last := c.users[tracker.MaxParticipants]
	made := wrote(t, c.as[0], "createComment", "issue", issue, "body", "x", "mentions", []any{last})
	if len(made.Mentions) != 1 || len(watchersOf(t, s, issue).Watchers) != tracker.MaxParticipants {
		t.Errorf("the comment is %+v", made)
	}
}

// TestKeyOfTwo checks that the same change of two users under the same idempotency key is not one change.
func TestKeyOfTwo(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	issue := c.create(t, "Commented", nil).ID
	refused := [2]string{string(tracker.BadInput), "input.idempotencyKey"}
	made := wrote(t, c.as[0], "createComment", "issue", issue, "body", "x", "idempotencyKey", "a")
	same(t, "the same comment of another user", refused, tryWrite(t, c.as[1], "createComment",
		"issue", issue, "body", "x", "idempotencyKey", "a"))
	again := wrote(t, c.as[0], "createComment", "issue", issue, "body", "x", "idempotencyKey", "a")
	same(t, "the comment of the same user again", made.ID, again.ID)
	wrote(t, c.as[0], "addReaction", "comment", made.ID, "reaction", "HEART", "idempotencyKey", "b")
	same(t, "the same reaction of another user", refused, tryWrite(t, c.as[1], "addReaction",
		"comment", made.ID, "reaction", "HEART", "idempotencyKey", "b"))
}

// TestCommentOfDeletedIssue changes a comment after its issue was deleted in the same request.
func TestCommentOfDeletedIssue(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 1, 0)
	issue := c.create(t, "Commented", nil).ID
	made := wrote(t, c.as[0], "createComment", "issue", issue, "body", "x", "rating", 3)
	a := c.as[0].ask(t, fmt.Sprintf(`mutation {
		a: updateComment(input: {id: %[1]q, body: "one"}) { __typename }
		b: deleteIssue(input: {id: %[2]q}) { __typename }
		c: updateComment(input: {id: %[1]q, body: "two", rating: 1}) { __typename }
		d: addReaction(input: {comment: %[1]q, reaction: EYES}) { __typename }
		e: deleteComment(input: {id: %[1]q}) { __typename } }`, made.ID, issue), nil)
	var codes []string
	for _, e := range a.Errors {
		codes = append(codes, fmt.Sprint(e.Path[0], " ", e.Extensions["code"]))
	}
	same(t, "errors", []string{"c NOT_FOUND", "d NOT_FOUND", "e NOT_FOUND"}, codes)
	var data map[string]json.RawMessage
	if err := json.Unmarshal(a.Data, &data); err != nil || string(data["b"]) == "null" {
		t.Errorf("%v, the data is %s", err, a.Data)
	}
	same(t, "the restoration", [2]string{}, tryWrite(t, s, "restoreIssue", "id", issue))
	stored := commentsOf(t, s, issue, "").Nodes
	if len(stored) != 1 || stored[0].Body != "one" || *stored[0].Rating != 3 {
		t.Errorf("the comments are %+v", stored)
	}
}

// TestReplyCount checks that the number of replies is exact and read with one call, however large they are.
func TestReplyCount(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 1, 0)
	issue := c.create(t, "Commented", nil).ID
	made := wrote(t, c.as[0], "createComment", "issue", issue, "body", "x")
	for range 12 {
		wrote(t, c.as[0], "createComment", "issue", issue, "body", strings.Repeat("x", 4000),
			"replyTo", made.ID)
	}
	var got struct {
		Node struct {
			Replies struct {
				TotalCount          int
				TotalCountPrecision string
			}
		}
	}
	s.data(t, fmt.Sprintf(`{ node(id: %q) { ... on Comment { replies(first: 0) {
		totalCount totalCountPrecision } } } }`, made.ID), nil, &got)
	if r := got.Node.Replies; r.TotalCount != 12 || r.TotalCountPrecision != "EXACT" {
		t.Errorf("the number of replies is %+v", r)
	}
}
