package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// named is a world whose names people type in several ways.
func named(t *testing.T) (*server, *world, issue) {
	t.Helper()
	s := newServer(t)
	w := newWorld(t, s)
	i := w.create(t, "first", []any{w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][1])})
	return s, w, i
}

// TestLookUpsByName finds each object by the words that people use, and compares it with the one found by its
// id.
func TestLookUpsByName(t *testing.T) {
	s, w, i := named(t)
	field := w.fields[tracker.TypeMultiSelect]
	tenant := s.as(t, tracker.Principal{Tenant: tenantID(t, w.tenant), User: "ada", Role: tracker.Reader})
	for _, test := range []struct {
		query string
		want  string // the id
	}{
		{`{ tenant(id: "TENANT") { project: projectByKey(key: "WORLD") { id } } }`, w.project},
		{`{ tenant(id: "TENANT") { project: projectByKey(key: "world") { id } } }`, w.project},
		{`{ viewer { project: projectByKey(key: "WORLD") { id } } }`, w.project},
		{`{ issueByKey(key: "WORLD-1") { id } }`, i.ID},
		{`{ issueByKey(key: "world-1") { id } }`, i.ID},
		{`{ project(id: "PROJECT") { fieldByName(name: "Field MULTI_SELECT") { id } } }`, field},
		{`{ project(id: "PROJECT") { fieldByName(name: " field multi_select") { id } } }`, field},
		{`{ project(id: "PROJECT") { state: stateByName(name: "Done") { id } } }`, w.states[1]},
		{`{ project(id: "PROJECT") { state: stateByName(name: "dONe ") { id } } }`, w.states[1]},
		{`{ node(id: "` + field + `") { ... on CustomField { option: optionByName(name: "Two") { id } } } }`,
			w.options[tracker.TypeMultiSelect][1]},
		{`{ node(id: "` + field + `") { ... on CustomField { option: optionByName(name: " TWO") { id } } } }`,
			w.options[tracker.TypeMultiSelect][1]},
	} {
		query := strings.NewReplacer("TENANT", w.tenant, "PROJECT", w.project).Replace(test.query)
		a := tenant.ask(t, query, nil)
		if len(a.Errors) > 0 || !strings.Contains(string(a.Data), `"id":"`+test.want+`"`) {
			t.Errorf("%s: %s %v, want %s", query, a.Data, a.Errors, test.want)
		}
	}
	project := func(selection string) string {
		return `{ project(id: "` + w.project + `") { ` + selection +
			` } }`
	}
	var refusals []refusal
	for _, c := range []struct {
		name, query string
		code        tracker.Code
		argument    string
		says        string
	}{
		{"an unknown project", `{ viewer { project: projectByKey(key: "NONE") { id } } }`, tracker.NotFound, "", "project"},
		{"what is no key", `{ viewer { project: projectByKey(key: "../x") { id } } }`, tracker.NotFound, "", ""},
		{"an unknown number", `{ issueByKey(key: "WORLD-2") { id } }`, tracker.NotFound, "", "issue"},
		{"an issue of an unknown project", `{ issueByKey(key: "NONE-1") { id } }`, tracker.NotFound, "",
			"issue"},
		{"a key without a number", `{ issueByKey(key: "WORLD") { id } }`, tracker.BadInput, "key",
			"FLEET-12"},
		{"a key with a sign", `{ issueByKey(key: "WORLD-+1") { id } }`, tracker.BadInput, "key", ""},
		{"a number beyond all", `{ issueByKey(key: "WORLD-99999999999") { id } }`, tracker.BadInput, "key",
			""},
		{"an unknown field", project(`fieldByName(name: "None") { id }`), tracker.NotFound, "", ""},
		{"an empty name", project(`fieldByName(name: "") { id }`), tracker.NotFound, "", ""},
		{"an unknown state", project(`state: stateByName(name: "None") { id }`), tracker.NotFound, "", ""},
		{"an unknown option", project(`field(id: "` + field + `") { option: optionByName(name: "None") { id } }`),
			tracker.NotFound, "", ""},
		{"an option of another field",
			project(`fieldByName(name: "Field TEXT") { option: optionByName(name: "Two") { id } }`),
			tracker.NotFound, "", ""},
	} {
		refusals = append(refusals, refusal{name: c.name, query: c.query, code: c.code, argument: c.argument,
			says: []string{c.says}})
	}
	tenant.refuses(t, refusals)
	var many strings.Builder
	for n := range 300 { // different names of the same state, each of 255 characters
		name := strings.Repeat(" ", n%250) + []string{"New", "nEW"}[n/250] + strings.Repeat(" ", 252-n%250)
		fmt.Fprintf(&many, `a%d: stateByName(name: "%s") { id } `, n, name)
	}
	a := tenant.ask(t, project(many.String()), nil)
	for _, e := range a.Errors {
		more := len(e.Path) == 0 // that there are more errors
		if !more && (e.Extensions["argument"] != "name" ||
			!strings.Contains(e.Message, "the limit is 65536")) {
			t.Errorf("%+v", e)
		}
	}
	if found := strings.Count(string(a.Data), w.states[0]); found != 65536/255 || len(a.Errors) == 0 {
		t.Errorf("%d of 300 names were looked up: %+v", found, a.Errors)
	}
	s.refuses(t, []refusal{
		{name: "an operator without a tenant", query: `{ viewer { project: projectByKey(key: "WORLD") { id } } }`,
			code: tracker.BadInput, argument: "key", says: []string{"tenant(id:)"}},
		{name: "an issue for an operator", query: `{ issueByKey(key: "WORLD-1") { id } }`,
			code:     tracker.BadInput,
			argument: "key", says: []string{"tenant(id:)"}},
	})
	other := s.as(t, tracker.Principal{Tenant: "another", User: "eve", Role: tracker.Admin})
	other.refuses(t, []refusal{
		{name: "of another tenant", query: `{ issueByKey(key: "WORLD-1") { id } }`, code: tracker.NotFound}})
}

