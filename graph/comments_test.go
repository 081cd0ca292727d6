package graph_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// comment is a comment as the API shows it.
type comment struct {
	ID, Body, CreatedAt            string
	Author                         *struct{ Name string }
	Parent                         *struct{ ID string }
	EditedAt, Language             *string
	EditCount, ReplyCount, Version int
	Rating                         *int
	Mentions                       []struct{ Name string }
	Reactions                      []struct {
		Reaction         string
		Count            int
		ViewerHasReacted bool
		Users            []struct{ Name string }
	}
}

const commentFields = `id body createdAt author { name } parent { id } editedAt language editCount replyCount
	version rating mentions { name } reactions { reaction count viewerHasReacted users { name } }`

// wrote makes a mutation of a comment, and returns the comment.
func wrote(t testing.TB, s *server, name string, members ...any) comment {
	t.Helper()
	return get[comment](t, s, name+".comment", mutation(name, "comment { "+commentFields+" }"),
		input(nil, members...))
}

// commentsOf reads a list of comments with arguments.
func commentsOf(t testing.TB, s *server, issue, arguments string) connection[comment] {
	t.Helper()
	return get[connection[comment]](t, s, "issue.comments",
		fmt.Sprintf(`{ issue(id: %q) { comments%s { nodes { %s }
		totalCount `+flags+` } } }`, issue, inBrackets(arguments), commentFields), nil)
}

func bodies(all []comment) []string {
	out := []string{}
	for _, c := range all {
		out = append(out, c.Body)
	}
	return out
}

// TestComments writes, changes and deletes comments, and finds them.
func TestComments(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 1)
	ada, bo := c.as[0], c.as[1]
	issue := c.create(t, "Commented", nil).ID
	long := strings.Repeat("Sehr lang. ", 2000)
	first := wrote(t, ada, "createComment", "issueId", issue, "body", "First", "language", "EN", "rating", 4,
		"mentionIds", []any{c.users[1], c.users[1]})
	same(t, "a new comment", comment{ID: first.ID, Body: "First", CreatedAt: first.CreatedAt,
		Author: &struct{ Name string }{"User 0"}, Language: new("en"), Rating: new(4), Version: 1,
		Mentions:  []struct{ Name string }{{"User 1"}},
		Reactions: first.Reactions}, first)
	same(t, "the watchers", []struct{ Name string }{{"User 1"}}, watchersOf(t, s, issue).Watchers)
	second := wrote(t, bo, "createComment", "issueId", issue, "body", long)
	reply := wrote(t, bo, "createComment", "issueId", issue, "body", "Reply", "replyToId", first.ID)
	same(t, "the parent", first.ID, reply.Parent.ID)
	same(t, "newest first", []string{long, "First"}, bodies(commentsOf(t, s, issue, "").Nodes))
	same(t, "oldest first", []string{"First", long},
		bodies(commentsOf(t, s, issue, "order: OLDEST_FIRST").Nodes))
	node := get[struct {
		Replies connection[comment]
		Issue   struct{ ID string }
	}](t, s, "node",
		fmt.Sprintf(`{ node(id: %q) { ... on Comment { issue { id } replies { totalCount nodes { %s } } } } }`,
			first.ID, commentFields), nil)
	if node.Replies.TotalCount != 1 || node.Issue.ID != issue {
		t.Errorf("the node is %+v", node)
	}
	same(t, "the replies", []comment{reply}, node.Replies.Nodes)

	wrote(t, bo, "addReaction", "commentId", first.ID, "reaction", "HEART")
	reacted := wrote(t, ada, "addReaction", "commentId", first.ID, "reaction", "HEART")
	if r := reacted.Reactions; len(r) != 1 || r[0].Reaction != "HEART" || r[0].Count != 2 ||
		len(r[0].Users) != 2 || !r[0].ViewerHasReacted {
		t.Errorf("the reactions are %+v", r)
	}
	reacted = wrote(t, ada, "removeReaction", "commentId", first.ID, "reaction", "HEART")
	same(t, "who has the reaction", []struct{ Name string }{{"User 1"}}, reacted.Reactions[0].Users)
	if reacted.Reactions[0].ViewerHasReacted {
		t.Error("the reaction was not removed")
	}

	changed := wrote(t, ada, "updateComment", "id", first.ID, "expectedVersion", 1, "body", "Changed",
		"removeRating", true, "mentionIds", []any{})
	if changed.Body != "Changed" || changed.Rating != nil || changed.EditCount != 1 ||
		changed.EditedAt == nil || len(changed.Mentions) != 0 || changed.Version != 2 ||
		changed.ReplyCount != 1 || *changed.Language != "en" {
		t.Errorf("the changed comment is %+v", changed)
	}
	same(t, "the edits", `[{"body":"First","replacedBy":{"name":"User 0"}}]`, string(get[json.RawMessage](t,
		s,
		"node.edits",
		fmt.Sprintf(`{ node(id: %q) { ... on Comment { edits { body replacedBy { name } } } } }`,
			first.ID),
		nil)))
	same(t, "what was deleted", inputOf("deletedCommentId", first.ID, "issue", inputOf("id", issue)),
		s.mutate(t, mutation("deleteComment", "deletedCommentId issue { id }"), inputOf("id", first.ID)))
	same(t, "what is left", []comment{second}, commentsOf(t, s, issue, "").Nodes)
}

