package graph

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/tracker"
)

// shown is what a client sees of an error.
type shown struct {
	code    tracker.Code
	message string
	path    string
}

// shownError maps an error of the product. An internal one is logged with an id, which is all that is shown of it.
func shownError(ctx context.Context, err error) shown {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok || e.Code == tracker.InternalErr {
		id := rand.Text()[:12]
		slog.ErrorContext(ctx, "internal error", "id", id, "error", err)
		return shown{code: tracker.InternalErr, message: "internal error; the server's log has more under the id " + id}
	}
	if e.Code == tracker.Unavailable {
		slog.WarnContext(ctx, "unavailable", "error", err)
	}
	s := shown{code: e.Code, message: e.Message, path: e.Path}
	if e.Path != "" {
		s.message = e.Path + ": " + e.Message
	}
	return s
}

// presentError is the one place where errors become GraphQL errors.
func presentError(ctx context.Context, err error) *gqlerror.Error {
	presented, isGraphQL := errors.AsType[*gqlerror.Error](err)
	if _, ours := errors.AsType[*tracker.Error](err); isGraphQL && !ours {
		// The request itself is wrong: its syntax, a type, a variable. The library says what.
		if presented.Extensions["code"] == nil {
			presented.Extensions = map[string]any{"code": tracker.BadInput}
		}
		if presented.Path == nil {
			presented.Path = graphql.GetPath(ctx)
		}
		return presented
	}
	s := shownError(ctx, err)
	out := &gqlerror.Error{Message: s.message, Path: graphql.GetPath(ctx), Extensions: map[string]any{"code": s.code}}
	if isGraphQL {
		out.Path, out.Locations = presented.Path, presented.Locations
	}
	if s.path != "" {
		out.Extensions["argument"] = s.path
	}
	return out
}

// recovered turns a panic into an internal error, and logs where it was.
func recovered(ctx context.Context, p any) error {
	return tracker.Internal("panic", fmt.Errorf("%v\n%s", p, debug.Stack()))
}
