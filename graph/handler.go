package graph

import (
	"context"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/account"
	"issuegrid/cache"
	"issuegrid/tracker"
)

const (
	// CostHeader is the request header that asks for extensions.cost; its value is 1.
	CostHeader = "X-Show-Cost"
	// maxParsed and maxParsedBytes are how many parsed and validated queries are kept, and the bytes of their texts, so that those which are sent over
	// and over are parsed once. In memory a query has 15 to 110 times the bytes of its text.
	maxParsed, maxParsedBytes = 1000, 512 << 10
)

// NewHandler serves GraphQL over HTTP, POST and GET. Begin is called once for each operation, with its context. At most one Options is given.
func NewHandler(begin func(context.Context) *Session, options ...Options) http.Handler {
	return newHandler(begin, compiledRows, options...)
}

// newHandler makes the handler with a middleware for the fields; a test that compares compiled rows with the generated executor gives another.
func newHandler(begin func(context.Context) *Session, fields graphql.FieldMiddleware, options ...Options) http.Handler {
	o := optionsOf(options)
	schema := loadSchema()
	g := &guard{Options: o, schema: schema, parsed: cache.New[*ast.QueryDocument](maxParsed, maxParsedBytes)}
	g.who = func(ctx context.Context) tracker.Principal { return begin(ctx).Principal } // which makes a session of some 300 bytes, and reads nothing
	if o.Limits.PersistedQueries > 0 {
		g.persisted = cache.New[string](o.Limits.PersistedQueries, int64(o.Limits.PersistedBytes))
	}
	executable := NewExecutableSchema(Config{Schema: schema, Resolvers: &Resolver{}, Directives: DirectiveRoot{Requires: requires}})
	server := handler.New(executable)
	server.AroundResponses(tellAnswer)
	server.AddTransport(getQuery{o})
	server.AddTransport(postJSON{o})
	server.AddTransport(otherRequests{})
	server.SetQueryCache(parsedQueries{g})
	server.SetValidationRulesFn(o.validation)
	server.SetDisableSuggestion(!o.Suggestions)
	server.SetErrorPresenter(presentError)
	server.SetRecoverFunc(recovered)
	server.Use(g)
	server.AroundResponses(o.Limits.fewErrors)
	server.AroundResponses(whole)
	server.AroundRootFields(rootField)
	server.AroundFields(measured)
	server.AroundFields(fields)
	server.AroundResponses(showCost)
	server.AroundOperations(func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		s := begin(ctx)
		s.schema, _ = executable.(*executableSchema)
		s.answer.limits, s.answer.account, s.Loaders.MaxTexts = &o.Limits, account.From(ctx), int64(o.Limits.Texts)
		announce(ctx, s)
		return admitted(withSession(ctx, s), s, o.Limits, next)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime + time.Duration(o.Limits.Body/bodyRate)*time.Second))
		bounded := http.MaxBytesReader(w, r.Body, int64(o.Limits.Body))
		r.Body = &jsonBody{ReadCloser: &heldBody{ReadCloser: bounded, ctx: r.Context()}, limits: o.Limits}
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