// idOperators replaces the operators that take names by those that take ids.
var idOperators = strings.NewReplacer("eq:", "eqId:", "neq:", "neqId:", "in:", "inIds:", "notIn:",
	"notInIds:",
	"hasAny:", "hasAnyIds:")

// TestFiltersByName compares filters with the names of states and options with those by ids.
func TestFiltersByName(t *testing.T) {
	s, w, _ := named(t)
	selects, multi := w.fields[tracker.TypeSelect], w.fields[tracker.TypeMultiSelect]
	for n := range 6 {
		w.createOf(t, map[string]any{"name": fmt.Sprint(n), "stateId": w.states[n%2], "values": []any{
			w.given(tracker.TypeSelect, w.options[tracker.TypeSelect][n%3]),
			w.given(tracker.TypeMultiSelect, w.options[tracker.TypeMultiSelect][n%2:2+n%2])}})
	}
	grid := func(where string) string {
		return fmt.Sprintf(`{ project(id: %q) { issues(where: %s) { nodes { num } } } }`, w.project, where)
	}
	nums := func(where string) (nums []int) {
		t.Helper()
		var got page
		s.data(t, grid(where), nil, &got)
		for _, n := range got.Project.Issues.Nodes {
			nums = append(nums, n.Num)
		}
		return nums
	}
	for _, test := range []struct {
		where string // with NAME in the place of a name or id
		names []string
		id    string
		rows  int
	}{
		{`{state: {eq: NAME}}`, []string{"Done", "done", " donE "}, w.states[1], 3},
		{`{state: {neq: NAME}}`, []string{"Done"}, w.states[1], 4},
		{`{state: {in: [NAME]}}`, []string{"New"}, w.states[0], 4},
		{`{fields: [{fieldId: "` + selects + `", option: {eq: NAME}}]}`, []string{"Two", "TWO"},
			w.options[tracker.TypeSelect][1], 3},
		{`{fields: [{fieldId: "` + selects + `", option: {notIn: [NAME]}}]}`, []string{"Two"},
			w.options[tracker.TypeSelect][1], 4},
		{`{fields: [{fieldId: "` + multi + `", options: {hasAny: [NAME]}}]}`, []string{"Three", "three"},
			w.options[tracker.TypeMultiSelect][2], 3},
	} {
		want := nums(strings.ReplaceAll(idOperators.Replace(test.where), "NAME", quoted(test.id)))
		if len(want) != test.rows {
			t.Errorf("%s by id: %v", test.where, want)
		}
		for _, name := range test.names {
			same(t, test.where+" "+name, want, nums(strings.ReplaceAll(test.where, "NAME", quoted(name))))
		}
	}
	open := nums(`{open: true}`)
	same(t, "open", nums(`{state: {eq: "New"}}`), open)
	same(t, "not open", nums(`{state: {eq: "Done"}}`), nums(`{open: false}`))
	same(t, "open and not", nums(`{not: {open: false}}`), open)
	same(t, "a name that is the id of nothing", 0, len(nums(`{open: true, state: {eq: "Done"}}`)))
	s.refuses(t, []refusal{
		{name: "an unknown state", query: grid(`{state: {eq: "Dome"}}`), code: tracker.BadInput,
			argument: "where.state.eq", says: []string{`"Dome"`}},
		{name: "an unknown option", query: grid(`{fields: [{fieldId: "` + selects +
			`", option: {in: ["Two", "Four"]}}]}`),
			code: tracker.BadInput, argument: "where.fields[0].option.in[1]", says: []string{`"Four"`,
				"Field SELECT"}},
	})
}

