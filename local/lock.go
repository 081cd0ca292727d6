package local

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// lockPoll is the time between two tries for a lock that another process holds.
const lockPoll = 25 * time.Millisecond

// errLocked is tryLock's answer when another process, or another fileLock of this one, holds the lock.
var errLocked = errors.New("locked by another")

// fileLock is an advisory lock on a file that exists only while somebody holds or wants it. The operating
// system frees it when its holder dies. Removing the file is safe because of two rules: only the holder
// removes it, and whoever gets the lock makes sure that the path still leads to the very file that was locked
// (it may have been opened before and locked after its removal).
type fileLock struct{ f *flock.Flock }

// tryLock gets the lock or returns at once, with errLocked or with what the file system has against it.
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

// waitLock waits for the lock; it ends with ctx's error when ctx does.
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

// release frees the lock and removes its file. Windows refuses to remove an open file; there it stays and
// does no harm.
func (l *fileLock) release() {
	os.Remove(l.f.Path())
	l.f.Unlock()
}
