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

// Capacity is how a tenant stands with what it may consume of DynamoDB, in capacity units.
type Capacity struct {
	// Limit is the most that can be left, 0 for no limit, and Remaining what is.
	Limit, Remaining float64
	// Reset is when all of it is left again, if nothing is consumed.
	Reset time.Duration
}

// capacities are how the tenant stands with what it reads and what it writes, each nil where there is no
// limit.
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

// admitted lets an operation run if the session does, and tells it when the answer is ready. What an
// operation may cost is looked at first: that is the same at every time, and a client can lower it.
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
				"smaller pages, or for fewer texts, values and histories of each row",
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

// notRun answers an operation that does not run, with an HTTP status if it is not 0.
func notRun(ctx context.Context, status int, err error) graphql.ResponseHandler {
	transport.NotRun(ctx, status, tracker.RetryAfter(err))
	response := &graphql.Response{Errors: gqlerror.List{presentError(ctx, err)}}
	tell(ctx, response) // because it does not pass the middlewares
	return graphql.OneShot(response)
}
