package local

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestFileLock is a test from the inside because the race that it looks for, between the removal of the
// lock's file and another's lock of it, is too rare with an engine behind every lock.
func TestFileLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders, held atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				l, err := tryLock(path)
				if errors.Is(err, errLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				held.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d holders", n)
				}
				if _, err := os.Stat(path); err != nil {
					t.Errorf("held and not there: %v", err)
				}
				for range 20 { // the others' chance
					runtime.Gosched()
				}
				holders.Add(-1)
				l.release()
			}
		})
	}
	wg.Wait()
	if held.Load() == 0 {
		t.Error("nobody got the lock")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is left behind: %v", err)
	}
}
