// Package validation validates queries and coerces the values in them: with gqlparser's rules, and instead of
// some of them with its own. Start here: [Validator].
//
// What is corrected of gqlparser v2.5.37, and until when. TestCorrections fails when a correction is not
// needed any more.
//
//   - Fields that can be merged (merge.go): the library compares fields of the same name in pairs, then what
//     they select in pairs, and so on. A query of 36 KB takes 3 s, one of 117 KB 30 s. It also misses
//     arguments that differ in lists and objects. Until a release compares in time proportional to the query.
//   - Literals (literals.go): the library accepts objects for custom scalars, and reports no path. Until a
//     release calls a function of ours for scalars, with the path.
//   - Variables (coerce.go): the library accepts "1" for an Int and 1 for a String, and numbers that are
//     rounded. Until a release coerces them as the specification says.
//   - Depth of introspection: the library takes 2^n steps for n fragments. The rule is left out, for good:
//     guard.Limits.Introspection makes it unnecessary.
package validation

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Validator validates queries of a schema.
type Validator struct {
	Schema  *ast.Schema
	Scalars Scalars
	// Suggestions adds "Did you mean" to errors about unknown names.
	Suggestions bool
	// Errors is how many errors are of use; there is one more if there are more.
	Errors int
	// Fields and Selections are the limits of the same names of guard.Limits.
	Fields, Selections int
}

// Validate returns what is wrong with a document that has an operation.
func (v *Validator) Validate(doc *ast.QueryDocument) gqlerror.List {
	return validator.ValidateWithRules(v.Schema, doc, v.rules())
}

// rules returns the rules for one query.
func (v *Validator) rules() *rules.Rules {
	all := rules.NewDefaultRules()
	replace := func(without core.Rule, with ...core.Rule) {
		all.RemoveRule(without.Name)
		for _, r := range with {
			all.AddRule(r.Name, r.RuleFunc)
		}
	}
	replace(rules.MaxIntrospectionDepth)
	replace(rules.OverlappingFieldsCanBeMergedRule, v.mergeableFields())
	replace(rules.ValuesOfCorrectTypeRule, core.Rule{Name: literalsRule, RuleFunc: v.validLiterals})
	if !v.Suggestions {
		replace(rules.FieldsOnCorrectTypeRule, rules.FieldsOnCorrectTypeRuleWithoutSuggestions)
		replace(rules.KnownArgumentNamesRule, rules.KnownArgumentNamesRuleWithoutSuggestions)
		replace(rules.KnownTypeNamesRule, rules.KnownTypeNamesRuleWithoutSuggestions)
		replace(rules.ScalarLeafsRule, rules.ScalarLeafsRuleWithoutSuggestions)
	}
	errors := 0
	for name, rule := range all.GetInner() {
		all.ReplaceRule(name, func(observers *core.Events, add core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				if errors++; errors <= v.Errors+1 {
					add(options...)
				}
			})
		})
	}
	return all
}
