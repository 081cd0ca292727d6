package graph_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"issuegrid/tracker"
)

func TestCreateIssues(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	w.addField(t, tracker.TypeUser, "Owner", true)
	owner := w.given(tracker.TypeUser, "Ada")
	createIssues := mutation("createIssues",
		`results { issue { num name values { display } } errors { code message argument } }`)
	type result struct {
		Issue *struct {
			Num    int
			Name   string
			Values []struct{ Display string }
		}
		Errors []struct{ Code, Message, Argument string }
	}
	create := func(t *testing.T, issues []any) []result {
		t.Helper()
		return get[[]result](t, s, "createIssues.results", createIssues,
			input(nil, "projectId", w.project, "issues", issues))
	}

	t.Run("each issue has a separate outcome", func(t *testing.T) {
		manyTags := make([]string, tracker.MaxTags+1)
		for i := range manyTags {
			manyTags[i] = fmt.Sprint("tag", i)
		}
		integer := func(members ...any) any {
			return inputOf("fieldId", w.fields[tracker.TypeInteger], "value", inputOf(members...))
		}
		issue := func(name string, values ...any) any { return inputOf("name", name, "values", values) }
		got := create(t, []any{
			issue("first", owner), issue("", owner), inputOf("name", "no owner"),
			issue("wrong type", owner, integer("text", "x")),
			issue("no such field", owner, inputOf("fieldId", "x", "value", inputOf("text", "x"))),
			inputOf("name", "no such state", "stateId", "x", "values", []any{owner}),
			issue("too many tags", owner, w.given(tracker.TypeTags, manyTags)), issue("twice", owner, owner),
			issue("two members", owner, integer("text", "x", "integer", 1)),
			issue("no member", owner, integer()), issue("last", owner)})
		bad := func(path string) string { return "BAD_USER_INPUT input." + path }
		want := []string{"first", bad("issues[1].name"), bad("issues[2].values"),
			bad("issues[3].values[1].value.text"), bad("issues[4].values[1].fieldId"),
			bad("issues[5].stateId"),
			bad("issues[6].values[1].value.tags"), bad("issues[7].values[1].fieldId"),
			bad("issues[8].values[1].value"), bad("issues[9].values[1].value"), "last"}
		var outcomes []string
		for _, r := range got {
			switch {
			case (r.Issue == nil) != (len(r.Errors) == 1):
				t.Errorf("issue %v and errors %v", r.Issue, r.Errors)
			case r.Issue != nil:
				outcomes = append(outcomes, r.Issue.Name)
			default:
				outcomes = append(outcomes, r.Errors[0].Code+" "+r.Errors[0].Argument)
			}
		}
		same(t, "outcomes", want, outcomes)
		same(t, "the created issues", `[{"name":"first"},{"name":"last"}]`, string(get[json.RawMessage](t, s,
			"project.issues.nodes",
			fmt.Sprintf(`{ project(id: %q) { issues(orderBy: [{column: {builtin: NAME}}]) {
			nodes { name } } } }`, w.project), nil)))
	})

	t.Run("100 issues", func(t *testing.T) {
		inputs := make([]any, 100)
		for i := range inputs {
			inputs[i] = map[string]any{"name": fmt.Sprint("bulk ", i),
				"values": []any{owner, w.given(tracker.TypeInteger, i)}}
		}
		nums := map[int]bool{}
		for i, r := range create(t, inputs) {
			if len(r.Errors) > 0 || r.Issue.Name != fmt.Sprint("bulk ", i) ||
				r.Issue.Values[0].Display != fmt.Sprint(i) {
				t.Fatalf("result %d is %+v, %+v", i, r.Issue, r.Errors)
			}
			nums[r.Issue.Num] = true
		}
		if len(nums) != 100 {
			t.Errorf("%d different numbers", len(nums))
		}
		of := func(project string, issues []any) map[string]any {
			return input(nil, "projectId", project, "issues", issues)
		}
		s.refuses(t, []refusal{
			{name: "101", query: createIssues, variables: of(w.project, append(inputs, inputs[0])),
				code: tracker.BadInput, argument: "input.issues", says: []string{"101", "100"}},
			{name: "none", query: createIssues, variables: of(w.project, []any{}), code: tracker.BadInput,
				argument: "input.issues", says: []string{"0", "1 to 100"}},
			{name: "an invalid project", query: createIssues, variables: of("x", inputs),
				code: tracker.NotFound},
		})
	})
}
