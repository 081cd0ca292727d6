package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// Kind classifies an error, for code to branch on. The zero Kind, "", means no error of this package.
type Kind string

// The kinds of [Error].
const (
	KindUnsupported Kind = "UNSUPPORTED" // no engine is published for this platform
	KindNoNPM       Kind = "NO_NPM"      // the engine must be fetched, and npm is not on PATH
	KindFetch       Kind = "FETCH"       // npm failed, or did not deliver an engine
	KindCache       Kind = "CACHE"       // the cache folder is not usable
	KindBinary      Kind = "BINARY"      // the engine's file is missing, not executable, or does not run
	KindDataDir     Kind = "DATA_DIR"    // the data directory cannot be created or written
	KindLocked      Kind = "LOCKED"      // another running engine uses the data directory
	// no port is free, or other programs took every port that was tried
	KindPort Kind = "PORT"
	KindDied Kind = "DIED" // the engine ended unexpectedly
	// the engine, npm or another process exceeded its time limit
	KindTimeout  Kind = "TIMEOUT"
	KindCanceled Kind = "CANCELED" // the caller's context was cancelled
	KindStuck    Kind = "STUCK"    // the engine did not end after a kill
	// the operating system refused a basic operation, such as a pipe or a process
	KindSystem Kind = "SYSTEM"
)

// Error is an error of this package. Message is one sentence for the user: what is wrong and what to do.
type Error struct {
	Kind    Kind
	Message string
	Err     error // the cause, or nil
}

// Error returns the message, which includes the cause.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, for errors.Is with context.Canceled, fs.ErrPermission and others.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the Kind of the first *Error in err's chain, or "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

func failure(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: cause}
}

// interrupted returns the error for work that ended with its context; doing completes "while ...".
func interrupted(ctx context.Context, doing string) *Error {
	err := ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		return failure(KindTimeout, err, "the time ran out while %s; allow more on a slow machine or network",
			doing)
	}
	return failure(KindCanceled, err, "cancelled while %s", doing)
}

// reason returns a short description of an error of the operating system or of a program. It omits the file
// name, which the message around it contains, and prefers a program's own output to its exit status.
func reason(err error) string {
	switch e := err.(type) {
	case *exec.ExitError:
		if said := lastWords(string(e.Stderr)); said != "" {
			return fmt.Sprintf("%s, saying: %s", e, said)
		}
	case *fs.PathError:
		return e.Err.Error()
	case *exec.Error:
		return e.Err.Error()
	}
	return strings.Join(strings.Fields(err.Error()), " ")
}
