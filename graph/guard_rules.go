package graph

import (
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// validation returns the rules that a query must obey, for one query. They are those of the specification as the library has them, but for two:
// mergeableFields, and one on the depth of introspection, which Limits.Introspection makes unnecessary.
//
// Of their errors, enough are kept to know that there are too many to show.
func (o *Options) validation() *rules.Rules {
	all := []core.Rule{
		rules.FragmentsOnCompositeTypesRule,
		rules.KnownDirectivesRule,
		rules.KnownFragmentNamesRule,
		rules.KnownRootTypeRule,
		rules.LoneAnonymousOperationRule,
		rules.NoFragmentCyclesRule,
		rules.NoUndefinedVariablesRule,
		rules.NoUnusedFragmentsRule,
		rules.NoUnusedVariablesRule,
		rules.PossibleFragmentSpreadsRule,
		rules.ProvidedRequiredArgumentsRule,
		rules.SingleFieldSubscriptionsRule,
		rules.UniqueArgumentNamesRule,
		rules.UniqueDirectivesPerLocationRule,
		rules.UniqueFragmentNamesRule,
		rules.UniqueInputFieldNamesRule,
		rules.UniqueOperationNamesRule,
		rules.UniqueVariableNamesRule,
		rules.VariablesAreInputTypesRule,
		rules.VariablesInAllowedPositionRule,
		mergeableFields(o.Limits),
	}
	if o.Suggestions {
		all = append(all, rules.FieldsOnCorrectTypeRule, rules.KnownArgumentNamesRule, rules.KnownTypeNamesRule, rules.ScalarLeafsRule, rules.ValuesOfCorrectTypeRule)
	} else {
		all = append(all, rules.FieldsOnCorrectTypeRuleWithoutSuggestions, rules.KnownArgumentNamesRuleWithoutSuggestions, rules.KnownTypeNamesRuleWithoutSuggestions,
			rules.ScalarLeafsRuleWithoutSuggestions, rules.ValuesOfCorrectTypeRuleWithoutSuggestions)
	}
	out, errors := &rules.Rules{}, 0
	for _, r := range all {
		out.AddRule(r.Name, func(observers *core.Events, add core.AddErrFunc) {
			r.RuleFunc(observers, func(options ...core.ErrorOption) {
				if errors++; errors <= o.Limits.Errors+1 {
					add(options...)
				}
			})
		})
	}
	return out
}
