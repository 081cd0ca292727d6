package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"issuegrid/tracker"
)

// The mutations of issues, each with one input object.
const (
	createOne  = `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id num name version } } }`
	createMany = `mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { issue { id num name } error { path } errors { code path } } } }`
	updateOne  = `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id num name version } } }`
	updateMany = `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { results { issueId issue { name version } error { code path currentVersion } } } }`
	deleteOne  = `mutation($i: DeleteIssueInput!) { deleteIssue(input: $i) { deletedIssueId project { id } } }`
	deleteMany = `mutation($i: DeleteIssuesInput!) { deleteIssues(input: $i) { results { issueId error { code } } } }`
	restoreOne = `mutation($i: RestoreIssueInput!) { restoreIssue(input: $i) { issue { id num name version } } }`
)

// mutate sends a mutation with an input, and returns its data.
func (s *server) mutate(t *testing.T, query string, input map[string]any) map[string]any {
	t.Helper()
	var data map[string]map[string]any
	s.data(t, query, map[string]any{"i": input}, &data)
	for _, payload := range data {
		return payload
	}
	return nil
}

// TestIdempotencyKeys sends each kind of change twice under one key: it is made once, and answered alike.
func TestIdempotencyKeys(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "first", nil)
	newIssue := map[string]any{"name": "made once"}
	for n, test := range []struct {
		query string
		input map[string]any
	}{
		{createOne, map[string]any{"project": w.project, "issue": newIssue}},
		{createMany, map[string]any{"project": w.project, "issues": []any{newIssue, newIssue}}},
		{updateOne, map[string]any{"id": i.ID, "name": "second", "expectedVersion": 1}}, // which it is not the second time
		{updateOne, map[string]any{"id": i.ID, "name": "second"}},                       // which changes nothing
		{updateMany, map[string]any{"ids": []string{i.ID}, "change": map[string]any{"name": "third"}}},
		{deleteOne, map[string]any{"id": i.ID}},
		{restoreOne, map[string]any{"id": i.ID}},
		{deleteMany, map[string]any{"ids": []string{i.ID}}},
		{deleteOne, map[string]any{"id": i.ID, "permanently": true}}, // from the trash
		{`mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id key } } }`, map[string]any{"tenant": w.tenant, "key": "ONCE", "name": "Once"}},
		{`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id name } } }`, map[string]any{"project": w.project, "name": "Once", "type": "TEXT"}},
	} {
		name, _, _ := strings.Cut(strings.SplitAfter(test.query, "{ ")[1], "(")
		t.Run(name, func(t *testing.T) {
			test.input["idempotencyKey"] = fmt.Sprint("key ", n)
			first := s.mutate(t, test.query, test.input)
			s.wire.Reset()
			if diff := cmp.Diff(first, s.mutate(t, test.query, test.input)); diff != "" {
				t.Errorf("the second answer is another one (-first +second):\n%s", diff)
			}
			if calls := s.wire.Calls(); calls["TransactWriteItems"] > 0 {
				t.Errorf("the second time wrote: %v", calls)
			}
		})
	}
	var all struct {
		Project struct{ Issues struct{ TotalCount int } }
	}
	s.data(t, fmt.Sprintf(`{ project(id: %q) { issues(where: {name: {eq: "made once"}}) { totalCount } } }`, w.project), nil, &all)
	if n := all.Project.Issues.TotalCount; n != 3 {
		t.Errorf("%d issues were made, want 3", n)
	}
	i = w.create(t, "other", nil)
	s.mutate(t, updateOne, map[string]any{"id": i.ID, "name": "x", "idempotencyKey": "k"})
	refused := func(name, key string, says ...string) refusal {
		return refusal{name: name, query: updateOne, variables: map[string]any{"i": map[string]any{"id": i.ID, "name": "y", "idempotencyKey": key}},
			code: tracker.BadInput, argument: "input.idempotencyKey", says: says}
	}
	s.refuses(t, []refusal{
		refused("a key of another change", "k", "another change"),
		refused("an empty key", "", "1 to 255"),
		refused("a key that is too long", strings.Repeat("é", 256), "1 to 255", "256"),
	})
}

