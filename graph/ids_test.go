package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph/model"
	"issuegrid/internal/sample"
	"issuegrid/tracker"
)

// twins returns projects that differ only in their IDs and tenants: the IDs of fields, options, states and
// issues within the projects are equal.
func twins() (mine, sibling, foreign sample.Project) {
	of := func(tenant tracker.TenantID, project tracker.ProjectID) sample.Project {
		p := sample.Generated()
		p.Tenant.Name = "Tenant " + string(tenant)
		p.Tenant.ID, p.Project.ID, p.Project.Key = tenant, project, strings.ToUpper(string(project))
		p.Fields = append(p.Fields, tracker.Field{ID: "f12", Name: "Severity", Type: tracker.TypeSelect,
			Position: 12, Options: p.Fields[7].Options},
			tracker.Field{ID: "f13", Name: "Decks", Type: tracker.TypeMultiSelect, Position: 13,
				Options: p.Fields[8].Options})
		p.Issues = p.Issues[:20]
		for i := range p.Issues {
			p.Issues[i].ID.Project = project
			p.Issues[i].Values["f12"], p.Issues[i].Values["f13"] = tracker.Text("p1"),
				tracker.Set([]string{"s2", "s1"})
		}
		return p
	}
	return of("here", "one"), of("here", "two"), of("there", "one")
}

// everyID selects every field named id below a project, with the type of its object.
const everyID = `fragment F on CustomField { __typename id name options { __typename id name } }
	fragment V on CustomValue { field { ...F } ... on SelectValue { option { __typename id name } } ... on MultiSelectValue { options { __typename id name } } }
	query($p: ID!) { project(id: $p) { __typename id name: key tenant { __typename id name: claim } states { __typename id name } fields { ...F } jobs { __typename id name: fieldName }
		issues(first: 20) { nodes { __typename id name: num state { __typename id name } values { ...V } history { nodes { columns { field { ...F } beforeValue { ...V } afterValue { ...V } } } } } } } }`

// TestEveryIDNamesOneObject checks that an ID names one object of one type everywhere, because clients cache
// objects by ID. The three projects are equal except for their own IDs.
func TestEveryIDNamesOneObject(t *testing.T) {
	mine, sibling, foreign := twins()
	s := load(t, mine, sibling, foreign)
	objects, kinds := map[string]string{}, map[string]int{}
	var collect func(v any, within string)
	collect = func(v any, within string) {
		switch v := v.(type) {
		case []any:
			for _, inner := range v {
				collect(inner, within)
			}
		case map[string]any:
			if id, ok := v["id"].(string); ok {
				object := fmt.Sprint(v["__typename"], " ", v["name"])
				if v["__typename"] != "Tenant" {
					object += " of " + within
				}
				if before, known := objects[id]; known && before != object {
					t.Errorf("%s is %s and %s", id, before, object)
				} else if !known {
					kinds[fmt.Sprint(v["__typename"])]++
				}
				objects[id] = object
			}
			for _, inner := range v {
				collect(inner, within)
			}
		}
	}
	for _, p := range []*sample.Project{&mine, &sibling, &foreign} {
		change := map[string]any{"id": issueID(p, 0), "stateId": stateID(p, "review"),
			"values": []any{map[string]any{"fieldId": fieldID(p, "f08"),
				"value": map[string]any{"optionId": optionID(p, "f08", "p4")}},
				map[string]any{"fieldId": fieldID(p, "f09"),
					"value": map[string]any{"optionIds": []any{optionID(p, "f09", "s4"),
						optionID(p, "f09", "s3")}}}}}
		s.mutate(t, updateOne, change)
		s.mutate(t, `mutation($i: MoveOptionInput!) { moveOption(input: $i) { field { id } } }`,
			map[string]any{"id": optionID(p, "f12", "p2"), "to": toBefore(optionID(p, "f12", "p1"))})
		var got map[string]any
		s.data(t, everyID, map[string]any{"p": projectID(p)}, &got)
		collect(got, projectID(p))
	}
	want := map[string]int{"Tenant": 2, "Project": 3, "CustomField": 3 * 13, "Issue": 3 * 20, "State": 3 * 6,
		"Option": 3 * (4 + 6 + 4 + 6), "Job": 3}
	same(t, "objects with an id", want, kinds)
	for id, object := range objects {
		kind, _, _ := strings.Cut(object, " ")
		same(t, "the node of "+object, fmt.Sprintf(`{"node":{"__typename":%q,"id":%q}}`, kind, id),
			string(s.ask(t, fmt.Sprintf(`{ node(id: %q) { __typename id } }`, id), nil).Data))
	}

	made := map[string]bool{}
	for _, key := range []string{"ONE", "TWO"} {
		var got struct {
			CreateProject struct {
				Project struct{ States []struct{ ID string } }
			}
		}
		s.data(t, fmt.Sprintf(`mutation { createProject(input: {tenantId: %q, key: "NEW%s", name: "x"}) {
			project { states { id } } } }`, model.TenantNodeID("here"), key), nil, &got)
		for _, state := range got.CreateProject.Project.States {
			made[state.ID] = true
		}
	}
	if len(made) != 4 {
		t.Errorf("states of two new projects: %v", made)
	}
}

