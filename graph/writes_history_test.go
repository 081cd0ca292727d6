package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// TestTrash checks that a restored issue equals the deleted one.
func TestTrash(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	values := w.full()
	values[tracker.TypeLongText] = strings.Repeat("long ", 300)
	var ids []string
	var before []issue
	for n := range 5 {
		i := w.createOf(t, map[string]any{"name": fmt.Sprint("issue ", n),
			"description": strings.Repeat("described ", 200), "values": w.inputs(values)})
		ids, before = append(ids, i.ID), append(before, i)
	}
	for _, id := range ids {
		s.mutate(t, deleteOne, map[string]any{"id": id})
	}
	type page struct {
		Project struct {
			DeletedIssues struct {
				Edges []struct {
					Cursor string
					Node   struct {
						IssueID, Name, DeletedAt, PurgeAt string
						Num                               int
						DeletedBy                         *actor
					}
				}
				PageInfo struct {
					HasNextPage, HasPreviousPage bool
					EndCursor                    *string
				}
			}
			Issues struct{ TotalCount int }
		}
	}
	read := func(arguments string) (p page, names []string) {
		s.data(t,
			fmt.Sprintf(`{ project(id: %q) { issues { totalCount } deletedIssues(%s) { edges { cursor node
			{ issueId num name deletedAt deletedBy { kind name } purgeAt } } pageInfo { hasNextPage
			hasPreviousPage endCursor } } } }`, w.project, arguments), nil, &p)
		for _, e := range p.Project.DeletedIssues.Edges {
			names = append(names, e.Node.Name)
		}
		return p, names
	}
	p, names := read("first: 3")
	same(t, "the last deleted", []string{"issue 4", "issue 3", "issue 2"}, names)
	if info := p.Project.DeletedIssues.PageInfo; !info.HasNextPage || info.HasPreviousPage ||
		p.Project.Issues.TotalCount != 0 {
		t.Errorf("%+v", p)
	}
	if n := p.Project.DeletedIssues.Edges[0].Node; n.IssueID != ids[4] || n.Num != before[4].Num ||
		n.DeletedBy != nil || n.PurgeAt <= n.DeletedAt {
		t.Errorf("%+v", n)
	}
	p, names = read(fmt.Sprintf("first: 3, after: %q", *p.Project.DeletedIssues.PageInfo.EndCursor))
	same(t, "those before", []string{"issue 1", "issue 0"}, names)
	if p.Project.DeletedIssues.PageInfo.HasNextPage {
		t.Error("there is no next page")
	}
	_, names = read("last: 2")
	same(t, "the first deleted", []string{"issue 1", "issue 0"}, names)
	for n, id := range ids[:3] {
		got := s.mutate(t, restoreOne, map[string]any{"id": id})
		if v := got["issue"].(map[string]any)["version"]; v != 3.0 {
			t.Errorf("restored as version %v, want 3", v)
		}
		want := before[n]
		now := w.read(t, id)
		want.Version, want.UpdatedAt = 3, now.UpdatedAt
		same(t, "a restored issue", want, now)
	}
	s.mutate(t, deleteOne, map[string]any{"id": ids[3], "permanently": true})
	p, names = read("first: 9")
	same(t, "what is left", []string{"issue 4"}, names)
	if p.Project.Issues.TotalCount != 3 {
		t.Errorf("%d issues", p.Project.Issues.TotalCount)
	}
	missing := func(name, query, id string) refusal {
		return refusal{name: name, query: query, variables: map[string]any{"i": map[string]any{"id": id}},
			code: tracker.NotFound, says: []string{"issue"}}
	}
	s.refuses(t, []refusal{
		missing("restore what was never deleted", restoreOne, ids[0]),
		missing("restore what is gone for good", restoreOne, ids[3]),
		missing("delete what is in the trash", deleteOne, ids[4]),
		missing("restore nonsense", restoreOne, "x"),
		missing("restore what is another tenant's", restoreOne, newWorld(t, s).create(t, "x", nil).ID),
	})
}