// TestBulkChanges: every issue has its own outcome, in the order of the input.
func TestBulkChanges(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	other := s.worldOf(t, w.tenant, "OTHER")
	stranger := newWorld(t, s).create(t, "of another tenant", nil)
	var ids []string
	for n := range 3 {
		ids = append(ids, w.create(t, fmt.Sprint("issue ", n), nil).ID)
	}
	gone := w.create(t, "gone", nil).ID
	s.mutate(t, deleteOne, map[string]any{"id": gone})
	outcomes := func(payload map[string]any) (out []string) {
		for _, r := range payload["results"].([]any) {
			r := r.(map[string]any)
			switch e, failed := r["error"].(map[string]any); {
			case failed:
				out = append(out, fmt.Sprint(e["code"]))
			case r["issue"] != nil:
				out = append(out, fmt.Sprint(r["issue"].(map[string]any)["name"]))
			default:
				out = append(out, "done")
			}
		}
		return out
	}
	t.Run("updateIssues", func(t *testing.T) {
		got := s.mutate(t, updateMany, map[string]any{"ids": []string{ids[0], gone, ids[1], "nonsense"}, "change": map[string]any{"name": "changed", "values": []any{w.given(tracker.TypeInteger, "7")}}})
		same(t, "outcomes", []string{"changed", "NOT_FOUND", "changed", "NOT_FOUND"}, outcomes(got))
		if i := w.read(t, ids[2]); i.Version != 1 {
			t.Errorf("an issue that was not named has version %d", i.Version)
		}
	})
	t.Run("deleteIssues", func(t *testing.T) {
		got := s.mutate(t, deleteMany, map[string]any{"ids": []string{ids[0], gone, ids[1]}})
		same(t, "outcomes", []string{"done", "NOT_FOUND", "done"}, outcomes(got))
		got = s.mutate(t, deleteMany, map[string]any{"ids": []string{ids[0], gone, ids[1]}, "permanently": true})
		same(t, "outcomes of removing for good what is in the trash", []string{"done", "done", "done"}, outcomes(got))
	})
	t.Run("createIssues numbers without gaps", func(t *testing.T) {
		issues := make([]any, 40)
		for n := range issues {
			issues[n] = map[string]any{"name": pickName(n)}
		}
		var want, next = []int{}, 0
		got := s.mutate(t, createMany, map[string]any{"project": w.project, "issues": issues})
		var nums []int
		for n, r := range got["results"].([]any) {
			if i, ok := r.(map[string]any)["issue"].(map[string]any); ok {
				nums = append(nums, int(i["num"].(float64)))
				if next == 0 {
					next = nums[0]
				}
				want = append(want, next)
				next++
			} else if pickName(n) != "" {
				t.Errorf("issue %d failed: %v", n, r)
			}
		}
		same(t, "numbers", want, nums)
	})
	tooMany := make([]string, 101)
	for n := range tooMany {
		tooMany[n] = fmt.Sprint(n)
	}
	bad := func(name string, ids any, argument string, says ...string) refusal {
		return refusal{name: name, query: updateMany, variables: map[string]any{"i": map[string]any{"ids": ids, "change": map[string]any{"name": "x"}}},
			code: tracker.BadInput, argument: argument, says: says}
	}
	s.refuses(t, []refusal{
		bad("none", []string{}, "input.ids", "1 to 100"), bad("too many", tooMany, "input.ids", "101", "100"), bad("one twice", []string{ids[2], ids[2]}, "input.ids[1]", "twice"),
		bad("of another project", []string{ids[2], other.create(t, "x", nil).ID}, "input.ids[1]", "another project"),
		bad("of another tenant", []string{ids[2], stranger.ID}, "input.ids[1]", "another project"),
		{name: "a bad change", query: updateMany, variables: map[string]any{"i": map[string]any{"ids": ids, "change": map[string]any{"name": ""}}}, code: tracker.BadInput, argument: "input.change.name", says: []string{"empty"}},
	})
}

// pickName is empty, and so wrong, for every seventh issue.
func pickName(n int) string {
	if n%7 == 3 {
		return ""
	}
	return fmt.Sprint("bulk ", n)
}

