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

// Variables are coerced here, as the specification has it (GraphQL, October 2021, 3.5 to 3.12 and 6.1.2), before the library looks at them: it takes "1"
// for an Int and 1 for a String, and of numbers it sees what strconv has made of them. What is left is of the Go types that the generated code takes:
// int64 for Int, float64 for Float, string, bool, and maps and lists of these. Custom scalars read their values themselves (graph/model).

// coerceVariables replaces the variables of an operation by the values of their types. The library refuses
// queries that can't be parsed, unknown operations and invalid types later. doc is the query, if it was parsed before.
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
		given, ok := p.Variables[v.Variable]
		d := g.schema.Types[v.Type.Name()]
		if !ok || d == nil || !d.IsInputType() {
			continue
		}
		value, err := g.coerce(v.Type, given)
		if err != nil {
			return tracker.At("$"+v.Variable, err)
		}
		p.Variables[v.Variable] = value
	}
	return nil
}

// coerce makes a value of a type from one of JSON. Errors are BadInput with a path below the value.
func (g *Extension) coerce(t *ast.Type, given any) (any, error) {
	switch {
	case given == nil && t.NonNull:
		return nil, tracker.Bad("", "%s must not be null", t)
	case given == nil:
		return nil, nil
	case t.Elem != nil:
		return g.coerceList(t, given)
	}
	d := g.schema.Types[t.NamedType]
	switch d.Kind {
	case ast.InputObject:
		return g.coerceObject(d, given)
	case ast.Enum:
		if name, ok := given.(string); ok && d.EnumValues.ForName(name) != nil {
			return name, nil
		}
		return nil, tracker.Bad("", "%s takes the name of one of its values as a string, and not %s", d.Name, described(given))
	}
	return coerceScalar(d.Name, given)
}

// coerceList coerces the members of a list. What is no list is one of a single member.
func (g *Extension) coerceList(t *ast.Type, given any) (any, error) {
	list, ok := given.([]any)
	if !ok {
		one, err := g.coerce(t.Elem, given)
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

// coerceObject coerces the members of an input object. Whether one of @oneOf has one member is for those who read it: then the other issues of a bulk
// mutation have outcomes of their own.
func (g *Extension) coerceObject(d *ast.Definition, given any) (any, error) {
	members, ok := given.(map[string]any)
	if !ok {
		return nil, tracker.Bad("", "%s is an object, and not %s", d.Name, described(given))
	}
	known := 0
	for _, f := range d.Fields {
		value, given := members[f.Name]
		if !given {
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

// coerceScalar coerces a value of a scalar of the specification.
func coerceScalar(name string, given any) (any, error) {
	number, isNumber := given.(json.Number)
	text, isText := given.(string)
	switch name {
	case "Int":
		if !isNumber {
			return nil, tracker.Bad("", "Int takes an integer, and not %s", described(given))
		}
		return intOf(string(number))
	case "Float":
		if !isNumber {
			return nil, tracker.Bad("", "Float takes a number, and not %s", described(given))
		}
		return tracker.ParseNumber(string(number))
	case "String":
		if !isText {
			return nil, tracker.Bad("", "String takes a string, and not %s", described(given))
		}
	case "Boolean":
		if _, ok := given.(bool); !ok {
			return nil, tracker.Bad("", "Boolean takes true or false, and not %s", described(given))
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
		return nil, tracker.Bad("", "ID takes a string or an integer, and not %s", described(given))
	}
	return given, nil
}

// intOf reads an Int, which is 32 bits and may have a fraction of zeros.
func intOf(literal string) (any, error) {
	i, ok := tracker.ParseInteger(literal)
	switch {
	case !ok:
		return nil, tracker.Bad("", "Int takes an integer, and not the number %s", literal)
	case i != int64(int32(i)):
		return nil, tracker.Bad("", "Int takes an integer of 32 bits, from -2147483648 to 2147483647, and not %s", literal)
	}
	return i, nil
}

// described names a value of JSON in a message.
func described(v any) string {
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