// TestConsistentReads checks that issues are read consistently where this is requested: the documents cost
// twice as much, and nothing else changes.
func TestConsistentReads(t *testing.T) {
	s, w, _ := named(t)
	var ids []string
	for n := range 5 {
		ids = append(ids, w.create(t, fmt.Sprint("issue ", n), []any{w.given(tracker.TypeText, "x")}).ID)
	}
	list, _ := json.Marshal(ids)
	project := func(selection string) string {
		return fmt.Sprintf(`{ project(id: %q) { %s } }`, w.project,
			selection)
	}
	s.ask(t, project(`id`), nil)
	for _, test := range []struct {
		query     string
		documents float64
	}{
		{fmt.Sprintf(`{ issue(id: %q CONSISTENT) { name version } }`, ids[0]), 1},
		{project(`issue: issueByNum(num: 2 CONSISTENT) { name version }`), 1},
		{fmt.Sprintf(`{ nodes(ids: %s CONSISTENT) { ... on Issue { name version } } }`, list), 5},
		{project(`issues(first: 6 CONSISTENT) { nodes { name } pageInfo { endCursor } }`), 6},
		{project(`issues(first: 6 CONSISTENT) { nodes { value(fieldId: "` + w.fields[tracker.TypeText] +
			`") { display } } }`), 6},
		// The keys of the index tell which names contain it.
		{project(`issues(where: {name: {contains: "issue"}} CONSISTENT) { nodes { name } totalCount }`), 5},
		{project(`issues(where: {not: {name: {contains: "issue 2"}}} CONSISTENT) { nodes { name } }`), 6},
	} {
		run := func(with string) (json.RawMessage, float64, map[string]int) {
			t.Helper()
			a := s.ask(t, strings.Replace(test.query, " CONSISTENT", with, 1), nil)
			if len(a.Errors) > 0 {
				t.Fatalf("%s: %+v", test.query, a.Errors)
			}
			return a.Data, a.Extensions.Cost.RCU, a.Extensions.Cost.Calls
		}
		data, rcu, calls := run("")
		explicit, _, _ := run(", consistent: false")
		same(t, test.query, string(data), string(explicit))
		consistent, more, sameCalls := run(", consistent: true")
		same(t, test.query, string(data), string(consistent))
		// How many BatchGetItem calls read the nodes of a list depends on the machine.
		same(t, test.query+" calls", calls["Query"], sameCalls["Query"])
		if more-rcu != test.documents/2 {
			t.Errorf("%s: %v RCU, consistently %v; want %v more", test.query, rcu, more, test.documents/2)
		}
	}
}

