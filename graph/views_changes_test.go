package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"issuegrid/dynamo"
	"issuegrid/tracker"
)

// run sends a mutation with ids.
func (w *world) run(t testing.TB, mutation string, ids ...any) {
	t.Helper()
	w.data(t, `mutation { `+fmt.Sprintf(mutation, ids...)+` }`, nil, &struct{}{})
}

// TestViewOfDeletedThings deletes what views refer to. The views open without it, and say so.
func TestViewOfDeletedThings(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	text, pick := w.fields[tracker.TypeText], w.fields[tracker.TypeSelect]
	number := w.fields[tracker.TypeInteger]
	picks, options := w.fields[tracker.TypeMultiSelect], w.options[tracker.TypeSelect]
	one, two, three := options[0], options[1], options[2]
	for i := range 4 {
		w.create(t, fmt.Sprint("Issue ", i), []any{w.given(tracker.TypeSelect, options[i%3])})
	}
	field := func(id, member string, filter any) any { return map[string]any{"fieldId": id, member: filter} }
	list := func(all ...any) []any { return all }
	m := func(members ...any) map[string]any { return inputOf(members...) }
	v := w.save(t, s, m("name", "V",
		"columns", append(w.columns(tracker.TypeText, tracker.TypeSelect), m("column", m("builtin", "NAME"))),
		"orderBy", list(m("column", m("fieldId", text)), m("column", m("builtin", "NUM"), "direction",
			"DESC")),
		"filter", m(
			"and", list(m("fields", list(field(text, "text", m("eq", "x"))))),
			"or", list(m("name", m("contains", "Issue")), m("fields", list(field(text, "isNull", true)))),
			"not", m("fields", list(field(text, "text", m("eq", "y")))),
			"fields", list(field(pick, "option", m("inIds", list(one, two, three))),
				field(pick, "option", m("neq", "Two", "notInIds", list(two))),
				field(picks, "options", m("hasNone", list("One"))))),
		"groupBy", list(m("column", m("fieldId", text), "firstLetter", true),
			m("column", m("fieldId", number), "width", 10)),
		"summaries", list(m("column", m("fieldId", text), "part", "FILLED"),
			m("column", m("fieldId", number), "part", "SUM"),
			m("column", m("fieldId", pick), "part", "EMPTY"))))
	if len(v.Problems) != 0 {
		t.Fatalf("a new view has the problems %v", v.Problems)
	}
	w.run(t, `deleteCustomField(input: {id: %q}) { deletedCustomFieldId }`, text)
	w.run(t, `mergeOptions(input: {fieldId: %q, fromIds: [%q], into: {none: true}}) { field { id } }`, pick,
		two)
	s.runJobs(t, w.project)
	w.run(t, `changeCustomFieldType(input: {id: %q, type: TEXT}) { job { id } }`, number)
	s.runJobs(t, w.project)
	w.run(t, `changeCustomFieldType(input: {id: %q, type: TAGS}) { job { id } }`, picks)
	s.runJobs(t, w.project)
	got := w.readView(t, s, v.ID)
	same(t, "problems", []viewProblem{
		{"columns[0]", `the custom field "Field TEXT" no longer exists`},
		{"filter.and[0].fields[0]", `the custom field "Field TEXT" no longer exists`},
		{"filter.or[1].fields[0]", `the custom field "Field TEXT" no longer exists`},
		{"filter.not.fields[0]", `the custom field "Field TEXT" no longer exists`},
		{"filter.fields[0].option.inIds[1]",
			`the option "Two" of the custom field "Field SELECT" no longer exists`},
		{"filter.fields[1].option.neqId",
			`the option "Two" of the custom field "Field SELECT" no longer exists`},
		{"filter.fields[1].option.notInIds[0]",
			`the option "Two" of the custom field "Field SELECT" no longer exists`},
		{"filter.fields[2]",
			`the custom field "Field MULTI_SELECT" has the type TAGS now, which the comparison does not fit`},
		{"orderBy[0]", `the custom field "Field TEXT" no longer exists`},
		{"groupBy[0]", `the custom field "Field TEXT" no longer exists`},
		{"groupBy[1]", `only numbers have ranges of a width`},
		{"summaries[0]", `the custom field "Field TEXT" no longer exists`},
		{"summaries[1]", "the column has no `sum`; it is for columns of the types INTEGER and NUMBER"},
	}, got.Problems)
	same(t, "columns", 2, len(got.Columns))
	same(t, "groupings", []viewGrouping{}, got.GroupBy)
	same(t, "summaries", []viewSummary{{Field: &struct{ Name string }{"Field SELECT"}, Part: "EMPTY"}},
		got.Summaries)
	same(t, "order", []viewOrder{{Builtin: new("NUM"), Direction: "DESC", Nulls: "LAST"}}, got.OrderBy)
	wantFilter, err := json.Marshal(m("or", list(m("name", m("contains", "Issue"))),
		"fields", list(field(pick, "option", m("inIds", list(one, three))))))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "filter", string(wantFilter), string(got.Filter))
	same(t, "issues", []int{4, 3, 1}, w.shown(t, s, v.ID, ""))

	kept := w.changeView(t, s, "updateView", m("id", v.ID, "columns", []any{}))
	same(t, "problems after new columns", got.Problems[1:], kept.Problems)
	saved := w.changeView(t, s, "updateView", m("id", v.ID, "filter", decode[any](t, got.Filter),
		"groupBy", []any{}, "summaries", list(m("column", m("fieldId", pick), "part", "EMPTY")),
		"orderBy", list(m("column", m("builtin", "NUM"), "direction", "DESC"))))
	same(t, "problems after it was saved as it was read", []viewProblem{}, saved.Problems)
	same(t, "its filter", string(got.Filter), string(saved.Filter))
}

