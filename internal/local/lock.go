package local

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the time between attempts to get a lock that another process holds.
const lockPoll = 25 * time.Millisecond

// errLocked is tryLock's error if another process, or another fileLock of this process, holds the lock.
var errLocked = errors.New("locked by another")

// fileLock is an advisory lock on a file that exists only while a process holds or wants the lock. The
// operating system releases the lock when its holder ends. Two rules make it safe to remove the file: only
// the holder removes it, and a process that gets the lock checks that the path still leads to the locked
// file, because it may have opened the file before the removal and locked it afterwards.
type fileLock struct{ f *flock.Flock }

// tryLock gets the lock or returns at once, with errLocked or an error of the file system.
func tryLock(path string) (*fileLock, error) {
	for {
		f := flock.New(path)
		ok, err := f.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errLocked
		}
		mine, err := f.Stat()
		if err == nil {
			if named, err := os.Stat(path); err == nil && os.SameFile(mine, named) {
				return &fileLock{f}, nil
			}
		}
		f.Unlock()
	}
}

// waitLock waits for the lock. It returns the error of ctx if ctx ends first.
func waitLock(ctx context.Context, path string) (*fileLock, error) {
	ticker := time.NewTicker(lockPoll)
	defer ticker.Stop()
	for {
		if l, err := tryLock(path); !errors.Is(err, errLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
}

// release releases the lock and removes its file. Windows cannot remove an open file; there the file stays,
// which is harmless.
func (l *fileLock) release() {
	os.Remove(l.f.Path())
	l.f.Unlock()
}
