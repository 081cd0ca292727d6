package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// TestNamesAreSeen sends an invisible character in each name of an input. It finds the names in the schema.
func TestNamesAreSeen(t *testing.T) { onServers(t, namesAreSeen) }

func namesAreSeen(t *testing.T, servers int) {
	s := newServers(t, servers)
	w := newWorld(t, s)
	issue := w.create(t, "an issue", nil)
	view := w.save(t, s, inputOf("name", "a view")).ID
	user, team := w.addUser(t, s, "name", "Ada").ID, w.addTeam(t, s, "name", "Core").ID
	const hidden = "na\u202eme"
	named := func(more ...any) map[string]any { return inputOf(append(more, "name", hidden)...) }
	type ask struct {
		mutation, argument string
		input              map[string]any
	}
	asks := map[string][]ask{
		"CreateTenantInput": {{"createTenant", "input.name", named()}},
		"UpdateTenantInput": {{"updateTenant", "input.name", named("id", w.tenant)}},
		"CreateProjectInput": {{"createProject", "input.name",
			named("tenantId", w.tenant, "key", "NAMES")}},
		"UpdateProjectInput": {{"updateProject", "input.name", named("id", w.project)}},
		"CreateCustomFieldInput": {{"createCustomField", "input.name",
			named("projectId", w.project, "type", "TEXT")}},
		"UpdateCustomFieldInput": {{"updateCustomField", "input.name",
			named("id", w.fields[tracker.TypeText])}},
		"StateInput": {{"createProject", "input.states[0].name",
			map[string]any{"tenantId": w.tenant, "key": "NAMES", "name": "x",
				"states": []any{named("open", true)}}}},
		"CreateStateInput": {{"createState", "input.name", named("projectId", w.project, "open", true)}},
		"UpdateStateInput": {{"updateState", "input.name", named("id", w.states[0])}},
		"OptionInput": {
			{"createCustomField", "input.options[0].name",
				map[string]any{"projectId": w.project, "name": "x", "type": "SELECT",
					"options": []any{named()}}},
			{"updateCustomField", "input.newOptions[0].name",
				map[string]any{"id": w.fields[tracker.TypeSelect], "newOptions": []any{named()}}},
			{"changeCustomFieldType", "input.options[0].name",
				map[string]any{"id": w.fields[tracker.TypeText], "type": "SELECT",
					"options": []any{named()}}},
		},
		"CreateOptionInput": {{"createOption", "input.name", named("fieldId", w.fields[tracker.TypeSelect])}},
		"UpdateOptionInput": {{"updateOption", "input.name", named("id", w.options[tracker.TypeSelect][0])}},
		"IssueCreateInput": {{"createIssue", "input.issue.name",
			map[string]any{"projectId": w.project, "issue": named()}}},
		"CreateViewInput":  {{"createView", "input.name", named("projectId", w.project)}},
		"UpdateViewInput":  {{"updateView", "input.name", named("id", view)}},
		"CreateUserInput":  {{"createUser", "input.name", named("tenantId", w.tenant)}},
		"UpdateUserInput":  {{"updateUser", "input.name", named("id", user)}},
		"CreateTeamInput":  {{"createTeam", "input.name", named("tenantId", w.tenant)}},
		"UpdateTeamInput":  {{"updateTeam", "input.name", named("id", team)}},
		"UpdateIssueInput": {{"updateIssue", "input.issue.name", named("id", issue.ID)}},
		"IssueUpdateInput": {{"updateIssues", "input.issues[0].name",
			map[string]any{"issues": []any{named("id", issue.ID)}}}},
		"ValueInput": {
			{"updateIssue", "input.issue.values[0].value.user",
				map[string]any{"id": issue.ID, "values": []any{w.given(tracker.TypeUser, hidden)}}},
			{"updateIssue", "input.issue.values[0].value.tags[1]",
				map[string]any{"id": issue.ID,
					"values": []any{w.given(tracker.TypeTags, []string{"a", hidden})}}},
		},
	}
	schema := schemaFile(t)
	var refusals []refusal
	for _, kind := range slices.Sorted(maps.Keys(asks)) {
		for _, a := range asks[kind] {
			mutation, selection := schema.Mutation.Fields.ForName(a.mutation), "__typename"
			if a.mutation == "updateIssues" {
				selection = resultErrors
			}
			refusals = append(refusals, refusal{name: kind + " " + a.argument,
				variables: map[string]any{"i": a.input}, code: tracker.BadInput, argument: a.argument,
				says: []string{"U+202E"},
				query: fmt.Sprintf("mutation($i: %s) { %s(input: $i) { %s } }",
					mutation.Arguments.ForName("input").Type, a.mutation, selection)})
		}
	}
	s.refuses(t, refusals)
	for _, d := range schema.Types {
		if name := d.Fields.ForName("name"); d.Kind == ast.InputObject && name != nil &&
			name.Type.Name() == "String" && asks[d.Name] == nil &&
			d.Name != "UserNameLinkInput" { // that values have already
			t.Errorf("%s has a name that is not tested", d.Name)
		}
	}
	t.Run("texts may have them", func(t *testing.T) {
		i := w.createOf(t, map[string]any{"name": "می\u200cخواهم 👩\u200d👧", "description": hidden,
			"values": []any{w.given(tracker.TypeText, hidden),
				w.given(tracker.TypeTags, []string{"👩\u200d👧"})}})
		if i.Name != "می\u200cخواهم 👩\u200d👧" || i.Description == nil || *i.Description != hidden ||
			*i.Values[0].Text != hidden || !strings.Contains(i.Values[1].Display, "\u200d") {
			t.Errorf("%+v", i)
		}
	})
}

// TestNamesFromBefore checks that a thing with a name that is no longer valid, for example from an earlier
// import, can still be changed otherwise.
func TestNamesFromBefore(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	n, err := model.ParseProjectID(w.project)
	if err != nil {
		t.Fatal(err)
	}
	tenant, err := s.db.Tenant(n.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	const old = "o\u200bld"
	if _, err := tenant.UpdateProject(t.Context(), n.Project, func(p *tracker.Project) error {
		p.Name, p.States = old, slices.Clone(p.States)
		p.States[0].Name = old
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	a := s.ask(t, `mutation($p: ID!, $old: String!, $s: ID!, $other: ID!) {
		a: updateProject(input: {id: $p, name: $old}) { project { name } }
		b: updateState(input: {id: $s, name: $old, color: "red"}) { project { name } }
		c: updateState(input: {id: $other, name: "Finished"}) { project { name states { name } } } }`,
		map[string]any{"p": w.project, "old": old, "s": w.states[0], "other": w.states[1]})
	project := `{"project":{"name":"` + old + `"`
	same(t, "data", `{"a":`+project+`}},"b":`+project+`}},"c":`+project+`,"states":[{"name":"`+old+
		`"},{"name":"Finished"}]}}}`, string(a.Data))
}
