package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/dynamo"
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
func wrote(t testing.TB, s *server, mutation string, members ...any) comment {
	t.Helper()
	var got map[string]struct{ Comment comment }
	s.data(t, fmt.Sprintf(`mutation($i: %s%sInput!) { %s(input: $i) { comment { %s } } }`,
		strings.ToUpper(mutation[:1]), mutation[1:], mutation, commentFields),
		map[string]any{"i": inputOf(members...)}, &got)
	return got[mutation].Comment
}

// commentList is a list of comments of an issue.
type commentList struct {
	Nodes      []comment
	Edges      []struct{ Cursor string }
	TotalCount int
	PageInfo   struct {
		HasNextPage, HasPreviousPage bool
		StartCursor, EndCursor       *string
	}
}

// commentsOf reads a list of comments with arguments.
func commentsOf(t testing.TB, s *server, issue, arguments string) commentList {
	t.Helper()
	if arguments != "" {
		arguments = "(" + arguments + ")"
	}
	var got struct {
		Issue struct{ Comments commentList }
	}
	s.data(t, fmt.Sprintf(`{ issue(id: %q) { comments%s { nodes { %s } edges { cursor } totalCount
		pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, issue, arguments, commentFields),
		nil, &got)
	return got.Issue.Comments
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
	first := wrote(t, ada, "createComment", "issue", issue, "body", "First", "language", "EN", "rating", 4,
		"mentions", []any{c.users[1], c.users[1]})
	same(t, "a new comment", comment{ID: first.ID, Body: "First", CreatedAt: first.CreatedAt,
		Author: &struct{ Name string }{"User 0"}, Language: new("en"), Rating: new(4), Version: 1,
		Mentions:  []struct{ Name string }{{"User 1"}},
		Reactions: first.Reactions}, first)
	var watched struct {
		Issue struct{ Watchers []struct{ Name string } }
	}
	s.data(t, fmt.Sprintf(`{ issue(id: %q) { watchers { ... on User { name } } } }`, issue), nil, &watched)
	same(t, "the watchers", []struct{ Name string }{{"User 1"}}, watched.Issue.Watchers)
	second := wrote(t, bo, "createComment", "issue", issue, "body", long)
	reply := wrote(t, bo, "createComment", "issue", issue, "body", "Reply", "replyTo", first.ID)
	same(t, "the parent", first.ID, reply.Parent.ID)
	same(t, "newest first", []string{long, "First"}, bodies(commentsOf(t, s, issue, "").Nodes))
	same(t, "oldest first", []string{"First", long},
		bodies(commentsOf(t, s, issue, "order: OLDEST_FIRST").Nodes))
	var node struct {
		Node struct {
			ID      string
			Replies commentList
			Issue   struct{ ID string }
		}
	}
	s.data(t, fmt.Sprintf(`{ node(id: %q) { id ... on Comment { issue { id } replies { totalCount nodes { %s }
		} } } }`, first.ID, commentFields), nil, &node)
	if node.Node.Replies.TotalCount != 1 || node.Node.Issue.ID != issue {
		t.Errorf("the node is %+v", node.Node)
	}
	same(t, "the replies", []comment{reply}, node.Node.Replies.Nodes)

	wrote(t, bo, "addReaction", "comment", first.ID, "reaction", "HEART")
	reacted := wrote(t, ada, "addReaction", "comment", first.ID, "reaction", "HEART")
	if r := reacted.Reactions; len(r) != 1 || r[0].Reaction != "HEART" || r[0].Count != 2 ||
		len(r[0].Users) != 2 || !r[0].ViewerHasReacted {
		t.Errorf("the reactions are %+v", r)
	}
	reacted = wrote(t, ada, "removeReaction", "comment", first.ID, "reaction", "HEART")
	same(t, "who has the reaction", []struct{ Name string }{{"User 1"}}, reacted.Reactions[0].Users)
	if reacted.Reactions[0].ViewerHasReacted {
		t.Error("the reaction was not removed")
	}

	changed := wrote(t, ada, "updateComment", "id", first.ID, "expectedVersion", 1, "body", "Changed",
		"rating", nil, "mentions", []any{})
	if changed.Body != "Changed" || changed.Rating != nil || changed.EditCount != 1 ||
		changed.EditedAt == nil || len(changed.Mentions) != 0 || changed.Version != 2 ||
		changed.ReplyCount != 1 || *changed.Language != "en" {
		t.Errorf("the changed comment is %+v", changed)
	}
	var edits struct {
		Node struct {
			Edits []struct {
				Body       string
				ReplacedBy struct{ Name string }
			}
		}
	}
	s.data(t, fmt.Sprintf(`{ node(id: %q) { ... on Comment { edits { body replacedBy { name } } } } }`,
		first.ID), nil, &edits)
	if e := edits.Node.Edits; len(e) != 1 || e[0].Body != "First" || e[0].ReplacedBy.Name != "User 0" {
		t.Errorf("the edits are %+v", e)
	}
	var gone struct {
		DeleteComment struct {
			DeletedCommentID string
			Issue            struct{ ID string }
		}
	}
	s.data(t, `mutation($i: DeleteCommentInput!) { deleteComment(input: $i) { deletedCommentId issue { id }
		} }`, map[string]any{"i": inputOf("id", first.ID)}, &gone)
	same(t, "what was deleted", []string{first.ID, issue},
		[]string{gone.DeleteComment.DeletedCommentID, gone.DeleteComment.Issue.ID})
	same(t, "what is left", []string{second.ID}, idsOfComments(commentsOf(t, s, issue, "").Nodes))
}

func idsOfComments(all []comment) []string {
	out := []string{}
	for _, c := range all {
		out = append(out, c.ID)
	}
	return out
}

// TestCommentsExample runs the example of docs/comments.md.
func TestCommentsExample(t *testing.T) { runExample(t, "comments.md", 4) }

// TestCommentRights checks what users may change of the comments of others.
func TestCommentRights(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	issue := c.create(t, "Commented", nil).ID
	mine := wrote(t, c.as[0], "createComment", "issue", issue, "body", "Mine")
	for mutation, input := range map[string]map[string]any{
		"updateComment": inputOf("id", mine.ID, "body", "Yours"),
		"deleteComment": inputOf("id", mine.ID),
	} {
		a := c.as[1].ask(t, fmt.Sprintf(`mutation($i: %s%sInput!) { %s(input: $i) { __typename } }`,
			strings.ToUpper(mutation[:1]), mutation[1:], mutation), map[string]any{"i": input})
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.Forbidden) {
			t.Errorf("%s of another user's comment: %v", mutation, a.Errors)
		}
	}
	admin := s.as(t, tracker.Principal{Tenant: tenantID(t, c.tenant), User: "root", Role: tracker.Admin})
	same(t, "an administrator", "Yours",
		wrote(t, admin, "updateComment", "id", mine.ID, "body", "Yours").Body)
	a := admin.ask(t, `mutation($i: AddReactionInput!) { addReaction(input: $i) { __typename } }`,
		map[string]any{"i": inputOf("comment", mine.ID, "reaction", "EYES")})
	if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.Forbidden) {
		t.Errorf("a reaction of nobody: %v", a.Errors)
	}
}

// TestCommentPages compares pages of lists, in both orders and directions, by random filters, with the
// comments that were written, while others are written between the lists.
func TestCommentPages(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 0)
	issue := c.create(t, "Commented", nil).ID
	rng := rand.New(rand.NewPCG(3, 4))
	languages := []any{nil, "en", "de"}
	type written struct {
		comment
		author int
	}
	var all []written
	write := func() {
		author := rng.IntN(3)
		members := []any{"issue", issue, "body", fmt.Sprint("Comment ", len(all)), "language",
			languages[rng.IntN(3)]}
		if n := rng.IntN(6); n > 0 {
			members = append(members, "rating", n)
		}
		all = append(all, written{wrote(t, c.as[author], "createComment", members...), author})
	}
	for range 30 {
		write()
	}
	for range 40 {
		matches, where := []func(written) bool{}, []string{}
		if rng.IntN(2) == 0 {
			ratings := []int{}
			for n := 1; n <= 5; n++ {
				if rng.IntN(2) == 0 {
					ratings = append(ratings, n)
				}
			}
			where = append(where, "ratings: "+strings.ReplaceAll(fmt.Sprint(ratings), " ", ", "))
			matches = append(matches, func(w written) bool {
				return w.Rating != nil && slices.Contains(ratings, *w.Rating)
			})
		}
		if rng.IntN(2) == 0 {
			where = append(where, `language: "en"`)
			matches = append(matches, func(w written) bool {
				return w.Language != nil && *w.Language == "en"
			})
		}
		if rng.IntN(2) == 0 {
			author := rng.IntN(3)
			where = append(where, fmt.Sprintf("author: %q", c.users[author]))
			matches = append(matches, func(w written) bool { return w.author == author })
		}
		if rng.IntN(3) == 0 {
			since := all[rng.IntN(len(all))].CreatedAt
			where = append(where, fmt.Sprintf("since: %q", since))
			matches = append(matches, func(w written) bool { return w.CreatedAt >= since })
		}
		newest, backward := rng.IntN(2) == 0, rng.IntN(2) == 0
		var want []string
		for _, w := range all {
			if !slices.ContainsFunc(matches, func(m func(written) bool) bool { return !m(w) }) {
				want = append(want, w.Body)
			}
		}
		if newest != backward {
			slices.Reverse(want)
		}
		name := fmt.Sprintf("%s, newest first %t, backward %t", where, newest, backward)
		arguments := "where: {" + strings.Join(where, ", ") + "}, order: OLDEST_FIRST"
		if newest {
			arguments = strings.Replace(arguments, "OLDEST", "NEWEST", 1)
		}
		got, count := walkComments(t, s, issue, arguments, 1+rng.IntN(7), backward)
		if diff := cmp.Diff(want, got); diff != "" || count != len(want) {
			t.Errorf("%s: count %d of %d (-want +got):\n%s", name, count, len(want), diff)
		}
		if rng.IntN(4) == 0 {
			write()
		}
	}
}

// walkComments reads all pages of a list, and its count. The bodies are in the order of reading.
func walkComments(t testing.TB, s *server, issue, arguments string, size int, backward bool) (out []string,
	count int) {
	t.Helper()
	cursor := ""
	for {
		page := commentsOf(t, s, issue, fmt.Sprintf("%s, %s: %d%s", arguments,
			map[bool]string{true: "last", false: "first"}[backward], size, cursor))
		texts := bodies(page.Nodes)
		if backward {
			slices.Reverse(texts)
		}
		out = append(out, texts...)
		info := page.PageInfo
		if backward && !info.HasPreviousPage || !backward && !info.HasNextPage {
			return out, page.TotalCount
		}
		if len(page.Nodes) != size {
			t.Fatalf("a page of %d comments of %d is not the last one", len(page.Nodes), size)
		}
		cursor = fmt.Sprintf(", after: %q", *info.EndCursor)
		if backward {
			cursor = fmt.Sprintf(", before: %q", *info.StartCursor)
		}
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
			made := wrote(t, c.as[k], "createComment", "issue", issue, "body", strings.Repeat("x", 5000*k+1),
				"mentions", []any{c.users[n%3]})
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
		return fmt.Sprintf(`{ project(id: %q) { issues(first: 10) { nodes { num %s } } } }`, c.project, selection)
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
	{`(Comment|(Create|Update)CommentInput)\.body`, []string{fmt.Sprintf("up to %d KiB", tracker.MaxComment>>10)}},
	{`Comment\.body`, []string{fmt.Sprintf("over %d KiB", tracker.MaxInlineBody>>10), "each 100 of them"}},
	{`Comment\.editCount`, []string{fmt.Sprintf("at most %d", tracker.MaxEdits)}},
	{`UpdateCommentInput\.body`, []string{fmt.Sprintf("changed %d times", tracker.MaxEdits)}},
	{`CreateCommentInput\.language`, []string{"up to 35 bytes"}},
	{`(Comment|(Create|Update)CommentInput)\.rating|CommentFilter\.ratings`,
		[]string{fmt.Sprintf("1 to %d", tracker.MaxRating)}},
	{`CommentSummary\.ratings`, []string{fmt.Sprintf("from 1 to %d", tracker.MaxRating)}},
	{`(Comment|(Create|Update)CommentInput)\.mentions`,
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
