package guard

import (
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validation returns the rules for validating one query: the library's rules, with three exceptions.
// mergeableFields replaces the library's rule on overlapping fields, and validLiterals the one on values. The
// library's rule on the depth of introspection is omitted: it takes 2^n steps for n fragments, and
// Limits.Introspection makes it unnecessary.
func (g *Extension) validation() *rules.Rules {
	all := rules.NewDefaultRules()
	replace := func(without core.Rule, with ...core.Rule) {
		all.RemoveRule(without.Name)
		for _, r := range with {
			all.AddRule(r.Name, r.RuleFunc)
		}
	}
	replace(rules.MaxIntrospectionDepth)
	replace(rules.OverlappingFieldsCanBeMergedRule, mergeableFields(g.Limits))
	replace(rules.ValuesOfCorrectTypeRule, core.Rule{Name: literalsRule, RuleFunc: g.validLiterals})
	if !g.Suggestions {
		replace(rules.FieldsOnCorrectTypeRule, rules.FieldsOnCorrectTypeRuleWithoutSuggestions)
		replace(rules.KnownArgumentNamesRule, rules.KnownArgumentNamesRuleWithoutSuggestions)
		replace(rules.KnownTypeNamesRule, rules.KnownTypeNamesRuleWithoutSuggestions)
		replace(rules.ScalarLeafsRule, rules.ScalarLeafsRuleWithoutSuggestions)
	}
	errors := 0
	for name, rule := range all.GetInner() {
		all.ReplaceRule(name, func(observers *core.Events, add core.AddErrFunc) {
			rule(observers, func(options ...core.ErrorOption) {
				if errors++; errors <= g.Limits.Errors+1 {
					add(options...)
				}
			})
		})
	}
	return all
}
