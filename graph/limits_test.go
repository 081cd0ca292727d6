package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"issuegrid/dynamo/dynamotest"
	"issuegrid/graph/model"
	"issuegrid/tracker"
)

// wide returns a string of n characters of several bytes each.
func wide(n int) string { return strings.Repeat("é", n) }

func TestLimits(t *testing.T) {
	s := load(t)
	w := newWorld(t, s)
	i := w.create(t, "victim", nil)
	unique := 0
	key := func() string { unique++; return fmt.Sprint("K", unique) }
	named := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = map[string]any{"name": fmt.Sprint("n", i), "open": true}
		}
		return out
	}
	options := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = map[string]any{"name": fmt.Sprint("n", i)}
		}
		return out
	}
	// The field is new because what a limit allows is written.
	moreOptions := func(kind tracker.FieldType, more ...any) map[string]any {
		w.addField(t, kind, key(), false)
		return map[string]any{"id": w.fields[kind], "newOptions": more}
	}
	spare := func() string { // a new field, because what a limit allows is written
		unique++
		var got struct {
			CreateCustomField struct{ Field struct{ ID string } }
		}
		s.data(t, `mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }`,
			map[string]any{"i": map[string]any{"projectId": w.project, "name": fmt.Sprint("spare", unique),
				"type": "TEXT"}}, &got)
		return got.CreateCustomField.Field.ID
	}()
	create := func(issue map[string]any) map[string]any {
		if issue["name"] == nil {
			issue["name"] = "x"
		}
		return map[string]any{"projectId": w.project, "issue": issue}
	}
	ofValue := func(kind tracker.FieldType, v any) func(n int) map[string]any {
		return func(int) map[string]any { return create(map[string]any{"values": []any{w.given(kind, v)}}) }
	}
	distinct := func(n int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprint("m", i)
		}
		return out
	}
	value := func(kind tracker.FieldType) string { return "input.issue.values[0].value." + members[kind] }

	for _, c := range []struct {
		name     string
		mutation string
		limit    int
		input    func(n int) map[string]any // an input with n of the limited things
		argument string
	}{
		{"MaxName of a new tenant", createTenant, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"name": wide(n)}
		}, "input.name"},
		{"MaxName of a tenant", updateTenant, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"id": w.tenant, "name": strings.Repeat("ö", n)}
		}, "input.name"},
		{"MaxName of a new project", createProject, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"tenantId": w.tenant, "key": key(), "name": wide(n)}
		}, "input.name"},
		{"MaxName of a project", updateProject, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"id": w.project, "name": wide(n)}
		}, "input.name"},
		{"MaxName of a new state", createProject, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"tenantId": w.tenant, "key": key(), "name": "x",
				"states": []any{map[string]any{"name": "x", "open": true},
					map[string]any{"name": wide(n), "open": true}}}
		}, "input.states[1].name"},
		{"MaxName of an added state", addState, tracker.MaxName, func(n int) map[string]any {
			k := key()
			return map[string]any{"projectId": w.project, "name": k + wide(n-len(k)), "open": true}
		}, "input.name"},
		{"MaxName of a state", updateState, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"id": w.states[0], "name": wide(n)}
		}, "input.name"},
		{"MaxName of a new field", createField, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"projectId": w.project, "type": "TEXT", "name": wide(n)}
		}, "input.name"},
		{"MaxName of a field", updateField, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"id": spare, "name": strings.Repeat("x", n)}
		}, "input.name"},
		{"MaxName of a new option", createField, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"projectId": w.project, "type": "SELECT", "name": key(),
				"options": []any{map[string]any{"name": wide(n)}}}
		}, "input.options[0].name"},
		{"MaxName of one of more options", updateField, tracker.MaxName, func(n int) map[string]any {
			return moreOptions(tracker.TypeSelect, map[string]any{"name": wide(n)})
		}, "input.newOptions[0].name"},
		{"MaxName of an added option", addOption, tracker.MaxName, func(n int) map[string]any {
			w.addField(t, tracker.TypeSelect, key(), false)
			return map[string]any{"fieldId": w.fields[tracker.TypeSelect], "name": wide(n)}
		}, "input.name"},
		{"MaxName of an option", updateOption, tracker.MaxName, func(n int) map[string]any {
			return map[string]any{"id": w.options[tracker.TypeSelect][0], "name": wide(n)}
		}, "input.name"},
		{"MaxProjectKey of a new project", createProject, tracker.MaxProjectKey, func(n int) map[string]any {
			return map[string]any{"tenantId": w.tenant, "key": strings.Repeat("K", n), "name": "x"}
		}, "input.key"},
		{"MaxProjectKey of a project", updateProject, tracker.MaxProjectKey, func(n int) map[string]any {
			return map[string]any{"id": w.project, "key": strings.Repeat("W", n)}
		}, "input.key"},
		{"MaxDescription of a new field", createField, tracker.MaxDescription, func(n int) map[string]any {
			return map[string]any{"projectId": w.project, "type": "TEXT", "name": key(),
				"description": wide(n)}
		}, "input.description"},
		{"MaxDescription of a field", updateField, tracker.MaxDescription, func(n int) map[string]any {
			return map[string]any{"id": spare, "description": wide(n)}
		}, "input.description"},
		{"MaxStates of a new project", createProject, tracker.MaxStates, func(n int) map[string]any {
			return map[string]any{"tenantId": w.tenant, "key": key(), "name": "x", "states": named(n)}
		}, "input.states"},
		{"MaxStates of a project", addState, tracker.MaxStates, func(n int) map[string]any {
			var made struct {
				CreateProject struct{ Project struct{ ID string } }
			}
			s.data(t, `mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }`,
				input(nil, "tenantId", w.tenant, "key", key(), "name", key(), "states", named(n-1)), &made)
			return map[string]any{"projectId": made.CreateProject.Project.ID, "name": "the last",
				"open": true}
		}, "input.projectId"},
		{"MaxOptions of a new field", createField, tracker.MaxOptions, func(n int) map[string]any {
			return map[string]any{"projectId": w.project, "type": "SELECT", "name": key(),
				"options": options(n)}
		}, "input.options"},
		{"MaxOptions of a field", updateField, tracker.MaxOptions, func(n int) map[string]any {
			return moreOptions(tracker.TypeMultiSelect, options(n-3)...)
		}, "input.newOptions"},
		{"MaxOptions of a field, by one option", addOption, tracker.MaxOptions, func(n int) map[string]any {
			w.addField(t, tracker.TypeSelect, key(), false)
			s.mutate(t, updateField, map[string]any{"id": w.fields[tracker.TypeSelect],
				"newOptions": options(n - 4)})
			return map[string]any{"fieldId": w.fields[tracker.TypeSelect], "name": "the last"}
		}, "input.fieldId"},
		{"MaxIssueName of a new issue", createIssue, tracker.MaxIssueName, func(n int) map[string]any {
			return create(map[string]any{"name": wide(n)})
		}, "input.issue.name"},
		{"MaxIssueName of an issue", updateIssue, tracker.MaxIssueName, func(n int) map[string]any {
			return map[string]any{"id": i.ID, "name": wide(n)}
		}, "input.issue.name"},
		{"MaxText of a description", createIssue, tracker.MaxText, func(n int) map[string]any {
			return create(map[string]any{"description": strings.Repeat("x", n)})
		}, "input.issue.description"},
		{"MaxText of a changed description", updateIssue, tracker.MaxText, func(n int) map[string]any {
			return map[string]any{"id": i.ID, "description": strings.Repeat("x", n)}
		}, "input.issue.description"},
		{"MaxText of a TEXT", createIssue, tracker.MaxText, func(n int) map[string]any {
			return ofValue(tracker.TypeText, strings.Repeat("x", n))(n)
		}, value(tracker.TypeText)},
		{"MaxText of a LONG_TEXT", createIssue, tracker.MaxText, func(n int) map[string]any {
			return ofValue(tracker.TypeLongText, incompressible(n))(n)
		}, value(tracker.TypeLongText)},
		{"MaxUser", createIssue, tracker.MaxUser, func(n int) map[string]any {
			return ofValue(tracker.TypeUser, wide(n))(n)
		}, value(tracker.TypeUser)},
		{"MaxTag", createIssue, tracker.MaxTag, func(n int) map[string]any {
			return ofValue(tracker.TypeTags, []string{"x", wide(n)})(n)
		}, value(tracker.TypeTags) + "[1]"},
		{"MaxTags", updateIssue, tracker.MaxTags, func(n int) map[string]any {
			// A change writes an entry for each new tag, so this number of tags takes two changes.
			w.update(t, map[string]any{"id": i.ID, "values": []any{w.given(tracker.TypeTags, distinct(50))}})
			return map[string]any{"id": i.ID, "values": []any{w.given(tracker.TypeTags, distinct(n))}}
		}, "input.issue.values[0].value.tags"},
		{"position of a field", updateField, 1_000_000, func(n int) map[string]any {
			return map[string]any{"id": spare, "position": n}
		}, "input.position"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if a := s.ask(t, c.mutation, map[string]any{"i": c.input(c.limit)}); len(a.Errors) > 0 {
				t.Errorf("refused at the limit: %+v", a.Errors)
			}
			s.refuses(t, []refusal{{name: "beyond", query: c.mutation,
				variables: map[string]any{"i": c.input(c.limit + 1)}, code: tracker.BadInput,
				argument: c.argument, says: []string{strconv.Itoa(c.limit)}}})
		})
	}

	t.Run("a text at the limit is read back unchanged", func(t *testing.T) {
		text := incompressible(tracker.MaxText)
		made := w.create(t, "2 MiB", []any{w.given(tracker.TypeText, text)})
		if deref(made.Values[0].Text) != text || made.Values[0].Display != text {
			t.Error("the text read differs from the text written")
		}
	})

	t.Run("numbers", func(t *testing.T) {
		refusals := []refusal{}
		for _, sign := range []string{"", "-"} {
			for _, n := range []string{"9.9e125", "1e-130"} {
				made := w.create(t, "number", []any{w.given(tracker.TypeNumber, json.Number(sign+n))})
				if want, _ := strconv.ParseFloat(sign+n, 64); *made.Values[0].Number != want {
					t.Errorf("%s was read as %v", sign+n, *made.Values[0].Number)
				}
			}
			for _, n := range []string{"9.91e125", "1e126", "1.7e308", "9.9e-131", "5e-324"} {
				refusals = append(refusals, refusal{name: sign + n, query: createIssue,
					variables: map[string]any{"i": create(
						map[string]any{"values": []any{w.given(tracker.TypeNumber, json.Number(sign+n))}})},
					code: tracker.BadInput, argument: value(tracker.TypeNumber),
					says: []string{"9.9e+125", "1e-130"}})
			}
		}
		for _, n := range []any{"NaN", "Infinity", "-Inf", "many", "1", json.Number("1e400"),
			json.Number("1e-400"), json.Number("-1e-324"), json.Number("9007199254740993")} {
			refusals = append(refusals, refusal{name: fmt.Sprint(n), query: createIssue,
				variables: map[string]any{"i": create(
					map[string]any{"values": []any{w.given(tracker.TypeNumber, n)}})},
				code: tracker.BadInput, argument: "input.issue.values[0].value.number"})
		}
		for n, says := range map[string]string{"1e-400": "would become 0",
			"-1e-324": "would become 0", "9007199254740993": "more digits",
			"9007199254740993.0": "more digits"} {
			refusals = append(refusals,
				refusal{name: "literal " + n, code: tracker.BadInput, says: []string{n, says},
					argument: "input.issue.values[0].value.number",
					query: fmt.Sprintf(
						`mutation { createIssue(input: {projectId: %q, issue: {name: "x", values: [{fieldId: %q, value: {number: %s}}]}}) { issue { id } } }`,
						w.project, w.fields[tracker.TypeNumber], n)},
				refusal{name: "operand " + n, code: tracker.BadInput, says: []string{n, says},
					argument: "where.fields[0].number.in[1]",
					query: fmt.Sprintf(
						`{ project(id: %q) { issues(where: {fields: [{fieldId: %q, number: {in: [1, %s]}}]}) { totalCount } } }`,
						w.project, w.fields[tracker.TypeNumber], n)},
				refusal{name: "default " + n, code: tracker.BadInput, says: []string{n, says},
					argument: "$n",
					query: fmt.Sprintf(
						`query($n: Float! = %s) { project(id: %q) { cursorAt(orderBy: [{column: {fieldId: %q}}], value: {number: $n}) } }`,
						n, w.project, w.fields[tracker.TypeNumber])})
		}
		// Found with the tokens, before the library would convert it.
		refusals = append(refusals, refusal{name: "literal 1e400", code: tracker.BadInput,
			says: []string{"1e400", "out of range"}, query: fmt.Sprintf(
				`{ project(id: %q) { issues(where: {fields: [{fieldId: %q, number: {eq: 1e400}}]}) { totalCount } } }`,
				w.project, w.fields[tracker.TypeNumber])})
		s.refuses(t, refusals)
	})

	t.Run("MaxFields", func(t *testing.T) {
		p := w.worldOf(t, w.tenant, "FIELDS")
		// The server sees the missing number of fields added to the project.
		pretend := func(fields int) {
			s.wire.Intercept(func(r *dynamotest.Request,
				send func(*dynamotest.Request) *dynamotest.Response) *dynamotest.Response {
				a := send(r)
				if r.Operation == "Query" {
					a.Body = withFields(t, a.Body, fields)
				}
				return a
			})
		}
		defer s.wire.Intercept(nil)
		input := map[string]any{"i": map[string]any{"projectId": p.project, "type": "TEXT",
			"name": "one more"}}
		pretend(tracker.MaxFields)
		s.refuses(t, []refusal{{name: "beyond", query: createField, variables: input, code: tracker.BadInput,
			argument: "input", says: []string{"400"}}})
		pretend(tracker.MaxFields - 1)
		if a := s.ask(t, createField, input); len(a.Errors) > 0 {
			t.Errorf("refused at the limit: %+v", a.Errors)
		}
	})

	t.Run("values of one input", func(t *testing.T) {
		values := make([]any, tracker.MaxFields+1)
		for n := range values {
			values[n] = w.given(tracker.TypeText, "x")
		}
		s.refuses(t, []refusal{
			{name: "new", query: createIssue,
				variables: map[string]any{"i": create(map[string]any{"values": values})},
				code:      tracker.BadInput, argument: "input.issue.values", says: []string{"401", "400"}},
			{name: "changed", query: updateIssue,
				variables: map[string]any{"i": map[string]any{"id": i.ID, "values": values}},
				code:      tracker.BadInput, argument: "input.issue.values", says: []string{"401", "400"}},
		})
	})

	t.Run("requested ids", func(t *testing.T) {
		ids := slices.Repeat([]string{w.fields[tracker.TypeText]}, tracker.MaxFields+1)
		const values = `query($id: ID!, $f: [ID!]!) { issue(id: $id) { values(fieldIds: $f) { display } } }`
		if a := s.ask(t, values, map[string]any{"id": i.ID, "f": ids[1:]}); len(a.Errors) > 0 {
			t.Errorf("refused at the limit: %+v", a.Errors)
		}
		nodes := slices.Repeat([]string{i.ID}, 501)
		const byID = `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`
		if a := s.ask(t, byID, map[string]any{"ids": nodes[1:]}); len(a.Errors) > 0 {
			t.Errorf("refused at the limit: %+v", a.Errors)
		}
		s.refuses(t, []refusal{
			{name: "values", query: values, variables: map[string]any{"id": i.ID, "f": ids},
				code: tracker.BadInput, argument: "fieldIds", says: []string{"401", "400"}},
			{name: "nodes", query: byID, variables: map[string]any{"ids": nodes}, code: tracker.BadInput,
				argument: "ids", says: []string{"501", "500"}},
			{name: "no nodes", query: byID, variables: map[string]any{"ids": []string{}},
				code: tracker.BadInput, argument: "ids", says: []string{"1 to 500"}},
		})
	})

	t.Run("chosen options", func(t *testing.T) {
		s.refuses(t, []refusal{{name: "beyond", query: createIssue,
			variables: map[string]any{"i": ofValue(tracker.TypeMultiSelect,
				distinct(tracker.MaxOptions+1))(0)},
			code: tracker.BadInput, argument: "input.issue.values[0].value.optionIds",
			says: []string{"501", "500"}}})
	})

	t.Run("MaxNum", func(t *testing.T) {
		p := w.worldOf(t, w.tenant, "NUMS")
		id, _ := model.ParseNodeID(p.project)
		tenant, err := s.db.Tenant(id.Tenant)
		if err != nil {
			t.Fatal(err)
		}
		if err := tenant.RaiseCounter(context.Background(), id.Project, tracker.MaxNum-1); err != nil {
			t.Fatal(err)
		}
		if last := p.create(t, "the last one", nil); last.Num != tracker.MaxNum ||
			p.read(t, last.ID).Num != tracker.MaxNum {
			t.Errorf("#%d", last.Num)
		}
		a := s.ask(t, createIssue, map[string]any{"i": map[string]any{"projectId": p.project,
			"issue": map[string]any{"name": "one more"}}})
		if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] == string(tracker.InternalErr) ||
			!strings.Contains(a.Errors[0].Message, "numbers") {
			t.Errorf("after the last number: %+v", a.Errors)
		}
	})
}

// withFields adds fields to a Query response for the partition of a project, up to the given number.
func withFields(t *testing.T, body []byte, fields int) []byte {
	var answer map[string]json.RawMessage
	var items []map[string]map[string]any
	if json.Unmarshal(body, &answer) != nil || json.Unmarshal(answer["Items"], &items) != nil {
		t.Errorf("not the response to a Query: %.200s", body)
		return body
	}
	var one map[string]map[string]any
	have := 0
	for _, item := range items {
		if item["type"] != nil {
			one = item
			have++
		}
	}
	if one == nil {
		return body
	}
	for ; have < fields; have++ {
		id := fmt.Sprint("pretended", have)
		more := map[string]map[string]any{}
		for name, v := range one {
			more[name] = v
		}
		sk := one["SK"]["S"].(string)
		more["SK"] = map[string]any{"S": sk[:strings.LastIndex(sk, ".")+1] + id}
		more["id"], more["name"] = map[string]any{"S": id}, map[string]any{"S": id}
		items = append(items, more)
	}
	answer["Items"], _ = json.Marshal(items)
	answer["Count"], _ = json.Marshal(len(items))
	answer["ScannedCount"] = answer["Count"]
	out, _ := json.Marshal(answer)
	return out
}