// TestMergedOptionsKeepTheirIDs checks that the history shows a removed option with its former ID.
func TestMergedOptionsKeepTheirIDs(t *testing.T) { onServers(t, mergedOptionsKeepTheirIDs) }

func mergedOptionsKeepTheirIDs(t *testing.T, servers int) {
	s := newServers(t, servers, soon)
	w := newWorld(t, s)
	options := w.options[tracker.TypeSelect]
	i := w.create(t, "x", []any{w.given(tracker.TypeSelect, options[0])})
	w.update(t, map[string]any{"id": i.ID, "values": []any{w.given(tracker.TypeSelect, options[1])}})
	s.mutate(t,
		`mutation($i: MergeOptionsInput!) { mergeOptions(input: $i) { field { id } } }`,
		map[string]any{"fieldId": w.fields[tracker.TypeSelect], "fromIds": options[:1],
			"into": intoOption(options[2])})
	a := s.ask(t, fmt.Sprintf(`{ issue(id: %q) { history(first: 1) { nodes { columns {
		beforeValue { ... on SelectValue { option { id } } }
		afterValue { ... on SelectValue { option { id } } } } } } } }`, i.ID), nil)
	same(t, "history", fmt.Sprintf(`{"issue":{"history":{"nodes":[{"columns":[{"beforeValue":{"option":{"id":%q}},`+
		`"afterValue":{"option":{"id":%q}}}]}]}}}`, options[0], options[1]), string(a.Data))
}