// TestViewOfMergedStates merges states. The view follows as long as the merge is in progress.
func TestViewOfMergedStates(t *testing.T) {
	s := newServer(t, func(s *dynamo.Settings) { s.DefinitionTTL = time.Microsecond })
	w := newWorld(t, s)
	w.create(t, "Issue", nil)
	v := w.save(t, s, inputOf("name", "V", "filter",
		map[string]any{"state": map[string]any{"in": []any{"New", "Done"}}}))
	w.run(t, `mergeStates(input: {projectId: %q, fromIds: [%q], intoId: %q}) { project { id } }`, w.project,
		w.states[1],
		w.states[0])
	got := w.readView(t, s, v.ID)
	same(t, "problems", []viewProblem{}, got.Problems)
	same(t, "the filter", any(map[string]any{"state": map[string]any{"inIds": []any{w.states[0]}}}),
		decode[any](t, got.Filter))
	same(t, "issues", []int{1}, w.shown(t, s, v.ID, ""))
}

// TestViewOfRenamedThings renames all that a view refers to. It stays the same.
func TestViewOfRenamedThings(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	pick, option := w.fields[tracker.TypeSelect], w.options[tracker.TypeSelect][0]
	w.create(t, "Issue", []any{w.given(tracker.TypeSelect, option)})
	v := w.save(t, s, inputOf("name", "V", "filter", map[string]any{"state": map[string]any{"eq": "New"},
		"fields": []any{map[string]any{"fieldId": pick, "option": map[string]any{"eq": "One"}}}}))
	w.run(t, `updateCustomField(input: {id: %q, name: "Team"}) { field { id } }`, pick)
	w.run(t, `updateOption(input: {id: %q, name: "Eins"}) { field { id } }`, option)
	w.run(t, `updateState(input: {id: %q, name: "Neu"}) { state { id } }`, w.states[0])
	same(t, "the view", v, w.readView(t, s, v.ID))
	same(t, "its issues", []int{1}, w.shown(t, s, v.ID, ""))
}

// TestViewOfRelativeTimes checks that relative times stay relative.
func TestViewOfRelativeTimes(t *testing.T) {
	c := newClocked(t, time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC))
	const day = `{"base":"START_OF_DAY","offset":-1,"unit":"DAY"}`
	field := c.fields[tracker.TypeDate]
	filter := decode[any](t,
		[]byte(`{"fields":[{"date":{"relative":{"gte":`+day+`}},"fieldId":"`+field+`"}]}`))
	v := c.save(t, c.server, inputOf("name", "V", "filter", filter))
	same(t, "the filter", filter, decode[any](t, v.Filter))
	expect := func() (want []int) {
		for num := range 121 {
			if c.dates[num] >= c.now.AddDate(0, 0, -1).Format(time.DateOnly) {
				want = append(want, num)
			}
		}
		return want
	}
	same(t, "issues", expect(), c.shown(t, c.server, v.ID, ""))
	c.now = c.now.AddDate(0, 0, 20)
	same(t, "issues 20 days later", expect(), c.shown(t, c.server, v.ID, ""))
	same(t, "what they are relative to", "2026-04-04T12:00:00Z", get[string](t, c.server,
		"node.issues.relativeTo",
		`query($v: ID!) { node(id: $v) { ... on View { issues(timeZone: "Europe/Berlin") { relativeTo } } } }`,
		map[string]any{"v": v.ID}))
}

