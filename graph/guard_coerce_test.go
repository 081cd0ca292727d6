package graph_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"issuegrid/graph/guard"
	"issuegrid/graph/guard/guardtest"
	"issuegrid/tracker"
)

// TestValuesByKind sends values of every kind to arguments of every kind, as variables and as literals.
func TestValuesByKind(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	at := func(kind tracker.FieldType, member string) string {
		return fmt.Sprintf(`project(id: %q) { cursorAt(orderBy: [{column: {fieldId: %q}}], value: {%s: §}) }`,
			w.project, w.fields[kind], member)
	}
	issues := func(arguments string) string {
		return fmt.Sprintf(`project(id: %q) { issues(%s) { nodes { id } } }`, w.project, arguments)
	}
	for _, place := range []struct {
		kind, query string
		variables   string // the JSON values that it accepts
		literals    string // the kinds of literals, if different
	}{
		{"Int!", fmt.Sprintf(`project(id: %q) { issue: issueByNum(num: §) { id } }`, w.project), "1 1.0", "1"},
		{"Float!", at(tracker.TypeNumber, "number"), "1 1.0 1.5", ""},
		{"String", issues(`where: {name: {eq: §}}`),
			`"text" "1" "NAME" "2024-01-01" "2024-01-01T00:00:00Z"`, ""},
		{"Boolean", fmt.Sprintf(`project(id: %q) { fields(includeArchived: §) { id } }`, w.project), "null true", ""},
		{"ID!", `node(id: §) { id }`, `1 "text" "1" "NAME" "2024-01-01" "2024-01-01T00:00:00Z"`, ""},
		{"BuiltinColumn!", issues(`orderBy: [{column: {builtin: §}}]`), `"NAME"`, "NAME"},
		{"[ID!]!", `nodes(ids: §) { id }`, `1 "text" "1" "NAME" "2024-01-01" "2024-01-01T00:00:00Z" [1]`, ""},
		{"[Int!]", issues(`where: {num: {in: §}}`), "1 1.0 [1]", "1 [1]"},
		{"IssueFilter", issues(`where: §`), "null {}", ""},
		{"[IssueFilter!]", issues(`where: {and: §}`), "null {}", ""},
		{"Int64!", at(tracker.TypeInteger, "integer"), `1 "1"`, ""},
		{"Date!", at(tracker.TypeDate, "date"), `"2024-01-01"`, ""},
		{"DateTime!", at(tracker.TypeDateTime, "dateTime"), `"2024-01-01T00:00:00Z"`, ""},
	} {
		for _, value := range []string{"null", "true", "1", "1.0", "1.5", `"text"`, `"1"`, `"NAME"`, "NAME",
			`"2024-01-01"`, `"2024-01-01T00:00:00Z"`, "[1]", "[null]", "[[1]]", "{}", `{a: 1}`} {
			try := func(how string, a plain, takes string) {
				t.Helper()
				answer := decode[answer](t, []byte(a.body))
				refused := slices.ContainsFunc(answer.Errors, func(e apiError) bool {
					return e.Extensions["code"] != string(tracker.NotFound)
				})
				if want := !slices.Contains(strings.Fields(takes), value); refused != want {
					t.Errorf("%s by %s for %s: refused %v, want %v: %.300s", value, how, place.kind, refused,
						want, a.body)
				}
				for _, e := range answer.Errors {
					guardtest.InTermsOfGraphQL(t, e.Message)
					if code := e.Extensions["code"]; code != string(tracker.NotFound) &&
						code != string(tracker.BadInput) {
						t.Errorf("%s by %s for %s: %+v", value, how, place.kind, e)
					}
				}
			}
			literals := place.literals
			if literals == "" {
				literals = place.variables
			}
			try("literal", s.post(t, "{ "+strings.ReplaceAll(place.query, "§", value)+" }", nil), literals)
			if value == "NAME" {
				continue // not valid JSON
			}
			body := fmt.Sprintf(`{"query": %q, "variables": {"x": %s}}`,
				fmt.Sprintf("query($x: %s) { %s }", place.kind, strings.ReplaceAll(place.query, "§", "$x")),
				strings.Replace(value, "a:", `"a":`, 1))
			try("variable", s.send(t, http.MethodPost, "", body, "Content-Type", jsonType), place.variables)
		}
	}
}

