package guard

import (
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validation returns the rules that one query must obey. They are the library's and literalsOfTheirTypes, with two exceptions: mergeableFields replaces the
// library's rule on fields that overlap, and its rule on the depth of introspection is left out. That rule takes 2^n steps for n fragments, and
// Limits.Introspection makes it unnecessary.
//
// Of their errors, enough are kept to know that there are too many to show.
func (o *Options) validation() *rules.Rules {
	all := rules.NewDefaultRules()
	exchange := func(without core.Rule, with ...core.Rule) {
		all.RemoveRule(without.Name)
		for _, r := range with {
			all.AddRule(r.Name, r.RuleFunc)
		}
	}
	exchange(rules.MaxIntrospectionDepth)
	exchange(rules.OverlappingFieldsCanBeMergedRule, mergeableFields(o.Limits))
	all.AddRule(literalsOfTheirTypes.Name, literalsOfTheirTypes.RuleFunc)
	if !o.Suggestions {
		exchange(rules.FieldsOnCorrectTypeRule, rules.FieldsOnCorrectTypeRuleWithoutSuggestions)
		exchange(rules.KnownArgumentNamesRule, rules.KnownArgumentNamesRuleWithoutSuggestions)
		exchange(rules.KnownTypeNamesRule, rules.KnownTypeNamesRuleWithoutSuggestions)
		exchange(rules.ScalarLeafsRule, rules.ScalarLeafsRuleWithoutSuggestions)
		exchange(rules.ValuesOfCorrectTypeRule, rules.ValuesOfCorrectTypeRuleWithoutSuggestions)
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
