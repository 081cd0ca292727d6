package graph

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/account"
	"issuegrid/graph/guard"
	"issuegrid/graph/transport"
	"issuegrid/grid"
	"issuegrid/tracker"
)

// CostHeader is the request header that asks for extensions.cost; its value is 1.
const CostHeader = "X-Show-Cost"

// Options are settings of a handler that are the same for all requests.
type Options struct {
	guard.Options
	// PageBudget is the most work that goes into one page of a grid, as in grid.Request; 0 is its default.
	PageBudget int
	// Planned receives how each grid is read, as in grid.Request; nil if nothing needs it.
	Planned func(context.Context, grid.Decision)
}

// NewHandler serves GraphQL over HTTP, POST and GET. Begin is called once for each operation, with its
// context. At most one Options is given.
func NewHandler(begin func(context.Context) *Session, options ...Options) http.Handler {
	return newHandler(begin, compiledRows, options...)
}

// rowsMiddleware makes the middleware that writes lists.
type rowsMiddleware func(sequential) graphql.FieldMiddleware

// newHandler makes the handler with a middleware for the fields; a test that compares compiled rows with the
// generated executor gives another.
func newHandler(begin func(context.Context) *Session, fields rowsMiddleware,
	options ...Options) http.Handler {
	schema := Schema()
	// which makes a session of some 300 bytes, and reads nothing
	who := func(ctx context.Context) tracker.Principal { return begin(ctx).Principal }
	var settings Options
	if len(options) > 0 {
		settings = options[0]
	}
	g := guard.New(schema, who, settings.Options)
	o := g.Options
	root := &Resolver{pageBudget: settings.PageBudget, planned: settings.Planned}
	executable := NewExecutableSchema(Config{Schema: schema, Resolvers: root,
		Directives: DirectiveRoot{Requires: requires}})
	server := handler.New(executable)
	server.AroundResponses(tellAnswer)
	transport.Install(server, o, presentError)
	server.SetErrorPresenter(presentError)
	server.SetRecoverFunc(recovered)
	g.Install(server)
	server.AroundResponses(whole)
	server.AroundRootFields(rootField)
	server.AroundFields(measured)
	server.AroundFields(fields(sequential{executable.(*executableSchema)}))
	server.AroundResponses(showCost)
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		s := begin(ctx)
		s.answer.limits, s.answer.account = &o.Limits, account.From(ctx)
		s.Reads.LimitTexts(int64(o.Limits.Texts))
		registerGrids(ctx, s)
		return admitted(withSession(ctx, s), s, o.Limits, next)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.Limits.Receive(w, r)
		server.ServeHTTP(w, r)
	})
}

// Schema returns the schema that is served, a new one for each caller.
func Schema() *ast.Schema {
	schema := gqlparser.MustLoadSchema(sources...)
	// which the library would obey, though no transport here sends the deferred parts after the answer
	delete(schema.Directives, "defer")
	return schema
}

// showCost adds what the operation cost to the answer when the client asks for it.
func showCost(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	if response == nil || !graphql.HasOperationContext(ctx) ||
		graphql.GetOperationContext(ctx).Headers.Get(CostHeader) != "1" {
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
