package graph_test

import (
	"fmt"
	"maps"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// TestUsedKey checks that every mutation takes an idempotency key, and is refused as a whole if its
// caller has
// used the key for another change.
func TestUsedKey(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	issue, trashed := w.create(t, "an issue", nil).ID, w.create(t, "in the trash", nil).ID
	s.mutate(t, deleteOne, map[string]any{"id": trashed})
	n, err := model.ParseProjectID(w.project)
	if err != nil {
		t.Fatal(err)
	}
	options := w.options[tracker.TypeSelect]
	view := w.save(t, s, inputOf("name", "a view")).ID
	user, team := w.addUser(t, s, "name", "Ada").ID, w.addTeam(t, s, "name", "Core").ID
	s = s.as(t, tracker.Principal{Tenant: n.Tenant, User: "ada", UserID: userID(t, user),
		Role: tracker.Operator})
	comment := wrote(t, s, "createComment", "issueId", issue, "body", "x").ID
	const key = "used before" // in the tenant, and for the tenants
	s.mutate(t, createOne, map[string]any{"projectId": w.project, "issue": map[string]any{"name": "first"},
		"idempotencyKey": key})
	s.mutate(t, mutation("createTenant", "tenant { id }"), inputOf("name", "Used", "idempotencyKey", key))
	inputs := map[string]map[string]any{
		"createTenant":          {"name": "x"},
		"updateTenant":          {"id": w.tenant, "name": "x"},
		"deleteTenant":          {"id": w.tenant, "confirm": "x"},
		"updateProject":         {"id": w.project, "name": "x"},
		"updateCustomField":     {"id": w.fields[tracker.TypeText], "name": "x"},
		"changeCustomFieldType": {"id": w.fields[tracker.TypeText], "type": "TAGS"},
		"deleteCustomField":     {"id": w.fields[tracker.TypeText]},
		"createProject":         {"tenantId": w.tenant, "key": "USED", "name": "x"},
		"createCustomField":     {"projectId": w.project, "name": "x", "type": "TEXT"},
		"createState":           {"projectId": w.project, "name": "x", "open": true},
		"updateState":           {"id": w.states[0], "name": "x"},
		"moveState":             {"id": w.states[0], "to": toEnd},
		"mergeStates":           {"projectId": w.project, "fromIds": w.states[1:], "intoId": w.states[0]},
		"createOption":          {"fieldId": w.fields[tracker.TypeSelect], "name": "x"},
		"updateOption":          {"id": options[0], "name": "x"},
		"moveOption":            {"id": options[0], "to": toEnd},
		"linkUserNames": {"fieldId": w.fields[tracker.TypeUser],
			"links": []any{inputOf("name", "x", "userId", user)}},
		"mergeOptions": {"fieldId": w.fields[tracker.TypeSelect], "fromIds": options[:1],
			"into": intoNone},
		"deleteProject":     {"id": w.project},
		"restoreProject":    {"id": w.project},
		"createIssue":       {"projectId": w.project, "issue": map[string]any{"name": "x"}},
		"createIssues":      {"projectId": w.project, "issues": []any{map[string]any{"name": "x"}}},
		"updateIssue":       {"id": issue, "name": "x"},
		"updateIssues":      {"issues": changes([]string{issue}, map[string]any{"name": "x"})},
		"deleteIssue":       {"id": issue},
		"deleteIssues":      {"issues": changes([]string{issue}, nil)},
		"restoreIssue":      {"id": trashed},
		"createView":        {"projectId": w.project, "name": "x"},
		"updateView":        {"id": view, "name": "x"},
		"deleteView":        {"id": view},
		"createUser":        {"tenantId": w.tenant, "name": "x"},
		"updateUser":        {"id": user, "name": "x"},
		"createTeam":        {"tenantId": w.tenant, "name": "x"},
		"updateTeam":        {"id": team, "name": "x"},
		"addTeamMembers":    {"teamId": team, "userIds": []any{user}},
		"removeTeamMembers": {"teamId": team, "userIds": []any{user}},
		"createComment":     {"issueId": issue, "body": "x"},
		"updateComment":     {"id": comment, "body": "y"},
		"deleteComment":     {"id": comment},
		"addReaction":       {"commentId": comment, "reaction": "EYES"},
		"removeReaction":    {"commentId": comment, "reaction": "EYES"},
		"cancelJob":         {"id": model.JobID(n.Tenant, n.Project, "x")},
	}
	for _, m := range schemaFile(t).Mutation.Fields {
		t.Run(m.Name, func(t *testing.T) {
			given := maps.Clone(inputs[m.Name])
			if given == nil {
				t.Fatal("the test has no input for it")
			}
			given["idempotencyKey"] = key
			s.wire.Reset()
			a := s.ask(t, mutation(m.Name, "__typename"), map[string]any{"i": given})
			same(t, string(a.Data), "BAD_USER_INPUT input.idempotencyKey", a.outcome())
			if calls := s.wire.Calls(); calls["TransactWriteItems"] > 0 {
				t.Errorf("it wrote: %v", calls)
			}
		})
	}
}

// TestKeyOfOneCall checks that the idempotency key of a bulk mutation is that of one call: the same call
// again
// changes nothing, and another one with the same key is refused as a whole, also if the first has failed in
// part.
func TestKeyOfOneCall(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	named := func(names ...string) (issues []any) {
		for _, n := range names {
			issues = append(issues, inputOf("name", n))
		}
		return issues
	}
	create := func(key string, names ...string) string {
		a := s.ask(t, createMany, input(nil, "projectId", w.project, "issues", named(names...),
			"idempotencyKey",
			key))
		return fmt.Sprint(string(a.Data), a.refusals())
	}
	first := create("k", "a", "", "b")
	same(t, "the same call again", first, create("k", "a", "", "b"))
	for _, names := range [][]string{{"a", "", "b", "c"}, {"a"}, {"a", "c", "b"}, {"c"}} {
		same(t, fmt.Sprint("another call, ", names),
			`{"createIssues":null}[input.idempotencyKey: the key was used `+
				`for another change; use a different key for each change]`, create("k", names...))
	}
	issues := get[[]struct{ ID, Name string }](t, s, "project.issues.nodes",
		fmt.Sprintf(`{ project(id: %q) { issues { nodes { id name } } } }`, w.project), nil)
	if len(issues) != 2 || issues[0].Name != "a" || issues[1].Name != "b" {
		t.Fatalf("the issues are %v", issues)
	}

	ids := []string{issues[0].ID, issues[1].ID}
	const refused = "BAD_USER_INPUT input.idempotencyKey"
	for _, bulk := range []struct {
		mutation       string
		change, differ map[string]any
	}{
		{updateMany, inputOf("name", "c"), inputOf("name", "d")},
		{deleteMany, inputOf("expectedVersion", 2), inputOf("expectedVersion", 3)},
	} {
		change := func(n int, c map[string]any) string {
			return s.ask(t, bulk.mutation, input(nil, "issues", changes(ids[:n], c), "idempotencyKey",
				bulk.mutation[:20])).outcome()
		}
		for range 2 {
			same(t, "the call", "", change(1, bulk.change))
		}
		same(t, "with one more", refused, change(2, bulk.change))
		same(t, "with another change", refused, change(1, bulk.differ))
	}
	same(t, "the issues that are left", []string{"b"}, names(t, s, w.project))
}

func names(t *testing.T, s *server, project string) (names []string) {
	t.Helper()
	for _, n := range get[[]struct{ Name string }](t, s, "project.issues.nodes",
		fmt.Sprintf(`{ project(id: %q) { issues { nodes { name } } } }`, project), nil) {
		names = append(names, n.Name)
	}
	return names
}

// TestRepeatedAfterChanges repeats mutations after what they refer to was renamed or deleted. They return
// what
// they have changed; if that is gone, the error is about the key.
func TestRepeatedAfterChanges(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	option := inputOf("fieldId", w.fields[tracker.TypeSelect], "value", inputOf("option", "Two"))
	issue := inputOf("name", "x", "state", "Done", "values", []any{option})
	id := w.create(t, "to be changed", nil).ID
	of := map[string]map[string]any{
		"createIssue":  inputOf("projectId", w.project, "issue", issue),
		"createIssues": inputOf("projectId", w.project, "issues", []any{issue, issue}),
		"updateIssue":  inputOf("id", id, "state", "Done", "values", []any{option}),
		"updateIssues": inputOf("issues", []any{inputOf("id", id, "values", []any{option})}),
		"createView": inputOf("projectId", w.project, "name", "V", "filter", inputOf("state",
			inputOf("eq", "Done"))),
	}
	selections := map[string]string{"createIssues": "results { issue { id } errors { message } }",
		"updateIssues": "results { issue { id } errors { message } }", "createView": "view { id }"}
	send := func(name string) answer {
		in := maps.Clone(of[name])
		in["idempotencyKey"] = name
		selection := selections[name]
		if selection == "" {
			selection = "issue { id }"
		}
		return s.ask(t, mutation(name, selection), map[string]any{"i": in})
	}
	first := map[string]string{}
	for name := range of {
		a := send(name)
		if len(a.refusals()) > 0 {
			t.Fatalf("%s: %v", name, a.refusals())
		}
		first[name] = string(a.Data)
	}
	do(t, s, "updateState.state.id", "id", w.states[1], "name", "Closed")
	do(t, s, "updateOption.option.id", "id", w.options[tracker.TypeSelect][1], "name", "Zwei")
	for name := range of {
		a := send(name)
		same(t, name+" again", first[name]+"[]", fmt.Sprint(string(a.Data), a.refusals()))
	}
	view := decode[struct {
		CreateView struct{ View struct{ ID string } }
	}](t, []byte(first["createView"]))
	do(t, s, "deleteView.deletedViewId", "id", view.CreateView.View.ID)
	same(t, "a view that was deleted", "NOT_FOUND input.idempotencyKey", send("createView").outcome())
}
