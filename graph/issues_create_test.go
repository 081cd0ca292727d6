package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// anyOf returns a value of a type that contains a number.
func anyOf(kind tracker.FieldType, n int) any {
	if kind == tracker.TypeInteger || kind == tracker.TypeNumber {
		return n
	}
	return fmt.Sprint(n)
}

func TestCreateIssues(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	w.addField(t, tracker.TypeUser, "Owner", true)
	owner := w.given(tracker.TypeUser, "Ada")
	const mutation = `mutation($p: ID!, $i: [NewIssueInput!]!) { createIssues(input: {project: $p, issues: $i}) { results { issue { num name values { display } } error { code message path } } } }`
	type result struct {
		Issue *struct {
			Num    int
			Name   string
			Values []struct{ Display string }
		}
		Error *struct{ Code, Message, Path string }
	}
	type payload struct{ CreateIssues struct{ Results []result } }

	t.Run("each issue has a separate outcome", func(t *testing.T) {
		manyTags := make([]string, tracker.MaxTags+1)
		for i := range manyTags {
			manyTags[i] = fmt.Sprint("tag", i)
		}
		inputs := []any{
			map[string]any{"name": "first", "values": []any{owner}},
			map[string]any{"name": "", "values": []any{owner}},
			map[string]any{"name": "no owner"},
			map[string]any{"name": "wrong type",
				"values": []any{owner, map[string]any{"field": w.fields[tracker.TypeInteger],
					"value": map[string]any{"text": "x"}}}},
			map[string]any{"name": "no such field",
				"values": []any{owner, map[string]any{"field": "x", "value": map[string]any{"text": "x"}}}},
			map[string]any{"name": "no such state", "state": "x", "values": []any{owner}},
			map[string]any{"name": "too many tags",
				"values": []any{owner, w.given(tracker.TypeTags, manyTags)}},
			map[string]any{"name": "twice", "values": []any{owner, owner}},
			map[string]any{"name": "two members",
				"values": []any{owner, map[string]any{"field": w.fields[tracker.TypeInteger],
					"value": map[string]any{"text": "x", "integer": 1}}}},
			map[string]any{"name": "no member",
				"values": []any{owner, map[string]any{"field": w.fields[tracker.TypeInteger],
					"value": map[string]any{}}}},
			map[string]any{"name": "last", "values": []any{owner}},
		}
		var got payload
		s.data(t, mutation, map[string]any{"p": w.project, "i": inputs}, &got)
		bad := func(path string) string { return "BAD_USER_INPUT " + path }
		want := []string{"first", bad("issues[1].name"), bad("issues[2].values"),
			bad("issues[3].values[1].value.text"), bad("issues[4].values[1].field"), bad("issues[5].state"),
			bad("issues[6].values[1].value.tags"), bad("issues[7].values[1].field"),
			bad("issues[8].values[1].value"), bad("issues[9].values[1].value"), "last"}
		var outcomes []string
		for _, r := range got.CreateIssues.Results {
			switch {
			case (r.Issue == nil) == (r.Error == nil):
				t.Errorf("issue %v and error %v", r.Issue, r.Error)
			case r.Issue != nil:
				outcomes = append(outcomes, r.Issue.Name)
			default:
				outcomes = append(outcomes, r.Error.Code+" "+r.Error.Path)
				if !strings.Contains(r.Error.Message, r.Error.Path) {
					t.Errorf("the message %q does not name %s", r.Error.Message, r.Error.Path)
				}
			}
		}
		same(t, "outcomes", want, outcomes)
		var all struct {
			Project struct {
				Issues struct{ Nodes []struct{ Name string } }
			}
		}
		s.data(t,
			fmt.Sprintf(
				`{ project(id: %q) { issues(orderBy: [{column: {builtin: NAME}}]) { nodes { name } } } }`,
				w.project), nil, &all)
		same(t, "the created issues", []struct{ Name string }{{"first"}, {"last"}}, all.Project.Issues.Nodes)
	})

	t.Run("100 issues", func(t *testing.T) {
		inputs := make([]any, 100)
		for i := range inputs {
			inputs[i] = map[string]any{"name": fmt.Sprint("bulk ", i),
				"values": []any{owner, w.given(tracker.TypeInteger, i)}}
		}
		var got payload
		s.data(t, mutation, map[string]any{"p": w.project, "i": inputs}, &got)
		nums := map[int]bool{}
		for i, r := range got.CreateIssues.Results {
			if r.Error != nil || r.Issue.Name != fmt.Sprint("bulk ", i) ||
				r.Issue.Values[0].Display != fmt.Sprint(i) {
				t.Fatalf("result %d is %+v, %+v", i, r.Issue, r.Error)
			}
			nums[r.Issue.Num] = true
		}
		if len(nums) != 100 {
			t.Errorf("%d different numbers", len(nums))
		}
		s.refuses(t, []refusal{
			{name: "101", query: mutation,
				variables: map[string]any{"p": w.project, "i": append(inputs, inputs[0])},
				code:      tracker.BadInput, argument: "input.issues", says: []string{"101", "100"}},
			{name: "none", query: mutation, variables: map[string]any{"p": w.project, "i": []any{}},
				code: tracker.BadInput, argument: "input.issues", says: []string{"0", "1 to 100"}},
			{name: "an invalid project", query: mutation, variables: map[string]any{"p": "x", "i": inputs},
				code: tracker.NotFound},
		})
	})
}
