package tracker

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Code is the kind of an error. Clients see it as extensions.code.
type Code string

// The error codes.
const (
	BadInput Code = "BAD_USER_INPUT" // the request can never succeed unchanged; nothing was written
	NotFound Code = "NOT_FOUND"      // the object does not exist, or belongs to another tenant
	// the object was changed concurrently, or the name is taken; nothing was written
	Conflict Code = "CONFLICT"
	// the request has no valid token
	Unauthenticated Code = "UNAUTHENTICATED"
	Forbidden       Code = "FORBIDDEN" // the caller lacks the permission
	// the tenant has used up its capacity for now; a later retry succeeds
	RateLimited Code = "RATE_LIMITED"
	Unavailable Code = "UNAVAILABLE" // the database did not respond in time; a retry may succeed
	InternalErr Code = "INTERNAL"    // a defect; the log has the details
)

// Error is the only error type that clients see: a code for programs, a message for people, and a cause for
// the log.
type Error struct {
	Code    Code
	Message string
	// Path locates the invalid input as a path of input names and list indexes, for example
	// "values[3].value". It is empty if the error is not about a single input.
	Path string
	// Conflict describes an issue that does not have the expected version; otherwise it is nil.
	Conflict *VersionConflict
	// CurrentVersion is the version of an object other than an issue that does not have the expected one;
	// otherwise it is 0.
	CurrentVersion int64
	// RetryAfter is the time to wait before a retry, or 0 if unknown.
	RetryAfter time.Duration
	// Outdated reports whether the definition with which the request was checked may be outdated: the request
	// refers to something that the definition does not have, or that does not fit it, or the definition has
	// changed since. The request may succeed with the current definition.
	Outdated bool
	Cause    error
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the code of the first *Error in err's chain, InternalErr for any other error, and "" for
// nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return InternalErr
}

// RetryAfter returns the time to wait before a retry: the RetryAfter of an *Error, the longest one of Errors,
// and 0 for any other error.
func RetryAfter(err error) (after time.Duration) {
	if all, ok := errors.AsType[Errors](err); ok {
		for _, e := range all {
			after = max(after, e.RetryAfter)
		}
		return after
	}
	if e, ok := err.(*Error); ok {
		return e.RetryAfter
	}
	return 0
}

// Bad returns a BadInput error about the input at path. The message should name the violated limit. Strings
// in args are cut to MaxQuoted bytes, because a message is not longer than that in a response.
func Bad(path, format string, args ...any) *Error {
	for i, arg := range args {
		if s, ok := arg.(string); ok && len(s) > MaxQuoted {
			args[i] = s[:MaxQuoted]
		}
	}
	return &Error{Code: BadInput, Path: path, Message: fmt.Sprintf(format, args...)}
}

// MaxQuoted is the maximum number of bytes of a string that an error message repeats.
const MaxQuoted = 1000

// MayBeOutdated returns e with Outdated set.
func (e *Error) MayBeOutdated() *Error {
	marked := *e
	marked.Outdated = true
	return &marked
}

// Outdated reports whether Outdated is set in err, or in one of the errors that it joins.
func Outdated(err error) bool {
	return slices.ContainsFunc(AllOf(err), func(e *Error) bool { return e.Outdated })
}

// ErrDefinitionChanged is returned by a change that was checked with a definition of the project that is no
// longer the current one. Nothing was written.
var ErrDefinitionChanged = &Error{Code: Conflict, Outdated: true,
	Message: "the project was changed in the meantime; try again"}

// Missing returns a NotFound error. what is a noun such as "issue".
func Missing(what string) *Error {
	return &Error{Code: NotFound, Message: "no such " + what}
}

// MissingAt returns err, with path if it is a NotFound error.
func MissingAt(path string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Code == NotFound {
		named := *e
		named.Path = path
		return &named
	}
	return err
}

// OtherVersion returns the error of a change that expects another version of an object than the current
// one.
func OtherVersion(what string, current int64) error {
	return &Error{Code: Conflict, Path: "expectedVersion", CurrentVersion: current,
		Message: "the " + what + " was changed by someone else since you read it; read it again"}
}

// Internal returns an InternalErr error.
func Internal(message string, cause error) *Error {
	return &Error{Code: InternalErr, Message: message, Cause: cause}
}

// Errors are two or more errors in an input, in the order of the input.
type Errors []*Error

func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i := range e {
		texts[i] = e[i].Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors. CodeOf and errors.As use the first.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// maxErrors is the maximum number of errors that Join combines. It is more than a response shows.
const maxErrors = 1000

// Join combines errors without duplicates. It returns nil for none, the error itself for one, and Errors for
// several, at most maxErrors. An error that is not about an input, such as one about an object that does not
// exist, is returned alone.
func Join(errs ...error) error {
	type shown struct{ path, message string }
	var all Errors
	var seen map[shown]bool
	for _, err := range errs {
		if err == nil {
			continue
		}
		each := AllOf(err)
		if len(each) == 0 {
			return err
		}
		for _, e := range each {
			if e.Code != BadInput && (e.Code != Conflict || e.Path == "") {
				return e
			}
			if seen[shown{e.Path, e.Message}] || len(all) == maxErrors {
				continue
			}
			if seen == nil {
				seen = map[shown]bool{}
			}
			seen[shown{e.Path, e.Message}] = true
			all = append(all, e)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// AllOf returns the *Errors in err, or nil if err contains none.
func AllOf(err error) []*Error {
	if all, ok := errors.AsType[Errors](err); ok {
		return all
	}
	if one, ok := errors.AsType[*Error](err); ok {
		return []*Error{one}
	}
	return nil
}

// At returns err with prefix prepended to the path of each *Error in it that is BadInput or has a path. Other
// errors are returned unchanged.
func At(prefix string, err error) error {
	if all, ok := errors.AsType[Errors](err); ok {
		moved := make(Errors, len(all))
		for i, e := range all {
			moved[i] = at(prefix, e)
		}
		return moved
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return at(prefix, e)
	}
	return err
}

func at(prefix string, e *Error) *Error {
	if prefix == "" || e.Code != BadInput && e.Path == "" {
		return e
	}
	moved := *e
	switch {
	case moved.Path == "":
		moved.Path = prefix
	case moved.Path[0] == '[':
		moved.Path = prefix + moved.Path
	default:
		moved.Path = prefix + "." + moved.Path
	}
	return &moved
}
