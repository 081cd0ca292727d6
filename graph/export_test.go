package graph

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"issuegrid/graph/model"
	"issuegrid/grid/filter"
	"issuegrid/tracker"
)

// ParseFilter returns the condition of the first filter of an operation.
func ParseFilter(d *tracker.Definition, in *model.IssueFilter) (filter.Condition, error) {
	return ParseFilterAt(d, in, time.Now().UTC())
}

// ParseFilterAt is ParseFilter at a time, in a zone.
func ParseFilterAt(d *tracker.Definition, in *model.IssueFilter, now time.Time) (filter.Condition, error) {
	p := filterParser{choices: choices{definition: d, names: new(names)}, operands: new(filter.Operands),
		walk: &walk{now: now}, users: map[tracker.UserID]*tracker.User{"ada": {ID: "ada", Name: "Ada"}}}
	return p.conjunction([]*model.IssueFilter{in})
}

// NewPlainHandler is like NewHandler, without compiled rows: only the generated executor.
func NewPlainHandler(begin func(context.Context) *Session) http.Handler {
	return newHandler(begin, func(sequential) graphql.FieldMiddleware {
		return func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }
	})
}

// NewCountingHandler is like NewHandler and counts the lists of rows that are compiled.
func NewCountingHandler(begin func(context.Context) *Session, compiled *atomic.Int64) http.Handler {
	return newHandler(begin, func(lists sequential) graphql.FieldMiddleware {
		write := compiledRows(lists)
		return func(ctx context.Context, next graphql.Resolver) (any, error) {
			out, err := write(ctx, next)
			if _, ok := out.(rendered); ok {
				compiled.Add(1)
			}
			return out, err
		}
	})
}