// TestCommentsExample runs the example of docs/comments.md.
func TestCommentsExample(t *testing.T) { runExample(t, "comments.md", 4) }

// TestCommentRights checks what users may change of the comments of others.
func TestCommentRights(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	issue := c.create(t, "Commented", nil).ID
	mine := wrote(t, c.as[0], "createComment", "issueId", issue, "body", "Mine")
	for name, members := range map[string][]any{"updateComment": {"id", mine.ID, "body", "Yours"},
		"deleteComment": {"id", mine.ID}} {
		same(t, name+" of another user's comment", "FORBIDDEN", tryWrite(t, c.as[1], name, members...))
	}
	admin := s.as(t, tracker.Principal{Tenant: tenantID(t, c.tenant), User: "root", Role: tracker.Admin})
	same(t, "an administrator", "Yours",
		wrote(t, admin, "updateComment", "id", mine.ID, "body", "Yours").Body)
	same(t, "a reaction of nobody", "FORBIDDEN",
		tryWrite(t, admin, "addReaction", "commentId", mine.ID, "reaction", "EYES"))
}

// TestCommentPages has the arguments of lists of comments. Package dynamo/comments compares lists by random
// filters, in both orders and directions, with the comments that were written.
func TestCommentPages(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 0)
	issue := c.create(t, "Commented", nil).ID
	var since string
	for n := range 7 {
		members := []any{"issueId", issue, "body", fmt.Sprint(n), "language", []any{nil, "en", "de"}[n%3]}
		if n > 1 {
			members = append(members, "rating", 1+n%3)
		}
		if made := wrote(t, c.as[n%2], "createComment", members...); n == 4 {
			since = made.CreatedAt
		}
	}
	for where, want := range map[string]string{
		``: "[0 1 2 3 4 5 6]", `ratings: [1, 3]`: "[2 3 5 6]", `language: "en"`: "[1 4]",
		fmt.Sprintf("authorId: %q", c.users[1]): "[1 3 5]", fmt.Sprintf("since: %q", since): "[4 5 6]",
		fmt.Sprintf(`ratings: [2, 3], language: "de", authorId: %q`, c.users[1]): "[5]", `ratings: []`: "[]",
	} {
		read := func(order string) []string {
			return bodies(walkPages(t, 2, func(paging string) connection[comment] {
				return commentsOf(t, s, issue, paging+", where: {"+where+"}, order: "+order)
			}))
		}
		got := read("OLDEST_FIRST")
		same(t, where, want, fmt.Sprint(got))
		slices.Reverse(got)
		same(t, where+", newest first", got, read("NEWEST_FIRST"))
	}
}

