package graph

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/transport"
	"issuegrid/tracker"
)

// Response describes a response to an observer. The operation name is the only part that a client chooses; no
// part is data of a tenant.
type Response struct {
	// Operation is query or mutation. It is empty if the request was refused before the operation was known.
	Operation string
	// Name is the name of the operation, or empty. It is a GraphQL name ([_A-Za-z][_0-9A-Za-z]*) of any
	// length.
	Name string
	// Codes has the code of each error.
	Codes []tracker.Code
	// Cost is the value of extensions.cost. It is zero if the operation was not executed.
	Cost Cost
}

type observerKey struct{}

// WithObserver returns a context for a request. f is called with a description of the response, before the
// response is sent and in the goroutine that sends it. f is not called for a request that is not a GraphQL
// request (HTTP status 400 or higher), or if the client disconnected before there was a response.
func WithObserver(ctx context.Context, f func(Response)) context.Context {
	return context.WithValue(ctx, observerKey{}, f)
}

// observeResponse calls the observer, if any. It must be the outermost response middleware, so that it
// receives the response as it is sent.
func observeResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	report(ctx, response)
	return response
}

// report calls the observer with a description of the response. If the client has disconnected, errors are
// omitted: they result from the cancellation.
func report(ctx context.Context, response *graphql.Response) {
	observe, ok := ctx.Value(observerKey{}).(func(Response))
	if !ok || response == nil {
		return
	}
	var a Response
	if op := operation(ctx); op != nil {
		a.Operation, a.Name = string(op.Operation), op.Name
	}
	for _, e := range response.Errors {
		if transport.Gone(ctx) {
			break
		}
		a.Codes = append(a.Codes, tracker.Code(fmt.Sprint(e.Extensions["code"])))
	}
	if s, ok := ctx.Value(sessionKey{}).(*Session); ok {
		a.Cost = s.Cost()
	}
	observe(a)
}

// operation returns the selected operation, or nil if it is not yet known.
func operation(ctx context.Context) *ast.OperationDefinition {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	return graphql.GetOperationContext(ctx).Operation
}
