package graph_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph"
	"issuegrid/tracker"
)

// jsonValues are values of JSON of every kind, and what scalars make of them by the specification (October 2021, 3.5.1 to 3.5.5). Integers are numbers
// that are one, 1.0 among them, as in graphql-js.
var jsonValues = []struct {
	value any
	takes []string // the scalars
}{
	{json.Number("0"), []string{"Int", "Float", "ID"}},
	{json.Number("-7"), []string{"Int", "Float", "ID"}},
	{json.Number("2147483647"), []string{"Int", "Float", "ID"}},
	{json.Number("2147483648"), []string{"Float", "ID"}},
	{json.Number("1.0"), []string{"Int", "Float"}},
	{json.Number("1e3"), []string{"Int", "Float"}},
	{json.Number("1.5"), []string{"Float"}},
	{json.Number("1e-400"), nil},
	{json.Number("1e400"), nil},
	{json.Number("9007199254740993"), []string{"ID"}},
	{"1", []string{"String", "ID"}},
	{"", []string{"String", "ID"}},
	{"true", []string{"String", "ID"}},
	{true, []string{"Boolean"}},
	{false, []string{"Boolean"}},
}

// takes reports whether the specification lets a value of JSON be one of a type.
func takes(schema *ast.Schema, t *ast.Type, v any) bool {
	if v == nil {
		return !t.NonNull
	}
	if t.Elem != nil {
		list, ok := v.([]any)
		if !ok {
			return takes(schema, t.Elem, v)
		}
		return !slices.ContainsFunc(list, func(v any) bool { return !takes(schema, t.Elem, v) })
	}
	switch d := schema.Types[t.NamedType]; d.Kind {
	case ast.Enum:
		name, ok := v.(string)
		return ok && slices.ContainsFunc(d.EnumValues, func(e *ast.EnumValueDefinition) bool { return e.Name == name })
	case ast.InputObject:
		members, ok := v.(map[string]any)
		if !ok {
			return false
		}
		for name := range members {
			if d.Fields.ForName(name) == nil {
				return false
			}
		}
		return !slices.ContainsFunc(d.Fields, func(f *ast.FieldDefinition) bool {
			value, given := members[f.Name]
			return !given && f.Type.NonNull && f.DefaultValue == nil || given && !takes(schema, f.Type, value)
		})
	}
	for _, known := range jsonValues {
		if v == known.value {
			return slices.Contains(known.takes, t.NamedType)
		}
	}
	_, text := v.(string)
	return text && (t.NamedType == "String" || t.NamedType == "ID")
}

// ofType makes a value of a type, without what need not be given.
func ofType(schema *ast.Schema, t *ast.Type) any {
	if t.Elem != nil {
		return []any{ofType(schema, t.Elem)}
	}
	switch d := schema.Types[t.NamedType]; d.Kind {
	case ast.Enum:
		return d.EnumValues[0].Name
	case ast.InputObject:
		out := map[string]any{}
		for _, f := range d.Fields {
			if f.Type.NonNull && f.DefaultValue == nil {
				out[f.Name] = ofType(schema, f.Type)
			}
		}
		return out
	}
	return map[string]any{"Int": json.Number("0"), "Float": json.Number("1.5"), "Boolean": true, "String": "x", "ID": "x"}[t.NamedType]
}

// builtin are the scalars of the specification. Values of others are read by resolvers, with TestValuesByKind.
var builtin = []string{"Int", "Float", "String", "Boolean", "ID"}

