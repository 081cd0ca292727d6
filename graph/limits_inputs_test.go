package graph_test

import (
	"encoding/json"
	"fmt"
	"issuegrid/tracker"
	"testing"
)

const (
	createTenant  = `mutation($i: CreateTenantInput!) { createTenant(input: $i) { tenant { name } } }`
	updateTenant  = `mutation($i: UpdateTenantInput!) { updateTenant(input: $i) { tenant { name } } }`
	createProject = `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { name } } }`
	updateProject = `mutation($i: UpdateProjectInput!) { updateProject(input: $i) { project { name } } }`
	addState      = `mutation($i: AddStateInput!) { addState(input: $i) { state { name } } }`
	updateState   = `mutation($i: UpdateStateInput!) { updateState(input: $i) { state { name } } }`
	createField   = `mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { name } } }`
	updateField   = `mutation($i: UpdateCustomFieldInput!) { updateCustomField(input: $i) { field { name } } }`
	addOption     = `mutation($i: AddOptionInput!) { addOption(input: $i) { option { name } } }`
	updateOption  = `mutation($i: UpdateOptionInput!) { updateOption(input: $i) { option { name } } }`
	createIssue   = `mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { num } } }`
	updateIssue   = `mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { num } } }`
)

// TestInvalidInputs sends inputs that are valid in the schema and violate a rule of the tracker.
func TestInvalidInputs(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	i := w.create(t, "victim", nil)
	create := func(issue map[string]any) map[string]any {
		if issue["name"] == nil {
			issue["name"] = "x"
		}
		return map[string]any{"project": w.project, "issue": issue}
	}
	ofValue := func(kind tracker.FieldType, v any) map[string]any {
		return create(map[string]any{"values": []any{w.given(kind, v)}})
	}
	value := func(kind tracker.FieldType) string { return "input.issue.values[0].value." + members[kind] }

	t.Run("rules that the input types do not express", func(t *testing.T) {
		var refusals []refusal
		for name, c := range map[string]struct {
			kind  tracker.FieldType
			given any
			says  string
			at    string
		}{
			"a tag twice":  {tracker.TypeTags, []string{"x", "x"}, "twice", "[1]"},
			"an empty tag": {tracker.TypeTags, []string{"x", ""}, "empty", "[1]"},
			"a tag in another case": {tracker.TypeTags, []string{"A", "b", "Á"},
				`"A" and "Á" differ only in case or accents`, "[2]"},
			"a tag of spaces": {tracker.TypeTags, []string{" "}, "empty", "[0]"},
			"an option twice": {tracker.TypeMultiSelect,
				[]string{w.options[tracker.TypeMultiSelect][0], w.options[tracker.TypeMultiSelect][0]},
				"twice", "[1]"},
			"an unknown option": {tracker.TypeMultiSelect, []string{"x"}, "no option", "[0]"},
			"an unknown choice": {tracker.TypeSelect, "x", "no option", ""},
			"an option of another field": {tracker.TypeSelect, w.options[tracker.TypeMultiSelect][0],
				"no option", ""}, "an option by its name": {tracker.TypeSelect, "One", "no option", ""},
		} {
			refusals = append(refusals, refusal{name: name, query: createIssue,
				variables: map[string]any{"i": ofValue(c.kind, c.given)}, code: tracker.BadInput,
				argument: value(c.kind) + c.at, says: []string{c.says}})
		}
		for name, c := range map[string]struct {
			kind  tracker.FieldType
			given any
		}{
			"an invalid date":     {tracker.TypeDate, "2023-02-29"},
			"a date with a time":  {tracker.TypeDate, "2023-02-28T00:00:00Z"},
			"the year 0":          {tracker.TypeDate, "0000-01-01"},
			"the year 10000":      {tracker.TypeDate, "10000-01-01"},
			"a short date":        {tracker.TypeDate, "2023-2-8"},
			"a number for a date": {tracker.TypeDate, 20230228}, "an empty date": {tracker.TypeDate, ""},
			"a datetime without a zone":           {tracker.TypeDateTime, "2023-02-28T00:00:00"},
			"a datetime that is a date":           {tracker.TypeDateTime, "2023-02-28"},
			"the hour 24":                         {tracker.TypeDateTime, "2023-02-28T24:00:00Z"},
			"a datetime before the year 1 in UTC": {tracker.TypeDateTime, "0001-01-01T00:00:00+01:00"},
			"a number for a datetime":             {tracker.TypeDateTime, 1677542400},
			"2^63":                                {tracker.TypeInteger, "9223372036854775808"},
			"-2^63-1":                             {tracker.TypeInteger, "-9223372036854775809"},
			"2^63 as a number":                    {tracker.TypeInteger, json.Number("9223372036854775808")},
			"a fraction":                          {tracker.TypeInteger, 1.5},
			"an integer with an exponent":         {tracker.TypeInteger, "1e3"},
			"an empty integer":                    {tracker.TypeInteger, ""},
			"a hexadecimal":                       {tracker.TypeInteger, "0x10"},
			"a word":                              {tracker.TypeInteger, "one"},
			"a boolean for an integer":            {tracker.TypeInteger, true},
		} {
			refusals = append(refusals, refusal{name: name, query: createIssue,
				variables: map[string]any{"i": ofValue(c.kind, c.given)}, code: tracker.BadInput,
				argument: value(c.kind)})
		}
		s.refuses(t, refusals)
	})

	t.Run("a value of another type", func(t *testing.T) {
		full := w.full()
		full[tracker.TypeInteger] = "1"
		var refusals []refusal
		for _, kind := range tracker.FieldTypes {
			for other, member := range members {
				if member == members[kind] {
					continue
				}
				refusals = append(refusals, refusal{name: fmt.Sprintf("%s for %s", member, kind),
					query: createIssue,
					variables: map[string]any{"i": create(
						map[string]any{"values": []any{map[string]any{"field": w.fields[kind],
							"value": map[string]any{member: full[other]}}}})},
					code: tracker.BadInput, argument: "input.issue.values[0].value." + member,
					says: []string{string(kind), "`" + members[kind] + "`"}})
			}
		}
		s.refuses(t, refusals)
		literal := func(value string) string {
			return fmt.Sprintf(
				`mutation { createIssue(input: {project: %q, issue: {name: "x", values: [{field: %q, value: %s}]}}) { issue { num } } }`,
				w.project, w.fields[tracker.TypeText], value)
		}
		s.refuses(t, []refusal{
			{name: "no member", query: literal(`{}`), code: tracker.BadInput,
				argument: "input.issue.values[0].value", says: []string{"ValueInput", "exactly one"}},
			{name: "two members", query: literal(`{text: "x", user: "x"}`), code: tracker.BadInput,
				argument: "input.issue.values[0].value", says: []string{"ValueInput", "exactly one"}},
			{name: "a member that is null", query: literal(`{text: null}`), code: tracker.BadInput,
				argument: "input.issue.values[0].value.text", says: []string{"must not be null"}},
			{name: "no member by variable", query: createIssue,
				variables: map[string]any{"i": create(
					map[string]any{"values": []any{map[string]any{"field": w.fields[tracker.TypeText],
						"value": map[string]any{}}}})},
				code: tracker.BadInput, argument: "input.issue.values[0].value",
				says: []string{"exactly one"}},
			{name: "two members by variable", query: createIssue,
				variables: map[string]any{"i": create(
					map[string]any{"values": []any{map[string]any{"field": w.fields[tracker.TypeText],
						"value": map[string]any{"text": "x", "user": "x"}}}})},
				code: tracker.BadInput, argument: "input.issue.values[0].value",
				says: []string{"exactly one"}},
			{name: "a field twice", query: updateIssue,
				variables: map[string]any{"i": map[string]any{"id": i.ID,
					"values": []any{w.given(tracker.TypeText, "x"), w.given(tracker.TypeText, "y")}}},
				code: tracker.BadInput, argument: "input.values[1].field", says: []string{"twice"}},
		})
	})

	t.Run("names and keys", func(t *testing.T) {
		var refusals []refusal
		for _, name := range []string{"", " ", "\t\n\u00a0"} {
			refusals = append(refusals,
				refusal{name: fmt.Sprintf("tenant %q", name), query: createTenant,
					variables: map[string]any{"i": map[string]any{"name": name}}, code: tracker.BadInput,
					argument: "input.name", says: []string{"empty"}},
				refusal{name: fmt.Sprintf("issue %q", name), query: createIssue,
					variables: map[string]any{"i": create(map[string]any{"name": name})},
					code:      tracker.BadInput, argument: "input.issue.name", says: []string{"empty"}},
				refusal{name: fmt.Sprintf("renamed issue %q", name), query: updateIssue,
					variables: map[string]any{"i": map[string]any{"id": i.ID, "name": name}},
					code:      tracker.BadInput, argument: "input.name", says: []string{"empty"}})
		}
		for _, key := range []string{"", "a", "1A", "_A", "A-B", "A B", "Ä", "A\n"} {
			refusals = append(refusals, refusal{name: fmt.Sprintf("key %q", key), query: createProject,
				variables: map[string]any{"i": map[string]any{"tenant": w.tenant, "key": key, "name": "x"}},
				code:      tracker.BadInput, argument: "input.key", says: []string{"A-Z"}})
		}
		for name, states := range map[string][]any{"no states": {},
			"a state twice": {map[string]any{"name": "x", "open": true},
				map[string]any{"name": "X", "open": true}}} {
			argument := "input.states"
			if len(states) > 0 {
				argument = "input.states[1].name"
			}
			refusals = append(refusals, refusal{name: name, query: createProject,
				variables: map[string]any{"i": map[string]any{"tenant": w.tenant, "key": "X", "name": "x",
					"states": states}}, code: tracker.BadInput, argument: argument})
		}
		s.refuses(t, refusals)
	})
}
