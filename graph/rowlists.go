package graph

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/graph/rows"
)

// compiledRows returns the field middleware that writes lists of rows.
func compiledRows(lists sequential) graphql.FieldMiddleware {
	return func(ctx context.Context, next graphql.Resolver) (any, error) {
		return writeRows(ctx, next, lists)
	}
}

func writeRows(ctx context.Context, next graphql.Resolver, lists sequential) (any, error) {
	var failed atomic.Bool
	if graphql.GetFieldContext(ctx).Object == "IssueConnection" {
		ctx = context.WithValue(ctx, failedKey{}, &failed)
	}
	resolved, err := next(ctx)
	if err != nil {
		return nil, err
	}
	switch one := resolved.(type) {
	case *model.Issue:
		prefetchBelow(ctx, one)
		return resolved, nil
	case []model.Node:
		prefetchBelow(ctx, one...)
		return resolved, nil
	}
	list, ok := rows.Of(resolved)
	if !ok {
		return lists.write(ctx, resolved), nil
	}
	json, result := rows.Write(ctx, list, &session(ctx).answer)
	switch result {
	case rows.Written:
		return graphql.Marshaler(rendered(json)), nil
	case rows.Ended:
		return abandoned, nil
	case rows.Failed:
		failed.Store(true)
	}
	return resolved, nil
}

// rendered is complete JSON.
type rendered []byte

// MarshalGQL writes the JSON to w.
func (r rendered) MarshalGQL(w io.Writer) { w.Write(r) }
