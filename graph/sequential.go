package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
)

// sequential writes a list of values in memory one element after the other. The generated executor starts a
// goroutine for each element. Lists whose elements read data need this, so that their reads share a batch; in
// nested lists in memory it would resolve all elements of all lists at the same time.
//
// Law: the response is the same, byte for byte, as that of the generated executor.
type sequential struct{ schema *executableSchema }

// write returns the JSON of a list in memory, and any other value unchanged.
func (s sequential) write(ctx context.Context, resolved any) any {
	switch list := resolved.(type) {
	case []*model.CustomField:
		return listed(ctx, s.schema, list, (*executionContext)._CustomField)
	case []*model.Option:
		return listed(ctx, s.schema, list, (*executionContext)._Option)
	case []*model.State:
		return listed(ctx, s.schema, list, (*executionContext)._State)
	case []*model.Job:
		return listed(ctx, s.schema, list, (*executionContext)._Job)
	case []*model.JobProblem:
		return listed(ctx, s.schema, list, (*executionContext)._JobProblem)
	case []model.CustomValue: // their long texts were prefetched for all rows
		return listedOrNull(ctx, s.schema, list, (*executionContext)._CustomValue)
	}
	return resolved
}

// elementWriter is the method of the generated executor that writes one element.
type elementWriter[T any] func(*executionContext, context.Context, ast.SelectionSet, T) graphql.Marshaler

// listed writes non-null elements. If an element is null, the list is null.
func listed[T any](ctx context.Context, schema *executableSchema, list []T,
	write elementWriter[T]) graphql.Marshaler {
	out := listedOrNull(ctx, schema, list, write)
	if all, ok := out.(graphql.Array); ok && slices.ContainsFunc(all, func(m graphql.Marshaler) bool {
		return m == graphql.Null
	}) {
		return graphql.Null
	}
	return out
}

// listedOrNull writes nullable elements.
func listedOrNull[T any](ctx context.Context, schema *executableSchema, list []T,
	write elementWriter[T]) graphql.Marshaler {
	answer := &session(ctx).answer
	executor := newExecutionContext(graphql.GetOperationContext(ctx), schema, nil)
	field := graphql.GetFieldContext(ctx).Field
	out := make(graphql.Array, len(list))
	answer.countObjects(ctx, field, len(list))
	for i, element := range list {
		if !answer.active(ctx) {
			return abandoned
		}
		if out[i] = graphql.Null; any(element) != nil {
			fieldContext := &graphql.FieldContext{Index: &i, Result: &list[i]}
			out[i] = write(executor, graphql.WithFieldContext(ctx, fieldContext), field.Selections, element)
		}
	}
	return out
}
