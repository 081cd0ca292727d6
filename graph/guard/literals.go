package guard

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"

	"issuegrid/tracker"
)

// validLiterals is the validation rule for literals that are invalid for their type but that neither the
// library nor the generated code rejects: objects used as scalars or enums, and numbers that would be stored
// as other numbers, because the generated code sees only the converted value. Its messages are those of
// coerce for variables.
var validLiterals = core.Rule{Name: "LiteralsOfTheirTypes",
	RuleFunc: func(observers *core.Events, add core.AddErrFunc) {
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
