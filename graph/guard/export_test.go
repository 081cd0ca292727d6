package guard

import (
	"io"

	"github.com/vektah/gqlparser/v2/ast"
)

// MergeableFields exports mergeableFields.
var MergeableFields = mergeableFields

// Sizes are the sizes that an outline counts in the tokens of a query.
type Sizes struct {
	Aliases, Directives, Operations, Fragments, Variables, Nesting, Depth, Selections int
}

// SizesOf returns the sizes of a query, or nil if it cannot be parsed.
func SizesOf(query string, l Limits) (*Sizes, error) {
	o, err := outlineOf(query, l)
	if err != nil || o == nil {
		return nil, err
	}
	all, err := o.reaches()
	if err != nil {
		return nil, err
	}
	s := &Sizes{Aliases: o.aliases, Directives: o.directives, Operations: o.operations,
		Fragments: len(o.parts) - o.operations, Variables: o.variables, Nesting: o.nesting}
	for i, r := range all {
		s.Depth = max(s.Depth, r.depth)
		if !o.parts[i].fragment {
			s.Selections = atMost(s.Selections + r.selections)
		}
	}
	return s, nil
}

// ReadJSON reads JSON as a body is read, and returns the number of its values.
func ReadJSON(r io.Reader, l Limits) (int, error) {
	b := &jsonBody{ReadCloser: io.NopCloser(r), limits: l}
	_, err := io.Copy(io.Discard, b)
	return b.values, err
}

// JoinSurrogates exports joinSurrogates.
var JoinSurrogates = joinSurrogates

// Coerce coerces a JSON value to a type of the schema.
func Coerce(schema *ast.Schema, scalars Scalars, t *ast.Type, value any) (any, error) {
	c := coercion{schema: schema, scalars: scalars, limit: 100}
	coerced := c.value(nil, t, value)
	return coerced, c.err()
}

// CoerceWithSuggestions is Coerce with suggestions in its errors.
func CoerceWithSuggestions(schema *ast.Schema, t *ast.Type, value any) error {
	c := coercion{schema: schema, suggestions: true, limit: 100}
	c.value(nil, t, value)
	return c.err()
}
