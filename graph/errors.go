package graph

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"issuegrid/graph/guard"
	"issuegrid/graph/model"
	"issuegrid/graph/transport"
	"issuegrid/tracker"
)

// shown is the part of an error that a client receives.
type shown struct {
	code     tracker.Code
	message  string
	argument string
	conflict *model.Conflict
}

// shownError converts an error to what the client receives. An internal error is logged with a new id; the
// client receives only that id.
func shownError(ctx context.Context, err error) shown {
	e, ok := errors.AsType[*tracker.Error](err)
	if !ok && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		e, ok = &tracker.Error{Code: tracker.Unavailable, Message: "the request was canceled or timed out"},
			true
	}
	if !ok || e.Code == tracker.InternalErr {
		id := rand.Text()[:12]
		if shouldLog(ctx, tracker.InternalErr) {
			slog.ErrorContext(ctx, "internal error", "id", id, "error", causeOf(err))
		}
		return shown{code: tracker.InternalErr,
			message: "internal error; the server's log has more under the id " + id}
	}
	busy := e.RetryAfter > 0 && e.Cause == nil // refused by the server, not by DynamoDB
	if e.Code == tracker.Unavailable && !transport.Gone(ctx) && !busy && shouldLog(ctx, tracker.Unavailable) {
		slog.WarnContext(ctx, "unavailable", "error", causeOf(err))
	}
	return shown{code: e.Code, message: guard.Shorten(e.Message), argument: guard.ShortenPath(e.Path),
		conflict: conflictOf(ctx, e)}
}

// conflictOf returns the conflict of an error about an object that does not have the expected version, or
// nil.
func conflictOf(ctx context.Context, e *tracker.Error) *model.Conflict {
	switch {
	case e.Conflict != nil:
		l, err := session(ctx).Reads.Tenant(e.Conflict.Definition.Project.Tenant)
		if err != nil {
			return nil
		}
		return &model.Conflict{Version: e.Conflict.Last.Version, Issue: e.Conflict, Loaders: l}
	case e.CurrentVersion > 0:
		return &model.Conflict{Version: e.CurrentVersion}
	}
	return nil
}

// maxLogged is the maximum number of internal errors that are logged per operation.
const maxLogged = 20

// shouldLog reports whether to log an error with this code. Per operation, it allows maxLogged internal
// errors and one database error.
func shouldLog(ctx context.Context, code tracker.Code) bool {
	s, ok := ctx.Value(sessionKey{}).(*Session)
	switch {
	case !ok:
		return true
	case code == tracker.Unavailable:
		return s.failures.Add(1) == 1
	}
	return s.defects.Add(1) <= maxLogged
}

// causeOf returns the cause of err without its response path, because paths contain aliases that the client
// chooses.
func causeOf(err error) error {
	if e, ok := errors.AsType[*gqlerror.Error](err); ok && e.Err != nil {
		return e.Err
	}
	return err
}

// presentError converts all errors to GraphQL errors. If err joins several errors, it adds all but the last
// to the response and returns the last.
func presentError(ctx context.Context, err error) *gqlerror.Error {
	all := separate(ctx, err)
	for _, one := range all[:len(all)-1] {
		graphql.AddError(ctx, one)
	}
	return presentOne(ctx, all[len(all)-1])
}

// joined returns the errors that err joins, or err alone.
func joined(err error) []error {
	if all, ok := errors.AsType[tracker.Errors](err); ok {
		return all.Unwrap()
	}
	if all, ok := errors.AsType[gqlerror.List](err); ok {
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
		err = &tracker.Error{Code: tracker.BadInput, Message: cmp.Or(missingOperation(ctx), library.Message)}
	}
	if argument != "" {
		err = tracker.At(argument, err)
	}
	err = ofArgument(ctx, err)
	noteOutdated(ctx, err)
	s := shownError(ctx, err)
	out.Message, out.Extensions = s.message, map[string]any{"code": s.code}
	if s.argument != "" {
		out.Extensions["argument"] = s.argument
	}
	if s.conflict != nil {
		out.Extensions["conflict"] = conflictExtension(ctx, s.conflict)
	}
	if after := tracker.RetryAfter(err); after > 0 {
		out.Extensions["retryAfter"] = int(math.Ceil(after.Seconds()))
	}
	return out
}

// noteOutdated records an error that may be due to an outdated definition.
func noteOutdated(ctx context.Context, err error) {
	e, ok := errors.AsType[*tracker.Error](err)
	if s, begun := ctx.Value(sessionKey{}).(*Session); ok && begun && e.Outdated {
		s.outdated.CompareAndSwap(nil, e)
	}
}

// missingOperation returns the message for a request whose operation does not exist, or "".
func missingOperation(ctx context.Context) string {
	if !graphql.HasOperationContext(ctx) {
		return ""
	}
	op := graphql.GetOperationContext(ctx)
	if op.Operation != nil || op.Doc == nil || len(op.Doc.Operations) == 0 {
		return ""
	}
	names := make([]string, 0, len(op.Doc.Operations))
	for _, o := range op.Doc.Operations {
		names = append(names, strconv.Quote(o.Name))
	}
	listed := strings.Join(names, ", ")
	if op.OperationName == "" {
		return fmt.Sprintf("the query has %d operations; `operationName` must name one of them: %s",
			len(names), listed)
	}
	return fmt.Sprintf("the query has no operation %q; it has %s", op.OperationName, listed)
}

// ofRequest reports whether an error of the library is about the request: its syntax, a type, a variable or
// an argument. For the first three the library sets a code. An error about an argument has a cause and no
// location, whereas an error of a resolver has the location of its field.
func ofRequest(e *gqlerror.Error) bool {
	return e.Extensions["code"] != nil || e.Err != nil && e.Locations == nil
}

// argumentOf returns the path of the input that an error is about, such as input.issue.values[0].value.date
// or $order[0].column. The library appends this path to the path of the field, or to the element `variable`.
// It returns "" for other errors.
func argumentOf(path, field ast.Path) string {
	switch {
	case len(path) > 1 && path[0] == ast.PathName("variable"):
		return "$" + path[1:].String()
	case len(field) > 0 && len(path) > len(field):
		return path[len(field):].String()
	}
	return ""
}

// recovered converts a panic to an internal error with a stack trace.
func recovered(ctx context.Context, p any) error {
	return tracker.Internal("panic", fmt.Errorf("%v\n%s", p, debug.Stack()))
}

// userErrors converts err to the errors of a payload.
func userErrors(ctx context.Context, err error) []*model.UserError {
	all := []*model.UserError{}
	if err == nil {
		return all
	}
	for _, one := range separate(ctx, err) {
		s := shownError(ctx, ofArgument(ctx, one))
		e := &model.UserError{Code: model.ErrorCode(s.code), Message: s.message, Conflict: s.conflict}
		if s.argument != "" {
			e.Argument = &s.argument
		}
		all = append(all, e)
	}
	return all
}
