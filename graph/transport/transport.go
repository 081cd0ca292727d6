// Package transport is GraphQL over HTTP: it reads requests by POST and GET, runs them by the executor and sends the
// responses. Start with Install, which gives a server its transports.
//
// It knows media types, statuses, headers and deadlines, and nothing of what an operation does. It may not import
// graph: what it needs of it, the presenter of errors, is given to Install.
package transport

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/guard"
)

// transport is what the transports share.
type transport struct {
	options *guard.Options
	present graphql.ErrorPresenterFunc
}

// Install gives a server its transports. present makes the error that a client sees of one that the executor has
// not seen.
func Install(server *handler.Server, options *guard.Options, present func(context.Context, error) *gqlerror.Error) {
	t := &transport{options: options, present: present}
	server.AddTransport(getQuery{t})
	server.AddTransport(postJSON{t})
	server.AddTransport(otherRequests{})
}

// Gone reports whether the client of a request has gone.
func Gone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
