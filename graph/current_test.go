package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/tracker"
)

// newcomer is a field, an option and a state that were just created on another server.
type newcomer struct{ field, option, state string }

// TestOtherServersKnowNewFields creates fields, options and states on one server and uses them on another one
// that has cached the definition, in every place that accepts them.
func TestOtherServersKnowNewFields(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	other := s.cold(t)
	old := w.create(t, "old", nil)
	list := fmt.Sprintf(`{ project(id: %q) { fields { id } states { id } } }`, w.project)
	n := 0
	add := func(t *testing.T) newcomer {
		t.Helper()
		other.data(t, list, nil, &struct{}{}) // caches the definition
		n++
		w.addField(t, tracker.TypeSelect, fmt.Sprint("Select ", n), false)
		var added struct{ CreateState struct{ State stateView } }
		s.data(t, `mutation($i: CreateStateInput!) { createState(input: $i) { state { id } } }`,
			input(nil, "projectId", w.project, "name", fmt.Sprint("State ", n), "open", true), &added)
		return newcomer{w.fields[tracker.TypeSelect], w.options[tracker.TypeSelect][0],
			added.CreateState.State.ID}
	}
	grid := func(arguments, selection string) string {
		return `{ project(id: "` + w.project + `") { fields { id } issues(` + arguments + `) { ` + selection +
			` totalCount explain { text } } } }`
	}
	for _, test := range []struct{ name, operation string }{
		{"order", grid(`orderBy: [{column: {fieldId: "FIELD"}}]`, `nodes { id }`)},
		{"filter", grid(`where: {fields: [{fieldId: "FIELD", option: {eqId: "OPTION"}}]}`, `nodes { id }`)},
		{"filter by state", grid(`where: {state: {eqId: "STATE"}}`, `nodes { id }`)},
		{"value", grid(`first: 5`, `nodes { value(fieldId: "FIELD") { display } }`)},
		{"values", grid(`first: 5`, `nodes { values(fieldIds: ["FIELD"]) { display } }`)},
		{"edges", grid(`first: 5`, `edges { node { value(fieldId: "FIELD") { display } } }`)},
		{"field", `{ project(id: "PROJECT") { fields { id } field(id: "FIELD") { name } } }`},
		{"node", `{ node(id: "FIELD") { id } project(id: "PROJECT") { fields { id } } }`},
		{"cursorAt", `{ project(id: "PROJECT") { fields { id }
			cursorAt(orderBy: [{column: {fieldId: "FIELD"}}], value: {optionId: "OPTION"}) } }`},
		{"value of an issue", `{ project(id: "PROJECT") { fields { id } } issue(id: "ISSUE") { value(fieldId: "FIELD") { display } } }`},
		{"createIssue", `mutation { createIssue(input: {projectId: "PROJECT", issue: {name: "x", stateId: "STATE",
			values: [{fieldId: "FIELD", value: {optionId: "OPTION"}}]}}) { issue { state { id } value(fieldId: "FIELD") { display }
			project { fields { id } } } } }`},
		{"updateIssue", `mutation { updateIssue(input: {issue: {id: "ISSUE", stateId: "STATE",
			values: [{fieldId: "FIELD", value: {optionId: "OPTION"}}]}}) { issue { value(fieldId: "FIELD") { display }
			project { fields { id } } } } }`},
		{"updateIssue that does not name the field", `mutation { updateIssue(input: {issue: {id: "ISSUE", name: "NAME"}}) {
			issue { value(fieldId: "FIELD") { display } project { fields { id } } } } }`},
		{"restoreIssue", `mutation { deleteIssue(input: {issue: {id: "ISSUE"}}) { deletedIssueId }
			restoreIssue(input: {id: "ISSUE"}) { issue { ... on Issue { values(fieldIds: ["FIELD"]) { display } }
			project { fields { id } } } } }`},
		{"order of a grid below restoreIssue", `mutation { deleteIssue(input: {issue: {id: "ISSUE"}}) { deletedIssueId }
			restoreIssue(input: {id: "ISSUE"}) { issue { project { fields { id }
			issues(orderBy: [{column: {fieldId: "FIELD"}}]) { nodes { num } } } } } }`},
		{"createIssues", `mutation { createIssues(input: {projectId: "PROJECT", issues: [{name: "x"}, {name: "y", stateId: "STATE",
			values: [{fieldId: "FIELD", value: {optionId: "OPTION"}}]}]}) { results { errors { message }
			issue { project { fields { id } } } } } }`},
		{"updateIssues", `mutation { updateIssues(input: {issues: [{id: "ISSUE", stateId: "STATE",
			values: [{fieldId: "FIELD", value: {optionId: "OPTION"}}]}]}) { results { errors { message }
			issue { project { fields { id } } } } } }`},
		{"updateIssues that does not name the field", `mutation { updateIssues(input: {issues: [{id: "ISSUE",
			name: "NAME"}]}) { results { errors { message } issue { project { fields { id } } } } } }`},
		{"two root fields", `mutation { a: updateIssue(input: {issue: {id: "ISSUE", name: "NAME"}}) { issue { id } }
			b: updateIssue(input: {issue: {id: "ISSUE", values: [{fieldId: "FIELD", value: {optionId: "OPTION"}}]}}) {
			issue { project { fields { id } } } } }`},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := add(t)
			operation := strings.NewReplacer("FIELD", n.field, "OPTION", n.option, "STATE", n.state,
				"PROJECT", w.project, "ISSUE", old.ID, "NAME", "name "+n.field).Replace(test.operation)
			a := other.ask(t, operation, nil)
			if len(a.Errors) > 0 || strings.Contains(string(a.Data), `"message"`) {
				t.Fatalf("%s: %v", a.Data, a.Errors)
			}
			if !strings.Contains(string(a.Data), n.field) { // among the fields of the project
				t.Errorf("the response mixes two definitions: %s", a.Data)
			}
		})
	}
}