// TestAllThatIsWrong: there is an error for every wrong input of a mutation.
func TestAllThatIsWrong(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "x", nil)
	w.addField(t, tracker.TypeUser, "Needed", true)
	values := []any{w.given(tracker.TypeSelect, "none"), w.given(tracker.TypeDate, "2024-02-29"), map[string]any{"field": "x", "value": map[string]any{"text": "y"}},
		w.given(tracker.TypeTags, []string{"a", "a"}), w.given(tracker.TypeDate, "2024-02-28")}
	below := []string{"name", "state", "values[0].value.option", "values[2].field", "values[3].value.tags", "values[4].field"}
	for _, test := range []struct {
		query, at string
		input     map[string]any
		also      []string
	}{
		{createOne, "input.issue.", map[string]any{"project": w.project, "issue": map[string]any{"name": "", "state": "x", "values": values}}, []string{"values"}},
		{updateOne, "input.", map[string]any{"id": i.ID, "name": "", "state": "x", "values": values}, nil},
		{updateMany, "input.change.", map[string]any{"ids": []string{i.ID}, "change": map[string]any{"name": "", "state": "x", "values": values}}, nil},
	} {
		a := s.ask(t, test.query, map[string]any{"i": test.input})
		var want, got []string
		for _, path := range append(below, test.also...) {
			want = append(want, "BAD_USER_INPUT "+test.at+path)
		}
		for _, e := range a.Errors {
			got = append(got, fmt.Sprint(e.Extensions["code"], " ", e.Extensions["argument"]))
			if len(e.Path) != 1 {
				t.Errorf("the error %v has the path %v", e, e.Path)
			}
		}
		same(t, test.query, want, got)
	}
	got := s.mutate(t, createMany, map[string]any{"project": w.project, "issues": []any{map[string]any{"name": "", "state": "x", "values": values}}})
	var paths []string
	result := got["results"].([]any)[0].(map[string]any)
	for _, e := range result["errors"].([]any) {
		paths = append(paths, strings.TrimPrefix(e.(map[string]any)["path"].(string), "issues[0]."))
	}
	same(t, "createIssues", append(below, "values"), paths)
	same(t, "the first of them", "issues[0].name", result["error"].(map[string]any)["path"].(string))
}

// TestVersionConflict tells the version that there is.
func TestVersionConflict(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "x", nil)
	for n := range 3 {
		w.update(t, map[string]any{"id": i.ID, "name": fmt.Sprint(n)})
	}
	for _, test := range []struct {
		query string
		input map[string]any
	}{{updateOne, map[string]any{"id": i.ID, "name": "y", "expectedVersion": 2}}, {deleteOne, map[string]any{"id": i.ID, "expectedVersion": 2}}} {
		a := s.ask(t, test.query, map[string]any{"i": test.input})
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "CONFLICT" || a.Errors[0].Extensions["currentVersion"] != 4.0 {
			t.Errorf("%s: %+v", test.query, a.Errors)
		}
	}
	if got := w.read(t, i.ID); got.Version != 4 || got.Name != "2" {
		t.Errorf("something was written: %+v", got)
	}
}

