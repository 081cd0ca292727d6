package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// inputOf returns an input with members, which are pairs of a name and a value.
func inputOf(members ...any) map[string]any {
	in := map[string]any{}
	for i := 0; i < len(members); i += 2 {
		in[members[i].(string)] = members[i+1]
	}
	return in
}

// TestSavedView saves a view with everything, reads it back in all ways, and runs it.
func TestSavedView(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	text, pick := w.fields[tracker.TypeText], w.fields[tracker.TypeSelect]
	for i := range 6 {
		w.create(t, fmt.Sprint("Issue ", i), []any{w.given(tracker.TypeText, fmt.Sprint("t", i%3)),
			w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][i%2])})
	}
	ada := w.user(t, "ada", tracker.Reader)
	input := map[string]any{"name": "  Mine ", "columns": []any{
		map[string]any{"column": map[string]any{"builtin": "STATE"}},
		map[string]any{"column": map[string]any{"fieldId": pick}, "width": 120}},
		"filter": map[string]any{"state": map[string]any{"in": []any{"new", "New"}},
			"or": []any{map[string]any{"fields": []any{
				map[string]any{"fieldId": pick, "option": map[string]any{"eq": "Two"}}}}},
			"num": map[string]any{"gt": 1}},
		"orderBy": []any{map[string]any{"column": map[string]any{"fieldId": text}, "direction": "DESC",
			"nulls": "FIRST"}, map[string]any{"column": map[string]any{"builtin": "NAME"}}},
		"groupBy": []any{inputOf("column", inputOf("builtin", "CREATED_AT"), "period", "MONTH"),
			inputOf("column", inputOf("fieldId", text), "direction", "DESC", "firstLetter", true)},
		"summaries": []any{inputOf("column", inputOf("fieldId", text), "part", "DISTINCT"),
			inputOf("column", inputOf("builtin", "NUM"), "part", "MAX")},
		"layout": "BOARD"}
	made := w.save(t, ada, input)
	same(t, "the view created and read", made, w.readView(t, ada, made.ID))
	want := view{ID: made.ID, Name: "Mine", Owner: new("ada"), Version: 1, Project: made.Project,
		Columns: []viewColumn{{Builtin: new("STATE")}, {Field: &struct{ Name string }{"Field SELECT"},
			Width: new(120)}},
		OrderBy: []viewOrder{{Field: &struct{ ID, Name string }{text, "Field TEXT"}, Direction: "DESC",
			Nulls: "FIRST"}, {Builtin: new("NAME"), Direction: "ASC", Nulls: "LAST"}},
		GroupBy: []viewGrouping{{Builtin: new("CREATED_AT"), Direction: "ASC", Nulls: "LAST",
			Period: new("MONTH")}, {Field: &struct{ ID, Name string }{text, "Field TEXT"}, Direction: "DESC",
			Nulls: "LAST", FirstLetter: true}},
		Summaries: []viewSummary{{Field: &struct{ Name string }{"Field TEXT"}, Part: "DISTINCT"},
			{Builtin: new("NUM"), Part: "MAX"}},
		Layout: "BOARD", Problems: []viewProblem{}}
	want.Filter = made.Filter
	same(t, "the view", want, made)
	same(t, "its filter, with ids for names", any(map[string]any{"num": map[string]any{"gt": 1.0},
		"state": map[string]any{"inIds": []any{w.states[0]}},
		"or": []any{map[string]any{"fields": []any{map[string]any{"fieldId": pick,
			"option": map[string]any{"eqId": w.options[tracker.TypeSelect][1]}}}}}}),
		decode[any](t, made.Filter))
	same(t, "its issues", []int{6, 2, 4}, w.shown(t, ada, made.ID, ""))
	same(t, "with another order", []int{2, 4, 6}, w.shown(t, ada, made.ID, `, orderBy: []`))
	same(t, "with another filter", []int{2},
		w.shown(t, ada, made.ID, `, where: {num: {lt: 4}}`))
	same(t, "the issues by the filter as a variable", 3, get[int](t, ada, "project.issues.totalCount",
		`query($p: ID!, $f: IssueFilter) { project(id: $p) { issues(where: $f) { totalCount } } }`,
		map[string]any{"p": w.project, "f": decode[any](t, made.Filter)}))
	same(t, "the filter saved again", string(made.Filter), string(w.save(t, ada,
		map[string]any{"name": "Copy", "filter": decode[any](t, made.Filter)}).Filter))
}

