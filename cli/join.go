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
	"issuegrid/local"
)

// A command can join a running server: they share its embedded engine, since a data directory has only one at
// a time. The server writes the engine's URL, and its own process id, to a file in the data directory once
// the table can be used, and removes it before the engine ends. A server that was killed leaves the file. It
// misleads nobody: the URL is only followed while the directory is locked, which means that a server owns it,
// and only when the process that wrote the file is alive, which means that it is this server and not one
// before it.

const (
	// joinTime is how long a server may take to start its engine, or to end, before whoever wants to join
	// gives up.
	joinTime = 20 * time.Second
	joinPoll = 100 * time.Millisecond
)

// addressFile is the file of the data directory that has the engine's URL.
func addressFile(data string) string { return filepath.Join(data, "engine.url") }

func writeAddress(file, url string) error {
	return os.WriteFile(file, fmt.Appendf(nil, "%s\n%d\n", url, os.Getpid()), 0o600)
}

// readAddress returns the URL of the engine, false when there is none that can be trusted. Half a file has no
// last line end.
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

// alive tells whether there is a process with this id that belongs to the same user.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	// Windows finds only processes that there are, and knows no signal 0.
	return runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil
}

// join opens the table like open. When a server has the data directory, it uses that server's engine, and
// waits for it while it starts.
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
