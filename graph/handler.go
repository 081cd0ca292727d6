package graph

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/estimate"
	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/graph/transport"
	"issuegrid/grid"
	"issuegrid/internal/operation"
	"issuegrid/tracker"
)

// CostHeader is the request header that requests extensions.cost. Its value is 1.
const CostHeader = "X-Show-Cost"

// Options are the settings of a handler. They apply to all requests.
type Options struct {
	guard.Options
	// PageBudget is the maximum work for one page of a grid, as in grid.Request; 0 means its default.
	PageBudget int
	// Planned receives the plan of each grid, as in grid.Request; it may be nil.
	Planned func(context.Context, grid.Decision)
	// Probes remembers statistics of the index between pages; it may be nil.
	Probes *grid.Probes
}

// NewHandler returns a handler that serves GraphQL over HTTP by POST and GET. It calls begin with the context
// of the request: once for each operation that passes the checks of guard, and again to find the principal of
// a persisted query. At most one Options may be given.
func NewHandler(begin func(context.Context) *Session, options ...Options) http.Handler {
	return newHandler(begin, compiledRows, options...)
}

// rowsMiddleware returns the middleware that writes lists.
type rowsMiddleware func(sequential) graphql.FieldMiddleware

// newHandler returns a handler with a middleware for lists. Tests pass another middleware to compare compiled
// rows with the generated executor.
func newHandler(begin func(context.Context) *Session, fields rowsMiddleware,
	options ...Options) http.Handler {
	schema := Schema()
	// only creates a session of about 300 bytes; it reads nothing
	principal := func(ctx context.Context) tracker.Principal { return begin(ctx).Principal }
	var settings Options
	if len(options) > 0 {
		settings = options[0]
	}
	g := guard.New(schema, model.Scalars, principal, settings.Options)
	o := g.Options
	root := &Resolver{pageBudget: settings.PageBudget, planned: settings.Planned, probes: settings.Probes}
	executable := NewExecutableSchema(Config{Schema: schema, Resolvers: root,
		Directives: DirectiveRoot{Requires: requires}})
	server := handler.New(executable)
	transport.Install(server, o, presentError)
	server.SetErrorPresenter(presentError)
	server.SetRecoverFunc(recovered)
	begun := func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		s := begin(ctx)
		s.Reads.LimitTexts(int64(o.Limits.Texts))
		s.restart(ctx, &o.Limits)
		return admitted(withSession(ctx, s), o.Limits, next)
	}

	// Of each kind of middleware, the first is the outermost.
	//
	//	response    observeResponse   describes the response as it is sent
	//	            g.Install         limits its errors; before, the request is checked
	//	            replaceAbandoned  replaces a response that has exceeded a limit by one error
	//	            showCost          adds the cost of all executions
	//	            executeAgain      executes a query once more if a definition was outdated
	//	operation   begun             begins the session, and is admitted
	//	root field  rootField         ends the grids that were registered and not read
	//	field       measured          counts the field and its JSON, as the next one has written it
	//	            fields            writes lists
	//	            payloadErrors     moves errors of a root field of a mutation to its payload
	//	            mutateAgain       calls a root field of a mutation again, as executeAgain does
	server.AroundResponses(observeResponse)
	g.Install(server)
	server.AroundResponses(replaceAbandoned)
	server.AroundResponses(showCost)
	server.AroundResponses(operationRunner{executable, &o.Limits}.executeAgain)
	server.AroundOperations(begun)
	server.AroundRootFields(rootField)
	server.AroundFields(measured)
	server.AroundFields(fields(sequential{executable.(*executableSchema)}))
	server.AroundFields(payloadErrors)
	server.AroundFields(mutateAgain)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, _ := operation.Of(r.Context())
		r = r.WithContext(ctx)
		o.Limits.Receive(w, r)
		server.ServeHTTP(w, r)
	})
}

// Schema returns a new copy of the schema that is served.
func Schema() *ast.Schema {
	schema := gqlparser.MustLoadSchema(sources...)
	// gqlgen would execute @defer, but no transport here sends deferred parts
	delete(schema.Directives, "defer")
	return schema
}

// showCost adds the cost of the operation to the response if the client requests it.
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
		response.Extensions["cost"] = shownCost{operation.From(ctx).Cost(), s.stopped.Load()}
	}
	return response
}

// observeResponse reports the response. It must be the outermost response middleware, so that it receives the
// response as it is sent.
func observeResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	report(ctx, response)
	return response
}

// report describes the response in the operation. If the client has disconnected, errors are omitted: they
// result from the cancellation.
func report(ctx context.Context, response *graphql.Response) {
	if response == nil {
		return
	}
	var a operation.Response
	if op := operationOf(ctx); op != nil {
		a.Type, a.Name = string(op.Operation), op.Name
	}
	for _, e := range response.Errors {
		if transport.Gone(ctx) {
			break
		}
		a.Codes = append(a.Codes, tracker.Code(fmt.Sprint(e.Extensions["code"])))
	}
	if s, ok := ctx.Value(sessionKey{}).(*Session); ok && !transport.Gone(ctx) {
		a.Codes = append(a.Codes, s.refused...)
	}
	operation.From(ctx).Response = a
}

// operationOf returns the operation of the query that is executed, or nil if it is not yet known.
func operationOf(ctx context.Context) *ast.OperationDefinition {
	if !graphql.HasOperationContext(ctx) {
		return nil
	}
	return graphql.GetOperationContext(ctx).Operation
}

// capacities returns the remaining read and write capacity of the tenant. Each is nil if it has no limit.
func capacities(ctx context.Context) (reads, writes *model.Capacity) {
	r, w := operation.From(ctx).Capacity()
	if r.Limit > 0 {
		reads = &model.Capacity{Limit: r.Limit, Remaining: r.Remaining, SecondsToFull: r.Reset.Seconds()}
	}
	if w.Limit > 0 {
		writes = &model.Capacity{Limit: w.Limit, Remaining: w.Remaining, SecondsToFull: w.Reset.Seconds()}
	}
	return reads, writes
}

// admitted runs an operation if its estimate is within the limits and it is admitted. It checks the estimate
// first: the result does not depend on the load, and the client can reduce the estimate.
func admitted(ctx context.Context, l guard.Limits, next graphql.OperationHandler) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	p := estimate.Of(op)
	switch {
	case p.Reads+p.Writes > float64(l.Cost):
		return refused(ctx, tracker.Bad("",
			"the operation may cost %.0f capacity units; the limit (Cost) is %d: ask for smaller pages, or "+
				"for less below each of their rows",
			math.Ceil(p.Reads+p.Writes), l.Cost))
	case p.Live > float64(l.Parallel):
		return refused(ctx, tracker.Bad("",
			"rows and fields that may be resolved in parallel: %.0f; the limit (Parallel) is %d: ask for "+
				"smaller pages, or for fewer long strings, values and histories of each row",
			p.Live, l.Parallel))
	}
	if err := operation.From(ctx).Admit(ctx, operation.Estimate{RCU: p.Reads, WCU: p.Writes,
		Write: op.Operation.Operation == ast.Mutation}); err != nil {
		return refused(ctx, err)
	}
	return next(ctx)
}

// refused returns the response of an operation that is not executed.
func refused(ctx context.Context, err error) graphql.ResponseHandler {
	operation.From(ctx).Refused = err
	response := &graphql.Response{Errors: gqlerror.List{presentError(ctx, err)}}
	report(ctx, response) // the response does not pass through the middlewares
	return graphql.OneShot(response)
}
