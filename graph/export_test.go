package graph

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// ParseFilter makes the condition of the first filter of an operation.
func ParseFilter(d *tracker.Definition, in *model.IssueFilter) (filter.Condition, error) {
	return parseFilter(new(filter.Operands), d, in)
}

// MergeableFields is the rule on fields of one name.
var MergeableFields = mergeableFields

// Sizes are what the tokens of a query tell of it.
type Sizes struct {
	Aliases, Directives, Operations, Fragments, Variables, Nesting, Depth, Selections int
}

// SizesOf reads the tokens of a query; nil if it can't be parsed.
func SizesOf(query string, l Limits) (*Sizes, error) {
	o, err := outlineOf(query, l)
	if err != nil || o == nil {
		return nil, err
	}
	all, err := o.reaches()
	if err != nil {
		return nil, err
	}
	s := &Sizes{Aliases: o.aliases, Directives: o.directives, Operations: o.operations, Fragments: len(o.parts) - o.operations, Variables: o.variables, Nesting: o.nesting}
	for i, r := range all {
		s.Depth = max(s.Depth, r.depth)
		if !o.parts[i].fragment {
			s.Selections = atMost(s.Selections + r.selections)
		}
	}
	return s, nil
}

// ReadJSON reads JSON as a body is read, and tells its values.
func ReadJSON(r io.Reader, l Limits) (int, error) {
	b := &jsonBody{ReadCloser: io.NopCloser(r), limits: l}
	_, err := io.Copy(io.Discard, b)
	return b.values, err
}

// Brief shortens a message.
var Brief = brief

// Parallel are the fields that count as resolved side by side.
var Parallel = parallel

// NewPlainHandler is NewHandler without compiled rows: the generated executor alone.
func NewPlainHandler(begin func(context.Context) *Session) http.Handler {
	return newHandler(begin, func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) })
}

// NewCountingHandler is NewHandler, and counts the lists of rows that were compiled.
func NewCountingHandler(begin func(context.Context) *Session, compiled *atomic.Int64) http.Handler {
	return newHandler(begin, func(ctx context.Context, next graphql.Resolver) (any, error) {
		out, err := compiledRows(ctx, next)
		if _, ok := out.(rendered); ok {
			compiled.Add(1)
		}
		return out, err
	})
}

// JoinSurrogates makes characters of their halves in the strings of a query.
var JoinSurrogates = joinSurrogates

// Coerce makes a value of a type of the schema from one of JSON.
func Coerce(schema *ast.Schema, t *ast.Type, given any) (any, error) {
	return (&guard{schema: schema}).coerce(t, given)
}
