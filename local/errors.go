package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// Kind is what went wrong, for code to branch on. The zero Kind, "", is no failure of this package.
type Kind string

// The kinds of [Error].
const (
	KindUnsupported Kind = "UNSUPPORTED" // no engine is published for this operating system and processor
	KindNoNPM       Kind = "NO_NPM"      // the engine must be fetched and there is no npm on PATH
	KindFetch       Kind = "FETCH"       // npm failed, or what it delivered is no engine
	KindCache       Kind = "CACHE"       // the cache folder can't be used
	KindBinary      Kind = "BINARY"      // the engine's file is missing, is not executable, or doesn't run
	KindDataDir     Kind = "DATA_DIR"    // the data directory can't be created or written
	KindLocked      Kind = "LOCKED"      // the data directory belongs to another running engine
	// no free port, or every one that was tried was taken by another program in between
	KindPort Kind = "PORT"
	KindDied Kind = "DIED" // the engine ended though nobody stopped it
	// the engine, npm or another process was not done within the time allowed
	KindTimeout  Kind = "TIMEOUT"
	KindCanceled Kind = "CANCELED" // the caller's context was cancelled
	KindStuck    Kind = "STUCK"    // the engine did not end even when killed
	// the operating system refused something elementary: a pipe, a process
	KindSystem Kind = "SYSTEM"
)

// Error is a failure of this package. Message is one sentence for people: what is wrong and what to do.
type Error struct {
	Kind    Kind
	Message string
	Err     error // the cause, nil when there is none
}

// Error returns the message; the cause is already told in it.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, so that errors.Is finds context.Canceled, fs.ErrPermission and the like.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the Kind of the first *Error in err's chain, and "" when there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}

func failure(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Err: cause}
}

// interrupted is the error for work that ended because its context did; doing continues "while ".
func interrupted(ctx context.Context, doing string) *Error {
	err := ctx.Err()
	if errors.Is(err, context.DeadlineExceeded) {
		return failure(KindTimeout, err, "the time ran out while %s; allow more on a slow machine or network",
			doing)
	}
	return failure(KindCanceled, err, "cancelled while %s", doing)
}

// reason is the shortest text of an error of the operating system or of a program that was run: the sentence
// around it has already named the file, and a program's own last words say more than its exit status.
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
