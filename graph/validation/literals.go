package validation

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"

	"issuegrid/tracker"
)

// Literals are checked by the rules for variables, so that they have the same errors.

// literalOf returns a literal in the form of a JSON value, with an enumLiteral for a name and a variable for
// a variable.
func literalOf(v *ast.Value) any {
	switch v.Kind {
	case ast.Variable:
		return variable{}
	case ast.IntValue, ast.FloatValue:
		return json.Number(v.Raw)
	case ast.StringValue, ast.BlockValue:
		return v.Raw
	case ast.EnumValue:
		return enumLiteral(v.Raw)
	case ast.BooleanValue:
		return v.Raw == "true"
	case ast.ListValue:
		list := make([]any, len(v.Children))
		for i, child := range v.Children {
			list[i] = literalOf(child.Value)
		}
		return list
	case ast.ObjectValue:
		members := make(map[string]any, len(v.Children))
		for _, child := range v.Children {
			members[child.Name] = literalOf(child.Value)
		}
		return members
	}
	return nil
}

// literalsRule is the name of the rule validLiterals.
const literalsRule = "LiteralsOfTheirTypes"

// validLiterals is the validation rule for the literals of arguments and of defaults of variables.
func (v *Validator) validLiterals(observers *core.Events, add core.AddErrFunc) {
	seen := map[*ast.Value]bool{} // the library visits a fragment again for each operation
	check := func(name string, t *ast.Type, literal *ast.Value) {
		if literal == nil || t == nil || seen[literal] || v.Schema.Types[t.Name()] == nil {
			return
		}
		seen[literal] = true
		c := v.coercion(true)
		c.value(&place{name: name}, t, literalOf(literal))
		for _, err := range c.errs {
			add(core.Message("%s", err.Message), core.At(literal.Position), because(err))
		}
	}
	arguments := func(defined ast.ArgumentDefinitionList, given ast.ArgumentList) {
		for _, a := range given {
			if d := defined.ForName(a.Name); d != nil {
				check(a.Name, d.Type, a.Value)
			}
		}
	}
	observers.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Definition != nil {
			arguments(f.Definition.Arguments, f.Arguments)
		}
	})
	observers.OnDirective(func(_ *core.Walker, d *ast.Directive) {
		if d.Definition != nil {
			arguments(d.Definition.Arguments, d.Arguments)
		}
	})
	observers.OnOperation(func(_ *core.Walker, op *ast.OperationDefinition) {
		for _, d := range op.VariableDefinitions {
			if t := v.Schema.Types[d.Type.Name()]; t != nil && t.IsInputType() {
				check("$"+d.Variable, d.Type, d.DefaultValue)
			}
		}
	})
}

// because sets the cause of an error of the library. The error presenter takes code and path from it.
func because(err *tracker.Error) core.ErrorOption {
	return func(e *gqlerror.Error) { e.Err = err }
}
