package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2"
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
	return newHandler(begin, compiledRows)
}

// newHandler makes the handler with a middleware for the fields; a test that compares compiled rows with the generated executor gives another.
func newHandler(begin func(context.Context) *Session, fields graphql.FieldMiddleware) http.Handler {
	schema := gqlparser.MustLoadSchema(sources...)
	delete(schema.Directives, "defer") // which the library would obey, though no transport here sends the deferred parts after the answer
	server := handler.New(NewExecutableSchema(Config{Schema: schema, Resolvers: &Resolver{}, Directives: DirectiveRoot{Requires: requires}}))
	server.AroundResponses(tellAnswer)
	server.AddTransport(getQuery{})
	server.AddTransport(postJSON{})
	server.AddTransport(otherRequests{})
	server.SetQueryCache(lru.New[*ast.QueryDocument](parsedQueries))
	server.SetErrorPresenter(presentError)
	server.SetRecoverFunc(recovered)
	server.Use(extension.Introspection{})
	server.AroundRootFields(rootField)
	server.AroundFields(fields)
	server.AroundResponses(showCost)
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		s := begin(ctx)
		announce(ctx, s)
		return next(withSession(ctx, s))
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
		response.Extensions["cost"] = shownCost{s.Cost(), s.stopped.Load()}
	}
	return response
}