// TestVariablesNamed checks that an error about a variable has the path of the argument.
func TestVariablesNamed(t *testing.T) {
	s := newServer(t)
	create := `mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { errors { code } } } }`
	input := func(value any) map[string]any {
		return map[string]any{"i": map[string]any{"projectId": "x",
			"issues": []any{map[string]any{"name": "x"},
				map[string]any{"name": "x", "values": map[string]any{"fieldId": "x", "value": value}}}}}
	}
	s.refuses(t, []refusal{
		{name: "a list of one", query: create, variables: input(map[string]any{"number": "1"}),
			code: tracker.BadInput, argument: "input.issues[1].values.value.number",
			says: []string{"Float takes a number", `the string "1"`}},
		{name: "an unknown member", query: create, variables: input(map[string]any{"numbr": 1}),
			code: tracker.BadInput, argument: "input.issues[1].values.value.numbr",
			says: []string{`ValueInput has no field "numbr"`}},
		{name: "a missing member", query: create,
			variables: map[string]any{"i": map[string]any{"projectId": "x"}}, code: tracker.BadInput,
			argument: "input.issues", says: []string{"must be given"}},
		{name: "null", query: create, variables: map[string]any{"i": nil}, code: tracker.BadInput,
			argument: "input", says: []string{"must not be null"}},
		{name: "not given", query: create, variables: nil, code: tracker.BadInput, argument: "input",
			says: []string{"variable $i of the type CreateIssuesInput! must be given"}},
		{name: "a fraction", query: `query($n: Int) { tenants(first: $n) { nodes { id } } }`,
			variables: map[string]any{"n": 1.5}, code: tracker.BadInput, argument: "first",
			says: []string{"1.5"}},
	})
	// A variable has its default if it is not given or null.
	const query = `query($n: Int = 1) { tenants(first: $n) { nodes { id } } }`
	for _, given := range []map[string]any{{}, {"n": nil}} {
		s.data(t, query, given, new(any))
	}
	s.refuses(t, []refusal{{name: "a default is not used", query: query, variables: map[string]any{"n": -1},
		code: tracker.BadInput, argument: "first"}})
}

// TestVariablesNotGiven checks that all variables that must be given and are not are reported at the
// arguments that they are used for, together with those of a wrong kind.
func TestVariablesNotGiven(t *testing.T) {
	s := load(t)
	const query = `query($p: ID!, $n: Int!, $w: IssueFilter, $c: BuiltinColumn!, $d: Boolean! = true) {
		project(id: $p) { issues(first: $n, where: $w, orderBy: [{column: {builtin: $c}}]) {
			nodes { id @include(if: $d) } } } }`
	want := []string{"id: the variable $p of the type ID! must be given",
		`first: Int takes an integer, not the string "1"`,
		"orderBy[0].column.builtin: the variable $c of the type BuiltinColumn! must be given"}
	for range 2 { // the second time, the query is in the cache
		a := s.ask(t, query, map[string]any{"n": "1"})
		var got []string
		for _, e := range a.Errors {
			got = append(got, e.String())
		}
		same(t, "errors", want, got)
	}
}

// TestUnknownMembers checks that an unknown member of a literal has its own path. TestVariablesNamed has one
// of a variable.
func TestUnknownMembers(t *testing.T) {
	s := load(t)
	s.refuses(t, []refusal{
		{name: "without a name", code: tracker.BadInput, argument: "where",
			query:     `query($w: IssueFilter) { project(id: "x") { issues(where: $w) { totalCount } } }`,
			variables: map[string]any{"w": map[string]any{"": 1}}, says: []string{`has no field ""`}},
		{name: "a literal", query: `{ project(id: "x") { issues(where: {state: {equals: "x"}}) { totalCount } } }`,
			code: tracker.BadInput, argument: "where.state.equals",
			says: []string{`OptionFilter has no field "equals"`}},
		{name: "a literal with a variable", variables: map[string]any{"x": "x"}, code: tracker.BadInput,
			query: `query($x: ID!) {
				project(id: $x) { issues(where: {and: [{name: {equals: $x}}]}) { totalCount } } }`,
			argument: "where.and[0].name.equals", says: []string{`has no field "equals"`}},
	})
}

// TestValuesOfEnums checks the errors about wrong values of an enum, which name the right ones only if
// suggestions are enabled.
func TestValuesOfEnums(t *testing.T) {
	s := load(t)
	suggesting := s.serving(t, guard.Options{Suggestions: true})
	const query = `query($d: %s) { project(id: "x") { issues(orderBy: [{column: {builtin: NUM}, direction: %s}]) {
		totalCount } } }`
	for _, test := range []struct {
		value any
		json  bool // sent in a variable
		// the ends of the messages with and without suggestions
		with, without string
	}{
		{"UP", true, `OrderDirection is ASC or DESC, not "UP"`, `OrderDirection has no value "UP"`},
		{1, true, "OrderDirection is ASC or DESC, not the number 1",
			"OrderDirection takes the name of one of its values as a string, not the number 1"},
		{"UP", false, `OrderDirection is ASC or DESC, not "UP"`, `OrderDirection has no value "UP"`},
		{`"ASC"`, false, `OrderDirection is ASC or DESC, not the string "ASC"`,
			`OrderDirection takes the name of one of its values, not the string "ASC"`},
	} {
		text := fmt.Sprintf(query, "OrderDirection!", "$d")
		variables := map[string]any{"d": test.value}
		if !test.json {
			text, variables = strings.Replace(fmt.Sprintf(query, "", test.value), "($d: )", "", 1), nil
		}
		for _, on := range []struct {
			*server
			want string
		}{{suggesting, test.with}, {s, test.without}} {
			a := on.ask(t, text, variables)
			want := "orderBy[0].direction: " + on.want
			if len(a.Errors) != 1 || a.Errors[0].String() != want {
				t.Errorf("%v: %+v, want %q", test.value, a.Errors, want)
			}
		}
	}
}
