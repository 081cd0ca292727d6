package validation_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/guard/guardtest"
	"issuegrid/graph/validation"
	"issuegrid/tracker"
)

// jsonValues are JSON values of every kind with the scalars that accept them according to the specification
// (October 2021, 3.5.1 to 3.5.5). As in graphql-js, numbers such as 1.0 are integers.
var jsonValues = []struct {
	value any
	takes []string // scalars that accept the value
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

// takes reports whether the specification allows a JSON value for a type.
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
		return ok && slices.ContainsFunc(d.EnumValues, func(e *ast.EnumValueDefinition) bool {
			return e.Name == name
		})
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

// ofType makes a value of a type, without optional members.
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
	return map[string]any{"Int": json.Number("0"), "Float": json.Number("1.5"), "Boolean": true,
		"String": "x", "ID": "x"}[t.NamedType]
}

// builtin are the scalars of the specification. Resolvers read the values of all others; TestValuesByKind
// covers them.
var builtin = []string{"Int", "Float", "String", "Boolean", "ID"}

// TestVariablesOfEveryType checks JSON values of all kinds for every input type of the schema.
func TestVariablesOfEveryType(t *testing.T) {
	schema := guardtest.SchemaFile(t, "../../schema.graphqls")
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
		t.Fatalf("the schema has %d input types", len(types))
	}
	validator, cases := &validation.Validator{Schema: schema, Errors: 100}, 0
	for name, kind := range types {
		d := schema.Types[kind.Name()]
		if d.Kind == ast.Scalar && !slices.Contains(builtin, d.Name) {
			continue
		}
		values := []any{nil, []any{}, map[string]any{}, []any{nil}, []any{[]any{}},
			map[string]any{"nothing": json.Number("1")}, map[string]any{"__typename": d.Name}, "x", d.Name}
		for _, v := range jsonValues {
			values = append(values, v.value, []any{v.value}, []any{v.value, nil},
				map[string]any{"x": v.value})
		}
		for _, e := range d.EnumValues {
			values = append(values, e.Name, strings.ToLower(e.Name), []any{e.Name, e.Name})
		}
		for _, f := range d.Fields {
			for _, v := range append([]any{nil, ofType(schema, f.Type)}, jsonValues[0].value,
				jsonValues[6].value, jsonValues[10].value, jsonValues[13].value) {
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
			_, err = validator.Value("x", kind, decodeNumbers(t, text))
			if (err == nil) != want {
				t.Errorf("%s for %s: %v; want by the specification: %v", text, name, err, want)
			}
			if err != nil {
				guardtest.InTermsOfGraphQL(t, err.Error())
				if tracker.CodeOf(err) != tracker.BadInput {
					t.Errorf("%s for %s: %v", text, name, err)
				}
			}
			cases++
		}
	}
	t.Logf("%d types, %d cases", len(types), cases)
}

// hasCustom reports whether a value contains a value of a custom scalar.
func hasCustom(schema *ast.Schema, t *ast.Type, v any) bool {
	if d := schema.Types[t.Name()]; d.Kind == ast.Scalar {
		return !slices.Contains(builtin, d.Name)
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(v any) bool {
			return hasCustom(schema, &ast.Type{NamedType: t.Name()}, v)
		})
	case map[string]any:
		for name, inner := range v {
			if f := schema.Types[t.Name()].Fields.ForName(name); f != nil &&
				hasCustom(schema, f.Type, inner) {
				return true
			}
		}
	}
	return false
}

// decodeNumbers decodes JSON as a request is decoded.
func decodeNumbers(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestWrongEnumValues checks that an error lists the values of an enum unless they are many.
func TestWrongEnumValues(t *testing.T) {
	for values, want := range map[string]string{
		"ONE":                       `E is ONE, not "ONF"`,
		"ONE TWO SIX":               `E is ONE, TWO or SIX, not "ONF"`,
		"ONE A B C D E F G H I J K": `E is ONE, A, B, C, D, E, F, G, H, I, J or K, not "ONF"`,
		"ONE AAAA BBBB CCCC DDDD EEEE FFFF GGGG HHHH IIII JJJJ KKKK LLLL": `E has no value "ONF". ` +
			`Did you mean "ONE"?`,
	} {
		schema := gqlparser.MustLoadSchema(&ast.Source{
			Input: "type Query { e: E } enum E { " + values + " }"})
		_, err := (&validation.Validator{Schema: schema, Suggestions: true, Errors: 9}).Value("e",
			&ast.Type{NamedType: "E"}, "ONF")
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", values, err, want)
		}
	}
}
