package graph

import (
	"context"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/introspection"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/graph/rows"
	"issuegrid/loaders"
)

// registered has the grids of one root field that are known before anything is read: those of a project that
// the operation refers to by id. They are registered with the loaders before the first of them starts, so
// that all share batches even if some start late.
type registered struct {
	mu    sync.Mutex
	grids []*loaders.Grid
}

type registeredKey struct{}

// registerGrids registers the grids directly below the root fields of a query.
func registerGrids(ctx context.Context, s *Session) {
	op := graphql.GetOperationContext(ctx)
	if op.Operation.Operation != ast.Query {
		return // the root fields of a mutation run sequentially
	}
	s.grids = map[string]*registered{}
	for _, root := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Query"}) {
		if root.Name != "project" && root.Name != "node" {
			continue
		}
		id, _ := root.ArgumentMap(op.Variables)["id"].(string)
		n, ok := model.ParseNodeID(id)
		if !ok || !n.IsProject() || !s.Principal.CanAccess(n.Tenant) {
			continue
		}
		tenant, err := s.Reads.Tenant(n.Tenant)
		if err != nil {
			continue // the root field fails in the same way, and reports the error
		}
		a := &registered{}
		for _, f := range graphql.CollectFields(op, root.Selections, []string{"Project", "Node"}) {
			if f.Name == "issues" {
				a.grids = append(a.grids, tenant.Grid())
			}
		}
		s.grids[root.Alias] = a
	}
}

// rootField ends the registered grids that were not read, for example because their project does not exist.
func rootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	a := session(ctx).grids[graphql.GetRootFieldContext(ctx).Field.Alias]
	if a == nil {
		return next(ctx)
	}
	defer func() {
		for g := a.take(); g != nil; g = a.take() {
			g.Done()
		}
	}()
	return next(context.WithValue(ctx, registeredKey{}, a))
}

func (a *registered) take() *loaders.Grid {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.grids) == 0 {
		return nil
	}
	g := a.grids[0]
	a.grids = a.grids[1:]
	return g
}

// enterGrid returns the next registered grid, or a new one if there is none.
func enterGrid(ctx context.Context, t model.IssueReads) *loaders.Grid {
	if a, ok := ctx.Value(registeredKey{}).(*registered); ok {
		if g := a.take(); g != nil {
			return g
		}
	}
	return t.Grid()
}

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
	case []model.FilterOperator:
		return rendered(rows.Operators(list))
	case []*model.Option:
		return listed(ctx, s.schema, list, (*executionContext)._Option)
	case []*model.State:
		return listed(ctx, s.schema, list, (*executionContext)._State)
	case []*model.Job:
		return listed(ctx, s.schema, list, (*executionContext)._Job)
	case []*model.JobProblem:
		return listed(ctx, s.schema, list, (*executionContext)._JobProblem)
	case []introspection.Type:
		return listed(ctx, s.schema, pointers(list), (*executionContext).___Type)
	case []introspection.Field:
		return listed(ctx, s.schema, pointers(list), (*executionContext).___Field)
	case []introspection.InputValue:
		return listed(ctx, s.schema, pointers(list), (*executionContext).___InputValue)
	case []introspection.EnumValue:
		return listed(ctx, s.schema, pointers(list), (*executionContext).___EnumValue)
	case []model.CustomValue: // their long texts were prefetched for all rows
		return listedOrNull(ctx, s.schema, list, (*executionContext)._CustomValue)
	}
	return resolved
}

// pointers returns pointers to the elements of a list.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
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
		if !answer.Active(ctx) {
			return abandoned
		}
		if out[i] = graphql.Null; any(element) != nil {
			fieldContext := &graphql.FieldContext{Index: &i, Result: &list[i]}
			out[i] = write(executor, graphql.WithFieldContext(ctx, fieldContext), field.Selections, element)
		}
	}
	return out
}
