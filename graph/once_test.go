package graph_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// TestPathOfUsedKey checks that the error for a key that was used for another change has the path of the key,
// for every mutation that takes one. In a bulk mutation it is the outcome of each change.
func TestPathOfUsedKey(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	issue, trashed := w.create(t, "an issue", nil).ID, w.create(t, "in the trash", nil).ID
	s.mutate(t, deleteOne, map[string]any{"id": trashed})
	const key = "used before"
	s.mutate(t, createOne, map[string]any{"projectId": w.project, "issue": map[string]any{"name": "first"},
		"idempotencyKey": key})
	// Each change of a bulk mutation has its own key, derived from the given one.
	s.mutate(t, createMany, map[string]any{"projectId": w.project,
		"issues": []any{map[string]any{"name": "one of many"}}, "idempotencyKey": key + " bulk"})
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
	inputs := map[string]map[string]any{
		"createProject":     {"tenantId": w.tenant, "key": "USED", "name": "x"},
		"createCustomField": {"projectId": w.project, "name": "x", "type": "TEXT"},
		"createState":       {"projectId": w.project, "name": "x", "open": true},
		"updateState":       {"id": w.states[0], "name": "x"},
		"moveState":         {"id": w.states[0], "to": toEnd},
		"mergeStates":       {"projectId": w.project, "fromIds": w.states[1:], "intoId": w.states[0]},
		"createOption":      {"fieldId": w.fields[tracker.TypeSelect], "name": "x"},
		"updateOption":      {"id": options[0], "name": "x"},
		"moveOption":        {"id": options[0], "to": toEnd},
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
	schema := schemaFile(t)
	var taking []string
	for _, m := range schema.Mutation.Fields {
		input := m.Arguments.ForName("input").Type.Name()
		if schema.Types[input].Fields.ForName("idempotencyKey") == nil {
			continue
		}
		taking = append(taking, m.Name)
		if inputs[m.Name] == nil {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			given := maps.Clone(inputs[m.Name])
			payload := schema.Types[m.Type.Name()]
			bulk := payload.Fields.ForName("results") != nil
			selection := "__typename"
			given["idempotencyKey"] = key
			if bulk {
				selection, given["idempotencyKey"] = "results { errors { code argument } }", key+" bulk"
			}
			a := s.ask(t, fmt.Sprintf("mutation($i: %s!) { %s(input: $i) { %s } }", input, m.Name, selection),
				map[string]any{"i": given})
			if !bulk {
				same(t, string(a.Data), "BAD_USER_INPUT input.idempotencyKey", a.outcome())
				return
			}
			want := fmt.Sprintf(
				`{%q:{"results":[{"errors":[{"code":"BAD_USER_INPUT","argument":"input.idempotencyKey"}]}]}}`, m.Name)
			if string(a.Data) != want || len(a.Errors) > 0 {
				t.Errorf("%s %+v, want %s", a.Data, a.Errors, want)
			}
		})
	}
	if known := slices.Sorted(maps.Keys(inputs)); !slices.Equal(known, slices.Sorted(slices.Values(taking))) {
		t.Errorf("the mutations with a key are %v, but inputs has those of %v", taking, known)
	}
}

// TestDocsNameMutationsWithoutKeys checks that docs/frontend.md names the mutations that take no idempotency
// key.
func TestDocsNameMutationsWithoutKeys(t *testing.T) {
	page, err := os.ReadFile("../docs/frontend.md")
	if err != nil {
		t.Fatal(err)
	}
	sentence := regexp.MustCompile("All mutations take a key except ([^;]+);").FindSubmatch(page)
	if sentence == nil {
		t.Fatal("the page does not say which mutations take a key")
	}
	var named, without []string
	for _, name := range regexp.MustCompile("`(\\w+)`").FindAllSubmatch(sentence[1], -1) {
		named = append(named, string(name[1]))
	}
	schema := schemaFile(t)
	for _, m := range schema.Mutation.Fields {
		if schema.Types[m.Arguments.ForName("input").Type.Name()].Fields.ForName("idempotencyKey") == nil {
			without = append(without, m.Name)
		}
	}
	slices.Sort(named)
	slices.Sort(without)
	same(t, "mutations without a key", without, named)
}
