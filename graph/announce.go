package graph

import (
	"context"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/model"
	"issuegrid/loaders"
)

// announced are grids that are known before anything is read: those of the projects that an operation names by their ids. They are
// announced to the loaders before the first of them begins, so that they share their batches however late one of them starts.
type announced struct {
	mu    sync.Mutex
	grids []*loaders.Grid
}

type announcedKey struct{}

// announce looks for the grids right below the root fields of a query.
func announce(ctx context.Context, s *Session) {
	op := graphql.GetOperationContext(ctx)
	if op.Operation.Operation != ast.Query {
		return // the root fields of a mutation run one behind the other
	}
	s.announced = map[string]*announced{}
	for _, root := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Query"}) {
		if root.Name != "project" && root.Name != "node" {
			continue
		}
		id, _ := root.ArgumentMap(op.Variables)["id"].(string)
		n, ok := model.ParseNodeID(id)
		if !ok || !n.IsProject() || !s.Principal.Reaches(n.Tenant) {
			continue
		}
		tenant, err := s.Loaders.Tenant(n.Tenant)
		if err != nil {
			continue // the root field meets the same failure, and reports it
		}
		a := &announced{}
		for _, f := range graphql.CollectFields(op, root.Selections, []string{"Project", "Node"}) {
			if f.Name == "issues" {
				a.grids = append(a.grids, tenant.Grid())
			}
		}
		s.announced[root.Alias] = a
	}
}

// rootField ends the part of announced grids that were not read, because their project is not there.
func rootField(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
	a := session(ctx).announced[graphql.GetRootFieldContext(ctx).Field.Alias]
	if a == nil {
		return next(ctx)
	}
	defer func() {
		for g := a.take(); g != nil; g = a.take() {
			g.Done()
		}
	}()
	return next(context.WithValue(ctx, announcedKey{}, a))
}

func (a *announced) take() *loaders.Grid {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.grids) == 0 {
		return nil
	}
	g := a.grids[0]
	a.grids = a.grids[1:]
	return g
}

// enterGrid is a grid's way to the issue loader, announced or not.
func enterGrid(ctx context.Context, t *loaders.Tenant) *loaders.Grid {
	if a, ok := ctx.Value(announcedKey{}).(*announced); ok {
		if g := a.take(); g != nil {
			return g
		}
	}
	return t.Grid()
}
