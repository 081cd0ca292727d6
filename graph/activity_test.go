package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// happened is an entry of the activity as the API shows it.
type happened struct {
	Kind, At, IssueID string
	IssueNum          int
	By                *struct{ Kind, Name string }
	Issue             *struct{ Name string }
	Change            *struct {
		Kind    string
		Version int
		Columns []struct{ Name, After string }
	}
	Comment *struct {
		Body   string
		Author *struct{ Name string }
	}
}

// line is an entry in one line.
func (h happened) line() string {
	out := fmt.Sprintf("%s %d", h.Kind, h.IssueNum)
	if h.By != nil {
		out += " by " + h.By.Name
	}
	if h.Issue != nil {
		out += " of " + h.Issue.Name
	}
	if c := h.Change; c != nil {
		out += fmt.Sprintf(": %s %d", c.Kind, c.Version)
		for _, column := range c.Columns {
			out += " " + column.Name + "=" + column.After
		}
	}
	if c := h.Comment; c != nil {
		out += ": " + c.Body
		if c.Author != nil {
			out += " by " + c.Author.Name
		}
	}
	return out
}

const activityFields = `kind at issueId issueNum by { kind name } issue { name }
	change { kind version columns { name after } } comment { body author { name } }`

// activityOf reads a page of the activity of a project.
func activityOf(t testing.TB, s *server, project, arguments string) connection[happened] {
	t.Helper()
	return get[connection[happened]](t, s, "project.activity", fmt.Sprintf(`{ project(id: %q) { activity%s {
		nodes { %s } `+flags+` } } }`, project, inBrackets(arguments), activityFields), nil)
}

func linesOf(all []happened) (lines []string) {
	for _, h := range all {
		lines = append(lines, h.line())
	}
	return lines
}

// TestActivity makes changes and comments and reads the activity of the project.
func TestActivity(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	ada := c.as[0]
	one := c.createOf(t, inputOf("name", "One"))
	two := c.createOf(t, inputOf("name", "Two"))
	do(t, ada, "updateIssue.issue.id", "id", one.ID, "name", "First")
	first := wrote(t, ada, "createComment", "issueId", one.ID, "body", "Hello")
	wrote(t, c.as[1], "createComment", "issueId", one.ID, "body", "Hi", "replyToId", first.ID)
	gone := wrote(t, ada, "createComment", "issueId", two.ID, "body", "Gone")
	do(t, s, "deleteComment.deletedCommentId", "id", gone.ID)
	do(t, s, "deleteIssue.deletedIssueId", "id", two.ID)
	all := activityOf(t, s, c.project, "").Nodes
	want := []string{
		fmt.Sprintf("DELETED %d", two.Num),
		fmt.Sprintf("COMMENTED %d of First: Hi by User 1", one.Num),
		fmt.Sprintf("COMMENTED %d of First: Hello by User 0", one.Num),
		fmt.Sprintf("UPDATED %d by u0 of First: UPDATED 2 name=First", one.Num),
		fmt.Sprintf("CREATED %d", two.Num),
		fmt.Sprintf("CREATED %d of First: CREATED 1 name=One state=New", one.Num),
	}
	same(t, "the activity", want, linesOf(all))
	for n, h := range all {
		if _, err := time.Parse(time.RFC3339Nano, h.At); err != nil || n > 0 && h.At > all[n-1].At {
			t.Errorf("entry %d is of %s", n, h.At)
		}
		if id := map[int]string{int(one.Num): one.ID, int(two.Num): two.ID}[h.IssueNum]; h.IssueID != id {
			t.Errorf("entry %d has the issue %s, want %s", n, h.IssueID, id)
		}
	}
	same(t, "all pages", all, walkPages(t, 2, func(paging string) connection[happened] {
		return activityOf(t, s, c.project, paging)
	}))
	do(t, s, "restoreIssue.issue.id", "id", two.ID)
	restored := fmt.Sprintf("[RESTORED %d of Two: RESTORED 3 DELETED %[1]d of Two: DELETED 2]", two.Num)
	same(t, "after it was restored", restored,
		fmt.Sprint(linesOf(activityOf(t, s, c.project, "first: 2").Nodes)))
	do(t, s, "deleteIssue.deletedIssueId", "id", two.ID, "permanently", true)
	same(t, "after it was deleted permanently", slices.DeleteFunc(want, func(line string) bool {
		return strings.Fields(line)[1] == fmt.Sprint(two.Num)
	}), linesOf(activityOf(t, s, c.project, "").Nodes))
	for _, cursor := range []string{"x", "bGlzdDEAeA", encoded("list1\x001700000000000000.x.version.1")} {
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { activity(after: %q) { nodes { at } } } }`, c.project,
			cursor), nil)
		same(t, "the cursor "+cursor, "BAD_USER_INPUT after", a.outcome())
	}
}

// TestActivityCosts checks that the entries of a page share the calls for what they show.
func TestActivityCosts(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 0)
	for n := range 30 {
		i := c.create(t, fmt.Sprint("Issue ", n), nil).ID
		wrote(t, c.as[n%3], "createComment", "issueId", i, "body", "text")
	}
	query := func(selection string) string {
		return fmt.Sprintf(`{ project(id: %q) { activity(first: 40) { nodes { at %s } } } }`, c.project, selection)
	}
	for selection, gets := range map[string]int{"kind issueNum by { name }": 0, "issue { name }": 1,
		"change { columns { name } }": 2, "comment { body }": 2,
		"issue { name } change { columns { name after } } comment { body author { name } }": 4} {
		s.data(t, query(selection), nil, &struct{}{}) // so that the definition is known
		s.wire.Reset()
		s.data(t, query(selection), nil, &struct{}{})
		same(t, selection, reads(shardsIn(t), gets), s.wire.Calls())
	}
}

// TestActivityExample runs the example of docs/activity.md.
func TestActivityExample(t *testing.T) { runExample(t, "activity.md", 3) }