// TestCommentCosts checks that the rows of lists share the calls for what they show of comments.
func TestCommentCosts(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 0)
	var issue, ids string
	for n := range 12 {
		issue = c.create(t, fmt.Sprint("Issue ", n), nil).ID
		for k := range 3 {
			made := wrote(t, c.as[k], "createComment", "issueId", issue, "body", strings.Repeat("x",
				5000*k+1),
				"mentionIds", []any{c.users[n%3]})
			ids += fmt.Sprintf("%q ", made.ID)
		}
	}
	calls := func(query string) map[string]int {
		t.Helper()
		s.data(t, query, nil, &struct{}{}) // so that the definition is known
		s.wire.Reset()
		s.data(t, query, nil, &struct{}{})
		return s.wire.Calls()
	}
	grid := func(selection string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(first: 10) { nodes { num %s } } } }`, c.project,
			selection)
	}
	plain, with := calls(grid("")), calls(grid("commentSummary { count meanRating }"))
	if with["BatchGetItem"] != plain["BatchGetItem"]+1 || with["Query"] != plain["Query"] {
		t.Errorf("a grid takes %v, with the numbers of comments %v", plain, with)
	}
	// the issue, the texts that are not in their comments, and the users
	same(t, "a list", map[string]int{"BatchGetItem": 3, "Query": 1}, calls(fmt.Sprintf(
		`{ issue(id: %q) { comments { nodes { body author { name } mentions { name } } } } }`, issue)))
	same(t, "the comments of 12 issues", map[string]int{"BatchGetItem": 2},
		calls(fmt.Sprintf(`{ nodes(ids: [%s]) { ... on Comment { createdAt issue { num } } } }`, ids)))
}

// limitOf says what the descriptions of parts of the schema say of limits.
type limitOf struct {
	at   string // the full path
	says []string
}

// limitsOfComments are those of TestSchemaStatesTheLimits.
var limitsOfComments = []limitOf{
	{`(Comment|(Create|Update)CommentInput)\.body`, []string{fmt.Sprintf("up to %d KiB",
		tracker.MaxComment>>10)}},
	{`Comment\.body`, []string{fmt.Sprintf("over %d KiB", tracker.MaxInlineBody>>10), "each 100 of them"}},
	{`Comment\.editCount`, []string{fmt.Sprintf("at most %d", tracker.MaxEdits)}},
	{`UpdateCommentInput\.body`, []string{fmt.Sprintf("changed %d times", tracker.MaxEdits)}},
	{`CreateCommentInput\.language`, []string{"up to 35 bytes"}},
	{`(Comment|(Create|Update)CommentInput)\.rating|CommentFilter\.ratings`,
		[]string{fmt.Sprintf("1 to %d", tracker.MaxRating)}},
	{`CommentSummary\.ratings`, []string{fmt.Sprintf("from 1 to %d", tracker.MaxRating)}},
	{`Comment\.mentions|(Create|Update)CommentInput\.mentionIds`,
		[]string{fmt.Sprintf("at most %d", tracker.MaxMentions)}},
	{`CommentConnection\.totalCount`, []string{
		fmt.Sprintf("at most %d DynamoDB calls for each rating", dynamo.MaxCountQueries)}},
	{`Issue\.comments`, []string{fmt.Sprintf("up to %d, in parallel", tracker.MaxRating+1)}},
	{`Issue\.commentLanguages`, []string{"at most 100"}},
	{`Comment\.version`, []string{"from 1."}},
	{`ReactionCount\.viewerHasReacted`, []string{"100 in each"}},
	{`ReactionCount\.count`, []string{"at least 1"}},
	{`ReactionCount\.users\.first`, []string{"0 to 100"}},
}

// TestNoReadOutlastsItsResponse checks that the response about a comment of an issue that does not exist
// comes after the read of the comment, which began together with that of the issue.
func TestNoReadOutlastsItsResponse(t *testing.T) {
	projects := sample.Worked()
	s := load(t, projects...)
	id, err := tracker.NewCommentID(time.Now(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := projects[0]
	gone := model.CommentNodeID(p.Tenant.ID, tracker.CommentRef{Issue: tracker.IssueID{Project: p.Project.ID,
		Issue: "nothing"}, ID: id})
	for range 20 {
		issueRead := make(chan struct{})
		var ended atomic.Bool
		s.wire.Intercept(func(r *dynamotest.Request, send dynamotest.Send) *dynamotest.Response {
			switch {
			case strings.Contains(string(r.Body), "xcomment"):
				<-issueRead
				defer ended.Store(true)
			case r.Operation == "BatchGetItem":
				defer close(issueRead)
			}
			return send(r)
		})
		a := s.ask(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`,
			map[string]any{"ids": []string{gone}})
		if same(t, "error", "NOT_FOUND", a.outcome()); !ended.Load() {
			t.Fatal("the response came before the comment was read")
		}
	}
}
