// Package guard limits what one request may demand, before any of it is executed: its body as it is received,
// its inputs, its query and its persisted queries. Limits holds the limits, Options the other settings of a
// server, and New returns the executor extension that applies both.
//
// A refusal is a *tracker.Error whose message names the limit, the value and what to reduce. This package
// must not import graph or read the database. It receives the schema as a value: rules about single fields or
// types do not belong here.
package guard

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"issuegrid/graph/validation"
	"issuegrid/internal/cache"
	"issuegrid/internal/setting"
	"issuegrid/tracker"
)

// Options configure how a handler treats its requests. The zero value is suitable for a public server.
type Options struct {
	// Limits limit what one request may demand. The zero value means DefaultLimits.
	Limits Limits
	// Suggestions adds "Did you mean" to errors about unknown names. They reveal parts of the schema even if
	// introspection is disabled, and take more CPU time than Limits account for.
	Suggestions bool
	// NoIntrospection rejects `__schema` and `__type` with FORBIDDEN. `__typename` is still allowed.
	NoIntrospection bool
	// Allowed, if not nil, lists the only operations that run; all others are FORBIDDEN.
	Allowed *Manifest
}

// optionsOf returns the options of a handler with defaults set. It panics if limits are out of range, which
// callers can check with Limits.Check.
func optionsOf(options []Options) *Options {
	var o Options
	if len(options) > 0 {
		o = options[0]
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
	// maxParsed and maxParsedBytes limit the number of parsed and validated queries that are cached, and the
	// total length of their sources. The parsed form of a query takes 15 to 110 times the memory of its
	// source.
	maxParsed, maxParsedBytes = 1000, 512 << 10
)

// Extension checks requests between the transports and the executor, in this order. It looks up the persisted
// query, checks the size of the inputs, parses the query and checks its sizes (see sizes), validates
// it and coerces its variables (see package validation), and checks what the operation's fields read and how
// much of the schema it selects. Finally it may store the query for clients that send its hash.
type Extension struct {
	*Options
	validator *validation.Validator // of the schema
	// parsed maps the source of a query to its document. All tenants share it. Responses reveal nothing about
	// it: the same rules apply to every tenant, and a query runs with the permissions of its sender. By
	// timing, a client can find out that another one has sent exactly the same query. Secrets belong in
	// variables, which are not cached.
	parsed    *cache.Cache[*ast.QueryDocument]
	persisted *cache.Cache[string] // nil if persisted queries are disabled
	principal func(context.Context) tracker.Principal
}

// New returns the extension for an executor of a schema with custom scalars. principal returns the principal
// of a request from its context. At most one Options may be passed. New panics if its limits are out of
// range.
func New(schema *ast.Schema, scalars validation.Scalars, principal func(context.Context) tracker.Principal,
	options ...Options) *Extension {
	g := &Extension{Options: optionsOf(options), principal: principal,
		parsed: cache.New[*ast.QueryDocument](maxParsed, maxParsedBytes)}
	g.validator = g.Limits.validator(schema, scalars)
	g.validator.Suggestions = g.Suggestions
	if g.Limits.PersistedQueries > 0 {
		g.persisted = cache.New[string](g.Limits.PersistedQueries, int64(g.Limits.PersistedBytes))
	}
	return g
}

// validator returns the validator of a schema with the limits.
func (l Limits) validator(schema *ast.Schema, scalars validation.Scalars) *validation.Validator {
	return &validation.Validator{Schema: schema, Scalars: scalars, Errors: l.Errors, Fields: l.Fields,
		Selections: l.Selections}
}

// Install makes a server check its requests and limit the errors of its responses. Response middleware that
// the server already has sees at most Limits.Errors errors; middleware added later sees all.
func (g *Extension) Install(server *handler.Server) {
	server.SetQueryCache(parsedQuery{})
	server.Use(g)
	server.AroundResponses(g.Limits.limitErrors)
}

// ExtensionName implements graphql.HandlerExtension.
func (*Extension) ExtensionName() string { return "Guard" }

// Validate implements graphql.HandlerExtension; it accepts any schema.
func (*Extension) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters checks a request, and parses and validates its query.
func (g *Extension) MutateOperationParameters(ctx context.Context, p *graphql.RawParams) *gqlerror.Error {
	if err := g.resolve(ctx, p); err != nil {
		return refused(err)
	}
	if err := g.Limits.checkInputs(p); err != nil {
		return refused(err)
	}
	if n := len(p.Query); n > g.Limits.Query {
		return refused(setting.Exceeded("bytes of the query", n, "Query", g.Limits.Query,
			"send long strings as variables"))
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
		if doc, err = g.parse(p.Query); err != nil {
			return refused(err)
		}
		if err := g.validate(doc); err != nil {
			return refused(err)
		}
		g.parsed.Add(string(g.tenant(ctx)), p.Query, doc, int64(len(p.Query)))
	}
	if err := g.coerceVariables(ctx, p, doc); err != nil {
		return refused(err)
	}
	graphql.GetOperationContext(ctx).Doc = doc // see parsedQuery
	return nil
}

// parsedQuery returns the document of the request, which the extension has parsed and validated, to the
// executor, which would otherwise do both itself.
type parsedQuery struct{}

// Get returns the document of the request.
func (parsedQuery) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc := graphql.GetOperationContext(ctx).Doc
	return doc, doc != nil
}

// Add does nothing.
func (parsedQuery) Add(context.Context, string, *ast.QueryDocument) {}

// parse parses a query and checks its sizes. The error is a gqlerror.List if it is about the syntax.
func (g *Extension) parse(query string) (*ast.QueryDocument, error) {
	if err := g.Limits.checkTokens(query); err != nil {
		return nil, err
	}
	doc, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		return nil, failed(errcode.ParseFailed, gqlerror.WrapIfUnwrapped(err))
	}
	return doc, measure(doc).check(g.Limits)
}

// validate returns a gqlerror.List of what is wrong with a document, or nil.
func (g *Extension) validate(doc *ast.QueryDocument) error {
	errs := gqlerror.List{gqlerror.Errorf("no operation provided")}
	if len(doc.Operations) > 0 {
		errs = g.validator.Validate(doc)
	}
	return failed(errcode.ValidationFailed, errs...)
}

// failed returns a gqlerror.List of errors with a code, or nil if there are none.
func failed(code string, errs ...*gqlerror.Error) error {
	if len(errs) == 0 {
		return nil
	}
	for _, e := range errs {
		errcode.Set(e, code)
	}
	return gqlerror.List(errs)
}

// coerceVariables coerces the variables of the selected operation. The executor later rejects unknown
// operations.
func (g *Extension) coerceVariables(ctx context.Context, p *graphql.RawParams, doc *ast.QueryDocument) error {
	op := doc.Operations.ForName(p.OperationName)
	if op == nil {
		return nil
	}
	err := g.validator.Variables(doc, op, p.Variables)
	if err != nil {
		graphql.GetOperationContext(ctx).Operation = op // for observers of the response
	}
	return err
}

// MutateOperationContext checks a valid operation before it runs.
func (g *Extension) MutateOperationContext(ctx context.Context,
	op *graphql.OperationContext) *gqlerror.Error {
	if err := g.Limits.checkIntrospection(g.validator.Schema, op, g.NoIntrospection); err != nil {
		return refused(err)
	}
	op.DisableIntrospection = g.NoIntrospection
	if err := g.Limits.checkReading(op); err != nil {
		return refused(err)
	}
	g.storePersisted(ctx, op)
	return nil
}

// refused wraps err in an error of the executor, from which the error presenter unwraps it.
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
