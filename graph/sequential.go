package graph

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
)

// sequential writes a list of values that are in memory one element after the other. The generated executor
// takes a goroutine for each, which is what lists need whose elements read something, so that they read it
// together; in lists that lead to each other it would be all elements of all of them at a time.
//
// The law: the answer is the same, byte for byte, as the generated executor's.
type sequential struct{ schema *executableSchema }

// write returns the list that was resolved, written; anything else as it is.
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
	case []model.CustomValue: // whose texts were sent for with those of all rows
		return listedOrNull(ctx, s.schema, list, (*executionContext)._CustomValue)
	}
	return resolved
}

// elementWriter is the generated executor's for one element.
type elementWriter[T any] func(*executionContext, context.Context, ast.SelectionSet, T) graphql.Marshaler

// listed writes elements of which none may be null; if one comes to that, so does the list.
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

// listedOrNull writes elements any of which may be null.
func listedOrNull[T any](ctx context.Context, schema *executableSchema, list []T,
	write elementWriter[T]) graphql.Marshaler {
	answer := &session(ctx).answer
	executor := newExecutionContext(graphql.GetOperationContext(ctx), schema, nil)
	field := graphql.GetFieldContext(ctx).Field
	out := make(graphql.Array, len(list))
	answer.objects(ctx, field, len(list))
	for i, element := range list {
		if !answer.goesOn(ctx) {
			return abandoned
		}
		if out[i] = graphql.Null; any(element) != nil {
			place := &graphql.FieldContext{Index: &i, Result: &list[i]}
			out[i] = write(executor, graphql.WithFieldContext(ctx, place), field.Selections, element)
		}
	}
	return out
}