// TestViewFilterLimits checks that the filter of a view and another one together have the limit of one.
func TestViewFilterLimits(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	many := make([]int, 60)
	for i := range many {
		many[i] = i + 1
	}
	v := w.save(t, s, inputOf("name", "V", "filter", map[string]any{"num": map[string]any{"in": many}}))
	query := `query($v: ID!, $w: IssueFilter) { node(id: $v) { ... on View { issues(where: $w) { nodes { num } } } } }`
	for n, says := range map[int]string{40: "", 41: "101 comparisons"} {
		more := map[string]any{"num": map[string]any{"in": many[:n]}}
		a := s.ask(t, query, map[string]any{"v": v.ID, "w": more})
		if (len(a.Errors) > 0) != (says != "") ||
			says != "" && (!strings.Contains(a.Errors[0].Message, says) ||
				a.Errors[0].Extensions["argument"] != "where.num.in") {
			t.Errorf("with %d more: %s %+v", n, a.Data, a.Errors)
		}
	}
}

// TestViewOfOpenIssues checks that a view which selects open issues, with as many comparisons as a filter may
// have, still opens when the project has more such states.
func TestViewOfOpenIssues(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	w.create(t, "Issue", []any{})
	many := make([]int, 99)
	for i := range many {
		many[i] = i + 1
	}
	v := w.save(t, s, inputOf("name", "V",
		"filter", map[string]any{"num": map[string]any{"in": many}, "open": true}))
	for n := range 3 {
		w.mutate(t, mutation("createState", "project { id }"), inputOf("projectId", w.project,
			"name", fmt.Sprint("S", n), "open", true))
		same(t, "issues", []int{1}, w.shown(t, s, v.ID, ""))
	}
	w.changeView(t, s, "updateView", inputOf("id", v.ID, "filter", decode[any](t, v.Filter)))
}

// TestViewsOfDeletedProjects checks views of a project in the trash, after it was restored, and purged.
func TestViewsOfDeletedProjects(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	ada := w.user(t, "ada", tracker.Admin)
	v := w.save(t, ada, inputOf("name", "Mine"))
	missing := func(what string) {
		t.Helper()
		a := ada.ask(t, `query($v: ID!) { node(id: $v) { id } viewer { views { nodes { id } totalCount } } }`,
			map[string]any{"v": v.ID})
		if a.outcome() != "NOT_FOUND" ||
			string(a.Data) != `{"node":null,"viewer":{"views":{"nodes":[],"totalCount":0}}}` {
			t.Errorf("%s: %s %+v", what, a.Data, a.Errors)
		}
		for _, mutation := range []string{"updateView", "deleteView"} {
			_, errs := w.tryView(t, ada, mutation, inputOf("id", v.ID))
			same(t, what+", "+mutation, "NOT_FOUND", answer{Errors: errs}.outcome())
		}
	}
	w.run(t, `deleteProject(input: {id: %q}) { deletedProjectId }`, w.project)
	missing("in the trash")
	w.run(t, `restoreProject(input: {id: %q}) { project { id } }`, w.project)
	same(t, "restored", v, w.readView(t, ada, v.ID))
	w.run(t, `deleteProject(input: {id: %q, permanently: true, confirm: "WORLD"}) { deletedProjectId }`,
		w.project)
	missing("deleted")
	s.runJobs(t, w.project)
	missing("purged")
	for key := range s.raw(t, tenantID(t, w.tenant)) {
		if strings.Contains(key, "xviews") {
			t.Errorf("%s is left", key)
		}
	}
}

// TestViewsOfViewer pages through the private views of a user in several projects, in both directions.
func TestViewsOfViewer(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	ada := w.user(t, "ada", tracker.Reader)
	worlds := []*world{w, s.worldOf(t, w.tenant, "TWO"), s.worldOf(t, w.tenant, "THREE")}
	for i, name := range []string{"b", "a", "c", "d", "e"} {
		worlds[i%3].save(t, ada, inputOf("name", name))
	}
	w.save(t, s, inputOf("name", "shared", "shared", true))
	read := func(arguments string) connection[view] {
		t.Helper()
		return get[connection[view]](t, ada, "viewer.views",
			`{ viewer { views(`+arguments+`) { nodes `+wholeView+flags+
				` totalCount totalCountPrecision } } }`, nil)
	}
	whole := read("first: 100")
	all := viewNames(whole.Nodes)
	if whole.TotalCount != 5 || whole.TotalCountPrecision != "EXACT" || len(all) != 5 ||
		whole.PageInfo.HasNextPage {
		t.Errorf("all views: %+v", whole)
	}
	seen := map[string]bool{}
	for i, v := range whole.Nodes { // those of a project are next to each other, by name
		if i > 0 && whole.Nodes[i-1].Project == v.Project {
			if before := whole.Nodes[i-1]; before.Name > v.Name {
				t.Errorf("%s is after %s", v.Name, before.Name)
			}
		} else if seen[v.Project.ID] {
			t.Errorf("the views of a project are not next to each other: %v", all)
		}
		seen[v.Project.ID] = true
	}
	for size := 1; size <= 3; size++ {
		same(t, fmt.Sprint("pages of ", size), all, viewNames(walkPages(t, size, read)))
	}
	a := s.ask(t, `{ viewer { views { nodes { id } } } }`, nil)
	if string(a.Data) != `{"viewer":{"views":null}}` || len(a.Errors) > 0 {
		t.Errorf("views of an operator without a tenant: %s %+v", a.Data, a.Errors)
	}
}

