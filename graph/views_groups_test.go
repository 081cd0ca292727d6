package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/tracker"
)

// TestViewGroups compares the groups of a view with those of its project by the same arguments, and checks
// what replaces the grouping, the order and the filter of the view.
func TestViewGroups(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for i := range 12 {
		w.create(t, fmt.Sprint("Issue ", i), []any{
			w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][i%3]),
			w.given(tracker.TypeText, fmt.Sprint("t", i%2))})
	}
	pick, text := w.fields[tracker.TypeSelect], w.fields[tracker.TypeText]
	where := inputOf("num", inputOf("gt", 2))
	v := w.save(t, s, inputOf("name", "V", "filter", where,
		"groupBy", []any{inputOf("column", inputOf("fieldId", pick), "direction", "DESC")},
		"orderBy", []any{inputOf("column", inputOf("builtin", "NUM"), "direction", "DESC")}))
	const below = ` { nodes { key name totalCount issues(first: 2) { nodes { num } pageInfo { endCursor } } }
		totalCount pageInfo { endCursor hasNextPage } } `
	view := func(arguments string) any {
		t.Helper()
		return get[any](t, s, "node.groups", fmt.Sprintf(`{ node(id: %q) { ... on View { groups%s %s } } }`, v.ID,
			arguments, below), nil)
	}
	project := func(where, arguments string) any {
		t.Helper()
		return get[any](t, s, "project.groups", fmt.Sprintf(`{ project(id: %q) { groups(
			where: {and: [{num: {gt: 2}}, %s]}, %s) %s } }`, w.project, where, arguments, below), nil)
	}
	by := func(field string) string { return fmt.Sprintf(`by: [{column: {fieldId: %q}, direction: DESC}]`, field) }
	const order = `, orderBy: [{column: {builtin: NUM}, direction: DESC}]`
	for arguments, want := range map[string]any{
		"":                                       project(`{}`, by(pick)+order),
		`(first: 1)`:                             project(`{}`, "first: 1, "+by(pick)+order),
		`(` + by(text) + `)`:                     project(`{}`, by(text)+order),
		`(orderBy: [{column: {builtin: NAME}}])`: project(`{}`, by(pick)+`, orderBy: [{column: {builtin: NAME}}]`),
		`(where: {num: {lt: 6}}, first: 2, empty: true)`: project(`{num: {lt: 6}}`, by(pick)+order+`, first: 2, empty: true`),
	} {
		same(t, "groups"+arguments, want, view(arguments))
	}

	at := get[connection[issueGroup]](t, s, "node.groups", fmt.Sprintf(
		`{ node(id: %q) { ... on View { groups(first: 1) %s } } }`, v.ID, below), nil)
	next := fmt.Sprintf(`first: 5, after: %q`, *at.PageInfo.EndCursor)
	same(t, "the next groups", project(`{}`, next+", "+by(pick)+order), view("("+next+")"))
	page := get[[]issueGroup](t, s, "node.groups.nodes", fmt.Sprintf(`{ node(id: %q) { ... on View { groups(keys: [%q]) {
		nodes { issues(first: 2, after: %q) { nodes { num } } } } } } }`, v.ID, at.Nodes[0].Key,
		*at.Nodes[0].Issues.PageInfo.EndCursor), nil)
	same(t, "more issues of the first group", []int{6, 3}, nums(page[0].Issues.Nodes))

	plain := w.save(t, s, inputOf("name", "Plain"))
	same(t, "groups of a view that is not grouped", any(nil), get[any](t, s, "node.groups", fmt.Sprintf(
		`{ node(id: %q) { ... on View { groups { totalCount } } } }`, plain.ID), nil))
	grouped := w.changeView(t, s, "updateView", inputOf("id", plain.ID, "layout", "BOARD",
		"groupBy", []any{inputOf("column", inputOf("builtin", "STATE"))}))
	same(t, "the layout", "BOARD", grouped.Layout)
	same(t, "what else was changed", unversioned(plain), unversioned(w.changeView(t, s, "updateView",
		inputOf("id", plain.ID, "layout", "GRID", "groupBy", []any{}))))
	s.refuses(t, []refusal{
		{name: "a grouping of the view by nothing", query: fmt.Sprintf(
			`{ node(id: %q) { ... on View { groups(by: []) { totalCount } } } }`, v.ID),
			code: tracker.BadInput, argument: "by", says: []string{"0 groupings; give 1 or 2"}},
	})
	for path, input := range map[string]map[string]any{
		"input.groupBy": inputOf("groupBy", []any{inputOf("column", inputOf("builtin", "STATE")),
			inputOf("column", inputOf("builtin", "NAME")), inputOf("column", inputOf("fieldId", pick))}),
		"input.groupBy[1].column": inputOf("groupBy", []any{inputOf("column", inputOf("fieldId", pick)),
			inputOf("column", inputOf("fieldId", pick))}),
		"input.groupBy[0].period": inputOf("groupBy",
			[]any{inputOf("column", inputOf("fieldId", pick), "period", "DAY")}),
		"input.groupBy[0].width": inputOf("groupBy", []any{inputOf("column", inputOf("builtin", "NUM"))}),
		"input.summaries[0].column": inputOf("summaries",
			[]any{inputOf("column", inputOf("fieldId", pick), "part", "SUM")}),
		"input.summaries[1].column": inputOf("summaries", []any{
			inputOf("column", inputOf("fieldId", pick), "part", "FILLED"),
			inputOf("column", inputOf("fieldId", pick), "part", "EMPTY")}),
	} {
		input["id"] = v.ID
		_, errs := w.tryView(t, s, "updateView", input)
		same(t, fmt.Sprint(input), "BAD_USER_INPUT "+path, answer{Errors: errs}.outcome())
	}
}

// unversioned returns a view without its version.
func unversioned(v view) view {
	v.Version = 0
	return v
}
