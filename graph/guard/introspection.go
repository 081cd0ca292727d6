package guard

import (
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/tracker"
)

// textPerField is the number of characters of a string that take as much time as one field.
const textPerField = 32

// introspected counts the objects and fields in the response to an introspection query. It walks the schema
// as the executor will: because fields have types, which have fields, a query of 100 bytes can have a
// response of 100 MB.
//
// It assumes that all fragments apply and all fields are included, so that the count is never too low.
type introspected struct {
	schema *ast.Schema
	values int
	limit  int // counting stops here
}

// checkIntrospection rejects an operation that selects too much of the schema, or any of it if off is true.
func (l Limits) checkIntrospection(schema *ast.Schema, op *graphql.OperationContext, off bool) error {
	i := introspected{schema: schema, limit: l.Introspection}
	switch found := i.root(op, op.Operation.SelectionSet); {
	case found && off:
		return &tracker.Error{Code: tracker.Forbidden,
			Message: "introspection is turned off on this server"}
	case i.values > l.Introspection:
		return tracker.Bad("", "the response to this introspection query would have more than %d objects "+
			"and fields, which is the limit (Introspection): select fewer types, or less of each",
			l.Introspection)
	}
	return nil
}

// root counts __schema and __type, which only Query has, and reports whether it found any.
func (i *introspected) root(op *graphql.OperationContext, set ast.SelectionSet) (found bool) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			switch s.Name {
			case "__schema":
				found = true
				i.set(s.SelectionSet, i.schema)
			case "__type":
				found = true
				name, _ := s.ArgumentMap(op.Variables)["name"].(string)
				i.set(s.SelectionSet, i.schema.Types[name])
			}
		case *ast.InlineFragment:
			found = i.root(op, s.SelectionSet) || found
		case *ast.FragmentSpread:
			found = i.root(op, s.Definition.SelectionSet) || found
		}
	}
	return found
}

// set counts an object of the schema and what is selected of it.
func (i *introspected) set(set ast.SelectionSet, of any) {
	i.values++
	for _, s := range set {
		if i.values++; i.values > i.limit {
			return
		}
		switch s := s.(type) {
		case *ast.Field:
			text := len(s.Alias) + i.field(of, s.Name, func(member any) { i.set(s.SelectionSet, member) })
			i.values += text / textPerField
		case *ast.InlineFragment:
			i.set(s.SelectionSet, of)
		case *ast.FragmentSpread:
			i.set(s.Definition.SelectionSet, of)
		}
	}
}

// field visits the members of one field of a schema object, and returns the length of its string.
func (i *introspected) field(of any, name string, visit func(any)) (text int) {
	var d string
	switch of := of.(type) {
	case *ast.Schema:
		i.schemaField(name, visit)
	case *ast.Definition:
		if of == nil {
			return 0 // unknown type
		}
		d = of.Description
		i.typeField(of, name, visit)
	case *ast.Type:
		if name == "ofType" && of.NonNull {
			nullable := *of
			nullable.NonNull = false
			visit(i.typeOf(&nullable))
		} else if name == "ofType" {
			visit(i.typeOf(of.Elem))
		}
	case *ast.FieldDefinition:
		d = of.Description
		if name == "args" {
			visitAll(of.Arguments, visit)
		}
		if name == "type" {
			visit(i.typeOf(of.Type))
		}
	case *ast.ArgumentDefinition:
		d = of.Description
		if name == "type" {
			visit(i.typeOf(of.Type))
		}
	case *ast.DirectiveDefinition:
		d = of.Description
		if name == "args" {
			visitAll(of.Arguments, visit)
		}
	case *ast.EnumValueDefinition:
		d = of.Description
	}
	if name == "description" {
		return len(d)
	}
	return 0
}

func (i *introspected) schemaField(name string, visit func(any)) {
	switch name {
	case "types":
		for _, d := range i.schema.Types {
			visit(d)
		}
	case "directives":
		for _, d := range i.schema.Directives {
			visit(d)
		}
	case "queryType":
		visit(i.schema.Query)
	case "mutationType":
		visit(i.schema.Mutation)
	case "subscriptionType":
		visit(i.schema.Subscription)
	}
}

func (i *introspected) typeField(d *ast.Definition, name string, visit func(any)) {
	switch name {
	case "fields", "inputFields", "enumValues", "interfaces", "possibleTypes":
		i.values++ // the executor makes a list even if it is empty
	}
	switch name {
	case "fields":
		for _, f := range d.Fields {
			if d.Kind != ast.InputObject && !strings.HasPrefix(f.Name, "__") {
				visit(f)
			}
		}
	case "inputFields":
		if d.Kind == ast.InputObject {
			visitAll(d.Fields, visit)
		}
	case "enumValues":
		visitAll(d.EnumValues, visit)
	case "interfaces":
		for _, name := range d.Interfaces {
			visit(i.schema.Types[name])
		}
	case "possibleTypes":
		if d.IsAbstractType() {
			visitAll(i.schema.GetPossibleTypes(d), visit)
		}
	}
}

// typeOf returns the object by which introspection represents a type: the wrapping type if it is a list or
// non-null, else its definition.
func (i *introspected) typeOf(t *ast.Type) any {
	if t.NonNull || t.Elem != nil {
		return t
	}
	return i.schema.Types[t.NamedType]
}

func visitAll[T any](members []T, visit func(any)) {
	for _, m := range members {
		visit(m)
	}
}
