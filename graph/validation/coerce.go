package validation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"issuegrid/tracker"
)

// Values are coerced as the specification defines (GraphQL, October 2021, 3.5 to 3.12 and 6.1.2). The results
// have the Go types that the generated code expects: int64 for Int, float64 for Float, string, bool, and maps
// and lists of these. Values of custom scalars are checked here and converted by the generated code.
//
// Other than in the specification, a null that a type allows counts as not given, in variables and in members
// of input objects: clients that send null for what is optional need not omit it, and defaults apply.

// Scalars has a function for each custom scalar of the schema. It returns an error if a value, a string,
// bool, json.Number, list or map, is not one of the scalar.
type Scalars map[string]func(value any) error

type (
	// enumLiteral is the name of an enum value in a query.
	enumLiteral string
	// variable is a reference to a variable in a query.
	variable struct{}
)

// Value converts a JSON value to the input type t, with the errors of a variable; their paths begin with
// name.
func (v *Validator) Value(name string, t *ast.Type, input any) (any, error) {
	c := v.coercion(false)
	coerced := c.value(&place{name: name}, t, input)
	return coerced, c.err()
}

// Variables replaces the variables of an operation of a valid document with values of their types. It reports
// those of other types, and those that must be given and are not.
func (v *Validator) Variables(doc *ast.QueryDocument, op *ast.OperationDefinition,
	given map[string]any) error {
	c := v.coercion(false)
	for _, d := range op.VariableDefinitions {
		input, ok := given[d.Variable]
		at := &place{name: "$" + d.Variable}
		switch {
		case ok && input == nil && !d.Type.NonNull:
			delete(given, d.Variable)
		case ok:
			given[d.Variable] = c.value(at, d.Type, input)
		case d.Type.NonNull && d.DefaultValue == nil:
			c.bad(at, "the variable %s of the type %s must be given", at.name, d.Type)
		}
	}
	return AtArguments(doc, op, c.err())
}

// coercion converts values to input types and collects what is wrong with them, up to the limit of errors;
// the rest of the values is not checked.
type coercion struct {
	*Validator
	// literal is set for values that are written in the query, as literalOf returns them.
	literal bool
	errs    tracker.Errors
}

func (v *Validator) coercion(literal bool) *coercion {
	return &coercion{Validator: v, literal: literal}
}

// place is the position of a value in an input.
type place struct {
	outer *place
	name  string // of a member; "" for an element
	index int
}

func (p *place) String() string {
	switch {
	case p == nil:
		return ""
	case p.name == "":
		return p.outer.String() + "[" + strconv.Itoa(p.index) + "]"
	case p.outer == nil:
		return p.name
	}
	return p.outer.String() + "." + p.name
}

func (c *coercion) bad(at *place, format string, args ...any) {
	c.add(at, tracker.Bad("", format, args...))
}

func (c *coercion) add(at *place, err error) {
	if c.full() {
		return
	}
	for _, e := range tracker.AllOf(err) {
		moved := *e
		moved.Path = at.String()
		c.errs = append(c.errs, &moved)
	}
}

func (c *coercion) full() bool { return len(c.errs) > c.Errors }

// err returns the errors found, or nil.
func (c *coercion) err() error {
	all := make([]error, len(c.errs))
	for i, e := range c.errs {
		all[i] = e
	}
	return tracker.Join(all...)
}

// value converts a value to an input type. The result is undefined if there is an error.
func (c *coercion) value(at *place, t *ast.Type, input any) any {
	switch input.(type) {
	case nil:
		if t.NonNull {
			c.bad(at, "%s must not be null", t)
		}
		return nil
	case variable:
		return input // has a value of the type
	}
	if t.Elem != nil {
		return c.list(at, t, input)
	}
	d := c.Schema.Types[t.NamedType]
	switch d.Kind {
	case ast.InputObject:
		return c.object(at, d, input)
	case ast.Enum:
		return c.enum(at, d, input)
	}
	coerced, err := c.scalar(d.Name, input)
	if err != nil {
		c.add(at, err)
	}
	return coerced
}

// list converts the elements of a list. A value that is not a list becomes a list of one element.
func (c *coercion) list(at *place, t *ast.Type, input any) any {
	list, ok := input.([]any)
	if !ok {
		return []any{c.value(at, t.Elem, input)}
	}
	for i := range list {
		if c.full() {
			break
		}
		list[i] = c.value(&place{outer: at, index: i}, t.Elem, list[i])
	}
	return list
}

