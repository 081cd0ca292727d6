//go:build unix

package docs

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"issuegrid/test/harness"
)

// TestFirstDay runs the commands in the section "The first day" of docs/auth.md and compares their output
// with the section's.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/auth.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## The first day\n")
	section, _, _ = strings.Cut(section, "\n## ")
	commands, answers := blocks(section, "sh"), blocks(section, "json")
	if len(commands) != 5 || len(answers) != 3 {
		t.Fatalf("the section has %d commands and %d responses", len(commands), len(answers))
	}
	for _, needed := range []string{"openssl", "curl"} {
		if _, err := exec.LookPath(needed); err != nil {
			t.Fatalf("%s, which docs/auth.md uses, is not on PATH; install it", needed)
		}
	}
	dir := t.TempDir()
	shell := func(command string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	secret, serve, _ := strings.Cut(commands[0], "\n")
	shell(secret)
	args, ok := strings.CutPrefix(strings.TrimSpace(serve), "go run . ")
	if !ok {
		t.Fatalf("the server is started by %q", serve)
	}
	url := harness.Start(t, append(
		strings.Fields(strings.Replace(args, "file secret", "file "+dir+"/secret", 1)), "--addr",
		"127.0.0.1:0")).Serving()
	functions := strings.ReplaceAll(commands[1], "http://127.0.0.1:8080", url)
	for n, want := range answers {
		if got := shell(functions + commands[2+n]); got != strings.TrimSpace(want) {
			t.Errorf("%s: %s, want %s", commands[2+n], got, want)
		}
	}
}
