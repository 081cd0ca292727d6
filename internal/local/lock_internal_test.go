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

// TestFileLock checks for a race between the removal of the lock's file and another process that locks it. It
// is an internal test because the race is too rare if every lock comes with an engine.
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
					t.Errorf("the file is missing while the lock is held: %v", err)
				}
				for range 20 { // let the others run
					runtime.Gosched()
				}
				holders.Add(-1)
				l.release()
			}
		})
	}
	wg.Wait()
	if held.Load() == 0 {
		t.Error("the lock was never held")
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file still exists: %v", err)
	}
}
