package graph_test

import (
	"fmt"
	"testing"

	"issuegrid/tracker"
)

const (
	createTenant  = `mutation($i: CreateTenantInput!) { createTenant(input: $i) { tenant { name } } }`
	updateTenant  = `mutation($i: UpdateTenantInput!) { updateTenant(input: $i) { tenant { name } } }`
	createProject = `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { name } } }`
	updateProject = `mutation($i: UpdateProjectInput!) { updateProject(input: $i) { project { name } } }`
	addState      = `mutation($i: CreateStateInput!) { createState(input: $i) { state { name } } }`
	updateState   = `mutation($i: UpdateStateInput!) { updateState(input: $i) { state { name } } }`
	createField   = `mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { name } } }`
	updateField   = `mutation($i: UpdateCustomFieldInput!) { updateCustomField(input: $i) { field { name } } }`
	addOption     = `mutation($i: CreateOptionInput!) { createOption(input: $i) { option { name } } }`
	updateOption  = `mutation($i: UpdateOptionInput!) { updateOption(input: $i) { option { name } } }`
	createIssue   = `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { num } } }`
	updateIssue   = `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { num } } }`
)

// TestInvalidInputs sends inputs that are valid in the schema and violate a rule of the tracker.
// TestEveryInvalidValueIsReported has one such value for each member of an input.
func TestInvalidInputs(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	i := w.create(t, "victim", nil)
	create := func(values ...any) map[string]any {
		return map[string]any{"projectId": w.project, "issue": map[string]any{"name": "x", "values": values}}
	}
	var refusals []refusal
	refuse := func(name, query string, input map[string]any, argument string, says ...string) {
		refusals = append(refusals, refusal{name: name, query: query, variables: map[string]any{"i": input},
			code: tracker.BadInput, argument: argument, says: says})
	}
	const value = "input.issue.values[0].value"
	refuse("a tag in another case", createIssue, create(w.given(tracker.TypeTags, []string{"A", "b", "a"})),
		value+".tags[2]", `"A" and "a" differ only in case`)
	refuse("a tag of spaces", createIssue, create(w.given(tracker.TypeTags, []string{" "})),
		value+".tags[0]", "empty")
	refuse("a field twice", updateIssue, map[string]any{"id": i.ID,
		"values": []any{w.given(tracker.TypeText, "x"), w.given(tracker.TypeText, "y")}},
		"input.issue.values[1].fieldId", "twice")

	full := w.full()
	full[tracker.TypeInteger] = "1"
	for _, kind := range tracker.FieldTypes {
		for other, member := range members {
			if member != members[kind] {
				refuse(fmt.Sprintf("%s for %s", member, kind), createIssue,
					create(map[string]any{"fieldId": w.fields[kind],
						"value": map[string]any{member: full[other]}}),
					value+"."+member, string(kind), "`"+members[kind]+"`")
			}
		}
	}
	for name, c := range map[string]struct {
		literal  string
		variable map[string]any
		member   string
		says     string
	}{
		"no member": {`{}`, map[string]any{}, "", "exactly one"},
		"two members": {`{text: "x", user: "x"}`, map[string]any{"text": "x", "user": "x"}, "",
			"exactly one"},
		"a member that is null": {`{text: null}`, map[string]any{"text": nil}, "", "exactly one"},
	} {
		refuse(name+", variable", createIssue,
			create(map[string]any{"fieldId": w.fields[tracker.TypeText], "value": c.variable}),
			value+c.member, c.says)
		refuse(name+", literal", fmt.Sprintf(`mutation { createIssue(input: {projectId: %q, issue: {name: "x",
			values: [{fieldId: %q, value: %s}]}}) { issue { num } } }`, w.project, w.fields[tracker.TypeText],
			c.literal), nil, value+c.member, c.says)
	}

	for _, key := range []string{"", "a", "1A", "_A", "A-B", "A B", "Ä", "A\n"} {
		refuse(fmt.Sprintf("key %q", key), createProject,
			map[string]any{"tenantId": w.tenant, "key": key, "name": "x"}, "input.key", "A-Z")
	}
	refuse("no states", createProject, map[string]any{"tenantId": w.tenant, "key": "X", "name": "x",
		"states": []any{}}, "input.states")
	s.refuses(t, refusals)
}