// TestVariablesOfEveryType gives each place of the schema that takes an input values of all kinds of JSON.
func TestVariablesOfEveryType(t *testing.T) {
	schema := schemaFile(t)
	types := map[string]*ast.Type{}
	for _, d := range schema.Types {
		for _, f := range d.Fields {
			if d.Kind == ast.InputObject {
				types[f.Type.String()] = f.Type
			}
			for _, a := range f.Arguments {
				types[a.Type.String()] = a.Type
			}
		}
	}
	if len(types) < 40 {
		t.Fatalf("the schema has %d types of inputs", len(types))
	}
	cases := 0
	for name, kind := range types {
		d := schema.Types[kind.Name()]
		if d.Kind == ast.Scalar && !slices.Contains(builtin, d.Name) {
			continue
		}
		values := []any{nil, []any{}, map[string]any{}, []any{nil}, []any{[]any{}}, map[string]any{"nothing": json.Number("1")}, map[string]any{"__typename": d.Name}, "x", d.Name}
		for _, v := range jsonValues {
			values = append(values, v.value, []any{v.value}, []any{v.value, nil}, map[string]any{"x": v.value})
		}
		for _, e := range d.EnumValues {
			values = append(values, e.Name, strings.ToLower(e.Name), []any{e.Name, e.Name})
		}
		for _, f := range d.Fields {
			for _, v := range append([]any{nil, ofType(schema, f.Type)}, jsonValues[0].value, jsonValues[6].value, jsonValues[10].value, jsonValues[13].value) {
				if base, ok := ofType(schema, &ast.Type{NamedType: d.Name}).(map[string]any); ok {
					base[f.Name] = v
					values = append(values, base, []any{base})
				}
			}
		}
		for _, v := range values {
			if hasCustom(schema, kind, v) {
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			want := takes(schema, kind, v)
			_, err = graph.Coerce(schema, kind, decodeNumbers(t, text))
			if (err == nil) != want {
				t.Errorf("%s for %s: %v; by the specification %v", text, name, err, want)
			}
			if err != nil {
				inTermsOfGraphQL(t, err.Error())
				if tracker.CodeOf(err) != tracker.BadInput {
					t.Errorf("%s for %s: %v", text, name, err)
				}
			}
			cases++
		}
	}
	t.Logf("%d types, %d cases", len(types), cases)
}

// hasCustom reports whether a value gives something to a scalar of ours.
func hasCustom(schema *ast.Schema, t *ast.Type, v any) bool {
	if d := schema.Types[t.Name()]; d.Kind == ast.Scalar {
		return !slices.Contains(builtin, d.Name)
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(v any) bool { return hasCustom(schema, &ast.Type{NamedType: t.Name()}, v) })
	case map[string]any:
		for name, inner := range v {
			if f := schema.Types[t.Name()].Fields.ForName(name); f != nil && hasCustom(schema, f.Type, inner) {
				return true
			}
		}
	}
	return false
}

