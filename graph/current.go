package graph

import (
	"cmp"
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/internal/account"
	"issuegrid/tracker"
)

// A server may use the definition of a project for a short time after another server has changed it. Requests
// must not notice:
//
//   - A query, and each root field of a mutation, uses one version of a definition for everything.
//   - An error that may be due to an outdated definition ([tracker.Outdated]) is returned only after the
//     current definition was read. If it differs, the query is executed again as a whole, so that its
//     response does not mix two versions. A mutation is executed again from the root field that failed,
//     which has written nothing.
//   - What a root field of a mutation returns is not read again, because the field has been executed by then.
//     The custom fields that are selected of it are therefore looked up before.
//
// Changes of many issues that fail one by one use withDefinition.

// executeAgain is the response middleware that executes a query again if a definition that it has used turns
// out to be outdated. It must be the innermost one.
func (o operationRunner) executeAgain(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	response := next(ctx)
	s, ok := ctx.Value(sessionKey{}).(*Session)
	if !ok || response == nil || operationOf(ctx).Operation != ast.Query || s.answer.abandoned.Load() != nil {
		return response
	}
	outdated := s.outdated.Load()
	if outdated == nil {
		return response
	}
	if changed, err := s.Reads.Renew(ctx, outdated); !changed || err != nil {
		return response // its errors are right, as far as is known
	}
	s.restart(ctx, o.limits)
	ctx = graphql.WithResponseContext(ctx, presentError, recovered)
	response = o.schema.Exec(ctx)(ctx)
	response.Errors, response.Extensions = graphql.GetErrors(ctx), graphql.GetExtensions(ctx)
	return response
}

// operationRunner executes operations.
type operationRunner struct {
	schema graphql.ExecutableSchema
	limits *guard.Limits
}

// restart makes the session ready to execute its operation, for the first time or again.
func (s *Session) restart(ctx context.Context, l *guard.Limits) {
	s.answer.restart(l, account.From(ctx))
	s.operands.Restart()
	s.outdated.Store(nil)
	s.stopped.Store(0)
	s.indexes.forget()
	registerGrids(ctx, s)
}

// mutateAgain is the field middleware that executes a root field of a mutation again if it has failed because
// of an outdated definition.
func mutateAgain(ctx context.Context, next graphql.Resolver) (any, error) {
	if graphql.GetFieldContext(ctx).Object != "Mutation" {
		return next(ctx)
	}
	s := session(ctx)
	s.Reads.ForgetDefinitions() // an earlier root field may have changed them
	s.indexes.forget()          // likewise
	// What is not there is an error of the field that asks for it, not of the mutation.
	_ = s.again(ctx, nil, func() error { return lookUpSelected(ctx) })
	var resolved any
	err := s.again(ctx, nil, func() (err error) {
		resolved, err = next(ctx)
		return err
	})
	return resolved, err
}

// lookUpSelected looks up the custom fields whose ids are arguments below the field that is being resolved.
// It returns an error only for a field that may be newer than the definition of its project.
func lookUpSelected(ctx context.Context) error {
	op := graphql.GetOperationContext(ctx)
	seen := map[string]bool{}
	var argument func(any) error
	argument = func(v any) (err error) {
		switch v := v.(type) {
		case string:
			if !seen[v] {
				seen[v] = true
				if _, err = lookUpField(ctx, v); !tracker.Outdated(err) {
					err = nil // the field that it is an argument of reports it
				}
			}
		case []any:
			for _, v := range v {
				err = cmp.Or(err, argument(v))
			}
		case map[string]any:
			for _, v := range v {
				err = cmp.Or(err, argument(v))
			}
		}
		return err
	}
	var below func(ast.SelectionSet) error
	below = func(set ast.SelectionSet) (err error) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				for _, v := range s.ArgumentMap(op.Variables) {
					err = cmp.Or(err, argument(v))
				}
				err = cmp.Or(err, below(s.SelectionSet))
			case *ast.InlineFragment:
				err = cmp.Or(err, below(s.SelectionSet))
			case *ast.FragmentSpread:
				err = cmp.Or(err, below(s.Definition.SelectionSet))
			}
		}
		return err
	}
	return below(graphql.GetFieldContext(ctx).Field.Selections)
}

// maxTries is the maximum number of definitions with which something is tried. More than two are needed only
// if the definition changes again meanwhile.
const maxTries = 4

// again calls f, and again while its error is due to an outdated definition, with up to maxTries definitions.
// f must have written nothing when it returns an error. renewed, if not nil, reports whether f would use
// another definition than before although none has changed since: others may have renewed it.
func (s *Session) again(ctx context.Context, renewed func() bool, f func() error) error {
	for try := 1; ; try++ {
		err := f()
		if !tracker.Outdated(err) || try == maxTries {
			return err
		}
		changed, failed := s.Reads.Renew(ctx, err)
		if failed != nil || !changed && (renewed == nil || !renewed()) {
			return err
		}
	}
}

// withDefinition calls f with the definition of the project that n refers to. If f returns an error because
// the definition is outdated, withDefinition calls it again with the current one. f must have written nothing
// when it returns an error.
func withDefinition(ctx context.Context, n model.NodeID, f func(*tracker.Definition) error) error {
	l, err := tenantLoaders(ctx, n)
	if err != nil {
		return err
	}
	var used *tracker.Definition
	renewed := func() bool { // by another change of the mutation
		now, err := l.Definition(ctx, n.Project)
		return err == nil && now != used
	}
	return session(ctx).again(ctx, renewed, func() (err error) {
		if used, err = l.Definition(ctx, n.Project); err != nil {
			return err
		}
		return f(used)
	})
}