// TestChoicesByName writes states and options by their names, and finds them as those that were written by
// their ids. A choice can't be given in both ways.
func TestChoicesByName(t *testing.T) {
	s, w, _ := named(t)
	select1, multi := w.fields[tracker.TypeSelect], w.fields[tracker.TypeMultiSelect]
	options, several := w.options[tracker.TypeSelect], w.options[tracker.TypeMultiSelect]
	value := func(field, member string, v any) any {
		return inputOf("fieldId", field, "value", inputOf(member, v))
	}
	byID := w.createOf(t, inputOf("name", "by id", "stateId", w.states[1], "values", []any{
		value(select1, "optionId", options[1]), value(multi, "optionIds", []any{several[2], several[0]})}))
	byName := w.createOf(t, inputOf("name", "by name", "state", "dONE ", "values", []any{
		value(select1, "option", "two"), value(multi, "options", []any{"Three", "ONE"})}))
	same(t, "the state by name", byID.State, byName.State)
	same(t, "the values by name", byID.Values, byName.Values)

	changed := w.update(t, inputOf("id", byName.ID, "state", "New", "values", []any{
		value(select1, "option", "One"), inputOf("fieldId", multi, "addOptions", []any{"two"},
			"removeOptions", []any{"Three"})}))
	same(t, "the changed state", w.states[0], changed.State.ID)
	shown := []string{}
	for _, v := range changed.Values {
		shown = append(shown, v.Display)
	}
	same(t, "the changed values", []string{"One", "One, Two"}, shown)
	for at, by := range map[string]string{w.states[1]: `optionId: "` + w.states[1] + `"`,
		"its name": `option: "done"`} {
		cursor := get[string](t, s, "project.cursorAt", fmt.Sprintf(
			`{ project(id: %q) { cursorAt(orderBy: [{column: {builtin: STATE}}], value: {%s}) } }`, w.project,
			by), nil)
		rows := get[[]struct{ Num int }](t, s, "project.issues.nodes", fmt.Sprintf(
			`{ project(id: %q) { issues(first: 1, after: %q, orderBy: [{column: {builtin: STATE}}]) { nodes { num } } } }`,
			w.project, cursor), nil)
		same(t, "the first issue at "+at, []int{byID.Num}, nums(rows))
	}

	for argument, members := range map[string]map[string]any{
		"state": inputOf("state", "Done", "stateId", w.states[1]),
		"values[0].value": inputOf("values", []any{inputOf("fieldId", select1, "value",
			inputOf("option", "One", "optionId", options[0]))}),
		"values[0].value.option":     inputOf("values", []any{value(select1, "option", "None")}),
		"values[0].value.options[1]": inputOf("values", []any{value(multi, "options", []any{"One", "None"})}),
		"values[0].value.optionIds": inputOf("values", []any{value(select1, "optionIds",
			[]any{options[0]})}),
		"values[0].addOptions": inputOf("values", []any{inputOf("fieldId", multi, "addOptions",
			[]any{"One"}, "addOptionIds", several[:1])}),
		"values[0].removeOptions[0]": inputOf("values", []any{inputOf("fieldId", multi, "removeOptions",
			[]any{""})}),
		"values[0].value.options[2]": inputOf("values", []any{value(multi, "options", []any{"One", "Two",
			"one"})}),
	} {
		members["id"] = byID.ID
		same(t, argument, "BAD_USER_INPUT input.issue."+argument,
			s.ask(t, updateMutation, map[string]any{"i": members}).outcome())
	}
	same(t, "the issue after refusals", byID, w.read(t, byID.ID))
}
