package guard

import (
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validation returns the rules for validating one query: the library's rules and validLiterals, with two
// exceptions. mergeableFields replaces the library's rule on overlapping fields. The library's rule on the
// depth of introspection is omitted: it takes 2^n steps for n fragments, and Limits.Introspection makes it
// unnecessary.
func (o *Options) validation() *rules.Rules {
	all := rules.NewDefaultRules()
	replace := func(without core.Rule, with ...core.Rule) {
		all.RemoveRule(without.Name)
		for _, r := range with {
			all.AddRule(r.Name, r.RuleFunc)
		}
	}
	replace(rules.MaxIntrospectionDepth)
	replace(rules.OverlappingFieldsCanBeMergedRule, mergeableFields(o.Limits))
	all.AddRule(validLiterals.Name, validLiterals.RuleFunc)
	if !o.Suggestions {
		replace(rules.FieldsOnCorrectTypeRule, rules.FieldsOnCorrectTypeRuleWithoutSuggestions)
		replace(rules.KnownArgumentNamesRule, rules.KnownArgumentNamesRuleWithoutSuggestions)
		replace(rules.KnownTypeNamesRule, rules.KnownTypeNamesRuleWithoutSuggestions)
		replace(rules.ScalarLeafsRule, rules.ScalarLeafsRuleWithoutSuggestions)
		replace(rules.ValuesOfCorrectTypeRule, rules.ValuesOfCorrectTypeRuleWithoutSuggestions)
	}
	errors := 0
	for name, rule := range all.GetInner() {
		all.ReplaceRule(name, func(observers *core.Events, add core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				if errors++; errors <= o.Limits.Errors+1 {
					add(options...)
				}
			})
		})
	}
	return all
}
