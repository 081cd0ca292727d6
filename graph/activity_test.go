package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"issuegrid/tracker"
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
func activityOf(t testing.TB, s *server, project, arguments string) (lines []string, all []happened) {
	t.Helper()
	if arguments != "" {
		arguments = "(" + arguments + ")"
	}
	var got struct {
		Project struct{ Activity struct{ Nodes []happened } }
	}
	s.data(t, fmt.Sprintf(`{ project(id: %q) { activity%s { nodes { %s } } } }`, project, arguments,
		activityFields), nil, &got)
	for _, h := range got.Project.Activity.Nodes {
		lines = append(lines, h.line())
	}
	return lines, got.Project.Activity.Nodes
}

// pageOfActivity reads a page, and returns the cursor and whether there are more in the direction of paging.
func pageOfActivity(t testing.TB, s *server, project, arguments string, backwards bool) (lines []string,
	cursor string, more bool) {
	t.Helper()
	var got struct {
		Project struct {
			Activity struct {
				Edges    []struct{ Node happened }
				PageInfo struct {
					HasNextPage, HasPreviousPage bool
					StartCursor, EndCursor       string
				}
			}
		}
	}
	s.data(t, fmt.Sprintf(`{ project(id: %q) { activity(%s) { edges { node { %s } }
		pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, project, arguments,
		activityFields), nil, &got)
	for _, e := range got.Project.Activity.Edges {
		lines = append(lines, e.Node.line())
	}
	if info := got.Project.Activity.PageInfo; backwards {
		return lines, info.StartCursor, info.HasPreviousPage
	}
	return lines, got.Project.Activity.PageInfo.EndCursor, got.Project.Activity.PageInfo.HasNextPage
}

// TestActivity makes changes and comments and reads the activity of the project.
func TestActivity(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 2, 0)
	ada := c.as[0]
	one := c.createOf(t, inputOf("name", "One"))
	two := c.createOf(t, inputOf("name", "Two"))
	ada.data(t, `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }`,
		map[string]any{"i": inputOf("id", one.ID, "name", "First")}, &struct{}{})
	first := wrote(t, ada, "createComment", "issue", one.ID, "body", "Hello")
	wrote(t, c.as[1], "createComment", "issue", one.ID, "body", "Hi", "replyTo", first.ID)
	gone := wrote(t, ada, "createComment", "issue", two.ID, "body", "Gone")
	s.data(t, `mutation($i: DeleteCommentInput!) { deleteComment(input: $i) { deletedCommentId } }`,
		map[string]any{"i": inputOf("id", gone.ID)}, &struct{}{})
	s.data(t, `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
		map[string]any{"i": inputOf("id", two.ID)}, &struct{}{})
	lines, all := activityOf(t, s, c.project, "")
	want := []string{
		fmt.Sprintf("DELETED %d", two.Num),
		fmt.Sprintf("COMMENTED %d of First: Hi by User 1", one.Num),
		fmt.Sprintf("COMMENTED %d of First: Hello by User 0", one.Num),
		fmt.Sprintf("UPDATED %d by u0 of First: UPDATED 2 name=First", one.Num),
		fmt.Sprintf("CREATED %d", two.Num),
		fmt.Sprintf("CREATED %d of First: CREATED 1 name=One state=New", one.Num),
	}
	same(t, "the activity", want, lines)
	for n, h := range all {
		if _, err := time.Parse(time.RFC3339Nano, h.At); err != nil || n > 0 && h.At > all[n-1].At {
			t.Errorf("entry %d is of %s", n, h.At)
		}
		if id := map[int]string{int(one.Num): one.ID, int(two.Num): two.ID}[h.IssueNum]; h.IssueID != id {
			t.Errorf("entry %d has the issue %s, want %s", n, h.IssueID, id)
		}
	}
	var walked []string
	for _, backwards := range []bool{false, true} {
		walked = nil
		for cursor, more := "", true; more; {
			arguments := map[bool]string{false: "first: 2", true: "last: 2"}[backwards]
			if cursor != "" {
				argument := map[bool]string{false: "after", true: "before"}[backwards]
				arguments += fmt.Sprintf(", %s: %q", argument, cursor)
			}
			var page []string
			page, cursor, more = pageOfActivity(t, s, c.project, arguments, backwards)
			if backwards {
				walked = append(page, walked...)
			} else {
				walked = append(walked, page...)
			}
		}
		same(t, fmt.Sprint("all pages, backwards ", backwards), want, walked)
	}
	last, _ := activityOf(t, s, c.project, "last: 2")
	same(t, "the oldest", want[4:], last)
	s.data(t, `mutation($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue { id } } }`,
		map[string]any{"i": inputOf("id", two.ID)}, &struct{}{})
	lines, _ = activityOf(t, s, c.project, "first: 2")
	same(t, "after it was restored", []string{fmt.Sprintf("RESTORED %d of Two: RESTORED 3", two.Num),
		fmt.Sprintf("DELETED %d of Two: DELETED 2", two.Num)}, lines)
	s.data(t, `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId } }`,
		map[string]any{"i": inputOf("id", two.ID, "permanently", true)}, &struct{}{})
	lines, _ = activityOf(t, s, c.project, "")
	same(t, "after it was deleted permanently", slices.DeleteFunc(want, func(line string) bool {
		return strings.Fields(line)[1] == fmt.Sprint(two.Num)
	}), lines)
	for _, cursor := range []string{"x", "bGlzdDEAeA", encoded("list1\x001700000000000000.x.version.1")} {
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { activity(after: %q) { nodes { at } } } }`, c.project,
			cursor), nil)
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != string(tracker.BadInput) {
			t.Errorf("the cursor %s: %v", cursor, a.Errors)
		}
	}
}

// TestActivityCosts checks that the entries of a page share the calls for what they show.
func TestActivityCosts(t *testing.T) {
	s := newServer(t)
	c := newCrew(t, s, 1, 3, 0)
	for n := range 30 {
		i := c.create(t, fmt.Sprint("Issue ", n), nil).ID
		wrote(t, c.as[n%3], "createComment", "issue", i, "body", "text")
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
		want := map[string]int{"Query": shardsIn(t)}
		if gets > 0 {
			want["BatchGetItem"] = gets
		}
		same(t, selection, want, s.wire.Calls())
	}
}

// TestActivityExample runs the example of docs/activity.md.
func TestActivityExample(t *testing.T) { runExample(t, "activity.md", 3) }
