package graph

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/guard"
	"issuegrid/graph/transport"
	"issuegrid/tracker"
)

// shown is what a client sees of an error.
type shown struct {
	code    tracker.Code
	message string
	path    string
	version int64
}

// shownError maps an error of the product. An internal one is logged with an id, which is all that is shown
// of it.
func shownError(ctx context.Context, err error) shown {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		e, ok = &tracker.Error{Code: tracker.Unavailable, Message: "the request was canceled or timed out"},
			true
	}
	if !ok || e.Code == tracker.InternalErr {
		id := rand.Text()[:12]
		if tells(ctx, tracker.InternalErr) {
			slog.ErrorContext(ctx, "internal error", "id", id, "error", causeOf(err))
		}
		return shown{code: tracker.InternalErr,
			message: "internal error; the server's log has more under the id " + id}
	}
	busy := e.RetryAfter > 0 && e.Cause == nil // the server has refused it itself
	if e.Code == tracker.Unavailable && !transport.Gone(ctx) && !busy && tells(ctx, tracker.Unavailable) {
		slog.WarnContext(ctx, "unavailable", "error", causeOf(err))
	}
	s := shown{code: e.Code, message: e.Message, path: guard.ShortenPath(e.Path), version: e.Version}
	if e.Path != "" {
		s.message = s.path + ": " + e.Message
	}
	s.message = guard.Shorten(s.message)
	return s
}

// mostTold is how many internal errors of an operation the log has: as many as an answer shows.
const mostTold = 20

// tells whether the log takes one more line about an error of the operation: mostTold of internal ones, and
// one of the database.
func tells(ctx context.Context, code tracker.Code) bool {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	switch {
	case !ok:
		return true
	case code == tracker.Unavailable:
		return s.failures.Add(1) == 1
	}
	return s.defects.Add(1) <= mostTold
}

// causeOf is an error without the path of the answer where it is: what is in the answer is called as the
// client likes.
func causeOf(err error) error {
	if e, ok := errors.AsType[*gqlerror.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// presentError is the one place where errors become GraphQL errors.
func presentError(ctx context.Context, err error) *gqlerror.Error {
	all := separate(err)
	for _, one := range all[:len(all)-1] {
		graphql.AddError(ctx, one)
	}
	return presentOne(ctx, all[len(all)-1])
}

// separate lists the errors that one is made of.
func separate(err error) []error {
	if all, ok := errors.AsType[tracker.Errors](err); ok {
		return all.Unwrap()
	}
	return []error{err}
}

func presentOne(ctx context.Context, err error) *gqlerror.Error {
	out := &gqlerror.Error{Path: graphql.GetPath(ctx)}
	argument := ""
	library, wrapped := errors.AsType[*gqlerror.Error](err)
	if wrapped {
		argument = argumentOf(library.Path, out.Path)
		out.Locations = library.Locations
		if argument == "" {
			out.Path = library.Path
		}
	}
	if _, ours := errors.AsType[*tracker.Error](err); !ours && wrapped && ofRequest(library) {
		err = &tracker.Error{Code: tracker.BadInput, Message: library.Message}
	}
	if argument != "" {
		err = tracker.At(argument, err)
	}
	s := shownError(ctx, err)
	out.Message, out.Extensions = s.message, map[string]any{"code": s.code}
	if s.path != "" {
		out.Extensions["argument"] = s.path
	}
	if s.version > 0 {
		out.Extensions["currentVersion"] = s.version
	}
	if after := tracker.RetryAfter(err); after > 0 {
		out.Extensions["retryAfter"] = int(math.Ceil(after.Seconds()))
	}
	return out
}

// ofRequest tells that an error which is none of ours is about the request itself: its syntax, a type, a
// variable, an argument. The library gives the first three a code, and says of the last one where it is; an
// error of a resolver has its field's location.
func ofRequest(e *gqlerror.Error) bool {
	return e.Extensions["code"] != nil || e.Err != nil && e.Locations == nil
}

// argumentOf is where in the input an error is, when the library has put the way there behind the path of the
// field, or behind the word `variable`: such as input.issue.values[0].value.date, or $order[0].column.
func argumentOf(path, field ast.Path) string {
	switch {
	case len(path) > 1 && path[0] == ast.PathName("variable"):
		return "$" + path[1:].String()
	case len(field) > 0 && len(path) > len(field):
		return path[len(field):].String()
	}
	return ""
}

// recovered turns a panic into an internal error, and logs where it was.
func recovered(ctx context.Context, p any) error {
	return tracker.Internal("panic", fmt.Errorf("%v\n%s", p, debug.Stack()))
}
