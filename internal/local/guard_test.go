//go:build unix

package local_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"issuegrid/internal/local"
	"issuegrid/test/harness"
)

// family returns the processes of the engine, its guard and its watcher.
func family(t *testing.T, url string, parent int) (engine, guard, watcher int) {
	t.Helper()
	harness.Eventually(t, "engine, guard and watcher run", func() bool {
		engine, guard, watcher = 0, 0, 0
		for _, p := range processesOf(t, url) {
			switch {
			case !p.shell():
				engine = p.pid
			case p.parent == parent:
				guard = p.pid
			default:
				watcher = p.pid
			}
		}
		return engine != 0 && guard != 0 && watcher != 0
	})
	return engine, guard, watcher
}

func kill(t *testing.T, sig syscall.Signal, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
}

func waitAllEnded(t *testing.T, url string) {
	t.Helper()
	harness.Eventually(t, "engine, guard and watcher are gone", func() bool {
		return len(processesOf(t, url)) == 0
	})
}

// TestEngineKilled checks that a killed engine loses nothing that it has acknowledged, and that its directory
// is unlocked (L3).
func TestEngineKilled(t *testing.T) {
	data := t.TempDir()
	engine := start(t, local.Options{DataDir: data})
	createTable(t, engine, "acknowledged")
	pid, _, _ := family(t, engine.URL(), os.Getpid())
	kill(t, syscall.SIGKILL, pid)
	ended(t, engine)
	wantError(t, engine.Err(), local.KindDied, "signal 9", data)
	if strings.Contains(engine.Err().Error(), "saying") {
		t.Errorf("%q quotes output of an engine that wrote none", engine.Err())
	}
	waitAllEnded(t, engine.URL())
	stop(t, engine)
	if engine.Err() == nil {
		t.Error("Stop has cleared the error of an engine that died")
	}

	again := start(t, local.Options{DataDir: data})
	wantTables(t, again, "acknowledged")
}

// TestGuardKilled kills the helper processes but not the engine, which must end nevertheless.
func TestGuardKilled(t *testing.T) {
	for _, test := range []struct {
		name  string
		whose func(guard, watcher int) []int
	}{
		{"the guard", func(guard, _ int) []int { return []int{guard} }},
		{"watcher and guard", func(guard, watcher int) []int { return []int{watcher, guard} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := start(t, local.Options{})
			_, guard, watcher := family(t, engine.URL(), os.Getpid())
			kill(t, syscall.SIGKILL, test.whose(guard, watcher)...)
			ended(t, engine)
			wantError(t, engine.Err(), local.KindDied, "guard", "signal 9", "in memory")
			waitAllEnded(t, engine.URL())
		})
	}
}

// TestServerKilled checks L1 for kill -9 of the server.
func TestServerKilled(t *testing.T) {
	server := startServer(t)
	family(t, server.url, server.cmd.Process.Pid)
	kill(t, syscall.SIGKILL, server.cmd.Process.Pid)
	waitAllEnded(t, server.url)
}

// TestServerInterrupted checks L2: SIGINT to the process group of the server does not reach the engine, so
// the server can drain.
func TestServerInterrupted(t *testing.T) {
	server := startServer(t)
	kill(t, syscall.SIGINT, -server.cmd.Process.Pid)
	if got := server.line(t); got != "drained" {
		t.Error(got)
	}
	if rest, err := io.ReadAll(server.out); err != nil || len(rest) != 0 {
		t.Errorf("after draining: %q, %v", rest, err)
	}
	waitAllEnded(t, server.url)
}

// TestGroupTerminated sends SIGTERM to the guard's process group. The traps of the shells must not keep the
// engine alive, and the shells must not outlive it.
func TestGroupTerminated(t *testing.T) {
	engine := start(t, local.Options{DataDir: filepath.Join(t.TempDir(), "data")})
	_, guard, _ := family(t, engine.URL(), os.Getpid())
	kill(t, syscall.SIGTERM, -guard)
	ended(t, engine)
	wantError(t, engine.Err(), local.KindDied)
	// An engine that has just started may not catch signals yet and is killed by this one.
	if said := engine.Err().Error(); !(strings.Contains(said, "exit status 0") &&
		strings.Contains(said, "Shutting down")) && !strings.Contains(said, "signal 15") {
		t.Errorf("%q reports neither a shutdown nor the signal", said)
	}
	waitAllEnded(t, engine.URL())
}
