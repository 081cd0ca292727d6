package graph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

func TestSuggestions(t *testing.T) {
	s := load(t)
	suggesting := s.serving(t, guard.Options{Suggestions: true})
	for name, query := range map[string]string{
		"a field":     `{ tenant(id: "x") { nmae } }`,
		"an argument": `{ tenants(frist: 5) { nodes { id } } }`,
		"a type":      `{ node(id: "x") { ...F } } fragment F on Tenent { id }`,
		"a selection": `{ tenants }`,
		"an input":    `{ project(id: "x") { issues(where: {nmae: {}}) { totalCount } } }`,
	} {
		for on, want := range map[*server]bool{s: false, suggesting: true} {
			a := on.ask(t, query, nil)
			if len(a.Errors) == 0 || strings.Contains(a.Errors[0].Message, "Did you mean") != want {
				t.Errorf("%s, with suggestions %t: %+v", name, want, a.Errors)
			}
		}
	}
}

func TestNoIntrospection(t *testing.T) {
	s := load(t).serving(t, guard.Options{NoIntrospection: true})
	for _, query := range []string{
		introspection, `{ __type(name: "Issue") { name } }`,
		`{ tenants { nodes { id } } a: __schema { queryType { name } } }`,
		`{ ... { ... on Query { __schema { queryType { name } } } } }`,
		`{ ...F } fragment F on Query { ...G } fragment G on Query { __type(name: "Issue") { name } }`,
		`{ __schema @skip(if: true) { queryType { name } } }`,
	} {
		isAnswer(t, s.ask(t, query, nil), "", string(tracker.Forbidden), "introspection is turned off")
	}
	isAnswer(t, s.ask(t, `{ __typename }`, nil), `{"__typename":"Query"}`, "", "")
	if calls := s.wire.Calls(); len(calls) > 0 {
		t.Errorf("calls %v, want none", calls)
	}
}

// TestIntrospectionIsBounded checks that introspection is limited by the size of its result, not by the
// length of the query.
func TestIntrospectionIsBounded(t *testing.T) {
	l := guard.DefaultLimits()
	l.Introspection = 1000
	s := load(t).serving(t, guard.Options{Limits: l})
	for _, query := range []string{
		`{ __schema { types {` + guardtest.Nest(3,
			"fields { type { ofType { fields { name } ofType { ofType { ", "name", " } } } } }") + `} } }`,
		`{ __schema { types { inputFields { type { a: inputFields { type { inputFields { name type { inputFields { name } } } } } b: inputFields { type { inputFields { name } } } ofType { ofType { inputFields { type { inputFields { name } } } } } } } } } }`,
		`{ __schema { types { possibleTypes { interfaces { possibleTypes { interfaces { possibleTypes { fields { name } } } } } } } } }`,
		`{` + guardtest.Times(100, ` a~: __schema { types { name } }`) + `}`,
		`{ __schema { types {` + guardtest.Times(480, " a~: description") + ` } } }`,
		`query($n: String!) {` + guardtest.Times(300,
			` a~: __type(name: $n) { fields { name args { name } } }`) + `}`,
		`{ __schema { directives {` + guardtest.Times(480, " a~: args { name }") + ` } } }`,
		introspection,
	} {
		a := s.ask(t, query, map[string]any{"n": "Project"})
		isAnswer(t, a, "", string(tracker.BadInput), "1000")
		if len(a.Errors) > 0 && !strings.Contains(a.Errors[0].Message, "Introspection") {
			t.Error(a.Errors[0].Message)
		}
	}
	for _, query := range []string{`{ __schema { types { name } } }`,
		`{ __type(name: "Nothing") { name fields { name } } }`,
		`{ __type(name: "IssueFilter") { fields { name } inputFields { name type { ofType { name } } } } __schema { subscriptionType { name fields { name } } } }`} {
		if a := s.ask(t, query, nil); len(a.Errors) > 0 {
			t.Errorf("%s: %+v", query, a.Errors)
		}
	}
}

// TestIntrospectionIsCounted checks that a response never has more objects and fields than were counted.
func TestIntrospectionIsCounted(t *testing.T) {
	s := load(t)
	var count func(v any) int
	count = func(v any) (n int) {
		switch v := v.(type) {
		case map[string]any:
			for _, member := range v {
				n += 1 + count(member)
			}
			return n + 1
		case []any:
			for _, member := range v {
				n += count(member)
			}
		}
		return n
	}
	counted := 0
	for seed := range uint64(60) {
		for _, family := range []string{"introspection", "aliased introspection", "introspection fragments"} {
			var asked struct{ Query string }
			if err := json.Unmarshal([]byte(guardtest.New(family, seed).Body), &asked); err != nil {
				t.Fatal(err)
			}
			a := s.ask(t, asked.Query, nil)
			if len(a.Errors) > 0 {
				continue
			}
			n := 0
			for _, root := range decode[map[string]any](t, a.Data) {
				n += count(root)
			}
			counted++
			l := guard.DefaultLimits()
			if l.Introspection = n - 1; n > 1 {
				isAnswer(t, s.serving(t, guard.Options{Limits: l}).ask(t, asked.Query, nil), "",
					string(tracker.BadInput), "Introspection")
			}
		}
	}
	if counted < 20 {
		t.Errorf("%d responses", counted)
	}
}

// TestNothingIsSentBack sends long strings in every position that an error can quote.
func TestNothingIsSentBack(t *testing.T) {
	s := load(t)
	long := strings.Repeat("hunter2 ", 5000)
	name := strings.Repeat("hunter2", 36)
	for i, c := range []struct {
		query     string
		variables map[string]any
	}{
		{`{ tenants(first: "` + long + `") { nodes { id } } }`, nil},
		{`{ tenants(first: """` + long + `""") { nodes { id } } }`, nil},
		{`{ node(id: ["` + long + `"]) { id } }`, nil},
		{`{ "` + long + `" }`, nil},
		{`{ ` + name + ` }`, nil},
		{`{ ` + name + `: ` + name + ` @` + name + ` }`, nil},
		{`query($w: IssueFilter) { project(id: "x") { issues(where: $w) { totalCount } } }`,
			map[string]any{"w": map[string]any{long: 1}}},
		{`query($w: CustomFieldType) { tenants(first: $w) { nodes { id } } }`, map[string]any{"w": long}},
		{`mutation($i: CreateCustomFieldInput!) { createCustomField(input: $i) { field { id } } }`,
			map[string]any{"i": map[string]any{"projectId": "x", "name": "x", "type": long}}},
		{`mutation($i: CreateProjectInput!) { createProject(input: $i) { project { id } } }`,
			map[string]any{"i": map[string]any{"tenantId": encoded("Tx"), "key": long, "name": "x"}}},
		{`mutation($i: UpdateIssueInput!) { updateIssue(input: $i) { issue { id } } }`,
			map[string]any{"i": map[string]any{"id": "x",
				"values": []any{map[string]any{"fieldId": "x", "value": map[string]any{"date": long}}}}}},
		{`query($n: Int) { tenants(first: $n) { nodes { id } } }`,
			map[string]any{"n": json.Number(strings.Repeat("9", 10_000))}},
	} {
		a := s.ask(t, c.query, c.variables)
		if len(a.Errors) == 0 {
			t.Errorf("%d: no error", i)
		}
		for _, e := range a.Errors {
			text := fmt.Sprintf("%s%v", e.Message, e.Extensions)
			if strings.Count(text, "hunter2") > 75 || strings.Count(text, "9") > 600 || len(e.Message) > 600 {
				t.Errorf("%d: %s", i, text)
			}
		}
	}
}
