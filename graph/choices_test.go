package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

const (
	moveOption   = `mutation($i: MoveOptionInput!) { moveOption(input: $i) { field { rebuilding options { name } } } }`
	mergeOptions = `mutation($i: MergeOptionsInput!) { mergeOptions(input: $i) { field { name } } }`
)

// optionsOf returns the options of a field.
func (w *world) optionsOf(t *testing.T, field string) []optionView {
	t.Helper()
	return get[fieldView](t, w.server, "node", fmt.Sprintf(`{ node(id: %q) { ... on CustomField %s } }`,
		field,
		wholeField), nil).Options
}

// input returns variables with an input from a base and pairs of a member and its value.
func input(base map[string]any, pairs ...any) map[string]any {
	out := inputOf(pairs...)
	for name, v := range base {
		if _, given := out[name]; !given {
			out[name] = v
		}
	}
	return map[string]any{"i": out}
}

// TestEditOptions adds, changes and moves options one at a time. What an edit does not name stays.
func TestEditOptions(t *testing.T) { onServers(t, editOptions) }

func editOptions(t *testing.T, servers int) {
	s := newServers(t, servers, soon)
	w := newWorld(t, s)
	for _, kind := range []tracker.FieldType{tracker.TypeSelect, tracker.TypeMultiSelect} {
		field, ids := w.fields[kind], w.options[kind]
		want := w.optionsOf(t, field)
		add := mutation("createOption", "option { id name color } field "+wholeField)
		for range 2 { // the second time with the same key
			added := get[struct {
				Option optionView
				Field  fieldView
			}](t, s, "createOption", add, input(nil, "fieldId", field, "name", " Four ", "color", "#abc",
				"idempotencyKey", "add "+string(kind)))
			want = append(want[:3:3], optionView{added.Option.ID, "Four", new("#abc")})
			same(t, "the added option", want[3], added.Option)
			same(t, "the options with the added one", want, added.Field.Options)
		}
		for _, change := range []struct {
			given map[string]any
			name  string
			color *string
		}{
			{map[string]any{"name": "First"}, "First", want[0].Color},
			{map[string]any{"color": "teal"}, "First", new("teal")},
			{map[string]any{}, "First", new("teal")},
			{map[string]any{"name": "FIRST", "color": ""}, "FIRST", nil},
		} {
			updated := get[optionView](t, s, "updateOption.option",
				mutation("updateOption", "option { id name color }"), input(change.given, "id", ids[0]))
			want[0].Name, want[0].Color = change.name, change.color
			same(t, fmt.Sprint("the option after ", change.given), want[0], updated)
			same(t, fmt.Sprint("all options after ", change.given), want, w.optionsOf(t, field))
		}
		for range 2 {
			s.mutate(t, moveOption, map[string]any{"id": ids[2], "to": toBefore(ids[0]),
				"idempotencyKey": "move " + string(kind)})
		}
		s.mutate(t, moveOption, map[string]any{"id": ids[0], "to": toEnd})
		want = []optionView{want[2], want[1], want[3], want[0]}
		same(t, "the moved options", want, w.optionsOf(t, field))
		for range 2 {
			s.mutate(t, mergeOptions, map[string]any{"fieldId": field, "fromIds": ids[1:2],
				"into":           intoOption(ids[0]),
				"idempotencyKey": "merge " + string(kind)})
		}
		same(t, "the options that are left", []optionView{want[0], want[2], want[3]}, w.optionsOf(t, field))
	}
	kinds := []string{}
	for _, j := range s.jobs(t, w.project) {
		kinds = append(kinds, j.Kind)
	}
	// grids are not sorted by a MULTI_SELECT
	same(t, "the jobs", []string{"MERGE_OPTIONS", "MERGE_OPTIONS", "MOVE_OPTIONS", "MOVE_OPTIONS"}, kinds)
	s.runJobs(t, w.project)
}

// TestOptionEditsThatAreRefused sends edits that are not possible. None changes anything.
func TestOptionEditsThatAreRefused(t *testing.T) {
	s := newServer(t, soon)
	w := newWorld(t, s)
	field, ids := w.fields[tracker.TypeSelect], w.options[tracker.TypeSelect]
	other := w.options[tracker.TypeMultiSelect][0]
	before := w.optionsOf(t, field)
	s.mutate(t, addOption, map[string]any{"fieldId": w.fields[tracker.TypeMultiSelect], "name": "x",
		"idempotencyKey": "k"})
	n, err := model.ParseOption(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	add := input(nil, "fieldId", field, "name", "x")["i"].(map[string]any)
	update := input(nil, "id", ids[0])["i"].(map[string]any)
	s.refuses(t, []refusal{
		{name: "a name that is taken", query: addOption, variables: input(add, "name", "oNE"),
			code: tracker.Conflict, argument: "input.name", says: []string{"One"}},
		{name: "a text field", query: addOption, variables: input(add, "fieldId", w.fields[tracker.TypeText]),
			code: tracker.BadInput, argument: "input.fieldId", says: []string{"TEXT"}},
		{name: "no such field", query: addOption, variables: input(add, "fieldId", w.project),
			code: tracker.NotFound, says: []string{"custom field"}},
		{name: "a key that was used for another change", query: addOption,
			variables: input(add, "idempotencyKey", "k"), code: tracker.BadInput,
			argument: "input.idempotencyKey", says: []string{"another change"}},
		{name: "the name of another option", query: updateOption, variables: input(update, "name", " tWO"),
			code: tracker.Conflict, argument: "input.name", says: []string{"Two"}},
		{name: "no such option", query: updateOption, variables: input(update, "id", field, "name", "x"),
			code: tracker.NotFound, says: []string{"option"}},
		{name: "an option that was never there", query: updateOption,
			variables: input(update, "name", "x", "id",
				model.OptionID(n.Tenant, n.Project, n.Field, "nothing")),
			code: tracker.NotFound, says: []string{"option"}},
		{name: "moved before an option of another field", query: moveOption,
			variables: input(update, "to", toBefore(other)), code: tracker.BadInput,
			argument: "input.to.beforeId", says: []string{other}},
		{name: "moved before itself", query: moveOption, variables: input(update, "to", toBefore(ids[0])),
			code: tracker.BadInput, argument: "input.to.beforeId", says: []string{"itself"}},
		{name: "moved nowhere", query: moveOption, variables: input(update, "to", map[string]any{}),
			code: tracker.BadInput, argument: "input.to", says: []string{"`beforeId`", "`end: true`"}},
		{name: "moving no option", query: moveOption,
			variables: input(update, "id", w.states[0], "to", toEnd), code: tracker.NotFound,
			says: []string{"option"}},
		{name: "merged nowhere", query: mergeOptions, variables: input(nil, "fieldId", field, "fromIds",
			ids[:1],
			"into", map[string]any{"optionId": ids[1], "none": true}), code: tracker.BadInput,
			argument: "input.into", says: []string{"`optionId`", "`none: true`"}},
	})
	same(t, "the options", before, w.optionsOf(t, field))
}
