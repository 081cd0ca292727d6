package graph

import (
	"context"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/transport"
	"issuegrid/tracker"
)

// Response is what an observer learns of a response. Nothing in it was chosen by a client but the operation's
// name, and nothing is a tenant's data.
type Response struct {
	// Operation is query or mutation; empty where the request was refused before that was known.
	Operation string
	// Name is the operation's; empty if it has none. It is a name of GraphQL ([_A-Za-z][_0-9A-Za-z]*) of any
	// length.
	Name string
	// Codes are those of the errors, one for each.
	Codes []tracker.Code
	// Cost is what extensions.cost says; nothing where the operation was not executed.
	Cost Cost
}

type observerKey struct{}

// WithObserver returns the context of a request whose answer f is told of, before it is sent and in the
// goroutine that sends it. It is not told of a request that is no GraphQL request, which gets an HTTP status
// of 400 or more, nor of one whose client has gone before there was an answer.
func WithObserver(ctx context.Context, f func(Response)) context.Context {
	return context.WithValue(ctx, observerKey{}, f)
}

// tellAnswer tells the observer, if there is one. It must be the outermost of the response middlewares, so
// that it sees what is sent.
func tellAnswer(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	tell(ctx, response)
	return response
}

// tell tells the observer of an answer. Errors of one whose client has gone are none: nobody sees them, and
// nothing is wrong.
func tell(ctx context.Context, response *graphql.Response) {
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

// operation is the one that is asked for; nil as long as that is not known.
func operation(ctx context.Context) *ast.OperationDefinition {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	return graphql.GetOperationContext(ctx).Operation
}