// TestTrash deletes issues and restores them; they are as they were.
func TestTrash(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	values := w.full()
	values[tracker.TypeLongText] = strings.Repeat("long ", 300)
	var ids []string
	var before []issue
	for n := range 5 {
		i := w.createOf(t, map[string]any{"name": fmt.Sprint("issue ", n), "description": strings.Repeat("described ", 200), "values": w.inputs(values)})
		ids, before = append(ids, i.ID), append(before, i)
	}
	for _, id := range ids {
		s.mutate(t, deleteOne, map[string]any{"id": id})
	}
	type page struct {
		Project struct {
			Trash struct {
				Edges []struct {
					Cursor string
					Node   struct {
						IssueID, Name, DeletedAt, ExpiresAt string
						Num                                 int
						DeletedBy                           *string
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
		s.data(t, fmt.Sprintf(`{ project(id: %q) { issues { totalCount } trash(%s) { edges { cursor node { issueId num name deletedAt deletedBy expiresAt } } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`, w.project, arguments), nil, &p)
		for _, e := range p.Project.Trash.Edges {
			names = append(names, e.Node.Name)
		}
		return p, names
	}
	p, names := read("first: 3")
	same(t, "the last deleted", []string{"issue 4", "issue 3", "issue 2"}, names)
	if info := p.Project.Trash.PageInfo; !info.HasNextPage || info.HasPreviousPage || p.Project.Issues.TotalCount != 0 {
		t.Errorf("%+v", p)
	}
	if n := p.Project.Trash.Edges[0].Node; n.IssueID != ids[4] || n.Num != before[4].Num || n.DeletedBy != nil || n.ExpiresAt <= n.DeletedAt {
		t.Errorf("%+v", n)
	}
	p, names = read(fmt.Sprintf("first: 3, after: %q", *p.Project.Trash.PageInfo.EndCursor))
	same(t, "those before", []string{"issue 1", "issue 0"}, names)
	if p.Project.Trash.PageInfo.HasNextPage {
		t.Error("there is no next page")
	}
	_, names = read("last: 2")
	same(t, "the first deleted", []string{"issue 1", "issue 0"}, names)
	for n, id := range ids[:3] {
		got := s.mutate(t, restoreOne, map[string]any{"id": id})
		if v := got["issue"].(map[string]any)["version"]; v != 3.0 {
			t.Errorf("restored as version %v", v)
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
		return refusal{name: name, query: query, variables: map[string]any{"i": map[string]any{"id": id}}, code: tracker.NotFound, says: []string{"issue"}}
	}
	s.refuses(t, []refusal{
		missing("restore what was never deleted", restoreOne, ids[0]), missing("restore what is gone for good", restoreOne, ids[3]),
		missing("delete what is in the trash", deleteOne, ids[4]), missing("restore nonsense", restoreOne, "x"),
		missing("restore what is another tenant's", restoreOne, newWorld(t, s).create(t, "x", nil).ID),
	})
}

// TestHistory reads what was changed of an issue.
func TestHistory(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	long := strings.Repeat("long ", 100)
	i := w.createOf(t, map[string]any{"name": "first", "values": []any{w.given(tracker.TypeInteger, "1"), w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][0])}})
	w.update(t, map[string]any{"id": i.ID, "name": "second", "state": w.states[1], "values": []any{w.given(tracker.TypeInteger, "2"), w.given(tracker.TypeTags, []string{"a", "b"})}})
	w.update(t, map[string]any{"id": i.ID, "description": long, "values": []any{w.given(tracker.TypeText, long+"!"), map[string]any{"field": w.fields[tracker.TypeSelect], "value": nil}}})
	w.update(t, map[string]any{"id": i.ID, "description": "short", "values": []any{w.given(tracker.TypeText, "short")}})
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
					By       *string
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
		s.data(t, fmt.Sprintf(`{ issue(id: %q) { history(%s) { nodes { version kind at by columns { name field { id } before after beforeValue { __typename display } afterValue { __typename display } } }
			pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, i.ID, arguments), nil, &p)
		for _, n := range p.Issue.History.Nodes {
			versions = append(versions, n.Version)
		}
		return p, versions
	}
	p, versions := read("first: 10")
	same(t, "versions", []int{6, 5, 4, 3, 2, 1}, versions)
	var told []string
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
			if custom := strings.HasPrefix(c.Name, "Field "); custom != (c.Field != nil) || (c.BeforeValue != nil) != (custom && c.Before != nil) || c.AfterValue != nil && c.AfterValue.Display != *c.After {
				t.Errorf("version %d: %+v", n.Version, c)
			}
		}
		told = append(told, line)
	}
	same(t, "history", []string{
		"6 RESTORED", "5 DELETED",
		"4 UPDATED; Field TEXT: 501 bytes to short; description: 500 bytes to short",
		"3 UPDATED; Field SELECT: One to nothing; Field TEXT: nothing to 501 bytes; description: nothing to 500 bytes",
		"2 UPDATED; Field INTEGER: 1 to 2; Field TAGS: nothing to a, b; name: first to second; state: New to Done",
		"1 CREATED",
	}, sortedColumns(told))
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
	query := `query($id: ID!, $after: String) { issue(id: $id) { history(after: $after, first: 1) { nodes { version } } } }`
	for _, cursor := range []string{"x", "", listLike, end + "A"} {
		s.refuses(t, []refusal{{name: "cursor " + cursor, query: query, variables: map[string]any{"id": i.ID, "after": cursor}, code: tracker.BadInput, argument: "after", says: []string{"cursor"}}})
	}
}

// listLike is a cursor of a list.
var listLike = encoded("list1\x00x")

// sortedColumns puts the columns of each line, whose order is that of their ids, in the order of their names.
func sortedColumns(lines []string) []string {
	for i, line := range lines {
		parts := strings.Split(line, "; ")
		slices.Sort(parts[1:])
		lines[i] = strings.Join(parts, "; ")
	}
	return lines
}