// TestForeignOptionsAreRefused checks that inputs accept a state or an option only of their own project or
// field. Others are refused in the same way as a missing one, with the ID that was sent.
func TestForeignOptionsAreRefused(t *testing.T) {
	mine, sibling, foreign := twins()
	s := load(t, mine, sibling, foreign)
	// caches the definition
	s.data(t, `query($p: ID!) { project(id: $p) { fields { id } } }`, map[string]any{"p": projectID(&mine)},
		new(any))
	issue, field1, fieldN := issueID(&mine, 0), fieldID(&mine, "f08"), fieldID(&mine, "f09")
	grid := func(where string) string {
		return fmt.Sprintf(
			`query($p: ID!, $x: ID!) { project(id: $p) { issues(where: %s) { nodes { num } } } }`, where)
	}
	values := func(field, value string) string {
		return fmt.Sprintf(`[{fieldId: %q, value: {%s}}]`, field, value)
	}
	change := func(mutation, input string) string {
		selection := "__typename"
		if mutation == "updateIssues" {
			selection = resultErrors
		}
		return fmt.Sprintf(`mutation($x: ID!) { %s(input: {%s}) { %s } }`, mutation, input, selection)
	}
	newIssue := fmt.Sprintf(`projectId: %q, `, projectID(&mine))
	needed := fmt.Sprintf(`{fieldId: %q, value: {optionId: %q}}`, field1, optionID(&mine, "f08", "p1"))
	known, knownN, knownState := optionID(&mine, "f08", "p1"), optionID(&mine, "f09", "s1"),
		stateID(&mine, "new")
	merge := func(field, from, into string) string {
		return change("mergeOptions",
			fmt.Sprintf(`fieldId: %q, fromIds: [%s], into: {optionId: %s}`, field, from, into))
	}
	const state, one, several = "State", "f08", "f09"
	cell := func(field, member, filter string) string {
		return grid(fmt.Sprintf(`{fields: {fieldId: %q, %s: {%s}}}`, field, member, filter))
	}
	cursor := func(column string) string {
		return `query($p: ID!, $x: ID!) { project(id: $p) { cursorAt(orderBy: {column: {` + column +
			`}}, value: {optionId: $x}) } }`
	}
	id := func(id string) string { return fmt.Sprintf("id: %q, ", id) }
	inProject := fmt.Sprintf("projectId: %q, ", projectID(&mine))
	for _, place := range []struct {
		takes, query, argument string
	}{
		{state, grid(`{state: {eqId: $x}}`), "where.state.eqId"},
		{state, grid(`{state: {neqId: $x}}`), "where.state.neqId"},
		{state, grid(fmt.Sprintf(`{not: {state: {inIds: [%q, $x]}}}`, knownState)), "where.not.state.inIds[1]"},
		{state, grid(`{or: {state: {notInIds: [$x]}}}`), "where.or[0].state.notInIds[0]"},
		{one, cell(field1, "option", `eqId: $x`), "where.fields[0].option.eqId"},
		{one, cell(field1, "option", `neqId: $x`), "where.fields[0].option.neqId"},
		{one, cell(field1, "option", `inIds: ["`+known+`", $x]`), "where.fields[0].option.inIds[1]"},
		{one, cell(field1, "option", `notInIds: [$x]`), "where.fields[0].option.notInIds[0]"},
		{several, cell(fieldN, "options", `hasAnyIds: ["`+knownN+`", $x]`), "where.fields[0].options.hasAnyIds[1]"},
		{several, cell(fieldN, "options", `hasAllIds: [$x]`), "where.fields[0].options.hasAllIds[0]"},
		{several, cell(fieldN, "options", `hasNoneIds: [$x]`), "where.fields[0].options.hasNoneIds[0]"},
		{state, cursor(`builtin: STATE`), "value.optionId"},
		{one, cursor(fmt.Sprintf(`fieldId: %q`, field1)), "value.optionId"},
		{state, change("createIssue", newIssue+`issue: {name: "x", stateId: $x, values: [`+needed+`]}`),
			"input.issue.stateId"},
		{one, change("createIssue", newIssue+`issue: {name: "x", values: `+values(field1, "optionId: $x")+`}`),
			"input.issue.values[0].value.optionId"},
		{several, change("createIssue", newIssue+`issue: {name: "x", values: [`+needed+`, {fieldId: "`+fieldN+
			`", value: {optionIds: ["`+knownN+`", $x]}}]}`), "input.issue.values[1].value.optionIds[1]"},
		{state, change("updateIssue", `issue: {`+id(issue)+`stateId: $x}`), "input.issue.stateId"},
		{one, change("updateIssue", `issue: {`+id(issue)+`values: `+values(field1, "optionId: $x")+`}`),
			"input.issue.values[0].value.optionId"},
		{several, change("updateIssue", `issue: {`+id(issue)+`values: `+values(fieldN, "optionIds: [$x]")+`}`),
			"input.issue.values[0].value.optionIds[0]"},
		{state, change("updateIssues", `issues: [{`+id(issue)+`stateId: $x}]`), "input.issues[0].stateId"},
		{one, change("updateIssues", `issues: [{`+id(issue)+`values: `+values(field1, "optionId: $x")+`}]`),
			"input.issues[0].values[0].value.optionId"},
		{state, change("moveState", id(knownState)+`to: {beforeId: $x}`), "input.to.beforeId"},
		{state, change("mergeStates", inProject+fmt.Sprintf(`fromIds: [%q, $x], intoId: %q`,
			stateID(&mine, "review"), knownState)), "input.fromIds[1]"},
		{state, change("mergeStates", inProject+`fromIds: ["`+knownState+`"], intoId: $x`),
			"input.intoId"},
		{one, change("moveOption", id(known)+`to: {beforeId: $x}`), "input.to.beforeId"},
		{one, merge(field1, "$x", `"`+known+`"`), "input.fromIds[0]"},
		{one, merge(field1, `"`+known+`", $x`, `"`+optionID(&mine, "f08", "p2")+`"`), "input.fromIds[1]"},
		{one, merge(field1, `"`+known+`"`, "$x"), "input.into.optionId"},
		{several, merge(fieldN, `$x`, `"`+knownN+`"`), "input.fromIds[0]"},
		{several, merge(fieldN, `"`+knownN+`"`, "$x"), "input.into.optionId"},
	} {
		id := func(p *sample.Project, field, inner string) string {
			if place.takes == state {
				return stateID(p, inner)
			}
			return optionID(p, field, inner)
		}
		inner := map[string]string{state: "done", one: "p3", several: "s3"}[place.takes]
		beside := map[string]string{one: "f12", several: "f13", state: ""}[place.takes]
		good := id(&mine, place.takes, inner)
		ids := map[string]string{"of another project": id(&sibling, place.takes, inner),
			"of another tenant": id(&foreign, place.takes, inner), "short": inner,
			"empty": "", "no id": "x", "of another alphabet": good + "=", "with a space": " " + good,
			"cut": good[:len(good)-2], "decoded": "O" + inner, "a project": projectID(&mine),
			"an issue": issue}
		if place.takes == state {
			ids["an option"] = optionID(&mine, "f08", "p1")
		} else {
			ids["of another field"], ids["a state"], ids["its field"] = optionID(&mine, beside, inner),
				stateID(&mine, "done"), fieldID(&mine, place.takes)
		}
		t.Run(place.argument+" "+place.takes, func(t *testing.T) {
			ask := func(id string) (apiError, map[string]int) {
				t.Helper()
				s.wire.Reset()
				a := s.ask(t, place.query, map[string]any{"p": projectID(&mine), "x": id})
				refusals := a.refusals()
				if len(refusals) != 1 {
					t.Fatalf("%q: %s, %+v\n%s", id, a.Data, a.Errors, place.query)
				}
				calls := s.wire.Calls()
				// another server may have created what an ID of this project or field refers to
				if n := calls["BatchGetItem"]; n > 1 {
					t.Errorf("%q: the version of the definition was read %d times", id, n)
				}
				delete(calls, "BatchGetItem")
				return refusals[0], calls
			}
			unknown := id(&mine, place.takes, "unknown")
			want, calls := ask(unknown)
			if want.Extensions["code"] != string(tracker.BadInput) ||
				want.Extensions["argument"] != place.argument ||
				!strings.Contains(want.Message, `"`+unknown+`"`) {
				t.Fatalf("a missing one: %+v", want)
			}
			for what, id := range ids {
				got, cost := ask(id)
				same(t, what, strings.ReplaceAll(want.Message, unknown, id), got.Message)
				same(t, what, want.Extensions, got.Extensions)
				same(t, "calls for "+what, calls, cost)
			}
		})
	}

	t.Run("given twice", func(t *testing.T) {
		s.refuses(t, []refusal{{name: "options",
			query: change("updateIssue", fmt.Sprintf(`issue: {id: %q, values: %s}`, issue,
				values(fieldN, "optionIds: [$x, $x]"))), variables: map[string]any{"x": knownN},
			code: tracker.BadInput, argument: "input.issue.values[0].value.optionIds[1]",
			says: []string{"twice", `"` + knownN + `"`}}})
	})
	t.Run("into itself", func(t *testing.T) {
		s.refuses(t, []refusal{{name: "merge", query: merge(field1, "$x", "$x"),
			variables: map[string]any{"x": known}, code: tracker.BadInput, argument: "input.fromIds[0]",
			says: []string{"itself"}}})
	})
}

// TestMessagesNameWholeIDs checks that a message contains even the longest ID unabridged.
func TestMessagesNameWholeIDs(t *testing.T) {
	part := strings.Repeat("x", tracker.MaxID)
	id := model.OptionID(tracker.TenantID(part), tracker.ProjectID(part), tracker.FieldID(part),
		tracker.OptionID(part))
	s := load(t, sample.Worked()...)
	a := s.ask(t,
		`query($p: ID!, $x: ID!) { project(id: $p) { issues(where: {state: {eqId: $x}}) { totalCount } } }`,
		map[string]any{"p": projectID(&sample.Worked()[0]), "x": id})
	if len(a.Errors) != 1 || !strings.HasSuffix(a.Errors[0].Message, `"`+id+`"`) {
		t.Errorf("%+v", a.Errors)
	}
}
