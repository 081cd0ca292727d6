package validation

import "github.com/vektah/gqlparser/v2/validator/core"

// MergeableFields exports mergeableFields.
func (v *Validator) MergeableFields() core.Rule { return v.mergeableFields() }