func (c *coercion) enum(at *place, d *ast.Definition, input any) any {
	name, ok := input.(string)
	if c.literal {
		var e enumLiteral
		e, ok = input.(enumLiteral)
		name = string(e)
	}
	if !ok || d.EnumValues.ForName(name) == nil {
		c.notOf(at, d, input, ok)
	}
	return name
}

// mostListed is the maximum number of values of an enum that an error lists.
const mostListed = 12

// notOf reports an input that is not a value of an enum. named is set if it has the form of one: a string in
// a variable, a name in a query. The message lists the values only if suggestions are enabled.
func (c *coercion) notOf(at *place, d *ast.Definition, input any, named bool) {
	if c.full() {
		return
	}
	names := make([]string, len(d.EnumValues))
	for i, v := range d.EnumValues {
		names[i] = v.Name
	}
	name, shown := "", describe(input)
	switch v := input.(type) {
	case string:
		name = v
	case enumLiteral:
		name = string(v)
	}
	if named {
		shown = quoted(name)
	}
	switch {
	case c.Suggestions && len(names) <= mostListed:
		c.bad(at, "%s is %s, not %s", d.Name, orList(names), shown)
	case named:
		c.bad(at, "%s has no value %s%s", d.Name, shown, c.suggestion(name, names))
	case c.literal:
		c.bad(at, "%s takes the name of one of its values, not %s", d.Name, shown)
	default:
		c.bad(at, "%s takes the name of one of its values as a string, not %s", d.Name, shown)
	}
}

// orList returns "A, B or C".
func orList(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// object converts the members of an input object. Resolvers check that a @oneOf object has exactly one
// member, so that in a bulk mutation only the one issue fails.
func (c *coercion) object(at *place, d *ast.Definition, input any) any {
	members, ok := input.(map[string]any)
	if !ok {
		c.bad(at, "%s is an object, not %s", d.Name, describe(input))
		return nil
	}
	known := 0
	for _, f := range d.Fields {
		if c.full() {
			break
		}
		in := &place{outer: at, name: f.Name}
		value, present := members[f.Name]
		switch {
		case present && value == nil && !f.Type.NonNull:
			delete(members, f.Name)
		case present:
			known++
			members[f.Name] = c.value(in, f.Type, value)
		case f.Type.NonNull && f.DefaultValue == nil:
			c.bad(in, "%s.%s of the type %s must be given", d.Name, f.Name, f.Type)
		}
	}
	if known == len(members) {
		return members
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if d.Fields.ForName(name) == nil {
			names := make([]string, len(d.Fields))
			for i, f := range d.Fields {
				names[i] = f.Name
			}
			in := at
			if name != "" {
				in = &place{outer: at, name: name}
			}
			c.bad(in, "%s has no field %q%s", d.Name, name, c.suggestion(name, names))
		}
	}
	return members
}

// suggestion returns the end of a message about an unknown name: the known names like it, if suggestions are
// enabled.
func (c *coercion) suggestion(name string, known []string) string {
	if !c.Suggestions || name == "" || c.full() {
		return ""
	}
	like := core.SuggestionList(name, known)
	if len(like) == 0 {
		return ""
	}
	return ". Did you mean " + core.QuotedOrList(like...) + "?"
}

// scalar converts a value to a scalar type of the specification, and checks that of a custom scalar.
func (c *coercion) scalar(name string, input any) (any, error) {
	number, isNumber := input.(json.Number)
	text, isText := input.(string)
	switch name {
	case "Int":
		if !isNumber || c.literal && strings.ContainsAny(string(number), ".eE") {
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
	default:
		if check := c.Scalars[name]; check != nil {
			return input, check(input)
		}
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

// quoted returns the beginning of a string for a message.
func quoted(text string) string { return fmt.Sprintf("%.500q", text) }

// describe returns the name of a JSON value for a message.
func describe(v any) string {
	switch v := v.(type) {
	case json.Number:
		return fmt.Sprintf("the number %.500s", v)
	case string:
		return "the string " + quoted(v)
	case bool:
		return strconv.FormatBool(v)
	case enumLiteral:
		return fmt.Sprintf("the name %.500s", v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "null"
}
