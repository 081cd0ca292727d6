package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2/ast"
)

const (
	// CostHeader is the request header that asks for extensions.cost; its value is 1.
	CostHeader = "X-Show-Cost"
	// maxBody is the most bytes of a request's body: enough for a few of the longest texts.
	maxBody = 8 << 20
	// parsedQueries is how many parsed and validated queries are kept, so that those which are sent over and over are parsed once.
	parsedQueries = 1000
)

// NewHandler serves GraphQL over HTTP, POST and GET. Begin is called once for each operation, with its context.
func NewHandler(begin func(context.Context) *Session) http.Handler {
	server := handler.New(NewExecutableSchema(Config{Resolvers: &Resolver{}}))
	server.AddTransport(transport.Options{})
	server.AddTransport(transport.GET{})
	server.AddTransport(postJSON{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](parsedQueries))
	server.SetErrorPresenter(presentError)
	server.SetRecoverFunc(recovered)
	server.Use(extension.Introspection{})
	server.AroundFields(compiledRows)
	server.AroundResponses(showCost)
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		return next(withSession(ctx, begin(ctx)))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		server.ServeHTTP(w, r)
	})
}

// showCost adds what the operation cost to the answer when the client asks for it.
func showCost(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	if response == nil || !graphql.HasOperationContext(ctx) || graphql.GetOperationContext(ctx).Headers.Get(CostHeader) != "1" {
		return response
	}
	if s, ok := ctx.Value(sessionKey{}).(*Session); ok {
		if response.Extensions == nil {
			response.Extensions = map[string]any{}
		}
		response.Extensions["cost"] = s.Cost()
	}
	return response
}
