package guard

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/validation"
	"issuegrid/tracker"
)

// Argument returns the value of an argument that is sent as JSON outside of a GraphQL request, with the
// limits, conversions and errors of a variable of the type t. Errors are BadInput, with paths that begin with
// name.
func (l Limits) Argument(schema *ast.Schema, scalars validation.Scalars, name string, t *ast.Type,
	text string) (any, error) {
	decoder := json.NewDecoder(l.Parameter(name, text))
	decoder.UseNumber()
	var input any
	err := decoder.Decode(&input)
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = errors.New("unexpected data after the JSON value")
		}
	}
	if beyond, ok := errors.AsType[*tracker.Error](err); ok {
		return nil, tracker.At(name, beyond)
	}
	if err != nil {
		return nil, tracker.Bad(name, "not the JSON of a value of the type %s", t)
	}
	if s := sizeOf(input); s.nesting > l.Nesting {
		return nil, tracker.At(name, l.tooNested(s.nesting))
	}
	return l.validator(schema, scalars).Value(name, t, input)
}
