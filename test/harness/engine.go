package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"issuegrid/internal/local"
)

// EngineURL returns the URL of the server's engine, which it reads from the data directory.
func EngineURL(t testing.TB, data string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "engine.url"))
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(string(text), "\n")
	return url
}

// EnginePIDs returns the process IDs of the engine with this URL, first, and of the shell that guards it.
// Zombies are left out, as they have no command line.
func EnginePIDs(t testing.TB, url string) (pids []int) {
	t.Helper()
	port := "--port " + url[strings.LastIndex(url, ":")+1:]
	add := func(pid int, command string) {
		switch {
		case !strings.Contains(command+" ", port+" "):
		case strings.Contains(command, "/bin/sh"):
			pids = append(pids, pid)
		default:
			pids = slices.Insert(pids, 0, pid)
		}
	}
	var pid int
	if dirs, _ := filepath.Glob("/proc/[0-9]*"); dirs != nil {
		for _, dir := range dirs {
			command, _ := os.ReadFile(dir + "/cmdline")
			fmt.Sscan(filepath.Base(dir), &pid)
			add(pid, strings.ReplaceAll(string(command), "\x00", " "))
		}
		return pids
	}
	out, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,command=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fmt.Sscan(line, &pid)
		add(pid, strings.TrimSpace(line))
	}
	return pids
}

// EngineGone waits until no process of the engine is left.
func EngineGone(t testing.TB, url string) {
	t.Helper()
	Eventually(t, "the engine at "+url+" is gone", func() bool { return len(EnginePIDs(t, url)) == 0 })
}

// StartEngine starts an in-memory engine and stops it when the test ends.
func StartEngine(t testing.TB) *local.Engine {
	t.Helper()
	engine, err := local.Start(t.Context(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Stop(t.Context()) })
	return engine
}