// TestHistory checks the changes in the history of an issue.
func TestHistory(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	long := strings.Repeat("long ", 100)
	i := w.createOf(t, map[string]any{"name": "first",
		"values": []any{w.given(tracker.TypeInteger, "1"),
			w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][0])}})
	w.update(t, map[string]any{"id": i.ID, "name": "second", "stateId": w.states[1],
		"values": []any{w.given(tracker.TypeInteger, "2"), w.given(tracker.TypeTags, []string{"a", "b"})}})
	w.update(t, map[string]any{"id": i.ID, "description": long,
		"values": []any{w.given(tracker.TypeText, long+"!"),
			map[string]any{"fieldId": w.fields[tracker.TypeSelect], "clear": true}}})
	w.update(t, map[string]any{"id": i.ID, "description": "short",
		"values": []any{w.given(tracker.TypeText, "short")}})
	s.mutate(t, deleteOne, map[string]any{"id": i.ID})
	s.mutate(t, restoreOne, map[string]any{"id": i.ID})
	type column struct {
		Name                    string
		Field                   *struct{ ID string }
		Before, After           *string
		BeforeValue, AfterValue *struct {
			Typename string `json:"__typename"`
			Display  string
		}
	}
	type page struct {
		Issue struct {
			History struct {
				Nodes []struct {
					Version  int
					Kind, At string
					By       *actor
					Columns  []column
				}
				PageInfo struct {
					HasNextPage, HasPreviousPage bool
					StartCursor, EndCursor       *string
				}
			}
		}
	}
	read := func(arguments string) (p page, versions []int) {
		s.data(t,
			fmt.Sprintf(
				`{ issue(id: %q) { history(%s) { nodes { version kind at by { kind name } columns { name field { id } before after beforeValue { __typename display } afterValue { __typename display } } }
			pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, i.ID, arguments), nil, &p)
		for _, n := range p.Issue.History.Nodes {
			versions = append(versions, n.Version)
		}
		return p, versions
	}
	p, versions := read("first: 10")
	same(t, "versions", []int{6, 5, 4, 3, 2, 1}, versions)
	var lines []string
	for _, n := range p.Issue.History.Nodes {
		line := fmt.Sprint(n.Version, " ", n.Kind)
		for _, c := range n.Columns {
			text := func(s *string) string {
				switch {
				case s == nil:
					return "nothing"
				case len(*s) > 100:
					return fmt.Sprint(len(*s), " bytes")
				}
				return *s
			}
			line += fmt.Sprintf("; %s: %s to %s", c.Name, text(c.Before), text(c.After))
			if custom := strings.HasPrefix(c.Name, "Field "); custom != (c.Field != nil) ||
				(c.BeforeValue != nil) != (custom && c.Before != nil) || c.AfterValue != nil &&
				c.AfterValue.Display != *c.After {
				t.Errorf("version %d: %+v", n.Version, c)
			}
		}
		lines = append(lines, line)
	}
	same(t, "history", []string{
		"6 RESTORED", "5 DELETED",
		"4 UPDATED; Field TEXT: 501 bytes to short; description: 500 bytes to short",
		"3 UPDATED; Field SELECT: One to nothing; Field TEXT: nothing to 501 bytes; description: nothing " +
			"to 500 bytes",
		"2 UPDATED; Field INTEGER: 1 to 2; Field TAGS: nothing to a, b; name: first to second; state: New " +
			"to Done",
		"1 CREATED; Field INTEGER: nothing to 1; Field SELECT: nothing to One; name: nothing to first; " +
			"state: nothing to New",
	}, sortedColumns(lines))
	p, versions = read("first: 2")
	same(t, "the first page", []int{6, 5}, versions)
	if info := p.Issue.History.PageInfo; !info.HasNextPage || info.HasPreviousPage {
		t.Errorf("%+v", info)
	}
	end := *p.Issue.History.PageInfo.EndCursor
	_, versions = read(fmt.Sprintf("first: 3, after: %q", end))
	same(t, "the next page", []int{4, 3, 2}, versions)
	p, versions = read(fmt.Sprintf("last: 2, before: %q", end))
	same(t, "the last page before it", []int{6}, versions)
	p, versions = read("last: 2")
	same(t, "the oldest", []int{2, 1}, versions)
	if info := p.Issue.History.PageInfo; info.HasNextPage || !info.HasPreviousPage {
		t.Errorf("%+v", info)
	}
	query :=
		`query($id: ID!, $after: String) { issue(id: $id) { history(after: $after, first: 1) { nodes { version } } } }`
	for _, cursor := range []string{"x", "", listLike, end + "A"} {
		s.refuses(t, []refusal{{name: "cursor " + cursor, query: query,
			variables: map[string]any{"id": i.ID, "after": cursor}, code: tracker.BadInput, argument: "after",
			says: []string{"cursor"}}})
	}
}

// listLike is a string in the form of a list's cursor.
var listLike = encoded("list1\x00x")

// sortedColumns sorts the columns of each line, which are ordered by ID, by name.
func sortedColumns(lines []string) []string {
	for i, line := range lines {
		parts := strings.Split(line, "; ")
		slices.Sort(parts[1:])
		lines[i] = strings.Join(parts, "; ")
	}
	return lines
}