// decodeNumbers reads JSON as a request is read.
func decodeNumbers(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// inTermsOfGraphQL checks that a message names no type and no function of Go.
func inTermsOfGraphQL(t *testing.T, message string) {
	t.Helper()
	for _, word := range []string{"interface", "json.", "strconv", "float64", "int32", "int64", "map[", "reflect", "%!", " slice", "is not a bool", "[]any"} {
		if strings.Contains(message, word) {
			t.Errorf("the message has %q: %s", word, message)
		}
	}
}

// TestValuesByKind sends values of every kind to a place of every kind, as variables and as literals.
func TestValuesByKind(t *testing.T) {
	s := newServer(t)
	w := newWorld(t, s)
	at := func(kind tracker.FieldType, member string) string {
		return fmt.Sprintf(`project(id: %q) { cursorAt(orderBy: [{column: {field: %q}}], value: {%s: §}) }`, w.project, w.fields[kind], member)
	}
	issues := func(arguments string) string {
		return fmt.Sprintf(`project(id: %q) { issues(%s) { nodes { id } } }`, w.project, arguments)
	}
	for _, place := range []struct {
		kind, query string
		variables   string // the kinds of JSON that it takes
		literals    string // if it takes others
	}{
		{"Int!", fmt.Sprintf(`project(id: %q) { issue(num: §) { id } }`, w.project), "1 1.0", "1"},
		{"Float!", at(tracker.TypeNumber, "number"), "1 1.0 1.5", ""},
		{"String", issues(`where: {name: {eq: §}}`), `null "text" "1" "NAME" "2024-01-01" "2024-01-01T00:00:00Z"`, ""},
		{"Boolean!", fmt.Sprintf(`project(id: %q) { fields(archived: §) { id } }`, w.project), "true", ""},
		{"ID!", `node(id: §) { id }`, `1 "text" "1" "NAME" "2024-01-01" "2024-01-01T00:00:00Z"`, ""},
		{"BuiltinColumn!", issues(`orderBy: [{column: {builtin: §}}]`), `"NAME"`, "NAME"},
		{"[ID!]!", `nodes(ids: §) { id }`, `1 "text" "1" "NAME" "2024-01-01" "2024-01-01T00:00:00Z" [1]`, ""},
		{"[Int!]", issues(`where: {num: {in: §}}`), "null 1 1.0 [1]", "null 1 [1]"},
		{"IssueFilter", issues(`where: §`), "null {}", ""},
		{"[IssueFilter!]", issues(`where: {and: §}`), "null {}", ""},
		{"Int64!", at(tracker.TypeInteger, "integer"), `1 "1"`, ""},
		{"Date!", at(tracker.TypeDate, "date"), `"2024-01-01"`, ""},
		{"DateTime!", at(tracker.TypeDateTime, "dateTime"), `"2024-01-01T00:00:00Z"`, ""},
	} {
		for _, value := range []string{"null", "true", "1", "1.0", "1.5", `"text"`, `"1"`, `"NAME"`, "NAME", `"2024-01-01"`, `"2024-01-01T00:00:00Z"`, "[1]", "[null]", "[[1]]", "{}", `{a: 1}`} {
			try := func(how string, a plain, takes string) {
				t.Helper()
				answer := decode[answer](t, []byte(a.body))
				refused := slices.ContainsFunc(answer.Errors, func(e apiError) bool { return e.Extensions["code"] != string(tracker.NotFound) })
				if want := !slices.Contains(strings.Fields(takes), value); refused != want {
					t.Errorf("%s by %s for %s: refused %v, want %v: %.300s", value, how, place.kind, refused, want, a.body)
				}
				for _, e := range answer.Errors {
					inTermsOfGraphQL(t, e.Message)
					if code := e.Extensions["code"]; code != string(tracker.NotFound) && code != string(tracker.BadInput) {
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
				continue // which is no JSON
			}
			body := fmt.Sprintf(`{"query": %q, "variables": {"x": %s}}`, fmt.Sprintf("query($x: %s) { %s }", place.kind, strings.ReplaceAll(place.query, "§", "$x")), strings.Replace(value, "a:", `"a":`, 1))
			try("variable", s.send(t, http.MethodPost, "", body, "Content-Type", jsonType), place.variables)
		}
	}
}

// TestVariablesNamed: an error names the variable and the place in it.
func TestVariablesNamed(t *testing.T) {
	s := newServer(t)
	create := `mutation($i: CreateIssuesInput!) { createIssues(input: $i) { results { error { code } } } }`
	input := func(value any) map[string]any {
		return map[string]any{"i": map[string]any{"project": "x", "issues": []any{map[string]any{"name": "x"}, map[string]any{"name": "x", "values": map[string]any{"field": "x", "value": value}}}}}
	}
	s.refuses(t, []refusal{
		{name: "a list of one", query: create, variables: input(map[string]any{"number": "1"}), code: tracker.BadInput, argument: "$i.issues[1].values.value.number", says: []string{"Float takes a number", `the string "1"`}},
		{name: "an unknown member", query: create, variables: input(map[string]any{"numbr": 1}), code: tracker.BadInput, argument: "$i.issues[1].values.value", says: []string{`ValueInput has no field "numbr"`}},
		{name: "what is missing", query: create, variables: map[string]any{"i": map[string]any{"project": "x"}}, code: tracker.BadInput, argument: "$i.issues", says: []string{"must be given"}},
		{name: "null", query: create, variables: map[string]any{"i": nil}, code: tracker.BadInput, argument: "$i", says: []string{"must not be null"}},
		{name: "not given", query: create, variables: nil, code: tracker.BadInput, argument: "$i"},
		{name: "a fraction", query: `query($n: Int) { tenants(first: $n) { nodes { id } } }`, variables: map[string]any{"n": 1.5}, code: tracker.BadInput, argument: "$n", says: []string{"1.5"}},
	})
	// A variable keeps its default when it is not given, and not when it is null.
	for variables, code := range map[string]any{`{}`: nil, `{"n": null}`: nil, `{"n": 0}`: string(tracker.BadInput)} {
		body := fmt.Sprintf(`{"query": "query($n: Int = 1) { tenants(first: $n) { nodes { id } } }", "variables": %s}`, variables)
		a := decode[answer](t, []byte(s.send(t, http.MethodPost, "", body, "Content-Type", jsonType).body))
		if (len(a.Errors) > 0) != (code != nil) {
			t.Errorf("%s: %+v", variables, a.Errors)
		}
	}
}
