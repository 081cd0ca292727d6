package guard

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"issuegrid/tracker"
)

// Variables are coerced here, as the specification defines (GraphQL, October 2021, 3.5 to 3.12 and 6.1.2),
// before the library sees them. The library accepts "1" for an Int and 1 for a String, and sees only numbers
// already converted by strconv. The results have the Go types that the generated code expects: int64 for Int,
// float64 for Float, string, bool, and maps and lists of these. Custom scalars convert their values
// themselves (graph/model).

// coerceVariables replaces the variables of an operation with values of their types. The library later
// rejects syntax errors, unknown operations and invalid types. doc is the document of the query if it was
// parsed before, or nil.
func (g *Extension) coerceVariables(p *graphql.RawParams, doc *ast.QueryDocument) error {
	if len(p.Variables) == 0 {
		return nil
	}
	if doc == nil {
		var err error
		if doc, err = parser.ParseQuery(&ast.Source{Input: p.Query}); err != nil {
			return nil
		}
	}
	op := doc.Operations.ForName(p.OperationName)
	if op == nil {
		return nil
	}
	for _, v := range op.VariableDefinitions {
		input, ok := p.Variables[v.Variable]
		d := g.schema.Types[v.Type.Name()]
		if !ok || d == nil || !d.IsInputType() {
			continue
		}
		value, err := g.coerce(v.Type, input)
		if err != nil {
			return tracker.At("$"+v.Variable, err)
		}
		p.Variables[v.Variable] = value
	}
	return nil
}

// coerce converts a JSON value to an input type. Errors are BadInput with a path relative to the value.
func (g *Extension) coerce(t *ast.Type, input any) (any, error) {
	switch {
	case input == nil && t.NonNull:
		return nil, tracker.Bad("", "%s must not be null", t)
	case input == nil:
		return nil, nil
	case t.Elem != nil:
		return g.coerceList(t, input)
	}
	d := g.schema.Types[t.NamedType]
	switch d.Kind {
	case ast.InputObject:
		return g.coerceObject(d, input)
	case ast.Enum:
		if name, ok := input.(string); ok && d.EnumValues.ForName(name) != nil {
			return name, nil
		}
		return nil, tracker.Bad("", "%s takes the name of one of its values as a string, not %s", d.Name,
			describe(input))
	}
	return coerceScalar(d.Name, input)
}

// coerceList coerces the elements of a list. A value that is not a list becomes a list of one element.
func (g *Extension) coerceList(t *ast.Type, input any) (any, error) {
	list, ok := input.([]any)
	if !ok {
		one, err := g.coerce(t.Elem, input)
		return []any{one}, err
	}
	for i := range list {
		var err error
		if list[i], err = g.coerce(t.Elem, list[i]); err != nil {
			return nil, tracker.At("["+strconv.Itoa(i)+"]", err)
		}
	}
	return list, nil
}

// coerceObject coerces the members of an input object. Resolvers check that a @oneOf object has exactly one
// member, so that in a bulk mutation only the one issue fails.
func (g *Extension) coerceObject(d *ast.Definition, input any) (any, error) {
	members, ok := input.(map[string]any)
	if !ok {
		return nil, tracker.Bad("", "%s is an object, not %s", d.Name, describe(input))
	}
	known := 0
	for _, f := range d.Fields {
		value, present := members[f.Name]
		if !present {
			if f.Type.NonNull && f.DefaultValue == nil {
				return nil, tracker.Bad(f.Name, "%s.%s of the type %s must be given", d.Name, f.Name, f.Type)
			}
			continue
		}
		known++
		var err error
		if members[f.Name], err = g.coerce(f.Type, value); err != nil {
			return nil, tracker.At(f.Name, err)
		}
	}
	if known == len(members) {
		return members, nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if d.Fields.ForName(name) == nil {
			return nil, tracker.Bad("", "%s has no field %q", d.Name, name)
		}
	}
	return members, nil
}

// coerceScalar coerces a value of a scalar type of the specification.
func coerceScalar(name string, input any) (any, error) {
	number, isNumber := input.(json.Number)
	text, isText := input.(string)
	switch name {
	case "Int":
		if !isNumber {
			return nil, tracker.Bad("", "Int takes an integer, not %s", describe(input))
		}
		return intOf(string(number))
	case "Float":
		if !isNumber {
			return nil, tracker.Bad("", "Float takes a number, not %s", describe(input))
		}
		return tracker.ParseNumber(string(number))
	case "String":
		if !isText {
			return nil, tracker.Bad("", "String takes a string, not %s", describe(input))
		}
	case "Boolean":
		if _, ok := input.(bool); !ok {
			return nil, tracker.Bad("", "Boolean takes true or false, not %s", describe(input))
		}
	case "ID":
		if isText {
			return text, nil
		}
		if isNumber {
			if _, err := strconv.ParseInt(string(number), 10, 64); err == nil {
				return string(number), nil
			}
		}
		return nil, tracker.Bad("", "ID takes a string or an integer, not %s", describe(input))
	}
	return input, nil
}

// intOf converts an Int: 32 bits, with an optional fraction of zeros.
func intOf(literal string) (any, error) {
	i, ok := tracker.ParseInteger(literal)
	switch {
	case !ok:
		return nil, tracker.Bad("", "Int takes an integer, not the number %s", literal)
	case i != int64(int32(i)):
		return nil, tracker.Bad("", "Int takes an integer of 32 bits, from -2147483648 to 2147483647, not %s",
			literal)
	}
	return i, nil
}

// describe returns the name of a JSON value for a message.
func describe(v any) string {
	switch v := v.(type) {
	case json.Number:
		return "the number " + string(v)
	case string:
		return "the string " + strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "null"
}
