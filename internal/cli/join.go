package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"issuegrid/dynamo"
	"issuegrid/internal/local"
)

// A command can join a running server and share its embedded engine, because a data directory can have only
// one engine at a time. When the table is ready, the server writes the engine's URL and its own process id to
// a file in the data directory. It removes the file before the engine stops.
//
// A server that was killed leaves the file behind. Therefore a command uses the URL only if the directory is
// locked, so that a server is running, and if the process that wrote the file is alive, so that it is the
// same server.

const (
	// joinTime is the maximum time to wait for a server that is starting its engine or stopping.
	joinTime = 20 * time.Second
	joinPoll = 100 * time.Millisecond
)

// addressFile returns the path of the file with the engine's URL in the data directory.
func addressFile(data string) string { return filepath.Join(data, "engine.url") }

func writeAddress(file, url string) error {
	return os.WriteFile(file, fmt.Appendf(nil, "%s\n%d\n", url, os.Getpid()), 0o600)
}

// readAddress returns the URL of the engine, and whether it is valid. A file without a final line end is
// incomplete.
func readAddress(file string) (url string, ok bool) {
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(string(text), "\n") {
		return "", false
	}
	var pid int
	if _, err := fmt.Sscan(string(text), &url, &pid); err != nil || !alive(pid) {
		return "", false
	}
	return url, true
}

// alive reports whether the process exists and belongs to the same user.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	// On Windows, FindProcess fails for a process that does not exist, and signal 0 is not supported.
	return runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil
}

// join opens the table like open. If a server has locked the data directory, join uses the engine of that
// server, and waits for it while it starts.
func (f *storeFlags) join(ctx context.Context, c *console) (*store, error) {
	late := time.After(joinTime)
	poll := time.NewTicker(joinPoll)
	defer poll.Stop()
	for {
		s, err := f.open(ctx, c)
		if local.KindOf(err) != local.KindLocked {
			return s, err
		}
		if url, ok := readAddress(addressFile(f.Data)); ok {
			db, openErr := dynamo.Open(ctx, embeddedSettings(url))
			if openErr == nil && db.Ready(ctx) == nil {
				return &store{db: db}, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-late:
			return nil, err
		case <-poll.C:
		}
	}
}
