//go:build unix

package local_test

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"issuegrid/local"
)

// family finds the engine, its guard and its watcher among the processes.
func family(t *testing.T, url string, parent int) (engine, guard, watcher int) {
	t.Helper()
	eventually(t, "engine, guard and watcher run", func() bool {
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

func nothingLeft(t *testing.T, url string) {
	t.Helper()
	eventually(t, "engine, guard and watcher are gone", func() bool { return len(processesOf(t, url)) == 0 })
}

// TestEngineKilled also shows that an engine's death loses nothing that it has acknowledged, and frees the
// directory (L3).
func TestEngineKilled(t *testing.T) {
	data := t.TempDir()
	engine := start(t, local.Options{DataDir: data})
	createTable(t, engine, "acknowledged")
	pid, _, _ := family(t, engine.URL(), os.Getpid())
	kill(t, syscall.SIGKILL, pid)
	ended(t, engine)
	wantError(t, engine.Err(), local.KindDied, "signal 9", data)
	if strings.Contains(engine.Err().Error(), "saying") {
		t.Errorf("%q has last words, of an engine that had no time for any", engine.Err())
	}
	nothingLeft(t, engine.URL())
	stop(t, engine)
	if engine.Err() == nil {
		t.Error("Stop has wiped out why the engine had died")
	}

	again := start(t, local.Options{DataDir: data})
	if got := tables(t, again); !slices.Equal(got, []string{"acknowledged"}) {
		t.Errorf("tables %q after a restart", got)
	}
}

// TestGuardKilled kills the helpers and leaves the engine alone, which must end all the same.
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
			nothingLeft(t, engine.URL())
		})
	}
}

func TestStopLeavesNothing(t *testing.T) {
	engine := start(t, local.Options{})
	family(t, engine.URL(), os.Getpid())
	stop(t, engine)
	nothingLeft(t, engine.URL())
}

// TestServerKilled is law L1 at its hardest: kill -9.
func TestServerKilled(t *testing.T) {
	server := startServer(t)
	family(t, server.url, server.cmd.Process.Pid)
	kill(t, syscall.SIGKILL, server.cmd.Process.Pid)
	nothingLeft(t, server.url)
}

// TestServerInterrupted is law L2: what Ctrl-C sends to the terminal's group reaches the server alone, which
// can still drain.
func TestServerInterrupted(t *testing.T) {
	server := startServer(t)
	kill(t, syscall.SIGINT, -server.cmd.Process.Pid)
	if got := server.line(t); got != "drained" {
		t.Error(got)
	}
	if rest, err := io.ReadAll(server.out); err != nil || len(rest) != 0 {
		t.Errorf("after draining: %q, %v", rest, err)
	}
	nothingLeft(t, server.url)
}

// TestGroupTerminated sends the guard's group what an administrator might: the traps of the shells must not
// keep the engine from ending, nor outlive it.
func TestGroupTerminated(t *testing.T) {
	engine := start(t, local.Options{DataDir: filepath.Join(t.TempDir(), "data")})
	_, guard, _ := family(t, engine.URL(), os.Getpid())
	kill(t, syscall.SIGTERM, -guard)
	ended(t, engine)
	wantError(t, engine.Err(), local.KindDied)
	// An engine that has just begun to serve may not catch signals yet, and dies of this one.
	if said := engine.Err().Error(); !(strings.Contains(said, "exit status 0") &&
		strings.Contains(said, "Shutting down")) && !strings.Contains(said, "signal 15") {
		t.Errorf("%q tells neither that the engine shut down nor what killed it", said)
	}
	nothingLeft(t, engine.URL())
}
