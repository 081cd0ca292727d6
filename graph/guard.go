package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
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

// guard is between the transports and the executor. A request passes, in this order: its persisted query is looked up, its inputs are measured, its
// query is measured by its tokens (see outline), the library parses it and checks its rules (see Options.validation), the variables are checked, and the
// operation is measured by what its fields take and what it asks of the schema. Then its text may be kept for those who send its hash.
type guard struct {
	*Options
	schema *ast.Schema
	// parsed has the documents of queries by their texts, and is shared by all tenants. What is in it shows in no answer: a text that is there was
	// parsed and checked by the same rules, and runs with the rights of whoever sends it. A caller that sends the exact text of another one may notice
	// that the parsing was saved; what is secret in a query belongs in its variables, which are not in here.
	parsed    *cache.Cache[*ast.QueryDocument]
	persisted *cache.Cache[string] // texts; nil if none are kept
	who       func(context.Context) tracker.Principal
}

// ExtensionName names the guard among the extensions of the executor.
func (*guard) ExtensionName() string { return "Guard" }

// Validate takes any schema.
func (*guard) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters refuses a request before its query is parsed.
func (g *guard) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
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
func (g *guard) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
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
} = (*guard)(nil)
