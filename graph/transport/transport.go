// Package transport implements GraphQL over HTTP: it reads requests by POST and GET, runs them with the
// executor and sends the responses. Install adds the transports to a server.
//
// The package handles media types, status codes, headers and deadlines, and is independent of what an
// operation does. It must not import graph; Install receives the error presenter that it needs of it.
package transport

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/guard"
)

// transport is the state shared by all transports.
type transport struct {
	options *guard.Options
	present graphql.ErrorPresenterFunc
}

// Install adds the transports to a server. present converts errors that do not come from the executor.
func Install(server *handler.Server, options *guard.Options,
	present func(context.Context, error) *gqlerror.Error) {
	t := &transport{options: options, present: present}
	server.AddTransport(getQuery{t})
	server.AddTransport(postJSON{t})
	server.AddTransport(otherRequests{})
}

// Gone reports whether the client of a request has disconnected.
func Gone(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
