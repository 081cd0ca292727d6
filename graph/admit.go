package graph

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/graph/transport"
	"issuegrid/tracker"
)

// Capacity is the remaining DynamoDB capacity of a tenant, in capacity units.
type Capacity struct {
	// Limit is the maximum of Remaining; 0 means no limit.
	Limit, Remaining float64
	// Reset is the time until Remaining reaches Limit, if nothing is consumed.
	Reset time.Duration
}

// capacities returns the remaining read and write capacity of the tenant. Each is nil if it has no limit.
func capacities(ctx context.Context) (reads, writes *model.Capacity) {
	s := session(ctx)
	if s.Capacity == nil {
		return nil, nil
	}
	r, w := s.Capacity()
	return r.model(), w.model()
}

func (c Capacity) model() *model.Capacity {
	if c.Limit == 0 {
		return nil
	}
	return &model.Capacity{Limit: c.Limit, Remaining: c.Remaining, Reset: c.Reset.Seconds()}
}

// admitted runs an operation if its estimate is within the limits and Session.Admit allows it, and calls done
// when the response is ready. It checks the estimate first: the result does not depend on the load, and the
// client can reduce the estimate.
func admitted(ctx context.Context, s *Session, l guard.Limits,
	next graphql.OperationHandler) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	p := estimate(op)
	switch {
	case p.reads+p.writes > float64(l.Cost):
		return notRun(ctx, 0, tracker.Bad("",
			"the operation may cost %.0f capacity units; the limit (Cost) is %d: ask for smaller pages, or "+
				"for less below each of their rows",
			math.Ceil(p.reads+p.writes), l.Cost))
	case p.live > float64(l.Parallel):
		return notRun(ctx, 0, tracker.Bad("",
			"rows and fields that may be resolved in parallel: %.0f; the limit (Parallel) is %d: ask for "+
				"smaller pages, or for fewer long strings, values and histories of each row",
			p.live, l.Parallel))
	}
	if s.Admit == nil {
		return next(ctx)
	}
	done, err := s.Admit(ctx, Estimate{RCU: p.reads, WCU: p.writes,
		Write: op.Operation.Operation == ast.Mutation})
	if err != nil {
		status := http.StatusServiceUnavailable
		if tracker.CodeOf(err) == tracker.RateLimited {
			status = http.StatusTooManyRequests
		}
		return notRun(ctx, status, err)
	}
	running := false
	defer func() {
		if !running { // next has panicked
			done()
		}
	}()
	run := next(ctx)
	running = true
	return func(ctx context.Context) *graphql.Response {
		defer done()
		return run(ctx)
	}
}

// notRun returns the response of an operation that is not executed. status is the HTTP status; 0 means the
// usual one.
func notRun(ctx context.Context, status int, err error) graphql.ResponseHandler {
	transport.NotRun(ctx, status, tracker.RetryAfter(err))
	response := &graphql.Response{Errors: gqlerror.List{presentError(ctx, err)}}
	report(ctx, response) // the response does not pass through the middlewares
	return graphql.OneShot(response)
}
