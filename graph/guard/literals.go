package guard

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"issuegrid/tracker"
)

// literalsOfTheirTypes is the rule on literals that stand for no value of their type, as far as neither the library nor the generated code has one:
// numbers that would be kept as other numbers, of which the generated code sees only what they would become, and objects in the place of scalars and
// enums. What it says is what coerce says of variables.
var literalsOfTheirTypes = core.Rule{Name: "LiteralsOfTheirTypes", RuleFunc: func(observers *core.Events, add core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, v *ast.Value) {
		if v.Definition == nil || v.ExpectedType == nil {
			return
		}
		number := v.Kind == ast.IntValue || v.Kind == ast.FloatValue
		var err error
		switch {
		case v.Kind == ast.ObjectValue && v.Definition.Kind != ast.InputObject:
			err = tracker.Bad("", "%s takes no object", v.Definition.Name)
		case number && v.Definition.Name == "Float":
			_, err = tracker.ParseNumber(v.Raw)
		}
		if err != nil {
			add(core.Message("%s", err), core.At(v.Position))
		}
	})
}}
