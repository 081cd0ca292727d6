package graph

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
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
