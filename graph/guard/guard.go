// Package guard bounds what one request may ask for, before anything of it is executed: its body while it is
// received, its inputs, its query and its persisted queries. Start with Limits, the bounds; with Options, the
// rest of what a server decides; and with New, which puts both between the transports and the executor.
//
// A refusal is a *tracker.Error whose message names the limit, the value and what to lower. The package may not
// import graph. It reads no database, and knows the schema as a value: a rule about one field or type of it has
// no place here.
package guard

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/cache"
	"issuegrid/tracker"
)

// Options are how a handler treats those who ask. The zero value is right for the open internet.
type Options struct {
	// Limits bound what one request may ask for. Without any they are DefaultLimits.
	Limits Limits
	// Suggestions adds "Did you mean" to errors about names. Off by default: they tell of a schema what introspection may be switched off to hide, and they
	// take more CPU than Limits allow for.
	Suggestions bool
	// NoIntrospection refuses `__schema` and `__type` with FORBIDDEN. `__typename` remains.
	NoIntrospection bool
	// Allowed are the only operations that run; any other is FORBIDDEN. Nil allows any.
	Allowed *Manifest
	// Enter is asked when a request has been read, before its query is looked at, and may wait; nil lets all in at once. A *tracker.Error refuses the
	// request with HTTP 503.
	Enter func(context.Context) (Place, error)
}

// Place is where a request is worked at.
type Place interface {
	// Answered is called when the answer is ready to be sent, with its bytes. A client may be slow to take them.
	Answered(bytes int)
	// Leave is called when the request is over, however it ended.
	Leave()
}

// optionsOf completes the options of a handler. Limits that are out of range are a defect of the caller, who could have asked Limits.Check.
func optionsOf(given []Options) *Options {
	var o Options
	if len(given) > 0 {
		o = given[0]
	}
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if err := o.Limits.Check(); err != nil {
		panic(err)
	}
	return &o
}

const (
	// maxParsed and maxParsedBytes are how many parsed and validated queries are kept, and the bytes of their texts, so that those which are sent over
	// and over are parsed once. In memory a query has 15 to 110 times the bytes of its text.
	maxParsed, maxParsedBytes = 1000, 512 << 10
)

// Extension is between the transports and the executor. A request passes, in this order: its persisted query is looked up, its inputs are measured, its
// query is measured by its tokens (see outline), the library parses it and checks its rules (see Options.validation), the variables are checked, and the
// operation is measured by what its fields take and what it asks of the schema. Then its text may be kept for those who send its hash.
type Extension struct {
	*Options
	schema *ast.Schema
	// parsed has the documents of queries by their texts, and is shared by all tenants. What is in it shows in no answer: a text that is there was
	// parsed and checked by the same rules, and runs with the rights of whoever sends it. A caller that sends the exact text of another one may notice
	// that the parsing was saved; what is secret in a query belongs in its variables, which are not in here.
	parsed    *cache.Cache[*ast.QueryDocument]
	persisted *cache.Cache[string] // texts; nil if none are kept
	who       func(context.Context) tracker.Principal
}

// New returns the extension for an executor of a schema. who returns the principal of a request, by its context.
// At most one Options is given. Limits that are out of range are a defect of the caller, and panic.
func New(schema *ast.Schema, who func(context.Context) tracker.Principal, options ...Options) *Extension {
	g := &Extension{Options: optionsOf(options), schema: schema, who: who, parsed: cache.New[*ast.QueryDocument](maxParsed, maxParsedBytes)}
	if g.Limits.PersistedQueries > 0 {
		g.persisted = cache.New[string](g.Limits.PersistedQueries, int64(g.Limits.PersistedBytes))
	}
	return g
}

// Install makes a server check its requests, and bound the errors of its responses. Response middlewares that
// the server has already see at most Limits.Errors of them; those that it gets later see all.
func (g *Extension) Install(server *handler.Server) {
	server.SetQueryCache(parsedQueries{g})
	server.SetValidationRulesFn(g.validation)
	server.SetDisableSuggestion(!g.Suggestions)
	server.Use(g)
	server.AroundResponses(g.Limits.fewErrors)
}

// ExtensionName names the extension among the extensions of the executor.
func (*Extension) ExtensionName() string { return "Guard" }

// Validate takes any schema.
func (*Extension) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters refuses a request before its query is parsed.
func (g *Extension) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	if err := g.resolve(ctx, p); err != nil {
		return refused(err)
	}
	if err := g.Limits.checkInputs(p); err != nil {
		return refused(err)
	}
	var err error
	if p.Query, err = joinSurrogates(p.Query); err != nil {
		return refused(err)
	}
	doc, known := g.parsed.Get(p.Query)
	if !known {
		if err := holdQuery(ctx, p.Query); err != nil {
			return refused(err)
		}
		if err := g.Limits.checkQuery(p.Query); err != nil {
			return refused(err)
		}
	}
	return refused(g.coerceVariables(p, doc))
}

// checkQuery refuses a query by its tokens.
func (l Limits) checkQuery(query string) error {
	o, err := outlineOf(query, l)
	if err != nil || o == nil {
		return err
	}
	return o.check(l)
}

// MutateOperationContext refuses an operation that is valid.
func (g *Extension) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	if err := g.Limits.checkIntrospection(g.schema, op, g.NoIntrospection); err != nil {
		return refused(err)
	}
	op.DisableIntrospection = g.NoIntrospection
	if err := g.Limits.checkReading(op); err != nil {
		return refused(err)
	}
	g.keep(ctx, op)
	return nil
}

// refused makes an error of the executor, whose presenter finds ours in it.
func refused(err error) *gqlerror.Error {
	if err == nil {
		return nil
	}
	return &gqlerror.Error{Err: err, Message: err.Error()}
}

var _ interface {
	graphql.OperationParameterMutator
	graphql.OperationContextMutator
} = (*Extension)(nil)
