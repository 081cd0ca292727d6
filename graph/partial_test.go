package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// TestFailuresStayWhereTheyAre checks that a field that fails does not affect the fields next to it.
func TestFailuresStayWhereTheyAre(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	one, two := w.create(t, "one", nil), w.create(t, "two", nil)
	t.Run("mutations", func(t *testing.T) {
		a := s.ask(t, `mutation($a: ID!, $b: ID!) {
			a: updateIssue(input: {issue: {id: $a, name: "changed"}}) { issue { name version } }
			b: updateIssue(input: {issue: {id: $a, name: ""}}) { issue { name } }
			c: updateIssue(input: {issue: {id: $b, name: "changed too"}}) { issue { name version } } }`,
			map[string]any{"a": one.ID, "b": two.ID})
		same(t, "data", `{"a":{"issue":{"name":"changed","version":2}},"b":null,`+
			`"c":{"issue":{"name":"changed too","version":2}}}`, string(a.Data))
		if len(a.Errors) != 1 || fmt.Sprint(a.Errors[0].Path) != "[b]" {
			t.Errorf("%+v", a.Errors)
		}
	})
	t.Run("a board", func(t *testing.T) {
		a := s.ask(t, fmt.Sprintf(`{ viewer { role } project(id: %q) { key
			new: issues(where: {state: {eqId: %q}}) { nodes { num } }
			wrong: issues(where: {state: {eq: "x"}}) { nodes { num } }
			cursor: issues(after: "x") { nodes { num } }
			at: cursorAt(value: {text: "x"})
			deletedIssues(first: 1000) { nodes { num } }
			fields { id: name } } }`, w.project, w.states[0]), nil)
		got := decode[struct{ Project map[string]any }](t, a.Data)
		for name, null := range map[string]bool{"key": false, "new": false, "wrong": true, "cursor": true,
			"at": true, "trash": true, "fields": false} {
			if (got.Project[name] == nil) != null {
				t.Errorf("%s is %v", name, got.Project[name])
			}
		}
		if len(a.Errors) != 4 {
			t.Errorf("%+v", a.Errors)
		}
	})
	t.Run("cells", func(t *testing.T) {
		a := s.ask(t, fmt.Sprintf(`{ project(id: %q) { issues(first: 1) { nodes { num value(fieldId: "x") { display }
			values(fieldIds: ["x"]) { display } history(first: -1) { nodes { version } } } } } }`, w.project), nil)
		same(t, "data",
			`{"project":{"issues":{"nodes":[{"num":1,"value":null,"values":[null],"history":null}]}}}`,
			string(a.Data))
	})
}

// TestChangesOfEachIssue checks that updateIssues and deleteIssues make a change of its own to each issue.
func TestChangesOfEachIssue(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	members := func(kind tracker.FieldType, change string, of ...string) map[string]any {
		return map[string]any{"fieldId": w.fields[kind], change: of}
	}
	multi := w.options[tracker.TypeMultiSelect]
	a := w.create(t, "a", []any{w.given(tracker.TypeTags, []string{"x", "y"})})
	b := w.createOf(t, map[string]any{"name": "b", "description": "text",
		"values": []any{w.given(tracker.TypeMultiSelect, []string{multi[0]})}})
	c, d := w.create(t, "c", nil), w.create(t, "d", []any{w.given(tracker.TypeTags, []string{"x"})})
	both := members(tracker.TypeTags, "addTags", "Z", "X")
	both["removeTags"] = []string{"Y"}
	got := s.ask(t, `mutation($i: UpdateIssuesInput!) { updateIssues(input: $i) { results {
		issue { name description version values { display } } errors { code argument conflict { currentVersion } } } } }`,
		map[string]any{"i": map[string]any{"issues": []any{
			map[string]any{"id": a.ID, "expectedVersion": 1, "values": []any{both}},
			map[string]any{"id": b.ID, "name": "changed", "description": "",
				"values": []any{members(tracker.TypeMultiSelect, "addOptionIds", multi[2])}},
			map[string]any{"id": c.ID, "expectedVersion": 2, "name": "not changed"},
			map[string]any{"id": d.ID, "values": []any{members(tracker.TypeTags, "removeTags", "x")}},
		}}})
	same(t, "results", `{"updateIssues":{"results":[`+
		`{"issue":{"name":"a","description":null,"version":2,"values":[{"display":"x, Z"}]},"errors":[]},`+
		`{"issue":{"name":"changed","description":null,"version":2,"values":[{"display":"One, Three"}]},`+
		`"errors":[]},`+
		`{"issue":null,"errors":[{"code":"CONFLICT","argument":"input.issues[2].expectedVersion","conflict":{"currentVersion":1}}]},`+
		`{"issue":{"name":"d","description":null,"version":2,"values":[]},"errors":[]}]}}`, string(got.Data))
	// Nothing is written for members that are there already, and a set has at most its limit.
	again := members(tracker.TypeTags, "addTags", "z")
	again["removeTags"] = []string{"nothing"}
	if v := w.update(t, map[string]any{"id": a.ID, "values": []any{again}}).Version; v != 2 {
		t.Errorf("a change without effect made version %d", v)
	}
	many := strings.Split(strings.TrimSpace(guardtest.Times(tracker.MaxTags-1, "tag~ ")), " ")
	s.refuses(t, []refusal{{name: "too many members", query: updateMutation, code: tracker.BadInput,
		variables: map[string]any{"i": map[string]any{"id": a.ID,
			"values": []any{members(tracker.TypeTags, "addTags", many...)}}},
		argument: "input.issue.values[0]", says: []string{"101", "100"}}})
	payload := s.mutate(t, deleteMany, map[string]any{"issues": []any{
		map[string]any{"id": a.ID, "expectedVersion": 1}, map[string]any{"id": b.ID, "expectedVersion": 2}}})
	first, second := payload["results"].([]any)[0].(map[string]any),
		payload["results"].([]any)[1].(map[string]any)
	same(t, "deleteIssues", []any{[]any{map[string]any{"code": "CONFLICT",
		"argument": "input.issues[0].expectedVersion"}}, []any{}}, []any{first["errors"], second["errors"]})
}