// TestOtherServersForgetDeletedFields deletes a field on one server and uses it on another one that has
// cached the definition.
func TestOtherServersForgetDeletedFields(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	other := s.cold(t)
	issue := w.create(t, "old", nil)
	for _, mutation := range []string{
		`updateIssue(input: {issue: {id: "ISSUE", values: [{fieldId: "FIELD", value: {integer: "7"}}]}}) { issue { id } }`,
		`createIssue(input: {projectId: "PROJECT", issue: {name: "x",
			values: [{fieldId: "FIELD", value: {integer: "7"}}]}}) { issue { id } }`,
		`createIssues(input: {projectId: "PROJECT", issues: [{name: "x",
			values: [{fieldId: "FIELD", value: {integer: "7"}}]}]}) { results { errors { message } } }`,
		`updateIssues(input: {issues: [{id: "ISSUE",
			values: [{fieldId: "FIELD", value: {integer: "7"}}]}]}) { results { errors { message } } }`,
	} {
		field := w.fields[tracker.TypeInteger]
		other.data(t, fmt.Sprintf(`{ project(id: %q) { fields { id } } }`, w.project), nil, &struct{}{})
		s.mutate(t, `mutation($i: DeleteCustomFieldInput!) { deleteCustomField(input: $i) { deletedCustomFieldId } }`,
			map[string]any{"id": field})
		a := other.ask(t, `mutation { `+strings.NewReplacer("FIELD", field, "PROJECT", w.project, "ISSUE",
			issue.ID).Replace(mutation)+` }`, nil)
		if text := fmt.Sprint(string(a.Data), a.Errors); !strings.Contains(text, "no such field") {
			t.Errorf("%s: %s", mutation, text)
		}
		w.addField(t, tracker.TypeInteger, "Again "+field, false)
	}
	// A field that is only selected is an error of the selection: the mutation is executed.
	field := w.fields[tracker.TypeInteger]
	other.data(t, fmt.Sprintf(`{ project(id: %q) { fields { id } } }`, w.project), nil, &struct{}{})
	s.mutate(t, `mutation($i: DeleteCustomFieldInput!) { deleteCustomField(input: $i) { deletedCustomFieldId } }`,
		map[string]any{"id": field})
	a := other.ask(t, fmt.Sprintf(`mutation { updateIssue(input: {issue: {id: %q, name: "renamed"}}) {
		issue { name value(fieldId: %q) { display } } } }`, issue.ID, field), nil)
	if text := fmt.Sprint(string(a.Data), a.Errors); !strings.Contains(text, `"name":"renamed","value":null`) ||
		!strings.Contains(text, "no such custom field") {
		t.Errorf("a deleted field that is selected: %s", text)
	}
}

// TestOtherServersForgetMergedStates merges a state on one server and uses it on another one that has cached
// the definition.
func TestOtherServersForgetMergedStates(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	other := s.cold(t)
	for _, mutation := range []string{
		`updateIssue(input: {issue: {id: "ISSUE", stateId: "STATE"}}) { issue { id } }`,
		`createIssue(input: {projectId: "PROJECT", issue: {name: "x", stateId: "STATE"}}) { issue { id } }`,
		`createIssues(input: {projectId: "PROJECT", issues: [{name: "x", stateId: "STATE"}]}) {
			results { errors { message } } }`,
		`updateIssues(input: {issues: [{id: "ISSUE", stateId: "STATE"}]}) { results { errors { message } } }`,
		`moveState(input: {id: "STATE", to: {end: true}}) { project { id } }`,
		`updateIssue(input: {issue: {id: "ISSUE", name: "other"}}) { issue { state { name } version } }`,
	} {
		state := w.addStates(t, "Again")[2]
		issue := w.createOf(t, map[string]any{"name": "x", "stateId": state})
		other.data(t, fmt.Sprintf(`{ project(id: %q) { fields { id } } }`, w.project), nil, &struct{}{})
		s.mutate(t, mergeStates, map[string]any{"projectId": w.project, "fromIds": []string{state},
			"intoId": w.states[0]})
		a := other.ask(t, `mutation { `+strings.NewReplacer("STATE", state, "PROJECT", w.project, "ISSUE",
			issue.ID).Replace(mutation)+` }`, nil)
		want := "no state with the id"
		switch {
		case strings.HasPrefix(mutation, "moveState"):
			want = "no such state"
		case strings.Contains(mutation, "name: \"other\""):
			want = `"state":{"name":"New"},"version":3` // merged, and renamed
		}
		if text := fmt.Sprint(string(a.Data), a.Errors); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", mutation, text, want)
		}
	}
}