// TestViewPages pages through the issues of a view in both directions, and continues in Project.issues.
func TestViewPages(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	for i := range 7 {
		w.create(t, fmt.Sprint("Issue ", 9-i), nil)
	}
	made := w.save(t, s, map[string]any{"name": "V", "filter": map[string]any{"num": map[string]any{"gt": 1}},
		"orderBy": []any{map[string]any{"column": map[string]any{"builtin": "NAME"}}}})
	read := func(arguments string) grid {
		return get[grid](t, s, "node.issues", fmt.Sprintf(`{ node(id: %q) { ... on View { issues(%s) { nodes { num }
			totalCount `+flags+` } } } }`, made.ID, arguments), nil)
	}
	same(t, "rows", []int{7, 6, 5, 4, 3, 2}, nums(walkPages(t, 4, read)))
	page := read("first: 4")
	same(t, "the count", 6, page.TotalCount)
	other := get[grid](t, s, "project.issues", fmt.Sprintf(`{ project(id: %q) { issues(first: 9, after: %q,
		orderBy: [{column: {builtin: NAME}}]) { nodes { num } } } }`, w.project, *page.PageInfo.EndCursor), nil)
	same(t, "the rest of Project.issues", []int{3, 2, 1}, nums(other.Nodes))
}

// TestViewRights checks what each role may do with views, and that private views of others do not exist.
func TestViewRights(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	reader, editor, admin := w.user(t, "ada", tracker.Reader), w.user(t, "bob", tracker.Editor),
		w.user(t, "eve", tracker.Admin)
	mine := w.save(t, reader, map[string]any{"name": "Mine"})
	ours := w.save(t, editor, map[string]any{"name": "Ours", "shared": true})
	first := w.save(t, admin, map[string]any{"name": "First", "shared": true, "isDefault": true})
	theirs := w.save(t, editor, map[string]any{"name": "Theirs", "idempotencyKey": "theirs"})
	create := func(more ...any) map[string]any {
		return inputOf(append(more, "projectId", w.project, "name", "New")...)
	}
	of := func(v view, more ...any) map[string]any { return inputOf(append(more, "id", v.ID)...) }
	for _, test := range []struct {
		by       *server
		mutation string
		input    map[string]any
		want     string
	}{
		{reader, "createView", create("shared", true), "FORBIDDEN input.shared"},
		{editor, "createView", create("shared", true, "isDefault", true), "FORBIDDEN input.isDefault"},
		{admin, "createView", create("isDefault", true), "BAD_USER_INPUT input.isDefault"},
		{reader, "createView", inputOf("projectId", w.project, "name", "Theirs", "idempotencyKey", "theirs"),
			""}, // keys of other users do not matter
		{reader, "updateView", of(ours, "name", "x"), "FORBIDDEN"},
		{reader, "deleteView", of(ours), "FORBIDDEN"},
		{reader, "updateView", of(mine, "shared", true), "FORBIDDEN input.shared"},
		{editor, "updateView", of(ours, "isDefault", true), "FORBIDDEN input.isDefault"},
		{editor, "updateView", of(first, "isDefault", false), "FORBIDDEN input.isDefault"},
		{editor, "updateView", of(first, "shared", false), "FORBIDDEN input.shared"},
		{editor, "deleteView", of(first), "FORBIDDEN"},
		{admin, "updateView", of(first, "shared", false, "isDefault", true),
			"BAD_USER_INPUT input.isDefault"},
		{editor, "updateView", of(mine, "name", "x"), "NOT_FOUND"},
		{admin, "deleteView", of(mine), "NOT_FOUND"},
		{reader, "updateView", of(theirs, "shared", true), "NOT_FOUND"},
		{s, "updateView", of(mine, "name", "x"), "NOT_FOUND"},
	} {
		_, errs := w.tryView(t, test.by, test.mutation, test.input)
		same(t, fmt.Sprint(test.mutation, test.input), test.want, answer{Errors: errs}.outcome())
	}
	same(t, "views of the reader", []string{"First s d", "Mine", "Ours s", "Theirs"}, w.views(t, reader))
	same(t, "views of the editor", []string{"First s d", "Ours s", "Theirs"}, w.views(t, editor))
	same(t, "views without sign-in", []string{"First s d", "Ours s"}, w.views(t, s))
	n, err := model.ParseViewID(mine.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{`{ node(id: %q) { id } }`, `{ project(id: "` + w.project + `") { view(id: %q) { id } } }`,
		`{ nodes(ids: [%q]) { id } }`} {
		s.wire.Reset()
		got := editor.ask(t, fmt.Sprintf(query, mine.ID), nil)
		calls := fmt.Sprint(s.wire.Calls())
		s.wire.Reset()
		nobodys := editor.ask(t, fmt.Sprintf(query, model.ViewNodeID(n.Tenant, tracker.ViewRef{
			Project: n.Project, View: "nobody"})), nil)
		if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != "NOT_FOUND" {
			t.Errorf("%s of another user: %s %+v", query, got.Data, got.Errors)
		}
		same(t, "the response to an id of another user and to one of nobody", nobodys, got)
		same(t, "the calls", fmt.Sprint(s.wire.Calls()), calls)
	}

	w.changeView(t, editor, "updateView", of(ours, "name", "Yours", "shared", false))
	same(t, "views of the reader", []string{"First s d", "Mine", "Theirs"}, w.views(t, reader))
	same(t, "views of the editor", []string{"First s d", "Theirs", "Yours"}, w.views(t, editor))
	taken := w.changeView(t, admin, "updateView", of(first, "shared", false))
	if taken.IsDefault || *taken.Owner != "eve" {
		t.Errorf("the default that became private is %+v", taken)
	}
	same(t, "views of the reader", []string{"Mine", "Theirs"}, w.views(t, reader))
	w.changeView(t, reader, "deleteView", of(mine))
	same(t, "views of the reader", []string{"Theirs"}, w.views(t, reader))
}

// TestDefaultView checks the default view of a project, and that none is left when it is deleted.
func TestDefaultView(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	defaultOf := func() *view {
		return get[*view](t, s, "project.defaultView", `query($p: ID!) { project(id: $p) { defaultView `+wholeView+` } }`,
			map[string]any{"p": w.project})
	}
	if d := defaultOf(); d != nil {
		t.Errorf("the default of a new project is %+v", d)
	}
	a := w.save(t, s, map[string]any{"name": "A", "shared": true})
	b := w.save(t, s, map[string]any{"name": "B", "shared": true, "isDefault": true})
	same(t, "the default", &b, defaultOf())
	changed := w.changeView(t, s, "updateView", map[string]any{"id": a.ID, "isDefault": true})
	same(t, "the other one", &changed, defaultOf())
	same(t, "views", []string{"A s d", "B s"}, w.views(t, s))
	w.changeView(t, s, "deleteView", map[string]any{"id": a.ID})
	if d := defaultOf(); d != nil {
		t.Errorf("after its deletion the default is %+v", d)
	}
	same(t, "views", []string{"B s"}, w.views(t, s))
}

// TestViewChanges checks what updateView leaves unchanged, conflicts, names and idempotency keys.
func TestViewChanges(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	of := func(id string, more ...any) map[string]any { return inputOf(append(more, "id", id)...) }
	order := []any{map[string]any{"column": map[string]any{"builtin": "NAME"}}}
	v := w.save(t, s, map[string]any{"name": "V", "columns": w.columns(tracker.TypeText),
		"filter": map[string]any{"open": true}, "orderBy": order, "idempotencyKey": "one"})
	same(t, "the repeated creation", v, w.save(t, s, map[string]any{"name": "V",
		"columns": w.columns(tracker.TypeText), "filter": map[string]any{"open": true}, "orderBy": order,
		"idempotencyKey": "one"}))
	change := func(what string, expect func(*view), more ...any) {
		t.Helper()
		v.Version++
		expect(&v)
		same(t, what, v, w.changeView(t, s, "updateView", of(v.ID, more...)))
		same(t, what+", read", v, w.readView(t, s, v.ID))
	}
	change("a new name", func(v *view) { v.Name = "W" }, "name", "W")
	change("new columns", func(v *view) { v.Columns = []viewColumn{} }, "columns", []any{})
	change("no order", func(v *view) { v.OrderBy = []viewOrder{} }, "orderBy", []any{})
	change("no filter", func(v *view) { v.Filter = []byte("null") }, "filter", map[string]any{})
	change("a filter", func(v *view) { v.Filter = []byte(`{"open":false}`) }, "filter",
		map[string]any{"open": false})
	change("an empty filter", func(v *view) { v.Filter = []byte("null") }, "filter", map[string]any{})
	same(t, "no change", v, w.changeView(t, s, "updateView", of(v.ID, "name", "W")))

	w.save(t, s, map[string]any{"name": "Other"})
	var long []string
	for i := range 90 {
		long = append(long, fmt.Sprint(i, strings.Repeat("x", 200)))
	}
	for _, test := range []struct {
		mutation             string
		input                map[string]any
		code, argument, says string
	}{
		{"updateView", of(v.ID, "expectedVersion", 1, "name", "x"), "CONFLICT", "", "changed"},
		{"deleteView", of(v.ID, "expectedVersion", 1), "CONFLICT", "", "changed"},
		{"updateView", of(v.ID, "name", "oTHER"), "CONFLICT", "input.name", `"Other"`},
		{"updateView", of(v.ID, "name", " "), "BAD_USER_INPUT", "input.name", "empty"},
		{"updateView", of(v.ID, "columns", []any{map[string]any{"column": map[string]any{"builtin": "NUM"},
			"width": 0}}), "BAD_USER_INPUT", "input.columns[0].width", "0 is out of range"},
		{"updateView", of(v.ID, "columns", []any{map[string]any{"column": map[string]any{"fieldId": v.ID}}}),
			"BAD_USER_INPUT", "input.columns[0].column.fieldId", "no such field"},
		{"updateView", of(v.ID, "filter", map[string]any{"state": map[string]any{"eq": "Gone"}}),
			"BAD_USER_INPUT", "input.filter.state.eq", `"Gone"`},
		{"updateView", of(v.ID, "filter", map[string]any{"name": map[string]any{"in": long}}),
			"BAD_USER_INPUT", "input.filter", "16384"},
		{"updateView", of(v.ID, "orderBy", []any{order[0], order[0]}), "BAD_USER_INPUT",
			"input.orderBy[1].column", "already"},
		{"updateView", of(v.ID, "orderBy", w.columns(tracker.TypeTags)), "BAD_USER_INPUT",
			"input.orderBy[0].column.fieldId", "sorted"},
	} {
		_, errs := w.tryView(t, s, test.mutation, test.input)
		if len(errs) != 1 || errs[0].Extensions["code"] != test.code || !strings.Contains(errs[0].Message,
			test.says) || test.argument != "" && errs[0].Extensions["argument"] != test.argument {
			t.Errorf("%s %.200v: %.500v, want %s at %q", test.mutation, test.input, errs, test.code,
				test.argument)
		}
		conflict, _ := errs[0].Extensions["conflict"].(map[string]any)
		if test.argument == "" && conflict["currentVersion"] != float64(v.Version) {
			t.Errorf("the conflict is %v, want the version %d", conflict, v.Version)
		}
	}
	for range 2 {
		w.changeView(t, s, "deleteView", of(v.ID, "idempotencyKey", "gone", "expectedVersion", v.Version))
	}
	same(t, "views", []string{"Other"}, w.views(t, s))
}
