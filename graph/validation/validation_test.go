package validation_test

import (
	"encoding/json"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"issuegrid/graph/validation"
	"issuegrid/tracker"
)

// TestCorrections checks that each correction of the library is needed: that the library accepts what it must
// not, and this package does not. If it fails after an upgrade, remove the correction.
func TestCorrections(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `
		type Query { f(x: Int, s: S, list: [Int], text: String): Int }
		scalar S`})
	v := &validation.Validator{Schema: schema, Errors: 10, Fields: 100, Selections: 1000,
		Scalars: validation.Scalars{"S": func(value any) error {
			if _, ok := value.(string); !ok {
				return tracker.Bad("", "not a string")
			}
			return nil
		}}}
	for name, query := range map[string]string{
		"arguments that differ in a list":  `{ f(list: [1]) f(list: [2]) }`,
		"an object for a scalar":           `{ f(s: {a: 1}) }`,
		"a number that is no custom value": `{ f(s: 1) }`,
	} {
		doc := gqlparser.MustLoadQueryWithRules(schema, query, rules.NewRules())
		if errs := validator.ValidateWithRules(schema, doc, rules.NewDefaultRules()); len(errs) > 0 {
			t.Errorf("%s: the library reports %v", name, errs)
		}
		if errs := v.Validate(doc); len(errs) == 0 {
			t.Errorf("%s is accepted", name)
		}
	}
	query := `query($x: Int, $text: String) { f(x: $x, text: $text) }`
	doc := gqlparser.MustLoadQueryWithRules(schema, query, rules.NewRules())
	for name, value := range map[string]any{"x": "1", "text": json.Number("1")} {
		op, given := doc.Operations[0], map[string]any{name: value}
		if _, err := validator.VariableValues(schema, op, given); err != nil {
			t.Errorf("%s = %v: the library reports %v", name, value, err)
		}
		if v.Variables(doc, op, given) == nil {
			t.Errorf("%s = %v is accepted", name, value)
		}
	}
}