// TestConcurrentMembers checks that no concurrent addition to the same set is lost. One that competed with
// the others too often is refused, and repeated.
func TestConcurrentMembers(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "x", nil)
	const n = 8
	done := make(chan answer, n)
	for k := range n {
		go func() {
			done <- s.askUntilTaken(t, updateMutation, map[string]any{"i": map[string]any{"id": i.ID,
				"values": []any{map[string]any{"fieldId": w.fields[tracker.TypeTags],
					"addTags": []string{fmt.Sprint("tag", k)}}}}})
		}()
	}
	for range n {
		if a := <-done; len(a.Errors) > 0 {
			t.Errorf("%+v", a.Errors)
		}
	}
	if tags := w.read(t, i.ID).Values[0].Tags; len(tags) != n {
		t.Errorf("the tags are %q", tags)
	}
}

// TestRepeatedKeysReserveNothing checks that a repeated createIssues takes no numbers, and that one that was
// interrupted creates the rest.
func TestRepeatedKeysReserveNothing(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	input := map[string]any{"projectId": w.project, "idempotencyKey": "k", "issues": []any{
		map[string]any{"name": "a"}, map[string]any{"name": ""}, map[string]any{"name": "b"}}}
	first := s.mutate(t, createMany, input)
	for range 3 {
		same(t, "the repeated result", first, s.mutate(t, createMany, input))
	}
	if next := w.create(t, "next", nil); next.Num != 3 {
		t.Errorf("the next issue has the number %d, want 3", next.Num)
	}
}

// TestZeroRows checks that a page of no rows has its flags and counts, in both directions.
func TestZeroRows(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	check := func(name string, variables map[string]any, count int, next, previous bool) {
		t.Helper()
		variables["p"] = w.project
		same(t, name, fmt.Sprintf(`{"project":{"issues":{"totalCount":%d,"nodes":[],"edges":[],"pageInfo":`+
			`{"hasNextPage":%t,"hasPreviousPage":%t,"startCursor":null,"endCursor":null}}}}`, count, next,
			previous), string(s.ask(t, `query($p: ID!, $f: Int, $a: String, $l: Int, $b: String) { project(id: $p) {
				issues(first: $f, after: $a, last: $l, before: $b) { totalCount nodes { num } edges { cursor }
				pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`, variables).Data))
	}
	check("an empty project", map[string]any{"f": 0}, 0, false, false)
	for n := range 3 {
		w.create(t, fmt.Sprint(n), nil)
	}
	var all struct {
		Project struct {
			Issues struct{ Edges []struct{ Cursor string } }
		}
	}
	s.data(t, `query($p: ID!) { project(id: $p) { issues { edges { cursor } } } }`,
		map[string]any{"p": w.project}, &all)
	cursor := func(n int) string { return all.Project.Issues.Edges[n].Cursor }
	check("from the start", map[string]any{"f": 0}, 3, true, false)
	check("from the end", map[string]any{"l": 0}, 3, false, true)
	check("after the first", map[string]any{"f": 0, "a": cursor(0)}, 3, true, true)
	check("after the last", map[string]any{"f": 0, "a": cursor(2)}, 3, false, true)
	check("before the first", map[string]any{"l": 0, "b": cursor(0)}, 3, true, false)
	check("between", map[string]any{"f": 0, "a": cursor(0), "b": cursor(2)}, 3, true, true)
	s.wire.Reset()
	s.data(t, `query($p: ID!) { project(id: $p) { issues(first: 0) { totalCount nodes { num } incomplete } } }`,
		map[string]any{"p": w.project}, new(any))
	if calls := s.wire.Calls(); calls["BatchGetItem"] > 0 || calls["Query"] > shardsIn(t) {
		t.Errorf("a count alone takes %v", calls)
	}
	for query, want := range map[string]string{
		`{ tenants(first: 0) { nodes { id } edges { cursor } pageInfo { hasNextPage } } }`:    `{"tenants":{"nodes":[],"edges":[],"pageInfo":{"hasNextPage":true}}}`,
		`{ tenants(last: 0) { nodes { id } edges { cursor } pageInfo { hasPreviousPage } } }`: `{"tenants":{"nodes":[],"edges":[],"pageInfo":{"hasPreviousPage":true}}}`,
		fmt.Sprintf(`{ issue(id: %q) { history(first: 0) { nodes { version } pageInfo { hasNextPage endCursor } } } }`,
			w.create(t, "with a history", nil).ID): `{"issue":{"history":{"nodes":[],"pageInfo":{"hasNextPage":true,"endCursor":null}}}}`,
	} {
		same(t, query, want, string(s.ask(t, query, nil).Data))
	}
}
