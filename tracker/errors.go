package tracker

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code says what kind of failure an error is. Clients see it as extensions.code.
type Code string

// The codes, each with what it promises.
const (
	BadInput Code = "BAD_USER_INPUT" // the request can never succeed as it is; nothing was written
	NotFound Code = "NOT_FOUND"      // no such object, or not one of this tenant
	// somebody else changed it meanwhile, or the name is taken; nothing was written
	Conflict Code = "CONFLICT"
	// who is asking is not known: there is no token, or not one that counts
	Unauthenticated Code = "UNAUTHENTICATED"
	Forbidden       Code = "FORBIDDEN"    // the caller may not do this
	RateLimited     Code = "RATE_LIMITED" // the tenant has used what it may for now; later it succeeds
	Unavailable     Code = "UNAVAILABLE"  // the database did not answer in time; trying again may succeed
	InternalErr     Code = "INTERNAL"     // a defect; the log has more
)

// Error is the one error type of the product: a code for programs, a message for people, and a cause for the
// log.
type Error struct {
	Code    Code
	Message string
	// Path names the input that is wrong, as a path of input names and list indexes such as
	// "values[3].value". Empty where the error is not about one input.
	Path string
	// Version is the current one of an issue that has another version than was expected; otherwise 0.
	Version int64
	// RetryAfter is after how long it is worth trying again; 0 where that is not known.
	RetryAfter time.Duration
	Cause      error
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

// RetryAfter returns after how long it is worth trying again: the longest time that Errors have, that of an
// *Error, and 0 for any other error.
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

// Bad returns a BadInput error about the input at path. The message should name the limit that was broken.
func Bad(path, format string, args ...any) *Error {
	return &Error{Code: BadInput, Path: path, Message: fmt.Sprintf(format, args...)}
}

// Missing returns a NotFound error; what is a noun such as "issue".
func Missing(what string) *Error {
	return &Error{Code: NotFound, Message: "no such " + what}
}

// Internal returns an InternalErr error.
func Internal(message string, cause error) *Error {
	return &Error{Code: InternalErr, Message: message, Cause: cause}
}

// Errors are all that is wrong with an input, in its order; at least two.
type Errors []*Error

func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i := range e {
		texts[i] = e[i].Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors, of which CodeOf and errors.As take the first.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// Join makes one error of all that are not nil: Errors of several, nil of none. One that is not an *Error, or
// about the request as a whole and not its input, is all that counts.
func Join(errs ...error) error {
	var all Errors
	for _, err := range errs {
		if err == nil {
			continue
		}
		one := AllOf(err)
		if len(one) == 0 || one[0].Code != BadInput {
			return err
		}
		all = append(all, one...)
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// AllOf lists the errors that err is made of; none if it is no *Error.
func AllOf(err error) []*Error {
	if all, ok := errors.AsType[Errors](err); ok {
		return all
	}
	if one, ok := errors.AsType[*Error](err); ok {
		return []*Error{one}
	}
	return nil
}

// At returns err with prefix put before its path, when it is an *Error about an input, or several: one with a
// path, or BadInput. Any other error stays as it is.
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
	if e.Code != BadInput && e.Path == "" {
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