// TestViewCosts checks the calls of each way to read a view.
func TestViewCosts(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	w.create(t, "Issue", nil)
	v := w.save(t, s, inputOf("name", "V", "shared", true, "isDefault", true))
	other := w.save(t, s, inputOf("name", "W"))
	for _, test := range []struct {
		query string
		want  map[string]int
	}{
		{`{ node(id: "V") { ... on View { name problems { path } isDefault } } }`, reads(0, 1)},
		{`{ nodes(ids: ["V", "W"]) { ... on View { name problems { path } } } }`, reads(0, 1)},
		{`{ node(id: "V") { ... on View { name issues { nodes { num } } } } }`, reads(shardsIn(t), 2)},
		{`{ project(id: "P") { view(id: "V") { name } } }`, reads(0, 1)},
		{`{ project(id: "P") { views { nodes { name } totalCount } } }`, reads(2, 0)},
		{`{ project(id: "P") { defaultView { name } } }`, reads(0, 2)},
	} {
		s.wire.Reset()
		query := strings.NewReplacer(`"V"`, fmt.Sprintf("%q", v.ID), `"W"`, fmt.Sprintf("%q", other.ID),
			`"P"`,
			fmt.Sprintf("%q", w.project)).Replace(test.query)
		if a := s.ask(t, query, nil); len(a.Errors) > 0 {
			t.Errorf("%s: %+v", test.query, a.Errors)
		}
		same(t, test.query, test.want, s.wire.Calls())
	}
}

// TestOtherServersKnowNewFieldsOfViews reads a view with a new field on a server that has cached an older
// definition of the project. The field is not taken for a deleted one.
func TestOtherServersKnowNewFieldsOfViews(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	other := s.cold(t)
	w.views(t, other) // caches the definition
	w.addField(t, tracker.TypeText, "New", false)
	v := w.save(t, s, inputOf("name", "V", "shared", true, "isDefault", true,
		"columns", w.columns(tracker.TypeText)))
	same(t, "the view", v, w.readView(t, other, v.ID))

	other = s.cold(t)
	w.views(t, other)
	w.addField(t, tracker.TypeText, "Newer", false)
	v = w.changeView(t, s, "updateView", inputOf("id", v.ID, "columns", w.columns(tracker.TypeText)))
	v.Name, v.Version = "W", v.Version+1
	same(t, "a change by the other server", v, w.changeView(t, other, "updateView",
		inputOf("id", v.ID, "name", "W")))
}

// TestViewsExample runs the example of docs/views.md.
func TestViewsExample(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "Issue", nil)
	queries, answers := examplesOf(t, "views.md")
	if len(queries) != 2 || len(answers) != 2 {
		t.Fatalf("%d queries and %d answers", len(queries), len(answers))
	}
	names := strings.NewReplacer("PROJECT", w.project, "FIELD", w.fields[tracker.TypeText],
		"STATE", w.states[0])
	created := s.ask(t, names.Replace(queries[0]), nil)
	if len(created.Errors) > 0 {
		t.Fatal(created.Errors)
	}
	id := decode[struct {
		CreateView struct{ View struct{ ID string } }
	}](t, created.Data).CreateView.View.ID
	want := strings.Replace(names.Replace(answers[0]), "VIEW", id, 1)
	same(t, "the answer", decode[any](t, []byte(want)), decode[any](t, created.Data))
	page := get[struct {
		Columns []viewColumn
		Issues  struct{ Nodes []struct{ Name string } }
	}](t, s, "node", strings.Replace(queries[1], "VIEW", id, 1), nil)
	if rows := page.Issues.Nodes; len(page.Columns) != 2 || len(rows) != 1 || rows[0].Name != i.Name {
		t.Errorf("the page is %+v", page)
	}

	added := get[string](t, s, "createState.state.id", mutation("createState", "state { id }"),
		input(nil, "projectId", w.project, "name", "Waiting", "open", true))
	v := w.save(t, s, inputOf("name", "Waiting", "filter",
		map[string]any{"state": map[string]any{"in": []any{"Waiting"}}}))
	w.run(t, `mergeStates(input: {projectId: %q, fromIds: [%q], intoId: %q}) { project { id } }`, w.project,
		added, w.states[0])
	s.runJobs(t, w.project)
	type problems struct{ Problems []viewProblem }
	same(t, "the problems", decode[problems](t, []byte(answers[1])).Problems,
		w.readView(t, s, v.ID).Problems)
}
